// RUN: ein-opt %s --split-input-file -p raise-products | filecheck %s

// A product with a function of each sum; the columns of the second factor are its rows.
func.func @layer(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index, %m: index, %l: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %z, %acc : f64
      scf.yield %next : f64
    }
    %t = math.tanh %s : f64
    memref.store %t, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return %r : memref<?x?xf64>
}

// CHECK:         func.func @layer(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index, %m: index, %l: index) -> memref<?x?xf64> {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %r = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:      %0 = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:      %1 = memref.subview %a[0, 0] [%n, %l] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:      %2 = memref.subview %b[0, 0] [%m, %l] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:      %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %4 = arith.constant 0 : index
// CHECK-NEXT:      %5 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%4, %4, %n, %m, %5, %5) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%6: index, %7: index):
// CHECK-NEXT:        memref.store %3, %0[%6, %7] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %2 : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%0 : memref<?x?xf64>) {
// CHECK-NEXT:      ^bb0(%8: f64, %9: f64, %10: f64):
// CHECK-NEXT:        %11 = arith.mulf %8, %9 : f64
// CHECK-NEXT:        %12 = arith.addf %10, %11 : f64
// CHECK-NEXT:        linalg.yield %12 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %13 = memref.load %0[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        %s = arith.addf %zero, %13 : f64
// CHECK-NEXT:        %t = math.tanh %s : f64
// CHECK-NEXT:        memref.store %t, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %0 : memref<?x?xf64>
// CHECK-NEXT:      func.return %r : memref<?x?xf64>
// CHECK-NEXT:    }

// -----

// One matrix of several, at a fixed position; the factors share a variable.
func.func @batch(%a: memref<?x?x?x?xf32>, %b: memref<?x?x?xf32>, %t: index, %n: index) -> memref<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = memref.alloc(%n, %n, %n) : memref<?x?x?xf32>
  "scf.parallel"(%c0, %c0, %c0, %n, %n, %n, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
  ^bb0(%h: index, %i: index, %j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
      %x = memref.load %a[%t, %h, %i, %k] : memref<?x?x?x?xf32>
      %y = memref.load %b[%h, %k, %j] : memref<?x?x?xf32>
      %z = arith.mulf %x, %y : f32
      %next = arith.addf %acc, %z : f32
      scf.yield %next : f32
    }
    memref.store %s, %r[%h, %i, %j] : memref<?x?x?xf32>
    scf.reduce
  }) : (index, index, index, index, index, index, index, index, index) -> ()
  func.return %r : memref<?x?x?xf32>
}

// CHECK:         func.func @batch(%a: memref<?x?x?x?xf32>, %b: memref<?x?x?xf32>, %t: index, %n: index) -> memref<?x?x?xf32> {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %r = memref.alloc(%n, %n, %n) : memref<?x?x?xf32>
// CHECK-NEXT:      %0 = memref.subview %a[%t, 0, 0, 0] [1, %n, %n, %n] [1, 1, 1, 1] : memref<?x?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
// CHECK-NEXT:      %1 = memref.subview %b[0, 0, 0] [%n, %n, %n] [1, 1, 1] : memref<?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %3 = arith.constant 0 : index
// CHECK-NEXT:      %4 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%3, %3, %3, %n, %n, %n, %4, %4, %4) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:      ^bb0(%5: index, %6: index, %7: index):
// CHECK-NEXT:        memref.store %2, %r[%5, %6, %7] : memref<?x?x?xf32>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%0, %1 : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>) outs(%r : memref<?x?x?xf32>) {
// CHECK-NEXT:      ^bb0(%8: f32, %9: f32, %10: f32):
// CHECK-NEXT:        %11 = arith.mulf %8, %9 : f32
// CHECK-NEXT:        %12 = arith.addf %10, %11 : f32
// CHECK-NEXT:        linalg.yield %12 : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : memref<?x?x?xf32>
// CHECK-NEXT:    }

// -----

