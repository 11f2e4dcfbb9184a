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
// CHECK-NEXT:      scf.for %5 = %c0 to %m step %4 {
// CHECK-NEXT:        %6 = arith.subi %m, %5 : index
// CHECK-NEXT:        %7 = arith.minsi %6, %4 : index
// CHECK-NEXT:        %8 = arith.addi %5, %7 : index
// CHECK-NEXT:        %9 = memref.alloc(%7, %m) : memref<?x?xf64>
// CHECK-NEXT:        %10 = memref.alloc(%7, %n) : memref<?x?xf64>
// CHECK-NEXT:        %11 = arith.constant 0 : index
// CHECK-NEXT:        %12 = arith.cmpi sgt, %m, %11 : index
// CHECK-NEXT:        %13 = arith.select %12, %7, %11 : index
// CHECK-NEXT:        %14 = arith.constant 1 : index
// CHECK-NEXT:        "scf.parallel"(%11, %11, %13, %n, %14, %14) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%15: index, %16: index):
// CHECK-NEXT:          %17 = arith.addi %15, %5 : index
// CHECK-NEXT:          %x = memref.load %a[%16] : memref<?xf64>
// CHECK-NEXT:          %u = memref.load %b[%17] : memref<?xf64>
// CHECK-NEXT:          %y = arith.subf %x, %u : f64
// CHECK-NEXT:          memref.store %y, %10[%15, %16] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        %18 = memref.subview %c[0, 0] [%n, %m] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
// CHECK-NEXT:        %19 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        "scf.parallel"(%11, %11, %7, %m, %14, %14) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%20: index, %21: index):
// CHECK-NEXT:          memref.store %19, %9[%20, %21] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10, %18 : memref<?x?xf64>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%9 : memref<?x?xf64>) {
// CHECK-NEXT:        ^bb0(%22: f64, %23: f64, %24: f64):
// CHECK-NEXT:          %25 = arith.mulf %22, %23 : f64
// CHECK-NEXT:          %26 = arith.addf %24, %25 : f64
// CHECK-NEXT:          linalg.yield %26 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.dealloc %10 : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%5, %c0, %8, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %27 = arith.subi %i, %5 : index
// CHECK-NEXT:          %28 = memref.load %9[%27, %j] : memref<?x?xf64>
// CHECK-NEXT:          %s = arith.addf %zero, %28 : f64
// CHECK-NEXT:          memref.store %s, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %9 : memref<?x?xf64>
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
// CHECK-NEXT:      scf.for %6 = %c0 to %n step %5 {
// CHECK-NEXT:        %7 = arith.subi %n, %6 : index
// CHECK-NEXT:        %8 = arith.minsi %7, %5 : index
// CHECK-NEXT:        %9 = arith.addi %6, %8 : index
// CHECK-NEXT:        %10 = memref.alloc(%o, %8) : memref<?x?xf32>
// CHECK-NEXT:        %11 = arith.muli %l, %m : index
// CHECK-NEXT:        %12 = memref.alloc(%o, %11) : memref<?x?xf32>
// CHECK-NEXT:        %13 = arith.constant 0 : index
// CHECK-NEXT:        %14 = arith.cmpi sgt, %8, %13 : index
// CHECK-NEXT:        %15 = arith.select %14, %o, %13 : index
// CHECK-NEXT:        %16 = arith.constant 1 : index
// CHECK-NEXT:        "scf.parallel"(%13, %13, %13, %15, %l, %m, %16, %16, %16) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:        ^bb0(%17: index, %18: index, %19: index):
// CHECK-NEXT:          %y = memref.load %w[%17, %18, %19] : memref<?x?x?xf32>
// CHECK-NEXT:          %20 = arith.muli %18, %m : index
// CHECK-NEXT:          %21 = arith.addi %20, %19 : index
// CHECK-NEXT:          memref.store %y, %12[%17, %21] : memref<?x?xf32>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:        %22 = arith.muli %l, %m : index
// CHECK-NEXT:        %23 = memref.alloc(%8, %22) : memref<?x?xf32>
// CHECK-NEXT:        %24 = arith.cmpi sgt, %o, %13 : index
// CHECK-NEXT:        %25 = arith.select %24, %8, %13 : index
// CHECK-NEXT:        "scf.parallel"(%13, %13, %13, %25, %l, %m, %16, %16, %16) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:        ^bb0(%26: index, %27: index, %28: index):
// CHECK-NEXT:          %29 = arith.addi %26, %6 : index
// CHECK-NEXT:          %i = arith.index_cast %29 : index to i64
// CHECK-NEXT:          %first = arith.muli %i, %t : i64
// CHECK-NEXT:          %k = arith.index_cast %28 : index to i64
// CHECK-NEXT:          %p = arith.addi %first, %k : i64
// CHECK-NEXT:          %p_1 = arith.index_cast %p : i64 to index
// CHECK-NEXT:          %x = memref.load %a[%27, %p_1] : memref<?x?xf32>
// CHECK-NEXT:          %30 = arith.muli %27, %m : index
// CHECK-NEXT:          %31 = arith.addi %30, %28 : index
// CHECK-NEXT:          memref.store %x, %23[%26, %31] : memref<?x?xf32>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:        %32 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        "scf.parallel"(%13, %13, %o, %8, %16, %16) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%33: index, %34: index):
// CHECK-NEXT:          memref.store %32, %10[%33, %34] : memref<?x?xf32>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%12, %23 : memref<?x?xf32>, memref<?x?xf32>) outs(%10 : memref<?x?xf32>) {
// CHECK-NEXT:        ^bb0(%35: f32, %36: f32, %37: f32):
// CHECK-NEXT:          %38 = arith.mulf %35, %36 : f32
// CHECK-NEXT:          %39 = arith.addf %37, %38 : f32
// CHECK-NEXT:          linalg.yield %39 : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.dealloc %12 : memref<?x?xf32>
// CHECK-NEXT:        memref.dealloc %23 : memref<?x?xf32>
// CHECK-NEXT:        "scf.parallel"(%c0, %6, %o, %9, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%q: index, %i_1: index):
// CHECK-NEXT:          %i_2 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:          %first_1 = arith.muli %i_2, %t : i64
// CHECK-NEXT:          %40 = arith.subi %i_1, %6 : index
// CHECK-NEXT:          %41 = memref.load %10[%q, %40] : memref<?x?xf32>
// CHECK-NEXT:          %s = arith.addf %zero, %41 : f32
// CHECK-NEXT:          memref.store %s, %r[%q, %i_1] : memref<?x?xf32>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %10 : memref<?x?xf32>
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
