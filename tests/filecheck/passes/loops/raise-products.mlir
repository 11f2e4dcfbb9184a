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
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%2, %2, %n, %m, %3, %3) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%4: index, %5: index):
// CHECK-NEXT:        memref.store %1, %0[%4, %5] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%0 : memref<?x?xf64>) {
// CHECK-NEXT:      ^bb0(%6: f64, %7: f64, %8: f64):
// CHECK-NEXT:        %9 = arith.mulf %6, %7 : f64
// CHECK-NEXT:        %10 = arith.addf %8, %9 : f64
// CHECK-NEXT:        linalg.yield %10 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %11 = memref.load %0[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        %s = arith.addf %zero, %11 : f64
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
// CHECK-NEXT:      %0 = memref.alloc(%n, %n, %n) : memref<?x?x?xf32>
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%2, %2, %2, %n, %n, %n, %3, %3, %3) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:      ^bb0(%4: index, %5: index, %6: index):
// CHECK-NEXT:        memref.store %1, %0[%4, %5, %6] : memref<?x?x?xf32>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:      %7 = memref.subview %a[%t, 0, 0, 0] [1, %n, %n, %n] [1, 1, 1, 1] : memref<?x?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%7, %b : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, memref<?x?x?xf32>) outs(%0 : memref<?x?x?xf32>) {
// CHECK-NEXT:      ^bb0(%8: f32, %9: f32, %10: f32):
// CHECK-NEXT:        %11 = arith.mulf %8, %9 : f32
// CHECK-NEXT:        %12 = arith.addf %10, %11 : f32
// CHECK-NEXT:        linalg.yield %12 : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %c0, %n, %n, %n, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:      ^bb0(%h: index, %i: index, %j: index):
// CHECK-NEXT:        %13 = memref.load %0[%h, %i, %j] : memref<?x?x?xf32>
// CHECK-NEXT:        %s = arith.addf %zero, %13 : f32
// CHECK-NEXT:        memref.store %s, %r[%h, %i, %j] : memref<?x?x?xf32>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %0 : memref<?x?x?xf32>
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
// CHECK-NEXT:        %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %2 = arith.constant 0 : index
// CHECK-NEXT:        %3 = arith.constant 1 : index
// CHECK-NEXT:        "scf.parallel"(%2, %2, %n, %n, %3, %3) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%4: index, %5: index):
// CHECK-NEXT:          memref.store %1, %0[%4, %5] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %a : memref<?x?xf64>, memref<?x?xf64>) outs(%0 : memref<?x?xf64>) {
// CHECK-NEXT:        ^bb0(%6: f64, %7: f64, %8: f64):
// CHECK-NEXT:          %9 = arith.mulf %6, %7 : f64
// CHECK-NEXT:          %10 = arith.addf %8, %9 : f64
// CHECK-NEXT:          linalg.yield %10 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index, %j: index):
// CHECK-NEXT:          %11 = memref.load %0[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          %s = arith.addf %zero, %11 : f64
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