// Two arrays that a loop alternates share no memory.
func.func @powers(%a: memref<?x?xf64>, %n: index, %steps: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %u = memref.alloc(%n, %n) : memref<?x?xf64>
  %v = memref.alloc(%n, %n) : memref<?x?xf64>
  %r, %q = scf.for %t = %c0 to %steps step %c1 iter_args(%x = %u, %y = %v) -> (memref<?x?xf64>, memref<?x?xf64>) {
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
        %0 = memref.load %x[%i, %k] : memref<?x?xf64>
        %1 = memref.load %a[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %next = arith.addf %acc, %2 : f64
        scf.yield %next : f64
      }
      memref.store %s, %y[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
    scf.yield %y, %x : memref<?x?xf64>, memref<?x?xf64>
  }
  memref.dealloc %q : memref<?x?xf64>
  func.return %r : memref<?x?xf64>
}

// CHECK:         func.func @powers(%a: memref<?x?xf64>, %n: index, %steps: index) -> memref<?x?xf64> {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %u = memref.alloc(%n, %n) : memref<?x?xf64>
// CHECK-NEXT:      %v = memref.alloc(%n, %n) : memref<?x?xf64>
// CHECK-NEXT:      %r, %q = scf.for %t = %c0 to %steps step %c1 iter_args(%x = %u, %y = %v) -> (memref<?x?xf64>, memref<?x?xf64>) {
// CHECK-NEXT:        %0 = memref.alloc(%n, %n) : memref<?x?xf64>
// CHECK-NEXT:        %1 = memref.subview %x[0, 0] [%n, %n] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:        %2 = memref.subview %a[0, 0] [%n, %n] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:        %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %4 = arith.constant 0 : index
// CHECK-NEXT:        %5 = arith.constant 1 : index
// CHECK-NEXT:        "scf.parallel"(%4, %4, %n, %n, %5, %5) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%6: index, %7: index):
// CHECK-NEXT:          memref.store %3, %0[%6, %7] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %2 : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%0 : memref<?x?xf64>) {
// CHECK-NEXT:        ^bb0(%8: f64, %9: f64, %10: f64):
// CHECK-NEXT:          %11 = arith.mulf %8, %9 : f64
// CHECK-NEXT:          %12 = arith.addf %10, %11 : f64
// CHECK-NEXT:          linalg.yield %12 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %13 = memref.load %0[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          %s = arith.addf %zero, %13 : f64
// CHECK-NEXT:          memref.store %s, %y[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %0 : memref<?x?xf64>
// CHECK-NEXT:        scf.yield %y, %x : memref<?x?xf64>, memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %q : memref<?x?xf64>
// CHECK-NEXT:      func.return %r : memref<?x?xf64>
// CHECK-NEXT:    }

// -----

// Left alone: a vector as a factor; a nest that writes to a factor; a sum of more than products.
func.func @others(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %w = memref.alloc(%n) : memref<?xf64>
  %r = memref.alloc(%n, %n) : memref<?x?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %v[%k] : memref<?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %w[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%k, %j] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %a[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%k, %j] : memref<?x?xf64>
      %d = arith.subf %x, %y : f64
      %next = arith.addf %acc, %d : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %w : memref<?xf64>
  memref.dealloc %r : memref<?x?xf64>
  func.return
}

// CHECK:         func.func @others(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %w = memref.alloc(%n) : memref<?xf64>
// CHECK-NEXT:      %r = memref.alloc(%n, %n) : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:          %x = memref.load %a[%i, %k] : memref<?x?xf64>
// CHECK-NEXT:          %y = memref.load %v[%k] : memref<?xf64>
// CHECK-NEXT:          %z = arith.mulf %x, %y : f64
// CHECK-NEXT:          %next = arith.addf %acc, %z : f64
// CHECK-NEXT:          scf.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %w[%i] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i_1: index, %j: index):
// CHECK-NEXT:        %s_1 = scf.for %k_1 = %c0 to %n step %c1 iter_args(%acc_1 = %zero) -> (f64) {
// CHECK-NEXT:          %x_1 = memref.load %a[%i_1, %k_1] : memref<?x?xf64>
// CHECK-NEXT:          %y_1 = memref.load %b[%k_1, %j] : memref<?x?xf64>
// CHECK-NEXT:          %z_1 = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %z_1 : f64
// CHECK-NEXT:          scf.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s_1, %a[%i_1, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i_2: index, %j_1: index):
// CHECK-NEXT:        %s_2 = scf.for %k_2 = %c0 to %n step %c1 iter_args(%acc_2 = %zero) -> (f64) {
// CHECK-NEXT:          %x_2 = memref.load %a[%i_2, %k_2] : memref<?x?xf64>
// CHECK-NEXT:          %y_2 = memref.load %b[%k_2, %j_1] : memref<?x?xf64>
// CHECK-NEXT:          %d = arith.subf %x_2, %y_2 : f64
// CHECK-NEXT:          %next_2 = arith.addf %acc_2, %d : f64
// CHECK-NEXT:          scf.yield %next_2 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s_2, %r[%i_2, %j_1] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %w : memref<?xf64>
// CHECK-NEXT:      memref.dealloc %r : memref<?x?xf64>
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// Factors that are computed are stored, in the order of an array that is read; equal ones once. A
// position of an element is clipped.
func.func @covariance(%a: memref<?x?xf64>, %mean: memref<?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %c0, %m, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %u = memref.load %mean[%i] : memref<?xf64>
    %v = memref.load %mean[%j] : memref<?xf64>
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k, %i] : memref<?x?xf64>
      %y = arith.subf %x, %u : f64
      %z = memref.load %a[%k, %j] : memref<?x?xf64>
      %w = arith.subf %z, %v : f64
      %p = arith.mulf %y, %w : f64
      %next = arith.addf %acc, %p : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @covariance(%a: memref<?x?xf64>, %mean: memref<?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = memref.alloc(%m, %m) : memref<?x?xf64>
// CHECK-NEXT:      %1 = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = arith.cmpi sgt, %m, %2 : index
// CHECK-NEXT:      %4 = arith.select %3, %n, %2 : index
// CHECK-NEXT:      %5 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%2, %2, %4, %m, %5, %5) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%6: index, %7: index):
// CHECK-NEXT:        %u = memref.load %mean[%7] : memref<?xf64>
// CHECK-NEXT:        %x = memref.load %a[%6, %7] : memref<?x?xf64>
// CHECK-NEXT:        %y = arith.subf %x, %u : f64
// CHECK-NEXT:        memref.store %y, %1[%6, %7] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      %8 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      "scf.parallel"(%2, %2, %m, %m, %5, %5) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%9: index, %10: index):
// CHECK-NEXT:        memref.store %8, %0[%9, %10] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %1 : memref<?x?xf64>, memref<?x?xf64>) outs(%0 : memref<?x?xf64>) {
// CHECK-NEXT:      ^bb0(%11: f64, %12: f64, %13: f64):
// CHECK-NEXT:        %14 = arith.mulf %11, %12 : f64
// CHECK-NEXT:        %15 = arith.addf %13, %14 : f64
// CHECK-NEXT:        linalg.yield %15 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %1 : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %m, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %u_1 = memref.load %mean[%i] : memref<?xf64>
// CHECK-NEXT:        %v = memref.load %mean[%j] : memref<?xf64>
// CHECK-NEXT:        %16 = memref.load %0[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        %s = arith.addf %zero, %16 : f64
// CHECK-NEXT:        memref.store %s, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %0 : memref<?x?xf64>
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// The array of the first factor is larger than those that are read: its rows are taken in parts.
func.func @outer(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %c0, %m, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%k] : memref<?xf64>
      %u = memref.load %b[%i] : memref<?xf64>
      %y = arith.subf %x, %u : f64
      %z = memref.load %c[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %y, %z : f64
      %next = arith.addf %acc, %p : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @outer(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index, %m: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.maxsi %0, %n : index
// CHECK-NEXT:      %2 = arith.constant 262144 : index
// CHECK-NEXT:      %3 = arith.divsi %2, %1 : index
// CHECK-NEXT:      %4 = arith.maxsi %3, %0 : index
// CHECK-NEXT:      %5 = arith.muli %m, %m : index
// CHECK-NEXT:      %6 = arith.muli %n, %m : index
// CHECK-NEXT:      %7 = arith.cmpi slt, %5, %6 : index
// CHECK-NEXT:      %8 = arith.maxsi %m, %0 : index
// CHECK-NEXT:      %9 = arith.select %7, %8, %4 : index
// CHECK-NEXT:      scf.for %10 = %c0 to %m step %9 {
// CHECK-NEXT:        %11 = arith.subi %m, %10 : index
// CHECK-NEXT:        %12 = arith.minsi %11, %9 : index
// CHECK-NEXT:        %13 = arith.addi %10, %12 : index
// CHECK-NEXT:        %14 = memref.alloc(%12, %m) : memref<?x?xf64>
// CHECK-NEXT:        %15 = scf.if %7 -> (memref<?x?xf64>) {
// CHECK-NEXT:          %16 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %17 = arith.constant 0 : index
// CHECK-NEXT:          %18 = arith.constant 1 : index
// CHECK-NEXT:          "scf.parallel"(%17, %17, %12, %m, %18, %18) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%19: index, %20: index):
// CHECK-NEXT:            memref.store %16, %14[%19, %20] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          %21 = memref.alloc(%12, %m) : memref<?x?xf64>
// CHECK-NEXT:          scf.yield %21 : memref<?x?xf64>
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %14 : memref<?x?xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %22 = arith.constant 1 : index
// CHECK-NEXT:        %23 = arith.maxsi %22, %13 : index
// CHECK-NEXT:        %24 = arith.constant 262144 : index
// CHECK-NEXT:        %25 = arith.divsi %24, %23 : index
// CHECK-NEXT:        %26 = arith.maxsi %25, %22 : index
// CHECK-NEXT:        %27 = arith.maxsi %n, %22 : index
// CHECK-NEXT:        %28 = arith.select %7, %26, %27 : index
// CHECK-NEXT:        %29 = arith.constant 0 : index
// CHECK-NEXT:        scf.for %30 = %29 to %n step %28 {
// CHECK-NEXT:          %31 = arith.subi %n, %30 : index
// CHECK-NEXT:          %32 = arith.minsi %31, %28 : index
// CHECK-NEXT:          %33 = memref.alloc(%12, %32) : memref<?x?xf64>
// CHECK-NEXT:          %34 = arith.constant 0 : index
// CHECK-NEXT:          %35 = arith.cmpi sgt, %m, %34 : index
// CHECK-NEXT:          %36 = arith.select %35, %12, %34 : index
// CHECK-NEXT:          %37 = arith.constant 1 : index
// CHECK-NEXT:          "scf.parallel"(%34, %34, %36, %32, %37, %37) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%38: index, %39: index):
// CHECK-NEXT:            %40 = arith.addi %38, %10 : index
// CHECK-NEXT:            %41 = arith.addi %39, %30 : index
// CHECK-NEXT:            %x = memref.load %a[%41] : memref<?xf64>
// CHECK-NEXT:            %u = memref.load %b[%40] : memref<?xf64>
// CHECK-NEXT:            %y = arith.subf %x, %u : f64
// CHECK-NEXT:            memref.store %y, %33[%38, %39] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          %42 = memref.dim %c, %37 : memref<?x?xf64>
// CHECK-NEXT:          %43 = arith.muli %30, %42 : index
// CHECK-NEXT:          %44 = memref.reinterpret_cast %c to offset: [%43], sizes: [%32, %m], strides: [%42, %37] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:          %45 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          "scf.parallel"(%34, %34, %12, %m, %37, %37) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%46: index, %47: index):
// CHECK-NEXT:            memref.store %45, %15[%46, %47] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%33, %44 : memref<?x?xf64>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%15 : memref<?x?xf64>) {
// CHECK-NEXT:          ^bb0(%48: f64, %49: f64, %50: f64):
// CHECK-NEXT:            %51 = arith.mulf %48, %49 : f64
// CHECK-NEXT:            %52 = arith.addf %50, %51 : f64
// CHECK-NEXT:            linalg.yield %52 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.dealloc %33 : memref<?x?xf64>
// CHECK-NEXT:          scf.if %7 {
// CHECK-NEXT:            %53 = arith.constant 0 : index
// CHECK-NEXT:            %54 = arith.constant 1 : index
// CHECK-NEXT:            "scf.parallel"(%53, %53, %12, %m, %54, %54) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:            ^bb0(%55: index, %56: index):
// CHECK-NEXT:              %57 = memref.load %14[%55, %56] : memref<?x?xf64>
// CHECK-NEXT:              %58 = memref.load %15[%55, %56] : memref<?x?xf64>
// CHECK-NEXT:              %59 = arith.addf %57, %58 : f64
// CHECK-NEXT:              memref.store %59, %14[%55, %56] : memref<?x?xf64>
// CHECK-NEXT:              scf.reduce
// CHECK-NEXT:            }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.if %7 {
// CHECK-NEXT:          memref.dealloc %15 : memref<?x?xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:        "scf.parallel"(%10, %c0, %13, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %60 = arith.subi %i, %10 : index
// CHECK-NEXT:          %61 = memref.load %14[%60, %j] : memref<?x?xf64>
// CHECK-NEXT:          %s = arith.addf %zero, %61 : f64
// CHECK-NEXT:          memref.store %s, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %14 : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// Positions of heads, g*e + k, are a view with other strides.
func.func @heads(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?x?x?xf64>, %h: index, %n: index, %e: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %c0, %c0, %h, %n, %n, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
  ^bb0(%g: index, %i: index, %j: index):
    %first = arith.muli %g, %e : index
    %s = scf.for %k = %c0 to %e step %c1 iter_args(%acc = %zero) -> (f64) {
      %p = arith.addi %first, %k : index
      %x = memref.load %a[%i, %p] : memref<?x?xf64>
      %y = memref.load %b[%j, %p] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%g, %i, %j] : memref<?x?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @heads(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %r: memref<?x?x?xf64>, %h: index, %n: index, %e: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %0 = memref.alloc(%h, %n, %n) : memref<?x?x?xf64>
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?x?xf64>
// CHECK-NEXT:      %3 = memref.reinterpret_cast %a to offset: [0], sizes: [%n, %h, %e], strides: [%2, %e, %1] : memref<?x?xf64> to memref<?x?x?xf64, strided<[?, ?, ?], offset: ?>>
// CHECK-NEXT:      %4 = memref.dim %b, %1 : memref<?x?xf64>
// CHECK-NEXT:      %5 = memref.reinterpret_cast %b to offset: [0], sizes: [%n, %h, %e], strides: [%4, %e, %1] : memref<?x?xf64> to memref<?x?x?xf64, strided<[?, ?, ?], offset: ?>>
// CHECK-NEXT:      %6 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %7 = arith.constant 0 : index
// CHECK-NEXT:      "scf.parallel"(%7, %7, %7, %h, %n, %n, %1, %1, %1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:      ^bb0(%8: index, %9: index, %10: index):
// CHECK-NEXT:        memref.store %6, %0[%8, %9, %10] : memref<?x?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3, %5 : memref<?x?x?xf64, strided<[?, ?, ?], offset: ?>>, memref<?x?x?xf64, strided<[?, ?, ?], offset: ?>>) outs(%0 : memref<?x?x?xf64>) {
// CHECK-NEXT:      ^bb0(%11: f64, %12: f64, %13: f64):
// CHECK-NEXT:        %14 = arith.mulf %11, %12 : f64
// CHECK-NEXT:        %15 = arith.addf %13, %14 : f64
// CHECK-NEXT:        linalg.yield %15 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %c0, %h, %n, %n, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:      ^bb0(%g: index, %i: index, %j: index):
// CHECK-NEXT:        %first = arith.muli %g, %e : index
// CHECK-NEXT:        %16 = memref.load %0[%g, %i, %j] : memref<?x?x?xf64>
// CHECK-NEXT:        %s = arith.addf %zero, %16 : f64
// CHECK-NEXT:        memref.store %s, %r[%g, %i, %j] : memref<?x?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %0 : memref<?x?x?xf64>
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// Two sums of windows with a step: both factors are stored, with the counters as one axis, the last
// one, since neighbours in memory are steps of them. The index
// i of the windows is taken in parts, since their array is larger than the one that is read.
func.func @windows(%a: memref<?x?xf32>, %w: memref<?x?x?xf32>, %r: memref<?x?xf32>, %o: index, %n: index, %l: index, %m: index, %t: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  "scf.parallel"(%c0, %c0, %o, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%q: index, %i: index):
    %i_1 = arith.index_cast %i : index to i64
    %first = arith.muli %i_1, %t : i64
    %s = scf.for %c = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f32) {
      %u = scf.for %k = %c0 to %m step %c1 iter_args(%acc_1 = %zero) -> (f32) {
        %k_1 = arith.index_cast %k : index to i64
        %p = arith.addi %first, %k_1 : i64
        %p_1 = arith.index_cast %p : i64 to index
        %x = memref.load %a[%c, %p_1] : memref<?x?xf32>
        %y = memref.load %w[%q, %c, %k] : memref<?x?x?xf32>
        %z = arith.mulf %y, %x : f32
        %next = arith.addf %acc_1, %z : f32
        scf.yield %next : f32
      }
      %total = arith.addf %u, %acc : f32
      scf.yield %total : f32
    }
    memref.store %s, %r[%q, %i] : memref<?x?xf32>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:         func.func @windows(%a: memref<?x?xf32>, %w: memref<?x?x?xf32>, %r: memref<?x?xf32>, %o: index, %n: index, %l: index, %m: index, %t: i64) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.muli %l, %m : index
// CHECK-NEXT:      %2 = arith.maxsi %0, %1 : index
// CHECK-NEXT:      %3 = arith.constant 262144 : index
// CHECK-NEXT:      %4 = arith.divsi %3, %2 : index
// CHECK-NEXT:      %5 = arith.maxsi %4, %0 : index
// CHECK-NEXT:      %6 = arith.muli %o, %n : index
// CHECK-NEXT:      %7 = arith.muli %o, %l : index
// CHECK-NEXT:      %8 = arith.muli %7, %m : index
// CHECK-NEXT:      %9 = arith.cmpi slt, %6, %8 : index
// CHECK-NEXT:      %10 = arith.maxsi %n, %0 : index
// CHECK-NEXT:      %11 = arith.select %9, %10, %5 : index
// CHECK-NEXT:      scf.for %12 = %c0 to %n step %11 {
// CHECK-NEXT:        %13 = arith.subi %n, %12 : index
// CHECK-NEXT:        %14 = arith.minsi %13, %11 : index
// CHECK-NEXT:        %15 = arith.addi %12, %14 : index
// CHECK-NEXT:        %16 = memref.alloc(%o, %14) : memref<?x?xf32>
// CHECK-NEXT:        %17 = scf.if %9 -> (memref<?x?xf32>) {
// CHECK-NEXT:          %18 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          %19 = arith.constant 0 : index
// CHECK-NEXT:          %20 = arith.constant 1 : index
// CHECK-NEXT:          "scf.parallel"(%19, %19, %o, %14, %20, %20) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%21: index, %22: index):
// CHECK-NEXT:            memref.store %18, %16[%21, %22] : memref<?x?xf32>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          %23 = memref.alloc(%o, %14) : memref<?x?xf32>
// CHECK-NEXT:          scf.yield %23 : memref<?x?xf32>
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %16 : memref<?x?xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %24 = arith.constant 1 : index
// CHECK-NEXT:        %25 = arith.muli %15, %m : index
// CHECK-NEXT:        %26 = arith.maxsi %24, %25 : index
// CHECK-NEXT:        %27 = arith.constant 262144 : index
// CHECK-NEXT:        %28 = arith.divsi %27, %26 : index
// CHECK-NEXT:        %29 = arith.maxsi %28, %24 : index
// CHECK-NEXT:        %30 = arith.maxsi %l, %24 : index
// CHECK-NEXT:        %31 = arith.select %9, %29, %30 : index
// CHECK-NEXT:        %32 = arith.constant 0 : index
// CHECK-NEXT:        scf.for %33 = %32 to %l step %31 {
// CHECK-NEXT:          %34 = arith.subi %l, %33 : index
// CHECK-NEXT:          %35 = arith.minsi %34, %31 : index
// CHECK-NEXT:          %36 = arith.muli %35, %m : index
// CHECK-NEXT:          %37 = memref.alloc(%o, %36) : memref<?x?xf32>
// CHECK-NEXT:          %38 = arith.constant 0 : index
// CHECK-NEXT:          %39 = arith.cmpi sgt, %14, %38 : index
// CHECK-NEXT:          %40 = arith.select %39, %o, %38 : index
// CHECK-NEXT:          %41 = arith.constant 1 : index
// CHECK-NEXT:          "scf.parallel"(%38, %38, %38, %40, %35, %m, %41, %41, %41) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:          ^bb0(%42: index, %43: index, %44: index):
// CHECK-NEXT:            %45 = arith.addi %43, %33 : index
// CHECK-NEXT:            %y = memref.load %w[%42, %45, %44] : memref<?x?x?xf32>
// CHECK-NEXT:            %46 = arith.muli %43, %m : index
// CHECK-NEXT:            %47 = arith.addi %46, %44 : index
// CHECK-NEXT:            memref.store %y, %37[%42, %47] : memref<?x?xf32>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:          %48 = arith.muli %35, %m : index
// CHECK-NEXT:          %49 = memref.alloc(%14, %48) : memref<?x?xf32>
// CHECK-NEXT:          %50 = arith.cmpi sgt, %o, %38 : index
// CHECK-NEXT:          %51 = arith.select %50, %14, %38 : index
// CHECK-NEXT:          "scf.parallel"(%38, %38, %38, %51, %35, %m, %41, %41, %41) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:          ^bb0(%52: index, %53: index, %54: index):
// CHECK-NEXT:            %55 = arith.addi %52, %12 : index
// CHECK-NEXT:            %56 = arith.addi %53, %33 : index
// CHECK-NEXT:            %i = arith.index_cast %55 : index to i64
// CHECK-NEXT:            %first = arith.muli %i, %t : i64
// CHECK-NEXT:            %k = arith.index_cast %54 : index to i64
// CHECK-NEXT:            %p = arith.addi %first, %k : i64
// CHECK-NEXT:            %p_1 = arith.index_cast %p : i64 to index
// CHECK-NEXT:            %x = memref.load %a[%56, %p_1] : memref<?x?xf32>
// CHECK-NEXT:            %57 = arith.muli %53, %m : index
// CHECK-NEXT:            %58 = arith.addi %57, %54 : index
// CHECK-NEXT:            memref.store %x, %49[%52, %58] : memref<?x?xf32>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:          %59 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          "scf.parallel"(%38, %38, %o, %14, %41, %41) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:          ^bb0(%60: index, %61: index):
// CHECK-NEXT:            memref.store %59, %17[%60, %61] : memref<?x?xf32>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%37, %49 : memref<?x?xf32>, memref<?x?xf32>) outs(%17 : memref<?x?xf32>) {
// CHECK-NEXT:          ^bb0(%62: f32, %63: f32, %64: f32):
// CHECK-NEXT:            %65 = arith.mulf %62, %63 : f32
// CHECK-NEXT:            %66 = arith.addf %64, %65 : f32
// CHECK-NEXT:            linalg.yield %66 : f32
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.dealloc %37 : memref<?x?xf32>
// CHECK-NEXT:          memref.dealloc %49 : memref<?x?xf32>
// CHECK-NEXT:          scf.if %9 {
// CHECK-NEXT:            %67 = arith.constant 0 : index
// CHECK-NEXT:            %68 = arith.constant 1 : index
// CHECK-NEXT:            "scf.parallel"(%67, %67, %o, %14, %68, %68) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:            ^bb0(%69: index, %70: index):
// CHECK-NEXT:              %71 = memref.load %16[%69, %70] : memref<?x?xf32>
// CHECK-NEXT:              %72 = memref.load %17[%69, %70] : memref<?x?xf32>
// CHECK-NEXT:              %73 = arith.addf %71, %72 : f32
// CHECK-NEXT:              memref.store %73, %16[%69, %70] : memref<?x?xf32>
// CHECK-NEXT:              scf.reduce
// CHECK-NEXT:            }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.if %9 {
// CHECK-NEXT:          memref.dealloc %17 : memref<?x?xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        "scf.parallel"(%c0, %12, %o, %15, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%q: index, %i_1: index):
// CHECK-NEXT:          %i_2 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:          %first_1 = arith.muli %i_2, %t : i64
// CHECK-NEXT:          %74 = arith.subi %i_1, %12 : index
// CHECK-NEXT:          %75 = memref.load %16[%q, %74] : memref<?x?xf32>
// CHECK-NEXT:          %s = arith.addf %zero, %75 : f32
// CHECK-NEXT:          memref.store %s, %r[%q, %i_1] : memref<?x?xf32>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %16 : memref<?x?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// A result of four by four elements is smaller than a tile.
func.func @tiny(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %l: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %r = memref.alloc(%c4, %c4) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %c4, %c4, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %z, %acc : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return %r : memref<?x?xf64>
}

// CHECK:         func.func @tiny(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %l: index) -> memref<?x?xf64> {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c4 = arith.constant 4 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %r = memref.alloc(%c4, %c4) : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %c4, %c4, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:          %x = memref.load %a[%i, %k] : memref<?x?xf64>
// CHECK-NEXT:          %y = memref.load %b[%j, %k] : memref<?x?xf64>
// CHECK-NEXT:          %z = arith.mulf %x, %y : f64
// CHECK-NEXT:          %next = arith.addf %z, %acc : f64
// CHECK-NEXT:          scf.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      func.return %r : memref<?x?xf64>
// CHECK-NEXT:    }

// -----

// Rows of four elements, with sums of three products, are fewer than a tile has.
// CHECK-LABEL: func.func @skinny
// CHECK-NOT:     linalg.generic
func.func @skinny(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %r = memref.alloc(%n, %c4) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %c4, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%j, %k] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %z, %acc : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return %r : memref<?x?xf64>
}

// -----

// Sums that are the result of a nest that is taken in parts are written to the rows of a part.
func.func @gathered(%words: memref<?xindex>, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index, %m: index, %l: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %w = memref.load %words[%i] : memref<?xindex>
    %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%w, %k] : memref<?x?xf64>
      %y = memref.load %b[%k, %j] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return %r : memref<?x?xf64>
}

// CHECK-LABEL:   func.func @gathered(
// CHECK:           %r = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK:           scf.for %[[START:.*]] = %c0 to %n step
// CHECK:             %[[COUNT:.*]] = arith.minsi
// CHECK:             %[[ROWS:.*]] = memref.subview %r[%[[START]], 0] [%[[COUNT]], %m] [1, 1]
// CHECK:             %[[A:.*]] = memref.alloc(%[[COUNT]], %l) : memref<?x?xf64>
// CHECK:             memref.load %words
// CHECK:             memref.store %{{.*}}, %[[ROWS]]
// CHECK:             linalg.generic
// CHECK:             memref.dealloc %[[A]]
// CHECK-NOT:         "scf.parallel"
// CHECK:           func.return %r

// -----

// Sums that are the result, and not rows of it in another order, are written there.
func.func @plain(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index, %m: index, %l: index) -> (memref<?x?xf64>, memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%k, %j] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  %t = memref.alloc(%m, %n) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%k, %j] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %t[%j, %i] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return %r, %t : memref<?x?xf64>, memref<?x?xf64>
}

// CHECK:         func.func @plain(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index, %m: index, %l: index) -> (memref<?x?xf64>, memref<?x?xf64>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %r = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:      %0 = memref.subview %a[0, 0] [%n, %l] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:      %1 = memref.subview %b[0, 0] [%l, %m] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %3 = arith.constant 0 : index
// CHECK-NEXT:      %4 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%3, %3, %n, %m, %4, %4) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%5: index, %6: index):
// CHECK-NEXT:        memref.store %2, %r[%5, %6] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %1 : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%r : memref<?x?xf64>) {
// CHECK-NEXT:      ^bb0(%7: f64, %8: f64, %9: f64):
// CHECK-NEXT:        %10 = arith.mulf %7, %8 : f64
// CHECK-NEXT:        %11 = arith.addf %9, %10 : f64
// CHECK-NEXT:        linalg.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = memref.alloc(%m, %n) : memref<?x?xf64>
// CHECK-NEXT:      %12 = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:      %13 = memref.subview %a[0, 0] [%n, %l] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:      %14 = memref.subview %b[0, 0] [%l, %m] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:      %15 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %16 = arith.constant 0 : index
// CHECK-NEXT:      %17 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%16, %16, %n, %m, %17, %17) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%18: index, %19: index):
// CHECK-NEXT:        memref.store %15, %12[%18, %19] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13, %14 : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%12 : memref<?x?xf64>) {
// CHECK-NEXT:      ^bb0(%20: f64, %21: f64, %22: f64):
// CHECK-NEXT:        %23 = arith.mulf %20, %21 : f64
// CHECK-NEXT:        %24 = arith.addf %22, %23 : f64
// CHECK-NEXT:        linalg.yield %24 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %25 = memref.load %12[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        %s = arith.addf %zero, %25 : f64
// CHECK-NEXT:        memref.store %s, %t[%j, %i] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %12 : memref<?x?xf64>
// CHECK-NEXT:      func.return %r, %t : memref<?x?xf64>, memref<?x?xf64>
// CHECK-NEXT:    }