// Left alone: a vector as a factor; a position that is no variable; a nest that writes to a factor; a
// sum of more than products; a nest in another one.
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
      %p = arith.addi %k, %i : index
      %x = memref.load %a[%i, %p] : memref<?x?xf64>
      %y = memref.load %b[%k, %j] : memref<?x?xf64>
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      scf.yield %next : f64
    }
    memref.store %s, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
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
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%h: index):
    %own = memref.alloc(%n, %n) : memref<?x?xf64>
    "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
        %x = memref.load %a[%i, %k] : memref<?x?xf64>
        %y = memref.load %b[%k, %j] : memref<?x?xf64>
        %z = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %z : f64
        scf.yield %next : f64
      }
      memref.store %s, %own[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
    memref.dealloc %own : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
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
// CHECK-NEXT:          %p = arith.addi %k_1, %i_1 : index
// CHECK-NEXT:          %x_1 = memref.load %a[%i_1, %p] : memref<?x?xf64>
// CHECK-NEXT:          %y_1 = memref.load %b[%k_1, %j] : memref<?x?xf64>
// CHECK-NEXT:          %z_1 = arith.mulf %x_1, %y_1 : f64
// CHECK-NEXT:          %next_1 = arith.addf %acc_1, %z_1 : f64
// CHECK-NEXT:          scf.yield %next_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s_1, %r[%i_1, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i_2: index, %j_1: index):
// CHECK-NEXT:        %s_2 = scf.for %k_2 = %c0 to %n step %c1 iter_args(%acc_2 = %zero) -> (f64) {
// CHECK-NEXT:          %x_2 = memref.load %a[%i_2, %k_2] : memref<?x?xf64>
// CHECK-NEXT:          %y_2 = memref.load %b[%k_2, %j_1] : memref<?x?xf64>
// CHECK-NEXT:          %z_2 = arith.mulf %x_2, %y_2 : f64
// CHECK-NEXT:          %next_2 = arith.addf %acc_2, %z_2 : f64
// CHECK-NEXT:          scf.yield %next_2 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s_2, %a[%i_2, %j_1] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i_3: index, %j_2: index):
// CHECK-NEXT:        %s_3 = scf.for %k_3 = %c0 to %n step %c1 iter_args(%acc_3 = %zero) -> (f64) {
// CHECK-NEXT:          %x_3 = memref.load %a[%i_3, %k_3] : memref<?x?xf64>
// CHECK-NEXT:          %y_3 = memref.load %b[%k_3, %j_2] : memref<?x?xf64>
// CHECK-NEXT:          %d = arith.subf %x_3, %y_3 : f64
// CHECK-NEXT:          %next_3 = arith.addf %acc_3, %d : f64
// CHECK-NEXT:          scf.yield %next_3 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s_3, %r[%i_3, %j_2] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%h: index):
// CHECK-NEXT:        %own = memref.alloc(%n, %n) : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%i_4: index, %j_3: index):
// CHECK-NEXT:          %s_4 = scf.for %k_4 = %c0 to %n step %c1 iter_args(%acc_4 = %zero) -> (f64) {
// CHECK-NEXT:            %x_4 = memref.load %a[%i_4, %k_4] : memref<?x?xf64>
// CHECK-NEXT:            %y_4 = memref.load %b[%k_4, %j_3] : memref<?x?xf64>
// CHECK-NEXT:            %z_3 = arith.mulf %x_4, %y_4 : f64
// CHECK-NEXT:            %next_4 = arith.addf %acc_4, %z_3 : f64
// CHECK-NEXT:            scf.yield %next_4 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %s_4, %own[%i_4, %j_3] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %own : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
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
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%2, %2, %m, %m, %3, %3) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%4: index, %5: index):
// CHECK-NEXT:        memref.store %1, %0[%4, %5] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      %6 = memref.alloc(%n, %m) : memref<?x?xf64>
// CHECK-NEXT:      %7 = arith.constant 0 : index
// CHECK-NEXT:      %8 = arith.cmpi sgt, %m, %7 : index
// CHECK-NEXT:      %9 = arith.select %8, %n, %7 : index
// CHECK-NEXT:      %10 = arith.constant 0 : index
// CHECK-NEXT:      %11 = arith.constant 1 : index
// CHECK-NEXT:      "scf.parallel"(%10, %10, %9, %m, %11, %11) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%12: index, %13: index):
// CHECK-NEXT:        %u = memref.load %mean[%13] : memref<?xf64>
// CHECK-NEXT:        %x = memref.load %a[%12, %13] : memref<?x?xf64>
// CHECK-NEXT:        %y = arith.subf %x, %u : f64
// CHECK-NEXT:        memref.store %y, %6[%12, %13] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6, %6 : memref<?x?xf64>, memref<?x?xf64>) outs(%0 : memref<?x?xf64>) {
// CHECK-NEXT:      ^bb0(%14: f64, %15: f64, %16: f64):
// CHECK-NEXT:        %17 = arith.mulf %14, %15 : f64
// CHECK-NEXT:        %18 = arith.addf %16, %17 : f64
// CHECK-NEXT:        linalg.yield %18 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %6 : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %m, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %u_1 = memref.load %mean[%i] : memref<?xf64>
// CHECK-NEXT:        %v = memref.load %mean[%j] : memref<?xf64>
// CHECK-NEXT:        %19 = memref.load %0[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        %s = arith.addf %zero, %19 : f64
// CHECK-NEXT:        memref.store %s, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %0 : memref<?x?xf64>
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// An array of the first factor would be larger than those that are read.
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
// CHECK-NEXT:      "scf.parallel"(%c0, %c0, %m, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index, %j: index):
// CHECK-NEXT:        %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
// CHECK-NEXT:          %x = memref.load %a[%k] : memref<?xf64>
// CHECK-NEXT:          %u = memref.load %b[%i] : memref<?xf64>
// CHECK-NEXT:          %y = arith.subf %x, %u : f64
// CHECK-NEXT:          %z = memref.load %c[%k, %j] : memref<?x?xf64>
// CHECK-NEXT:          %p = arith.mulf %y, %z : f64
// CHECK-NEXT:          %next = arith.addf %acc, %p : f64
// CHECK-NEXT:          scf.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %r[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
