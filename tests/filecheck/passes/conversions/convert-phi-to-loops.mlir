// RUN: ein-opt %s --split-input-file -p convert-phi-to-loops --print-op-generic | ein-opt --split-input-file | filecheck %s
// RUN: ein-opt %s --split-input-file -p convert-phi-to-loops | ein-opt --split-input-file | filecheck %s

// Each rule of the translation to loops.

// A comprehension writes each element where it belongs; positions in bounds are not clipped.
func.func @array(%a: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %c = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %row = phi.array (%j < %n) -> !phi.vec<f64> {
      %y = phi.get %a[%j] : !phi.vec<f64>[index]
      %0 = arith.mulf %x, %y : f64
      phi.yield %0 : f64
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %c : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @array(%a: memref<?xf64>, %operands: memref<2xi64>) -> memref<?x?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?xf64>
// CHECK-NEXT:      %n = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %row = memref.alloc(%2, %2) : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %x = memref.load %a[%i] : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%j: index):
// CHECK-NEXT:          %y = memref.load %a[%j] : memref<?xf64>
// CHECK-NEXT:          %3 = arith.mulf %x, %y : f64
// CHECK-NEXT:          memref.store %3, %row[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return %row : memref<?x?xf64>
// CHECK-NEXT:    }

// -----

// A size that may be negative, or too large, is checked; the numbers of a message are the operands.
func.func @checked(%n: i64, %x: f64) -> !phi.vec<f64> {
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  func.return %a : !phi.vec<f64>
}

// CHECK:         func.func @checked(%n: i64, %x: f64, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 17592186044416 : i64
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = arith.constant true
// CHECK-NEXT:      %4 = arith.constant 0 : i64
// CHECK-NEXT:      %5 = arith.cmpi sge, %n, %4 : i64
// CHECK-NEXT:      %6 = arith.xori %5, %3 : i1
// CHECK-NEXT:      scf.if %6 {
// CHECK-NEXT:        memref.store %n, %operands[%2] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %5, "size of index i is negative: {0}"
// CHECK-NEXT:      %7 = arith.cmpi sle, %n, %1 : i64
// CHECK-NEXT:      %8 = arith.xori %7, %3 : i1
// CHECK-NEXT:      scf.if %8 {
// CHECK-NEXT:        memref.store %n, %operands[%2] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %7, "size of index i is too large: {0}"
// CHECK-NEXT:      %9 = arith.index_cast %n : i64 to index
// CHECK-NEXT:      %a = memref.alloc(%9) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%2, %9, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        memref.store %x, %a[%i] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return %a : memref<?xf64>
// CHECK-NEXT:    }

// -----

// A position that may be out of bounds is clipped. The array may be empty: then zeros are read.
func.func @clipped(%a: !phi.vec<f64>, %k: i64) -> f64 {
  %x = phi.get %a[%k] : !phi.vec<f64>[i64]
  func.return %x : f64
}

// CHECK:         func.func @clipped(%a: memref<?xf64>, %k: i64, %operands: memref<2xi64>) -> f64 {
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?xf64>
// CHECK-NEXT:      %4 = arith.cmpi eq, %3, %2 : index
// CHECK-NEXT:      %5 = scf.if %4 -> (memref<?xf64>) {
// CHECK-NEXT:        %6 = arith.maxsi %3, %1 : index
// CHECK-NEXT:        %7 = memref.alloc(%6) : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%2, %6, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%8: index):
// CHECK-NEXT:          memref.store %0, %7[%8] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %7 : memref<?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %a : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %9 = arith.index_cast %k : i64 to index
// CHECK-NEXT:      %10 = arith.subi %3, %1 : index
// CHECK-NEXT:      %11 = arith.minsi %9, %10 : index
// CHECK-NEXT:      %12 = arith.maxsi %11, %2 : index
// CHECK-NEXT:      %x = memref.load %5[%12] : memref<?xf64>
// CHECK-NEXT:      scf.if %4 {
// CHECK-NEXT:        memref.dealloc %5 : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %x : f64
// CHECK-NEXT:    }

// -----

// A fold carries a scalar as a value; its counter is an index.
func.func @fold(%a: !phi.vec<f64>, %x: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %n, %acc = %x) -> f64 {
    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
    %z = arith.addf %acc, %y : f64
    phi.yield %z : f64
  }
  func.return %s : f64
}

// CHECK:         func.func @fold(%a: memref<?xf64>, %x: f64, %operands: memref<2xi64>) -> f64 {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?xf64>
// CHECK-NEXT:      %n = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %s = scf.for %3 = %1 to %2 step %0 iter_args(%acc = %x) -> (f64) {
// CHECK-NEXT:        %k = arith.index_cast %3 : index to i64
// CHECK-NEXT:        %y = memref.load %a[%3] : memref<?xf64>
// CHECK-NEXT:        %z = arith.addf %acc, %y fastmath<reassoc,contract> : f64
// CHECK-NEXT:        scf.yield %z : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : f64
// CHECK-NEXT:    }

// -----

// An array that is read at other positions than it is written alternates between two buffers.
func.func @alternating(%a: !phi.vec<f64>, %count: !phi.vec<i1>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %steps = phi.size %count, 0 : !phi.vec<i1>
  %one = arith.constant 1 : i64
  %s = phi.fold (%k < %steps, %v = %a) -> !phi.vec<f64> {
    %w = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %q = arith.addi %p, %one : i64
      %x = phi.get %v[%q] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:         func.func @alternating(%a: memref<?xf64>, %count: memref<?xi1>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?xf64>
// CHECK-NEXT:      %3 = memref.dim %count, %1 : memref<?xi1>
// CHECK-NEXT:      %n = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %steps = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %4 = memref.alloc(%2) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%5: index):
// CHECK-NEXT:        %6 = memref.load %a[%5] : memref<?xf64>
// CHECK-NEXT:        memref.store %6, %4[%5] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %7 = memref.alloc(%2) : memref<?xf64>
// CHECK-NEXT:      %s, %8 = scf.for %9 = %1 to %3 step %0 iter_args(%v = %4, %w = %7) -> (memref<?xf64>, memref<?xf64>) {
// CHECK-NEXT:        %k = arith.index_cast %9 : index to i64
// CHECK-NEXT:        "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %p = arith.index_cast %i : index to i64
// CHECK-NEXT:          %q = arith.addi %p, %one : i64
// CHECK-NEXT:          %10 = arith.index_cast %q : i64 to index
// CHECK-NEXT:          %11 = arith.subi %2, %0 : index
// CHECK-NEXT:          %12 = arith.minsi %10, %11 : index
// CHECK-NEXT:          %x = memref.load %v[%12] : memref<?xf64>
// CHECK-NEXT:          memref.store %x, %w[%i] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %w, %v : memref<?xf64>, memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %8 : memref<?xf64>
// CHECK-NEXT:      func.return %s : memref<?xf64>
// CHECK-NEXT:    }

// -----

// An array that is only read at the position that is written is overwritten.
func.func @pointwise(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %steps = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %s = phi.fold (%k < %steps, %v = %a) -> !phi.vec<f64> {
    %w = phi.array (%i < %n) -> !phi.vec<f64> {
      %x = phi.get %v[%i] : !phi.vec<f64>[index]
      %y = arith.addf %x, %x : f64
      phi.yield %y : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:         func.func @pointwise(%a: memref<?xf64>, %b: memref<?x?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?xf64>
// CHECK-NEXT:      %3 = memref.dim %b, %1 : memref<?x?xf64>
// CHECK-NEXT:      %4 = memref.dim %b, %0 : memref<?x?xf64>
// CHECK-NEXT:      %n = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %steps = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %5 = memref.alloc(%2) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%6: index):
// CHECK-NEXT:        %7 = memref.load %a[%6] : memref<?xf64>
// CHECK-NEXT:        memref.store %7, %5[%6] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %s = scf.for %8 = %1 to %3 step %0 iter_args(%v = %5) -> (memref<?xf64>) {
// CHECK-NEXT:        %k = arith.index_cast %8 : index to i64
// CHECK-NEXT:        "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %x = memref.load %v[%i] : memref<?xf64>
// CHECK-NEXT:          %y = arith.addf %x, %x : f64
// CHECK-NEXT:          memref.store %y, %v[%i] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %v : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : memref<?xf64>
// CHECK-NEXT:    }

// -----

// An array whose old value is dead is updated in place; a position out of bounds changes nothing.
func.func @update(%a: !phi.vec<f64>, %keys: !phi.vec<i64>) -> !phi.vec<f64> {
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %one = arith.constant 1.0 : f64
  %s = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = phi.get %keys[%k] : !phi.vec<i64>[i64]
    %w = phi.update %v[%p], %one : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:         func.func @update(%a: memref<?xf64>, %keys: memref<?xi64>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?xf64>
// CHECK-NEXT:      %3 = memref.dim %keys, %1 : memref<?xi64>
// CHECK-NEXT:      %n = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %4 = memref.alloc(%2) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%5: index):
// CHECK-NEXT:        %6 = memref.load %a[%5] : memref<?xf64>
// CHECK-NEXT:        memref.store %6, %4[%5] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %s = scf.for %7 = %1 to %3 step %0 iter_args(%v = %4) -> (memref<?xf64>) {
// CHECK-NEXT:        %k = arith.index_cast %7 : index to i64
// CHECK-NEXT:        %p = memref.load %keys[%7] : memref<?xi64>
// CHECK-NEXT:        %8 = arith.index_cast %p : i64 to index
// CHECK-NEXT:        %9 = arith.cmpi ult, %8, %2 : index
// CHECK-NEXT:        scf.if %9 {
// CHECK-NEXT:          memref.store %one, %v[%8] : memref<?xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %v : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : memref<?xf64>
// CHECK-NEXT:    }

// -----

// An array whose old value is still read is copied first.
func.func @copy(%a: !phi.vec<f64>, %k: i64, %x: f64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %b = phi.update %a[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:         func.func @copy(%a: memref<?xf64>, %k: i64, %x: f64, %operands: memref<2xi64>) -> (memref<?xf64>, memref<?xf64>) {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?xf64>
// CHECK-NEXT:      %b = memref.alloc(%2) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%3: index):
// CHECK-NEXT:        %4 = memref.load %a[%3] : memref<?xf64>
// CHECK-NEXT:        memref.store %4, %b[%3] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %5 = arith.index_cast %k : i64 to index
// CHECK-NEXT:      %6 = arith.cmpi ult, %5, %2 : index
// CHECK-NEXT:      scf.if %6 {
// CHECK-NEXT:        memref.store %x, %b[%5] : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %7 = memref.alloc(%2) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%8: index):
// CHECK-NEXT:        %9 = memref.load %a[%8] : memref<?xf64>
// CHECK-NEXT:        memref.store %9, %7[%8] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return %7, %b : memref<?xf64>, memref<?xf64>
// CHECK-NEXT:    }

// -----

// An update at a position or at -1 has a branch for the condition, not a choice of positions.
func.func @optional(%a: !phi.vec<f64>, %c: i1, %k: i64) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %none = arith.constant -1 : i64
  %size = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.fold (%t < %size, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %t, %k : i64
    %q = arith.select %c, %p, %none : i64
    %w = phi.update %v[%q], %one : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %b : !phi.vec<f64>
}

// CHECK:         func.func @optional
// CHECK:           scf.for %[[T:.*]] =
// CHECK:             %[[P:.*]] = arith.index_cast %p : i64 to index
// CHECK-NEXT:        %[[INSIDE:.*]] = arith.cmpi ult, %[[P]], %{{.*}} : index
// CHECK-NEXT:        %[[BOTH:.*]] = arith.andi %c, %[[INSIDE]] : i1
// CHECK-NEXT:        scf.if %[[BOTH]] {
// CHECK-NEXT:          memref.store %one, %{{.*}}[%[[P]]] : memref<?xf64>

// -----

// An array that may change its size is allocated in each step, and the old one released.
func.func @growing(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %three = arith.constant 3 : i64
  %s = phi.fold (%k < %three, %v = %a) -> !phi.vec<f64> {
    %w = phi.concat %v, %v : !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}

// CHECK:         func.func @growing(%a: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 3 : index
// CHECK-NEXT:      %three = arith.constant 3 : i64
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?xf64>
// CHECK-NEXT:      %4 = memref.alloc(%3) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%2, %3, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%5: index):
// CHECK-NEXT:        %6 = memref.load %a[%5] : memref<?xf64>
// CHECK-NEXT:        memref.store %6, %4[%5] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %s = scf.for %7 = %2 to %1 step %0 iter_args(%v = %4) -> (memref<?xf64>) {
// CHECK-NEXT:        %8 = memref.dim %v, %2 : memref<?xf64>
// CHECK-NEXT:        %k = arith.index_cast %7 : index to i64
// CHECK-NEXT:        %9 = arith.addi %8, %8 : index
// CHECK-NEXT:        %w = memref.alloc(%9) : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%2, %8, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%10: index):
// CHECK-NEXT:          %11 = memref.load %v[%10] : memref<?xf64>
// CHECK-NEXT:          memref.store %11, %w[%10] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        "scf.parallel"(%2, %8, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%12: index):
// CHECK-NEXT:          %13 = arith.addi %8, %12 : index
// CHECK-NEXT:          %14 = memref.load %v[%12] : memref<?xf64>
// CHECK-NEXT:          memref.store %14, %w[%13] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %v : memref<?xf64>
// CHECK-NEXT:        scf.yield %w : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %15 = memref.dim %s, %2 : memref<?xf64>
// CHECK-NEXT:      func.return %s : memref<?xf64>
// CHECK-NEXT:    }

// -----

// Arrays that change places exchange their buffers.
func.func @swap(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %n0 = phi.size %a, 0 : !phi.vec<f64>
  %n1 = phi.size %b, 0 : !phi.vec<f64>
  %n = phi.assert_eq %n0, %n1, "sizes of a, b"
  %t = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %s = phi.fold (%k < %n, %v = %t) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %x = phi.proj %v, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %y = phi.proj %v, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %w = phi.tuple (%y, %x) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %w : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %s : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK:         func.func @swap(%a: memref<?xf64>, %b: memref<?xf64>, %operands: memref<2xi64>) -> (memref<?xf64>, memref<?xf64>) {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant true
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?xf64>
// CHECK-NEXT:      %4 = memref.dim %b, %2 : memref<?xf64>
// CHECK-NEXT:      %n1 = arith.index_cast %4 : index to i64
// CHECK-NEXT:      %n0 = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %5 = arith.cmpi eq, %n0, %n1 : i64
// CHECK-NEXT:      %6 = arith.xori %5, %1 : i1
// CHECK-NEXT:      scf.if %6 {
// CHECK-NEXT:        memref.store %n0, %operands[%2] : memref<2xi64>
// CHECK-NEXT:        memref.store %n1, %operands[%0] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %5, "sizes of a, b: {0} != {1}"
// CHECK-NEXT:      %n0_1 = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %n1_1 = arith.index_cast %4 : index to i64
// CHECK-NEXT:      %7 = memref.alloc(%3) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%2, %3, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%8: index):
// CHECK-NEXT:        %9 = memref.load %a[%8] : memref<?xf64>
// CHECK-NEXT:        memref.store %9, %7[%8] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %10 = memref.alloc(%4) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%2, %4, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%11: index):
// CHECK-NEXT:        %12 = memref.load %b[%11] : memref<?xf64>
// CHECK-NEXT:        memref.store %12, %10[%11] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %13, %14 = scf.for %15 = %2 to %3 step %0 iter_args(%x = %7, %y = %10) -> (memref<?xf64>, memref<?xf64>) {
// CHECK-NEXT:        %k = arith.index_cast %15 : index to i64
// CHECK-NEXT:        scf.yield %y, %x : memref<?xf64>, memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %13, %14 : memref<?xf64>, memref<?xf64>
// CHECK-NEXT:    }

// -----

// A general reduction is a loop over the elements.
func.func @reduce(%v: !phi.vec<f64>, %x: f64) -> f64 {
  %r = phi.reduce %v identity %x by { arith.maximumf } -> f64
  func.return %r : f64
}

// CHECK:         func.func @reduce(%v: memref<?xf64>, %x: f64, %operands: memref<2xi64>) -> f64 {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %v, %1 : memref<?xf64>
// CHECK-NEXT:      %r = scf.for %3 = %1 to %2 step %0 iter_args(%4 = %x) -> (f64) {
// CHECK-NEXT:        %5 = memref.load %v[%3] : memref<?xf64>
// CHECK-NEXT:        %6 = arith.maximumf %4, %5 : f64
// CHECK-NEXT:        scf.yield %6 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : f64
// CHECK-NEXT:    }

// -----

// A search carries the best element and its position.
func.func @argreduce(%v: !phi.vec<i64>) -> i64 {
  %k = phi.argreduce %v by "<" : !phi.vec<i64>
  func.return %k : i64
}

// CHECK:         func.func @argreduce(%v: memref<?xi64>, %operands: memref<2xi64>) -> i64 {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %v, %2 : memref<?xi64>
// CHECK-NEXT:      %4, %5 = scf.for %6 = %2 to %3 step %0 iter_args(%7 = %1, %8 = %2) -> (i64, index) {
// CHECK-NEXT:        %9 = memref.load %v[%6] : memref<?xi64>
// CHECK-NEXT:        %10 = arith.cmpi slt, %9, %7 : i64
// CHECK-NEXT:        %11 = arith.select %10, %9, %7 : i64
// CHECK-NEXT:        %12 = arith.select %10, %6, %8 : index
// CHECK-NEXT:        scf.yield %11, %12 : i64, index
// CHECK-NEXT:      }
// CHECK-NEXT:      %k = arith.index_cast %5 : index to i64
// CHECK-NEXT:      func.return %k : i64
// CHECK-NEXT:    }

// -----

// A heap of the best elements, in ranges of a long vector; then one of all of them, in order.
func.func @top_k(%v: !phi.vec<f64>) -> !phi.vec<i64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %p = phi.top_k %v, %n by ">" : !phi.vec<f64>
  func.return %p : !phi.vec<i64>
}

// CHECK:         func.func @top_k(%v: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xi64> {
// CHECK-NEXT:      %0 = arith.constant 15 : index
// CHECK-NEXT:      %1 = arith.constant true
// CHECK-NEXT:      %2 = arith.constant false
// CHECK-NEXT:      %3 = arith.constant 127 : index
// CHECK-NEXT:      %4 = arith.constant 128 : index
// CHECK-NEXT:      %5 = arith.constant 16 : index
// CHECK-NEXT:      %6 = arith.constant 32768 : index
// CHECK-NEXT:      %7 = arith.constant 256 : index
// CHECK-NEXT:      %8 = arith.constant 1 : index
// CHECK-NEXT:      %9 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:      %10 = arith.constant 0 : index
// CHECK-NEXT:      %11 = memref.dim %v, %10 : memref<?xf64>
// CHECK-NEXT:      %n = arith.index_cast %11 : index to i64
// CHECK-NEXT:      %p = memref.alloc(%11) : memref<?xi64>
// CHECK-NEXT:      %12 = arith.cmpi sgt, %11, %10 : index
// CHECK-NEXT:      scf.if %12 {
// CHECK-NEXT:        %13 = arith.muli %11, %7 : index
// CHECK-NEXT:        %14 = arith.cmpi sge, %11, %6 : index
// CHECK-NEXT:        %15 = arith.cmpi sge, %11, %13 : index
// CHECK-NEXT:        %16 = arith.andi %14, %15 : i1
// CHECK-NEXT:        %17 = arith.select %16, %5, %8 : index
// CHECK-NEXT:        %18 = memref.alloc(%17, %11) : memref<?x?xf64>
// CHECK-NEXT:        %19 = memref.alloc(%17, %11) : memref<?x?xi64>
// CHECK-NEXT:        "scf.parallel"(%10, %17, %8) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%20: index):
// CHECK-NEXT:          "scf.parallel"(%10, %11, %8) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%21: index):
// CHECK-NEXT:            memref.store %9, %18[%20, %21] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          %22 = arith.index_cast %11 : index to i64
// CHECK-NEXT:          "scf.parallel"(%10, %11, %8) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%23: index):
// CHECK-NEXT:            memref.store %22, %19[%20, %23] : memref<?x?xi64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          %24 = arith.muli %20, %11 : index
// CHECK-NEXT:          %25 = arith.divui %24, %17 : index
// CHECK-NEXT:          %26 = arith.addi %20, %8 : index
// CHECK-NEXT:          %27 = arith.muli %26, %11 : index
// CHECK-NEXT:          %28 = arith.divui %27, %17 : index
// CHECK-NEXT:          %29 = arith.subi %28, %25 : index
// CHECK-NEXT:          %30 = arith.addi %29, %3 : index
// CHECK-NEXT:          %31 = arith.divui %30, %4 : index
// CHECK-NEXT:          scf.for %32 = %10 to %31 step %8 {
// CHECK-NEXT:            %33 = arith.muli %32, %4 : index
// CHECK-NEXT:            %34 = arith.addi %25, %33 : index
// CHECK-NEXT:            %35 = arith.subi %28, %34 : index
// CHECK-NEXT:            %36 = arith.minsi %35, %4 : index
// CHECK-NEXT:            %37 = memref.load %18[%20, %10] : memref<?x?xf64>
// CHECK-NEXT:            %38 = scf.for %39 = %10 to %36 step %8 iter_args(%40 = %2) -> (i1) {
// CHECK-NEXT:              %41 = arith.addi %34, %39 : index
// CHECK-NEXT:              %42 = memref.load %v[%41] : memref<?xf64>
// CHECK-NEXT:              %43 = arith.cmpf ogt, %42, %37 : f64
// CHECK-NEXT:              %44 = arith.ori %40, %43 : i1
// CHECK-NEXT:              scf.yield %44 : i1
// CHECK-NEXT:            }
// CHECK-NEXT:            scf.if %38 {
// CHECK-NEXT:              scf.for %45 = %10 to %36 step %8 {
// CHECK-NEXT:                %46 = arith.addi %34, %45 : index
// CHECK-NEXT:                %47 = memref.load %v[%46] : memref<?xf64>
// CHECK-NEXT:                %48 = memref.load %18[%20, %10] : memref<?x?xf64>
// CHECK-NEXT:                %49 = arith.cmpf ogt, %47, %48 : f64
// CHECK-NEXT:                scf.if %49 {
// CHECK-NEXT:                  %50 = arith.subi %11, %8 : index
// CHECK-NEXT:                  %51, %52 = scf.while (%53 = %10) : (index) -> (index, index) {
// CHECK-NEXT:                    %54 = arith.addi %53, %53 : index
// CHECK-NEXT:                    %55 = arith.addi %54, %8 : index
// CHECK-NEXT:                    %56 = arith.cmpi slt, %55, %11 : index
// CHECK-NEXT:                    %57 = arith.select %56, %55, %10 : index
// CHECK-NEXT:                    %58 = arith.addi %57, %8 : index
// CHECK-NEXT:                    %59 = arith.minsi %58, %50 : index
// CHECK-NEXT:                    %60 = memref.load %19[%20, %57] : memref<?x?xi64>
// CHECK-NEXT:                    %61 = memref.load %18[%20, %57] : memref<?x?xf64>
// CHECK-NEXT:                    %62 = arith.index_cast %60 : i64 to index
// CHECK-NEXT:                    %63 = memref.load %19[%20, %59] : memref<?x?xi64>
// CHECK-NEXT:                    %64 = memref.load %18[%20, %59] : memref<?x?xf64>
// CHECK-NEXT:                    %65 = arith.index_cast %63 : i64 to index
// CHECK-NEXT:                    %66 = arith.cmpf ogt, %64, %61 : f64
// CHECK-NEXT:                    %67 = arith.xori %66, %1 : i1
// CHECK-NEXT:                    %68 = arith.cmpi slt, %62, %65 : index
// CHECK-NEXT:                    %69 = arith.andi %67, %68 : i1
// CHECK-NEXT:                    %70 = arith.cmpf ogt, %61, %64 : f64
// CHECK-NEXT:                    %71 = arith.ori %70, %69 : i1
// CHECK-NEXT:                    %72 = arith.select %71, %59, %57 : index
// CHECK-NEXT:                    %73 = memref.load %19[%20, %72] : memref<?x?xi64>
// CHECK-NEXT:                    %74 = memref.load %18[%20, %72] : memref<?x?xf64>
// CHECK-NEXT:                    %75 = arith.index_cast %73 : i64 to index
// CHECK-NEXT:                    %76 = arith.cmpf ogt, %74, %47 : f64
// CHECK-NEXT:                    %77 = arith.xori %76, %1 : i1
// CHECK-NEXT:                    %78 = arith.cmpi slt, %46, %75 : index
// CHECK-NEXT:                    %79 = arith.andi %77, %78 : i1
// CHECK-NEXT:                    %80 = arith.cmpf ogt, %47, %74 : f64
// CHECK-NEXT:                    %81 = arith.ori %80, %79 : i1
// CHECK-NEXT:                    %82 = arith.andi %56, %81 : i1
// CHECK-NEXT:                    scf.condition(%82) %53, %72 : index, index
// CHECK-NEXT:                  } do {
// CHECK-NEXT:                  ^bb0(%83: index, %84: index):
// CHECK-NEXT:                    %85 = memref.load %19[%20, %84] : memref<?x?xi64>
// CHECK-NEXT:                    %86 = memref.load %18[%20, %84] : memref<?x?xf64>
// CHECK-NEXT:                    %87 = arith.index_cast %85 : i64 to index
// CHECK-NEXT:                    memref.store %86, %18[%20, %83] : memref<?x?xf64>
// CHECK-NEXT:                    memref.store %85, %19[%20, %83] : memref<?x?xi64>
// CHECK-NEXT:                    scf.yield %84 : index
// CHECK-NEXT:                  }
// CHECK-NEXT:                  memref.store %47, %18[%20, %51] : memref<?x?xf64>
// CHECK-NEXT:                  %88 = arith.index_cast %46 : index to i64
// CHECK-NEXT:                  memref.store %88, %19[%20, %51] : memref<?x?xi64>
// CHECK-NEXT:                }
// CHECK-NEXT:              }
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.if %16 {
// CHECK-NEXT:          scf.for %89 = %10 to %0 step %8 {
// CHECK-NEXT:            %90 = arith.addi %89, %8 : index
// CHECK-NEXT:            scf.for %91 = %10 to %11 step %8 {
// CHECK-NEXT:              %92 = memref.load %19[%90, %91] : memref<?x?xi64>
// CHECK-NEXT:              %93 = memref.load %18[%90, %91] : memref<?x?xf64>
// CHECK-NEXT:              %94 = arith.index_cast %92 : i64 to index
// CHECK-NEXT:              %95 = memref.load %19[%10, %10] : memref<?x?xi64>
// CHECK-NEXT:              %96 = memref.load %18[%10, %10] : memref<?x?xf64>
// CHECK-NEXT:              %97 = arith.index_cast %95 : i64 to index
// CHECK-NEXT:              %98 = arith.cmpf ogt, %96, %93 : f64
// CHECK-NEXT:              %99 = arith.xori %98, %1 : i1
// CHECK-NEXT:              %100 = arith.cmpi slt, %94, %97 : index
// CHECK-NEXT:              %101 = arith.andi %99, %100 : i1
// CHECK-NEXT:              %102 = arith.cmpf ogt, %93, %96 : f64
// CHECK-NEXT:              %103 = arith.ori %102, %101 : i1
// CHECK-NEXT:              scf.if %103 {
// CHECK-NEXT:                %104 = arith.subi %11, %8 : index
// CHECK-NEXT:                %105, %106 = scf.while (%107 = %10) : (index) -> (index, index) {
// CHECK-NEXT:                  %108 = arith.addi %107, %107 : index
// CHECK-NEXT:                  %109 = arith.addi %108, %8 : index
// CHECK-NEXT:                  %110 = arith.cmpi slt, %109, %11 : index
// CHECK-NEXT:                  %111 = arith.select %110, %109, %10 : index
// CHECK-NEXT:                  %112 = arith.addi %111, %8 : index
// CHECK-NEXT:                  %113 = arith.minsi %112, %104 : index
// CHECK-NEXT:                  %114 = memref.load %19[%10, %111] : memref<?x?xi64>
// CHECK-NEXT:                  %115 = memref.load %18[%10, %111] : memref<?x?xf64>
// CHECK-NEXT:                  %116 = arith.index_cast %114 : i64 to index
// CHECK-NEXT:                  %117 = memref.load %19[%10, %113] : memref<?x?xi64>
// CHECK-NEXT:                  %118 = memref.load %18[%10, %113] : memref<?x?xf64>
// CHECK-NEXT:                  %119 = arith.index_cast %117 : i64 to index
// CHECK-NEXT:                  %120 = arith.cmpf ogt, %118, %115 : f64
// CHECK-NEXT:                  %121 = arith.xori %120, %1 : i1
// CHECK-NEXT:                  %122 = arith.cmpi slt, %116, %119 : index
// CHECK-NEXT:                  %123 = arith.andi %121, %122 : i1
// CHECK-NEXT:                  %124 = arith.cmpf ogt, %115, %118 : f64
// CHECK-NEXT:                  %125 = arith.ori %124, %123 : i1
// CHECK-NEXT:                  %126 = arith.select %125, %113, %111 : index
// CHECK-NEXT:                  %127 = memref.load %19[%10, %126] : memref<?x?xi64>
// CHECK-NEXT:                  %128 = memref.load %18[%10, %126] : memref<?x?xf64>
// CHECK-NEXT:                  %129 = arith.index_cast %127 : i64 to index
// CHECK-NEXT:                  %130 = arith.cmpf ogt, %128, %93 : f64
// CHECK-NEXT:                  %131 = arith.xori %130, %1 : i1
// CHECK-NEXT:                  %132 = arith.cmpi slt, %94, %129 : index
// CHECK-NEXT:                  %133 = arith.andi %131, %132 : i1
// CHECK-NEXT:                  %134 = arith.cmpf ogt, %93, %128 : f64
// CHECK-NEXT:                  %135 = arith.ori %134, %133 : i1
// CHECK-NEXT:                  %136 = arith.andi %110, %135 : i1
// CHECK-NEXT:                  scf.condition(%136) %107, %126 : index, index
// CHECK-NEXT:                } do {
// CHECK-NEXT:                ^bb0(%137: index, %138: index):
// CHECK-NEXT:                  %139 = memref.load %19[%10, %138] : memref<?x?xi64>
// CHECK-NEXT:                  %140 = memref.load %18[%10, %138] : memref<?x?xf64>
// CHECK-NEXT:                  %141 = arith.index_cast %139 : i64 to index
// CHECK-NEXT:                  memref.store %140, %18[%10, %137] : memref<?x?xf64>
// CHECK-NEXT:                  memref.store %139, %19[%10, %137] : memref<?x?xi64>
// CHECK-NEXT:                  scf.yield %138 : index
// CHECK-NEXT:                }
// CHECK-NEXT:                memref.store %93, %18[%10, %105] : memref<?x?xf64>
// CHECK-NEXT:                memref.store %92, %19[%10, %105] : memref<?x?xi64>
// CHECK-NEXT:              }
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        %142 = arith.subi %11, %8 : index
// CHECK-NEXT:        scf.for %143 = %10 to %142 step %8 {
// CHECK-NEXT:          %144 = arith.subi %11, %8 : index
// CHECK-NEXT:          %145 = arith.subi %144, %143 : index
// CHECK-NEXT:          %146 = memref.load %19[%10, %145] : memref<?x?xi64>
// CHECK-NEXT:          %147 = memref.load %18[%10, %145] : memref<?x?xf64>
// CHECK-NEXT:          %148 = arith.index_cast %146 : i64 to index
// CHECK-NEXT:          %149 = memref.load %19[%10, %10] : memref<?x?xi64>
// CHECK-NEXT:          %150 = memref.load %18[%10, %10] : memref<?x?xf64>
// CHECK-NEXT:          %151 = arith.index_cast %149 : i64 to index
// CHECK-NEXT:          %152 = arith.subi %145, %8 : index
// CHECK-NEXT:          %153, %154 = scf.while (%155 = %10) : (index) -> (index, index) {
// CHECK-NEXT:            %156 = arith.addi %155, %155 : index
// CHECK-NEXT:            %157 = arith.addi %156, %8 : index
// CHECK-NEXT:            %158 = arith.cmpi slt, %157, %145 : index
// CHECK-NEXT:            %159 = arith.select %158, %157, %10 : index
// CHECK-NEXT:            %160 = arith.addi %159, %8 : index
// CHECK-NEXT:            %161 = arith.minsi %160, %152 : index
// CHECK-NEXT:            %162 = memref.load %19[%10, %159] : memref<?x?xi64>
// CHECK-NEXT:            %163 = memref.load %18[%10, %159] : memref<?x?xf64>
// CHECK-NEXT:            %164 = arith.index_cast %162 : i64 to index
// CHECK-NEXT:            %165 = memref.load %19[%10, %161] : memref<?x?xi64>
// CHECK-NEXT:            %166 = memref.load %18[%10, %161] : memref<?x?xf64>
// CHECK-NEXT:            %167 = arith.index_cast %165 : i64 to index
// CHECK-NEXT:            %168 = arith.cmpf ogt, %166, %163 : f64
// CHECK-NEXT:            %169 = arith.xori %168, %1 : i1
// CHECK-NEXT:            %170 = arith.cmpi slt, %164, %167 : index
// CHECK-NEXT:            %171 = arith.andi %169, %170 : i1
// CHECK-NEXT:            %172 = arith.cmpf ogt, %163, %166 : f64
// CHECK-NEXT:            %173 = arith.ori %172, %171 : i1
// CHECK-NEXT:            %174 = arith.select %173, %161, %159 : index
// CHECK-NEXT:            %175 = memref.load %19[%10, %174] : memref<?x?xi64>
// CHECK-NEXT:            %176 = memref.load %18[%10, %174] : memref<?x?xf64>
// CHECK-NEXT:            %177 = arith.index_cast %175 : i64 to index
// CHECK-NEXT:            %178 = arith.cmpf ogt, %176, %147 : f64
// CHECK-NEXT:            %179 = arith.xori %178, %1 : i1
// CHECK-NEXT:            %180 = arith.cmpi slt, %148, %177 : index
// CHECK-NEXT:            %181 = arith.andi %179, %180 : i1
// CHECK-NEXT:            %182 = arith.cmpf ogt, %147, %176 : f64
// CHECK-NEXT:            %183 = arith.ori %182, %181 : i1
// CHECK-NEXT:            %184 = arith.andi %158, %183 : i1
// CHECK-NEXT:            scf.condition(%184) %155, %174 : index, index
// CHECK-NEXT:          } do {
// CHECK-NEXT:          ^bb0(%185: index, %186: index):
// CHECK-NEXT:            %187 = memref.load %19[%10, %186] : memref<?x?xi64>
// CHECK-NEXT:            %188 = memref.load %18[%10, %186] : memref<?x?xf64>
// CHECK-NEXT:            %189 = arith.index_cast %187 : i64 to index
// CHECK-NEXT:            memref.store %188, %18[%10, %185] : memref<?x?xf64>
// CHECK-NEXT:            memref.store %187, %19[%10, %185] : memref<?x?xi64>
// CHECK-NEXT:            scf.yield %186 : index
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %147, %18[%10, %153] : memref<?x?xf64>
// CHECK-NEXT:          memref.store %146, %19[%10, %153] : memref<?x?xi64>
// CHECK-NEXT:          memref.store %150, %18[%10, %145] : memref<?x?xf64>
// CHECK-NEXT:          memref.store %149, %19[%10, %145] : memref<?x?xi64>
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.dealloc %18 : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%10, %11, %8) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%190: index):
// CHECK-NEXT:          %191 = memref.load %19[%10, %190] : memref<?x?xi64>
// CHECK-NEXT:          %192 = arith.index_cast %191 : i64 to index
// CHECK-NEXT:          %193 = arith.cmpi eq, %192, %11 : index
// CHECK-NEXT:          %194 = arith.select %193, %10, %192 : index
// CHECK-NEXT:          %195 = arith.index_cast %194 : index to i64
// CHECK-NEXT:          memref.store %195, %p[%190] : memref<?xi64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %19 : memref<?x?xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %p : memref<?xi64>
// CHECK-NEXT:    }

// -----

func.func @weighted_scan(%v: !phi.vec<f64>, %c: f64, %t: !phi.vec<i1>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %s = phi.weighted_scan "max" %v by %c : !phi.vec<f64> by f64
  %u = phi.weighted_scan "add" %v by %t : !phi.vec<f64> by !phi.vec<i1>
  func.return %s, %u : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:         func.func @weighted_scan(%v: memref<?xf64>, %c: f64, %t: memref<?xi1>, %operands: memref<2xi64>) -> (memref<?xf64>, memref<?xf64>) {
// CHECK-NEXT:      %0 = arith.constant false
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %3 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:      %4 = arith.constant 0 : index
// CHECK-NEXT:      %5 = memref.dim %v, %4 : memref<?xf64>
// CHECK-NEXT:      %6 = memref.dim %t, %4 : memref<?xi1>
// CHECK-NEXT:      %7 = arith.cmpi eq, %6, %4 : index
// CHECK-NEXT:      %8 = scf.if %7 -> (memref<?xi1>) {
// CHECK-NEXT:        %9 = arith.maxsi %6, %1 : index
// CHECK-NEXT:        %10 = memref.alloc(%9) : memref<?xi1>
// CHECK-NEXT:        "scf.parallel"(%4, %9, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%11: index):
// CHECK-NEXT:          memref.store %0, %10[%11] : memref<?xi1>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %10 : memref<?xi1>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %t : memref<?xi1>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = memref.alloc(%5) : memref<?xf64>
// CHECK-NEXT:      %12 = scf.for %13 = %4 to %5 step %1 iter_args(%14 = %3) -> (f64) {
// CHECK-NEXT:        %15 = memref.load %v[%13] : memref<?xf64>
// CHECK-NEXT:        %16 = arith.addf %14, %c : f64
// CHECK-NEXT:        %17 = arith.maximumf %16, %15 : f64
// CHECK-NEXT:        %18 = arith.cmpi eq, %13, %4 : index
// CHECK-NEXT:        %19 = arith.select %18, %15, %17 : f64
// CHECK-NEXT:        memref.store %19, %s[%13] : memref<?xf64>
// CHECK-NEXT:        scf.yield %19 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %u = memref.alloc(%5) : memref<?xf64>
// CHECK-NEXT:      %20 = scf.for %21 = %4 to %5 step %1 iter_args(%22 = %2) -> (f64) {
// CHECK-NEXT:        %23 = memref.load %v[%21] : memref<?xf64>
// CHECK-NEXT:        %24 = arith.subi %6, %1 : index
// CHECK-NEXT:        %25 = arith.minsi %21, %24 : index
// CHECK-NEXT:        %26 = arith.maxsi %25, %4 : index
// CHECK-NEXT:        %27 = memref.load %8[%26] : memref<?xi1>
// CHECK-NEXT:        %28 = arith.select %27, %22, %2 : f64
// CHECK-NEXT:        %29 = arith.addf %28, %23 : f64
// CHECK-NEXT:        %30 = arith.cmpi eq, %21, %4 : index
// CHECK-NEXT:        %31 = arith.select %30, %23, %29 : f64
// CHECK-NEXT:        memref.store %31, %u[%21] : memref<?xf64>
// CHECK-NEXT:        scf.yield %31 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %7 {
// CHECK-NEXT:        memref.dealloc %8 : memref<?xi1>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s, %u : memref<?xf64>, memref<?xf64>
// CHECK-NEXT:    }

// -----

func.func @scan(%v: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %s = phi.scan "add" %v : !phi.vec<f64>
  %t = phi.scan "max" %v suffixes : !phi.vec<f64>
  func.return %s, %t : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK:         func.func @scan(%v: memref<?xf64>, %operands: memref<2xi64>) -> (memref<?xf64>, memref<?xf64>) {
// CHECK-NEXT:      %0 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %2 = arith.constant 1 : index
// CHECK-NEXT:      %3 = arith.constant 0 : index
// CHECK-NEXT:      %4 = memref.dim %v, %3 : memref<?xf64>
// CHECK-NEXT:      %5 = arith.addi %4, %2 : index
// CHECK-NEXT:      %s = memref.alloc(%5) : memref<?xf64>
// CHECK-NEXT:      memref.store %1, %s[%3] : memref<?xf64>
// CHECK-NEXT:      %6 = scf.for %7 = %3 to %4 step %2 iter_args(%8 = %1) -> (f64) {
// CHECK-NEXT:        %9 = arith.addi %7, %2 : index
// CHECK-NEXT:        %10 = memref.load %v[%7] : memref<?xf64>
// CHECK-NEXT:        %11 = arith.addf %8, %10 : f64
// CHECK-NEXT:        memref.store %11, %s[%9] : memref<?xf64>
// CHECK-NEXT:        scf.yield %11 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %12 = arith.addi %4, %2 : index
// CHECK-NEXT:      %t = memref.alloc(%12) : memref<?xf64>
// CHECK-NEXT:      memref.store %0, %t[%4] : memref<?xf64>
// CHECK-NEXT:      %13 = scf.for %14 = %3 to %4 step %2 iter_args(%15 = %0) -> (f64) {
// CHECK-NEXT:        %16 = arith.subi %4, %2 : index
// CHECK-NEXT:        %17 = arith.subi %16, %14 : index
// CHECK-NEXT:        %18 = memref.load %v[%17] : memref<?xf64>
// CHECK-NEXT:        %19 = arith.maximumf %15, %18 : f64
// CHECK-NEXT:        memref.store %19, %t[%17] : memref<?xf64>
// CHECK-NEXT:        scf.yield %19 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s, %t : memref<?xf64>, memref<?xf64>
// CHECK-NEXT:    }

// -----

func.func @propagate_nan(%v: !phi.vec<f64>, %w: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = phi.propagate_nan %v from %w : !phi.vec<f64> from !phi.vec<f64>
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @propagate_nan(%v: memref<?xf64>, %w: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 0x7ff8000000000000 : f64
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %2 = arith.constant 1 : index
// CHECK-NEXT:      %3 = arith.constant 0 : index
// CHECK-NEXT:      %4 = memref.dim %v, %3 : memref<?xf64>
// CHECK-NEXT:      %5 = memref.dim %w, %3 : memref<?xf64>
// CHECK-NEXT:      %6 = arith.cmpi eq, %5, %3 : index
// CHECK-NEXT:      %7 = scf.if %6 -> (memref<?xf64>) {
// CHECK-NEXT:        %8 = arith.maxsi %5, %2 : index
// CHECK-NEXT:        %9 = memref.alloc(%8) : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%3, %8, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%10: index):
// CHECK-NEXT:          memref.store %1, %9[%10] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %9 : memref<?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %w : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %11 = scf.for %12 = %3 to %4 step %2 iter_args(%13 = %3) -> (index) {
// CHECK-NEXT:        %14 = arith.subi %5, %2 : index
// CHECK-NEXT:        %15 = arith.minsi %12, %14 : index
// CHECK-NEXT:        %16 = arith.maxsi %15, %3 : index
// CHECK-NEXT:        %17 = memref.load %7[%16] : memref<?xf64>
// CHECK-NEXT:        %18 = arith.subf %17, %17 : f64
// CHECK-NEXT:        %19 = arith.cmpf uno, %18, %18 : f64
// CHECK-NEXT:        %20 = arith.select %19, %2, %3 : index
// CHECK-NEXT:        %21 = arith.addi %13, %20 : index
// CHECK-NEXT:        scf.yield %21 : index
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = memref.alloc(%4) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%3, %4, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%22: index):
// CHECK-NEXT:        %23 = arith.subi %5, %2 : index
// CHECK-NEXT:        %24 = arith.minsi %22, %23 : index
// CHECK-NEXT:        %25 = arith.maxsi %24, %3 : index
// CHECK-NEXT:        %26 = memref.load %7[%25] : memref<?xf64>
// CHECK-NEXT:        %27 = arith.subf %26, %26 : f64
// CHECK-NEXT:        %28 = arith.cmpf uno, %27, %27 : f64
// CHECK-NEXT:        %29 = arith.select %28, %2, %3 : index
// CHECK-NEXT:        %30 = arith.cmpi eq, %29, %11 : index
// CHECK-NEXT:        %31 = memref.load %v[%22] : memref<?xf64>
// CHECK-NEXT:        %32 = arith.select %30, %31, %0 : f64
// CHECK-NEXT:        memref.store %32, %r[%22] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      scf.if %6 {
// CHECK-NEXT:        memref.dealloc %7 : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : memref<?xf64>
// CHECK-NEXT:    }

// -----

// A value whose keys are out of bounds is ignored.
func.func @accumulate(%v: !phi.vec<f64>, %k: !phi.vec<i64>, %n: i64) -> !phi.vec<f64> {
  %rsize0 = phi.size %k, 0 : !phi.vec<i64>
  %r = phi.accumulate (%i < %rsize0) into "add" (%n) -> !phi.vec<f64> {
    %p0 = phi.get %k[%i] : !phi.vec<i64>[index]
    %value = phi.get %v[%i] : !phi.vec<f64>[index]
    %at = phi.tuple (%p0, %value) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @accumulate(%v: memref<?xf64>, %k: memref<?xi64>, %n: i64, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 65536 : index
// CHECK-NEXT:      %2 = arith.constant 16 : index
// CHECK-NEXT:      %3 = arith.constant 64 : index
// CHECK-NEXT:      %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %5 = arith.constant 17592186044416 : i64
// CHECK-NEXT:      %6 = arith.constant true
// CHECK-NEXT:      %7 = arith.constant 0 : i64
// CHECK-NEXT:      %8 = arith.constant 0 : index
// CHECK-NEXT:      %9 = memref.dim %v, %8 : memref<?xf64>
// CHECK-NEXT:      %10 = arith.cmpi eq, %9, %8 : index
// CHECK-NEXT:      %11 = scf.if %10 -> (memref<?xf64>) {
// CHECK-NEXT:        %12 = arith.maxsi %9, %0 : index
// CHECK-NEXT:        %13 = memref.alloc(%12) : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%8, %12, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%14: index):
// CHECK-NEXT:          memref.store %4, %13[%14] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %13 : memref<?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %v : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %15 = memref.dim %k, %8 : memref<?xi64>
// CHECK-NEXT:      %rsize0 = arith.index_cast %15 : index to i64
// CHECK-NEXT:      %16 = arith.cmpi sge, %n, %7 : i64
// CHECK-NEXT:      %17 = arith.xori %16, %6 : i1
// CHECK-NEXT:      scf.if %17 {
// CHECK-NEXT:        memref.store %n, %operands[%8] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %16, "size 0 of the accumulation is negative: {0}"
// CHECK-NEXT:      %18 = arith.cmpi sle, %n, %5 : i64
// CHECK-NEXT:      %19 = arith.xori %18, %6 : i1
// CHECK-NEXT:      scf.if %19 {
// CHECK-NEXT:        memref.store %n, %operands[%8] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %18, "size 0 of the accumulation is too large: {0}"
// CHECK-NEXT:      %20 = arith.index_cast %n : i64 to index
// CHECK-NEXT:      %r = memref.alloc(%20) : memref<?xf64>
// CHECK-NEXT:      %21 = arith.addi %8, %20 : index
// CHECK-NEXT:      %22 = arith.muli %21, %3 : index
// CHECK-NEXT:      %23 = arith.cmpi sge, %15, %2 : index
// CHECK-NEXT:      %24 = arith.cmpi sge, %15, %1 : index
// CHECK-NEXT:      %25 = arith.andi %23, %24 : i1
// CHECK-NEXT:      %26 = arith.cmpi sge, %15, %22 : index
// CHECK-NEXT:      %27 = arith.andi %25, %26 : i1
// CHECK-NEXT:      scf.if %27 {
// CHECK-NEXT:        %28 = memref.alloc(%2, %20) : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%8, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%29: index):
// CHECK-NEXT:          %30 = arith.addi %29, %0 : index
// CHECK-NEXT:          %31 = arith.muli %29, %15 : index
// CHECK-NEXT:          %32 = arith.divui %31, %2 : index
// CHECK-NEXT:          %33 = arith.muli %30, %15 : index
// CHECK-NEXT:          %34 = arith.divui %33, %2 : index
// CHECK-NEXT:          "scf.parallel"(%8, %20, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:          ^bb0(%35: index):
// CHECK-NEXT:            memref.store %4, %28[%29, %35] : memref<?x?xf64>
// CHECK-NEXT:            scf.reduce
// CHECK-NEXT:          }) : (index, index, index) -> ()
// CHECK-NEXT:          %36 = arith.subi %34, %32 : index
// CHECK-NEXT:          scf.for %37 = %8 to %36 step %0 {
// CHECK-NEXT:            %i = arith.addi %32, %37 : index
// CHECK-NEXT:            %p0 = memref.load %k[%i] : memref<?xi64>
// CHECK-NEXT:            %38 = arith.subi %9, %0 : index
// CHECK-NEXT:            %39 = arith.minsi %i, %38 : index
// CHECK-NEXT:            %40 = arith.maxsi %39, %8 : index
// CHECK-NEXT:            %value = memref.load %11[%40] : memref<?xf64>
// CHECK-NEXT:            %41 = arith.index_cast %p0 : i64 to index
// CHECK-NEXT:            %42 = arith.cmpi ult, %41, %20 : index
// CHECK-NEXT:            scf.if %42 {
// CHECK-NEXT:              %43 = arith.index_cast %p0 : i64 to index
// CHECK-NEXT:              %44 = memref.load %28[%29, %43] : memref<?x?xf64>
// CHECK-NEXT:              %45 = arith.addf %44, %value : f64
// CHECK-NEXT:              memref.store %45, %28[%29, %43] : memref<?x?xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        "scf.parallel"(%8, %20, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%46: index):
// CHECK-NEXT:          %47 = scf.for %48 = %8 to %2 step %0 iter_args(%49 = %4) -> (f64) {
// CHECK-NEXT:            %50 = memref.load %28[%48, %46] : memref<?x?xf64>
// CHECK-NEXT:            %51 = arith.addf %49, %50 : f64
// CHECK-NEXT:            scf.yield %51 : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          memref.store %47, %r[%46] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %28 : memref<?x?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%8, %20, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%52: index):
// CHECK-NEXT:          memref.store %4, %r[%52] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.for %i_1 = %8 to %15 step %0 {
// CHECK-NEXT:          %p0_1 = memref.load %k[%i_1] : memref<?xi64>
// CHECK-NEXT:          %53 = arith.subi %9, %0 : index
// CHECK-NEXT:          %54 = arith.minsi %i_1, %53 : index
// CHECK-NEXT:          %55 = arith.maxsi %54, %8 : index
// CHECK-NEXT:          %value_1 = memref.load %11[%55] : memref<?xf64>
// CHECK-NEXT:          %56 = arith.index_cast %p0_1 : i64 to index
// CHECK-NEXT:          %57 = arith.cmpi ult, %56, %20 : index
// CHECK-NEXT:          scf.if %57 {
// CHECK-NEXT:            %58 = arith.index_cast %p0_1 : i64 to index
// CHECK-NEXT:            %59 = memref.load %r[%58] : memref<?xf64>
// CHECK-NEXT:            %60 = arith.addf %59, %value_1 : f64
// CHECK-NEXT:            memref.store %60, %r[%58] : memref<?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %10 {
// CHECK-NEXT:        memref.dealloc %11 : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : memref<?xf64>
// CHECK-NEXT:    }

// -----

// A function of the host program takes and returns whole arrays.
func.func @extern(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %s = phi.extern @sort(%row) : (!phi.vec<f64>) -> !phi.vec<f64>
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @extern(%a: memref<?x?xf64>, %operands: memref<2xi64>) -> memref<?x?xf64> {
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?x?xf64>
// CHECK-NEXT:      %4 = memref.dim %a, %1 : memref<?x?xf64>
// CHECK-NEXT:      %5 = arith.cmpi eq, %3, %2 : index
// CHECK-NEXT:      %6 = arith.cmpi eq, %4, %2 : index
// CHECK-NEXT:      %7 = arith.ori %5, %6 : i1
// CHECK-NEXT:      %8 = scf.if %7 -> (memref<?x?xf64>) {
// CHECK-NEXT:        %9 = arith.maxsi %3, %1 : index
// CHECK-NEXT:        %10 = arith.maxsi %4, %1 : index
// CHECK-NEXT:        %11 = memref.alloc(%9, %10) : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%2, %2, %9, %10, %1, %1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%12: index, %13: index):
// CHECK-NEXT:          memref.store %0, %11[%12, %13] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        scf.yield %11 : memref<?x?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %a : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %n = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %14 = arith.subi %3, %1 : index
// CHECK-NEXT:      %15 = arith.minsi %2, %14 : index
// CHECK-NEXT:      %16 = arith.maxsi %15, %2 : index
// CHECK-NEXT:      %17 = memref.alloc(%4) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%2, %4, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%18: index):
// CHECK-NEXT:        %19 = memref.load %8[%16, %18] : memref<?x?xf64>
// CHECK-NEXT:        memref.store %19, %17[%18] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      scf.if %7 {
// CHECK-NEXT:        memref.dealloc %8 : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = func.call @sort(%17) : (memref<?xf64>) -> memref<?xf64>
// CHECK-NEXT:      memref.dealloc %17 : memref<?xf64>
// CHECK-NEXT:      %20 = memref.dim %s, %2 : memref<?xf64>
// CHECK-NEXT:      memref.dealloc %s : memref<?xf64>
// CHECK-NEXT:      %r = memref.alloc(%3, %20) : memref<?x?xf64>
// CHECK-NEXT:      scf.for %i = %2 to %3 step %1 {
// CHECK-NEXT:        %21 = memref.alloc(%4) : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%2, %4, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%22: index):
// CHECK-NEXT:          %23 = memref.load %a[%i, %22] : memref<?x?xf64>
// CHECK-NEXT:          memref.store %23, %21[%22] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        %s_1 = func.call @sort(%21) : (memref<?xf64>) -> memref<?xf64>
// CHECK-NEXT:        memref.dealloc %21 : memref<?xf64>
// CHECK-NEXT:        %24 = memref.dim %s_1, %2 : memref<?xf64>
// CHECK-NEXT:        "scf.parallel"(%2, %24, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%25: index):
// CHECK-NEXT:          %26 = memref.load %s_1[%25] : memref<?xf64>
// CHECK-NEXT:          memref.store %26, %r[%i, %25] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        memref.dealloc %s_1 : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : memref<?x?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @sort(memref<?xf64>) -> memref<?xf64>

// -----

// A choice between arrays copies one of them.
func.func @select(%c: i1, %a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %r = arith.select %c, %a, %b : !phi.vec<f64>
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @select(%c: i1, %a: memref<?xf64>, %b: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant true
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?xf64>
// CHECK-NEXT:      %4 = memref.dim %b, %2 : memref<?xf64>
// CHECK-NEXT:      %5 = arith.cmpi eq, %3, %4 : index
// CHECK-NEXT:      %6 = arith.xori %5, %1 : i1
// CHECK-NEXT:      scf.if %6 {
// CHECK-NEXT:        %7 = arith.index_cast %3 : index to i64
// CHECK-NEXT:        memref.store %7, %operands[%2] : memref<2xi64>
// CHECK-NEXT:        %8 = arith.index_cast %4 : index to i64
// CHECK-NEXT:        memref.store %8, %operands[%0] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %5, "select: sizes along axis 0 differ: {0} != {1}"
// CHECK-NEXT:      %r = memref.alloc(%3) : memref<?xf64>
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        "scf.parallel"(%2, %3, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%9: index):
// CHECK-NEXT:          %10 = memref.load %a[%9] : memref<?xf64>
// CHECK-NEXT:          memref.store %10, %r[%9] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "scf.parallel"(%2, %4, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%11: index):
// CHECK-NEXT:          %12 = memref.load %b[%11] : memref<?xf64>
// CHECK-NEXT:          memref.store %12, %r[%11] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : memref<?xf64>
// CHECK-NEXT:    }

// -----

// Operators whose meaning differs upstream are expanded.
func.func @operators(%x: i64, %y: i64, %z: f64) -> (i64, i64, i64, i64) {
  %0 = arith.divsi %x, %y : i64
  %1 = arith.shli %x, %y : i64
  %2 = arith.fptosi %z : f64 to i64
  %3 = sigma.sign %x : i64
  func.return %0, %1, %2, %3 : i64, i64, i64, i64
}

// CHECK:         func.func @operators(%x: i64, %y: i64, %z: f64, %operands: memref<2xi64>) -> (i64, i64, i64, i64) {
// CHECK-NEXT:      %0 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:      %1 = arith.constant 9.2233720368547758e+18 : f64
// CHECK-NEXT:      %2 = arith.constant 64 : i64
// CHECK-NEXT:      %3 = arith.constant -1 : i64
// CHECK-NEXT:      %4 = arith.constant 1 : i64
// CHECK-NEXT:      %5 = arith.constant 0 : i64
// CHECK-NEXT:      %6 = arith.subi %5, %x : i64
// CHECK-NEXT:      %7 = arith.cmpi eq, %y, %5 : i64
// CHECK-NEXT:      %8 = arith.cmpi eq, %y, %3 : i64
// CHECK-NEXT:      %9 = arith.ori %7, %8 : i1
// CHECK-NEXT:      %10 = arith.select %9, %4, %y : i64
// CHECK-NEXT:      %11 = arith.divsi %x, %10 : i64
// CHECK-NEXT:      %12 = arith.select %8, %6, %11 : i64
// CHECK-NEXT:      %13 = arith.select %7, %5, %12 : i64
// CHECK-NEXT:      %14 = arith.cmpi ult, %y, %2 : i64
// CHECK-NEXT:      %15 = arith.select %14, %y, %5 : i64
// CHECK-NEXT:      %16 = arith.shli %x, %15 : i64
// CHECK-NEXT:      %17 = arith.select %14, %16, %5 : i64
// CHECK-NEXT:      %18 = math.absf %z : f64
// CHECK-NEXT:      %19 = arith.cmpf olt, %18, %1 : f64
// CHECK-NEXT:      %20 = arith.fptosi %z : f64 to i64
// CHECK-NEXT:      %21 = arith.select %19, %20, %0 {ein.unpredictable} : i64
// CHECK-NEXT:      %22 = arith.cmpi slt, %x, %5 : i64
// CHECK-NEXT:      %23 = arith.select %22, %3, %5 : i64
// CHECK-NEXT:      %24 = arith.cmpi sgt, %x, %5 : i64
// CHECK-NEXT:      %25 = arith.select %24, %4, %23 : i64
// CHECK-NEXT:      func.return %13, %17, %21, %25 : i64, i64, i64, i64
// CHECK-NEXT:    }

// -----

// Slices of rows: the rows of both arrays are axes, and their sizes are compared.
func.func @update_slice(%m: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<!phi.vec<f64>>, %p: i64) -> !phi.vec<!phi.vec<f64>> {
  %u = phi.update_slice %m[%p by %p], %x : !phi.vec<!phi.vec<f64>>
  func.return %u : !phi.vec<!phi.vec<f64>>
}
// CHECK:        func.func @update_slice(%m: memref<?x?xf64>, %x: memref<?x?xf64>, %p: i64, %operands: memref<2xi64>) -> memref<?x?xf64> {
// CHECK-NEXT:     %0 = arith.constant true
// CHECK-NEXT:     %1 = arith.constant 1 : index
// CHECK-NEXT:     %2 = arith.constant 0 : index
// CHECK-NEXT:     %3 = memref.dim %m, %2 : memref<?x?xf64>
// CHECK-NEXT:     %4 = memref.dim %m, %1 : memref<?x?xf64>
// CHECK-NEXT:     %5 = memref.dim %x, %2 : memref<?x?xf64>
// CHECK-NEXT:     %6 = memref.dim %x, %1 : memref<?x?xf64>
// CHECK-NEXT:     %7 = arith.index_cast %p : i64 to index
// CHECK-NEXT:     %8 = arith.index_cast %p : i64 to index
// CHECK-NEXT:     %9 = arith.cmpi eq, %4, %6 : index
// CHECK-NEXT:     %10 = arith.xori %9, %0 : i1
// CHECK-NEXT:     scf.if %10 {
// CHECK-NEXT:       %11 = arith.index_cast %4 : index to i64
// CHECK-NEXT:       memref.store %11, %operands[%2] : memref<2xi64>
// CHECK-NEXT:       %12 = arith.index_cast %6 : index to i64
// CHECK-NEXT:       memref.store %12, %operands[%1] : memref<2xi64>
// CHECK-NEXT:     }
// CHECK-NEXT:     cf.assert %9, "update_slice: sizes along axis 1 differ: {0} != {1}"
// CHECK-NEXT:     %u = memref.alloc(%3, %4) : memref<?x?xf64>
// CHECK-NEXT:     "scf.parallel"(%2, %2, %3, %4, %1, %1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:     ^bb0(%13: index, %14: index):
// CHECK-NEXT:       %15 = memref.load %m[%13, %14] : memref<?x?xf64>
// CHECK-NEXT:       memref.store %15, %u[%13, %14] : memref<?x?xf64>
// CHECK-NEXT:       scf.reduce
// CHECK-NEXT:     }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:     "scf.parallel"(%2, %2, %5, %6, %1, %1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:     ^bb0(%16: index, %17: index):
// CHECK-NEXT:       %18 = arith.muli %16, %8 : index
// CHECK-NEXT:       %19 = arith.addi %7, %18 : index
// CHECK-NEXT:       %20 = memref.load %x[%16, %17] : memref<?x?xf64>
// CHECK-NEXT:       memref.store %20, %u[%19, %17] : memref<?x?xf64>
// CHECK-NEXT:       scf.reduce
// CHECK-NEXT:     }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:     func.return %u : memref<?x?xf64>
// CHECK-NEXT:   }

// -----

// A scan computes the elements of a comprehension that it alone reads.
func.func @scan_of_elements(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = arith.mulf %x, %x : f64
    phi.yield %y : f64
  }
  %s = phi.scan "add" %b : !phi.vec<f64>
  func.return %s : !phi.vec<f64>
}

// CHECK:         func.func @scan_of_elements(%a: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 0 : index
// CHECK-NEXT:      %3 = memref.dim %a, %2 : memref<?xf64>
// CHECK-NEXT:      %n = arith.index_cast %3 : index to i64
// CHECK-NEXT:      %4 = arith.addi %3, %1 : index
// CHECK-NEXT:      %s = memref.alloc(%4) : memref<?xf64>
// CHECK-NEXT:      memref.store %0, %s[%2] : memref<?xf64>
// CHECK-NEXT:      %5 = scf.for %i = %2 to %3 step %1 iter_args(%6 = %0) -> (f64) {
// CHECK-NEXT:        %7 = arith.addi %i, %1 : index
// CHECK-NEXT:        %x = memref.load %a[%i] : memref<?xf64>
// CHECK-NEXT:        %y = arith.mulf %x, %x : f64
// CHECK-NEXT:        %8 = arith.addf %6, %y : f64
// CHECK-NEXT:        memref.store %8, %s[%7] : memref<?xf64>
// CHECK-NEXT:        scf.yield %8 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %s : memref<?xf64>
// CHECK-NEXT:    }

// -----

// The count of a fold in a comprehension is checked before it, unless the fold around has no steps.
func.func @checks(%a: !phi.vec<f64>, %m: i64, %n: i64) -> !phi.vec<f64> {
  %l = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%j < %m, %u = %x) -> f64 {
      %t = phi.fold (%k < %n, %v = %u) -> f64 {
        %w = arith.addf %v, %x : f64
        phi.yield %w : f64
      }
      phi.yield %t : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @checks(%a: memref<?xf64>, %m: i64, %n: i64, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 17592186044416 : i64
// CHECK-NEXT:      %2 = arith.constant true
// CHECK-NEXT:      %3 = arith.constant 0 : i64
// CHECK-NEXT:      %4 = arith.constant 0 : index
// CHECK-NEXT:      %5 = memref.dim %a, %4 : memref<?xf64>
// CHECK-NEXT:      %l = arith.index_cast %5 : index to i64
// CHECK-NEXT:      %6 = arith.cmpi sge, %m, %3 : i64
// CHECK-NEXT:      %7 = arith.xori %6, %2 : i1
// CHECK-NEXT:      scf.if %7 {
// CHECK-NEXT:        memref.store %m, %operands[%4] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %6, "size of index j is negative: {0}"
// CHECK-NEXT:      %8 = arith.cmpi sle, %m, %1 : i64
// CHECK-NEXT:      %9 = arith.xori %8, %2 : i1
// CHECK-NEXT:      scf.if %9 {
// CHECK-NEXT:        memref.store %m, %operands[%4] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %8, "size of index j is too large: {0}"
// CHECK-NEXT:      %10 = arith.index_cast %m : i64 to index
// CHECK-NEXT:      %11 = arith.cmpi sle, %m, %3 : i64
// CHECK-NEXT:      %12 = arith.cmpi sge, %n, %3 : i64
// CHECK-NEXT:      %13 = arith.ori %12, %11 : i1
// CHECK-NEXT:      %14 = arith.xori %13, %2 : i1
// CHECK-NEXT:      scf.if %14 {
// CHECK-NEXT:        memref.store %n, %operands[%4] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %13, "size of index k is negative: {0}"
// CHECK-NEXT:      %15 = arith.cmpi sle, %n, %1 : i64
// CHECK-NEXT:      %16 = arith.ori %15, %11 : i1
// CHECK-NEXT:      %17 = arith.xori %16, %2 : i1
// CHECK-NEXT:      scf.if %17 {
// CHECK-NEXT:        memref.store %n, %operands[%4] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %16, "size of index k is too large: {0}"
// CHECK-NEXT:      %18 = arith.index_cast %n : i64 to index
// CHECK-NEXT:      %r = memref.alloc(%5) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%4, %5, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %x = memref.load %a[%i] : memref<?xf64>
// CHECK-NEXT:        %19 = arith.index_cast %m : i64 to index
// CHECK-NEXT:        %s = scf.for %20 = %4 to %19 step %0 iter_args(%u = %x) -> (f64) {
// CHECK-NEXT:          %j = arith.index_cast %20 : index to i64
// CHECK-NEXT:          %21 = arith.index_cast %n : i64 to index
// CHECK-NEXT:          %t = scf.for %22 = %4 to %21 step %0 iter_args(%v = %u) -> (f64) {
// CHECK-NEXT:            %k = arith.index_cast %22 : index to i64
// CHECK-NEXT:            %w = arith.addf %v, %x fastmath<reassoc,contract> : f64
// CHECK-NEXT:            scf.yield %w : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %t : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %r[%i] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return %r : memref<?xf64>
// CHECK-NEXT:    }

// -----

// A step that updates the rows of an accumulator overwrites it.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>, %x: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%t < %n, %v = %a) -> !phi.vec<!phi.vec<f64>> {
    %w = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %v[%i] : !phi.vec<!phi.vec<f64>>[index]
      %u = phi.update %row[%t], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %u : !phi.vec<f64>
    }
    phi.yield %w : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:         func.func @rows(%a: memref<?x?xf64>, %x: f64, %operands: memref<2xi64>) -> memref<?x?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = memref.dim %a, %1 : memref<?x?xf64>
// CHECK-NEXT:      %3 = memref.dim %a, %0 : memref<?x?xf64>
// CHECK-NEXT:      %n = arith.index_cast %2 : index to i64
// CHECK-NEXT:      %4 = memref.alloc(%2, %3) : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%1, %1, %2, %3, %0, %0) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%5: index, %6: index):
// CHECK-NEXT:        %7 = memref.load %a[%5, %6] : memref<?x?xf64>
// CHECK-NEXT:        memref.store %7, %4[%5, %6] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      %r = scf.for %8 = %1 to %2 step %0 iter_args(%v = %4) -> (memref<?x?xf64>) {
// CHECK-NEXT:        %t = arith.index_cast %8 : index to i64
// CHECK-NEXT:        "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i: index):
// CHECK-NEXT:          %9 = arith.cmpi ult, %8, %3 : index
// CHECK-NEXT:          scf.if %9 {
// CHECK-NEXT:            memref.store %x, %v[%i, %8] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %v : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : memref<?x?xf64>
// CHECK-NEXT:    }

// -----

// The remainder of a sum of an index by the size of its comprehension is the sum, but at a border.
func.func @around(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %p = arith.addi %k, %one : i64
    %q = sigma.floormod %p, %n : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %b : !phi.vec<f64>
}

// CHECK:         func.func @around(%a: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      %1 = arith.constant 4843621399236968448 : i64
// CHECK-NEXT:      %2 = arith.constant 0x4338000000000000 : f64
// CHECK-NEXT:      %3 = arith.constant 0 : i64
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %4 = arith.constant 0 : index
// CHECK-NEXT:      %5 = memref.dim %a, %4 : memref<?xf64>
// CHECK-NEXT:      %n = arith.index_cast %5 : index to i64
// CHECK-NEXT:      %b = memref.alloc(%5) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%4, %5, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %k = arith.index_cast %i : index to i64
// CHECK-NEXT:        %p = arith.addi %k, %one : i64
// CHECK-NEXT:        %6 = arith.cmpi eq, %n, %3 : i64
// CHECK-NEXT:        %7 = arith.select %6, %one, %n : i64
// CHECK-NEXT:        %8 = arith.sitofp %p : i64 to f64
// CHECK-NEXT:        %9 = arith.sitofp %7 : i64 to f64
// CHECK-NEXT:        %10 = arith.divf %8, %9 : f64
// CHECK-NEXT:        %11 = math.floor %10 : f64
// CHECK-NEXT:        %12 = arith.addf %11, %2 : f64
// CHECK-NEXT:        %13 = arith.bitcast %12 : f64 to i64
// CHECK-NEXT:        %14 = arith.subi %13, %1 : i64
// CHECK-NEXT:        %15 = arith.muli %14, %7 : i64
// CHECK-NEXT:        %16 = arith.subi %p, %15 : i64
// CHECK-NEXT:        %17 = arith.select %6, %3, %16 : i64
// CHECK-NEXT:        %18 = arith.cmpi sge, %p, %3 : i64
// CHECK-NEXT:        %19 = arith.cmpi slt, %p, %n : i64
// CHECK-NEXT:        %20 = arith.andi %18, %19 : i1
// CHECK-NEXT:        %q = arith.select %20, %p, %17 : i64
// CHECK-NEXT:        %21 = arith.index_cast %q : i64 to index
// CHECK-NEXT:        %x = memref.load %a[%21] : memref<?xf64>
// CHECK-NEXT:        memref.store %x, %b[%i] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      func.return %b : memref<?xf64>
// CHECK-NEXT:    }

// -----

// phi.while is a loop whose condition is carried, and the number of the step.

func.func @newton(%a: !phi.vec<f64>, %limit: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %true = arith.constant true
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %start = phi.tuple (%true, %x) : tuple<i1, f64>
    %r = phi.while (%k < %limit, %acc = %start) -> tuple<i1, f64> {
      %y = phi.proj %acc, 1 : tuple<i1, f64> -> f64
      %root = math.sqrt %y : f64
      %more = arith.cmpf ogt, %root, %x : f64
      %next = phi.tuple (%more, %root) : tuple<i1, f64>
      phi.yield %next : tuple<i1, f64>
    }
    %z = phi.proj %r, 1 : tuple<i1, f64> -> f64
    phi.yield %z : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK:      func.func @newton(%a: memref<?xf64>, %limit: i64, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:   %0 = arith.constant 1 : index
// CHECK-NEXT:   %1 = arith.constant 17592186044416 : i64
// CHECK-NEXT:   %2 = arith.constant 0 : i64
// CHECK-NEXT:   %true = arith.constant true
// CHECK-NEXT:   %3 = arith.constant 0 : index
// CHECK-NEXT:   %4 = memref.dim %a, %3 : memref<?xf64>
// CHECK-NEXT:   %n = arith.index_cast %4 : index to i64
// CHECK-NEXT:   %b = memref.alloc(%4) : memref<?xf64>
// CHECK-NEXT:   scf.for %i = %3 to %4 step %0 {
// CHECK-NEXT:     %x = memref.load %a[%i] : memref<?xf64>
// CHECK-NEXT:     %5 = arith.cmpi sge, %limit, %2 : i64
// CHECK-NEXT:     %6 = arith.xori %5, %true : i1
// CHECK-NEXT:     scf.if %6 {
// CHECK-NEXT:       memref.store %limit, %operands[%3] : memref<2xi64>
// CHECK-NEXT:     }
// CHECK-NEXT:     cf.assert %5, "limit of k is negative: {0}"
// CHECK-NEXT:     %7 = arith.cmpi sle, %limit, %1 : i64
// CHECK-NEXT:     %8 = arith.xori %7, %true : i1
// CHECK-NEXT:     scf.if %8 {
// CHECK-NEXT:       memref.store %limit, %operands[%3] : memref<2xi64>
// CHECK-NEXT:     }
// CHECK-NEXT:     cf.assert %7, "limit of k is too large: {0}"
// CHECK-NEXT:     %9 = arith.index_cast %limit : i64 to index
// CHECK-NEXT:     %10, %11, %z = scf.while (%12 = %3, %13 = %true, %14 = %x) : (index, i1, f64) -> (index, i1, f64) {
// CHECK-NEXT:       %15 = arith.cmpi slt, %12, %9 : index
// CHECK-NEXT:       %16 = arith.andi %15, %13 : i1
// CHECK-NEXT:       scf.condition(%16) %12, %13, %14 : index, i1, f64
// CHECK-NEXT:     } do {
// CHECK-NEXT:     ^bb0(%17: index, %18: i1, %y: f64):
// CHECK-NEXT:       %k = arith.index_cast %17 : index to i64
// CHECK-NEXT:       %root = math.sqrt %y : f64
// CHECK-NEXT:       %more = arith.cmpf ogt, %root, %x : f64
// CHECK-NEXT:       %19 = arith.addi %17, %0 : index
// CHECK-NEXT:       scf.yield %19, %more, %root : index, i1, f64
// CHECK-NEXT:     }
// CHECK-NEXT:     memref.store %z, %b[%i] : memref<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %b : memref<?xf64>
// CHECK-NEXT: }

// -----

// phi.searchsorted is a loop by halves.

func.func @place(%v: !phi.vec<f64>, %x: f64) -> i64 {
  %p = phi.searchsorted %v, %x : !phi.vec<f64>, f64
  func.return %p : i64
}
// CHECK:      func.func @place(%v: memref<?xf64>, %x: f64, %operands: memref<2xi64>) -> i64 {
// CHECK:        math.ctlz
// CHECK:        scf.for
// CHECK:          %[[E:.*]] = memref.load %v
// CHECK:          arith.cmpf ord, %[[E]], %[[E]] : f64
// CHECK:          arith.cmpf ult, %[[E]], %x : f64
// CHECK:          scf.yield

// -----

// phi.argsort of Bools is a partition.

func.func @partition(%v: !phi.vec<i1>) -> !phi.vec<i64> {
  %p = phi.argsort %v : !phi.vec<i1>
  func.return %p : !phi.vec<i64>
}
// CHECK:      func.func @partition(%v: memref<?xi1>, %operands: memref<2xi64>) -> memref<?xi64> {
// CHECK-NEXT:   %0 = arith.constant 1 : index
// CHECK-NEXT:   %1 = arith.constant 0 : index
// CHECK-NEXT:   %2 = memref.dim %v, %1 : memref<?xi1>
// CHECK-NEXT:   %p = memref.alloc(%2) : memref<?xi64>
// CHECK-NEXT:   %3 = scf.for %4 = %1 to %2 step %0 iter_args(%5 = %1) -> (index) {
// CHECK-NEXT:     %6 = memref.load %v[%4] : memref<?xi1>
// CHECK-NEXT:     %7 = arith.addi %5, %0 : index
// CHECK-NEXT:     %8 = arith.select %6, %5, %7 : index
// CHECK-NEXT:     scf.yield %8 : index
// CHECK-NEXT:   }
// CHECK-NEXT:   %9, %10 = scf.for %11 = %1 to %2 step %0 iter_args(%12 = %1, %13 = %3) -> (index, index) {
// CHECK-NEXT:     %14 = memref.load %v[%11] : memref<?xi1>
// CHECK-NEXT:     %15 = arith.select %14, %13, %12 : index
// CHECK-NEXT:     %16 = arith.index_cast %11 : index to i64
// CHECK-NEXT:     memref.store %16, %p[%15] : memref<?xi64>
// CHECK-NEXT:     %17 = arith.addi %15, %0 : index
// CHECK-NEXT:     %18 = arith.select %14, %12, %17 : index
// CHECK-NEXT:     %19 = arith.select %14, %17, %13 : index
// CHECK-NEXT:     scf.yield %18, %19 : index, index
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %p : memref<?xi64>
// CHECK-NEXT: }

// -----

// phi.argsort makes keys, and moves positions with them: few by ranks, many by digits of eight bits.

func.func @orders(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %p = phi.array (%i < %n) -> !phi.vec<!phi.vec<i64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %order = phi.argsort %row : !phi.vec<f64>
    phi.yield %order : !phi.vec<i64>
  }
  func.return %p : !phi.vec<!phi.vec<i64>>
}
// CHECK:      func.func @orders(%a: memref<?x?xf64>, %operands: memref<2xi64>) -> memref<?x?xi64> {
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.constant 255 : i64
// CHECK-NEXT:   %2 = arith.constant 0 : i64
// CHECK-NEXT:   %3 = arith.constant 8 : i64
// CHECK-NEXT:   %4 = arith.constant 8 : index
// CHECK-NEXT:   %5 = arith.constant 256 : index
// CHECK-NEXT:   %6 = arith.constant 64 : index
// CHECK-NEXT:   %7 = arith.constant 63 : i64
// CHECK-NEXT:   %8 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %9 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:   %10 = arith.constant -1 : i64
// CHECK-NEXT:   %11 = arith.constant 1 : index
// CHECK-NEXT:   %12 = arith.constant 0 : index
// CHECK-NEXT:   %13 = memref.dim %a, %12 : memref<?x?xf64>
// CHECK-NEXT:   %14 = memref.dim %a, %11 : memref<?x?xf64>
// CHECK-NEXT:   %n = arith.index_cast %13 : index to i64
// CHECK-NEXT:   %order = memref.alloc(%13, %14) : memref<?x?xi64>
// CHECK-NEXT:   "scf.parallel"(%12, %13, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:   ^bb0(%i: index):
// CHECK-NEXT:     %15 = memref.alloc(%14) : memref<?xi64>
// CHECK-NEXT:     %16 = scf.for %17 = %12 to %14 step %11 iter_args(%18 = %10) -> (i64) {
// CHECK-NEXT:       %19 = memref.load %a[%i, %17] : memref<?x?xf64>
// CHECK-NEXT:       %20 = arith.cmpf uno, %19, %19 : f64
// CHECK-NEXT:       %21 = arith.addf %19, %8 : f64
// CHECK-NEXT:       %22 = arith.bitcast %21 : f64 to i64
// CHECK-NEXT:       %23 = arith.shrsi %22, %7 : i64
// CHECK-NEXT:       %24 = arith.ori %23, %9 : i64
// CHECK-NEXT:       %25 = arith.xori %22, %24 : i64
// CHECK-NEXT:       %26 = arith.select %20, %10, %25 : i64
// CHECK-NEXT:       memref.store %26, %15[%17] : memref<?xi64>
// CHECK-NEXT:       %27 = arith.minui %18, %26 : i64
// CHECK-NEXT:       scf.yield %27 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     "scf.parallel"(%12, %14, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:     ^bb0(%28: index):
// CHECK-NEXT:       %29 = memref.load %15[%28] : memref<?xi64>
// CHECK-NEXT:       %30 = arith.subi %29, %16 : i64
// CHECK-NEXT:       memref.store %30, %15[%28] : memref<?xi64>
// CHECK-NEXT:       scf.reduce
// CHECK-NEXT:     }) : (index, index, index) -> ()
// CHECK-NEXT:     "scf.parallel"(%12, %14, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:     ^bb0(%31: index):
// CHECK-NEXT:       %32 = arith.index_cast %31 : index to i64
// CHECK-NEXT:       memref.store %32, %order[%i, %31] : memref<?x?xi64>
// CHECK-NEXT:       scf.reduce
// CHECK-NEXT:     }) : (index, index, index) -> ()
// CHECK-NEXT:     %33 = memref.alloc(%14) : memref<?xi64>
// CHECK-NEXT:     %34 = memref.alloc(%14) : memref<?xi64>
// CHECK-NEXT:     %35 = arith.cmpi sle, %14, %6 : index
// CHECK-NEXT:     scf.if %35 {
// CHECK-NEXT:       scf.for %36 = %12 to %14 step %11 {
// CHECK-NEXT:         %37 = memref.load %15[%36] : memref<?xi64>
// CHECK-NEXT:         %38 = scf.for %39 = %12 to %14 step %11 iter_args(%40 = %12) -> (index) {
// CHECK-NEXT:           %41 = memref.load %15[%39] : memref<?xi64>
// CHECK-NEXT:           %42 = arith.cmpi ult, %41, %37 : i64
// CHECK-NEXT:           %43 = arith.cmpi eq, %41, %37 : i64
// CHECK-NEXT:           %44 = arith.cmpi slt, %39, %36 : index
// CHECK-NEXT:           %45 = arith.andi %43, %44 : i1
// CHECK-NEXT:           %46 = arith.ori %42, %45 : i1
// CHECK-NEXT:           %47 = arith.addi %40, %11 : index
// CHECK-NEXT:           %48 = arith.select %46, %47, %40 : index
// CHECK-NEXT:           scf.yield %48 : index
// CHECK-NEXT:         }
// CHECK-NEXT:         %49 = memref.load %15[%36] : memref<?xi64>
// CHECK-NEXT:         memref.store %49, %33[%38] : memref<?xi64>
// CHECK-NEXT:         %50 = memref.load %order[%i, %36] : memref<?x?xi64>
// CHECK-NEXT:         memref.store %50, %34[%38] : memref<?xi64>
// CHECK-NEXT:       }
// CHECK-NEXT:       "scf.parallel"(%12, %14, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:       ^bb0(%51: index):
// CHECK-NEXT:         %52 = memref.load %33[%51] : memref<?xi64>
// CHECK-NEXT:         memref.store %52, %15[%51] : memref<?xi64>
// CHECK-NEXT:         scf.reduce
// CHECK-NEXT:       }) : (index, index, index) -> ()
// CHECK-NEXT:       "scf.parallel"(%12, %14, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:       ^bb0(%53: index):
// CHECK-NEXT:         %54 = memref.load %34[%53] : memref<?xi64>
// CHECK-NEXT:         memref.store %54, %order[%i, %53] : memref<?x?xi64>
// CHECK-NEXT:         scf.reduce
// CHECK-NEXT:       }) : (index, index, index) -> ()
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %55 = memref.alloc(%5) : memref<?xi64>
// CHECK-NEXT:       scf.for %56 = %12 to %4 step %11 {
// CHECK-NEXT:         %57 = arith.index_cast %56 : index to i64
// CHECK-NEXT:         %58 = arith.muli %57, %3 : i64
// CHECK-NEXT:         "scf.parallel"(%12, %5, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:         ^bb0(%59: index):
// CHECK-NEXT:           memref.store %2, %55[%59] : memref<?xi64>
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index) -> ()
// CHECK-NEXT:         scf.for %60 = %12 to %14 step %11 {
// CHECK-NEXT:           %61 = memref.load %15[%60] : memref<?xi64>
// CHECK-NEXT:           %62 = arith.shrui %61, %58 : i64
// CHECK-NEXT:           %63 = arith.andi %62, %1 : i64
// CHECK-NEXT:           %64 = arith.index_cast %63 : i64 to index
// CHECK-NEXT:           %65 = memref.load %55[%64] : memref<?xi64>
// CHECK-NEXT:           %66 = arith.addi %65, %0 : i64
// CHECK-NEXT:           memref.store %66, %55[%64] : memref<?xi64>
// CHECK-NEXT:         }
// CHECK-NEXT:         %67 = memref.load %15[%12] : memref<?xi64>
// CHECK-NEXT:         %68 = arith.shrui %67, %58 : i64
// CHECK-NEXT:         %69 = arith.andi %68, %1 : i64
// CHECK-NEXT:         %70 = arith.index_cast %69 : i64 to index
// CHECK-NEXT:         %71 = memref.load %55[%70] : memref<?xi64>
// CHECK-NEXT:         %72 = arith.index_cast %14 : index to i64
// CHECK-NEXT:         %73 = arith.cmpi slt, %71, %72 : i64
// CHECK-NEXT:         scf.if %73 {
// CHECK-NEXT:           %74 = scf.for %75 = %12 to %5 step %11 iter_args(%76 = %2) -> (i64) {
// CHECK-NEXT:             %77 = memref.load %55[%75] : memref<?xi64>
// CHECK-NEXT:             memref.store %76, %55[%75] : memref<?xi64>
// CHECK-NEXT:             %78 = arith.addi %76, %77 : i64
// CHECK-NEXT:             scf.yield %78 : i64
// CHECK-NEXT:           }
// CHECK-NEXT:           scf.for %79 = %12 to %14 step %11 {
// CHECK-NEXT:             %80 = memref.load %15[%79] : memref<?xi64>
// CHECK-NEXT:             %81 = arith.shrui %80, %58 : i64
// CHECK-NEXT:             %82 = arith.andi %81, %1 : i64
// CHECK-NEXT:             %83 = arith.index_cast %82 : i64 to index
// CHECK-NEXT:             %84 = memref.load %55[%83] : memref<?xi64>
// CHECK-NEXT:             %85 = arith.index_cast %84 : i64 to index
// CHECK-NEXT:             %86 = memref.load %15[%79] : memref<?xi64>
// CHECK-NEXT:             memref.store %86, %33[%85] : memref<?xi64>
// CHECK-NEXT:             %87 = memref.load %order[%i, %79] : memref<?x?xi64>
// CHECK-NEXT:             memref.store %87, %34[%85] : memref<?xi64>
// CHECK-NEXT:             %88 = arith.addi %84, %0 : i64
// CHECK-NEXT:             memref.store %88, %55[%83] : memref<?xi64>
// CHECK-NEXT:           }
// CHECK-NEXT:           "scf.parallel"(%12, %14, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:           ^bb0(%89: index):
// CHECK-NEXT:             %90 = memref.load %33[%89] : memref<?xi64>
// CHECK-NEXT:             memref.store %90, %15[%89] : memref<?xi64>
// CHECK-NEXT:             scf.reduce
// CHECK-NEXT:           }) : (index, index, index) -> ()
// CHECK-NEXT:           "scf.parallel"(%12, %14, %11) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:           ^bb0(%91: index):
// CHECK-NEXT:             %92 = memref.load %34[%91] : memref<?xi64>
// CHECK-NEXT:             memref.store %92, %order[%i, %91] : memref<?x?xi64>
// CHECK-NEXT:             scf.reduce
// CHECK-NEXT:           }) : (index, index, index) -> ()
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       memref.dealloc %55 : memref<?xi64>
// CHECK-NEXT:     }
// CHECK-NEXT:     memref.dealloc %34 : memref<?xi64>
// CHECK-NEXT:     memref.dealloc %33 : memref<?xi64>
// CHECK-NEXT:     memref.dealloc %15 : memref<?xi64>
// CHECK-NEXT:     scf.reduce
// CHECK-NEXT:   }) : (index, index, index) -> ()
// CHECK-NEXT:   func.return %order : memref<?x?xi64>
// CHECK-NEXT: }

// -----

// phi.sort makes elements of the sorted keys; Bools are counted.

func.func @in_order(%v: !phi.vec<f32>) -> !phi.vec<f32> {
  %s = phi.sort %v : !phi.vec<f32>
  func.return %s : !phi.vec<f32>
}
// CHECK:      func.func @in_order(%v: memref<?xf32>, %operands: memref<2xi64>) -> memref<?xf32> {
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.constant 255 : i64
// CHECK-NEXT:   %2 = arith.constant 0 : i64
// CHECK-NEXT:   %3 = arith.constant 8 : i64
// CHECK-NEXT:   %4 = arith.constant 8 : index
// CHECK-NEXT:   %5 = arith.constant 256 : index
// CHECK-NEXT:   %6 = arith.constant 64 : index
// CHECK-NEXT:   %7 = arith.constant 1 : index
// CHECK-NEXT:   %8 = arith.constant 63 : i64
// CHECK-NEXT:   %9 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:   %10 = arith.constant -1 : i64
// CHECK-NEXT:   %11 = arith.constant 0 : index
// CHECK-NEXT:   %12 = memref.dim %v, %11 : memref<?xf32>
// CHECK-NEXT:   %s = memref.alloc(%12) : memref<?xf32>
// CHECK-NEXT:   %13 = memref.alloc(%12) : memref<?xi64>
// CHECK-NEXT:   %14 = scf.for %15 = %11 to %12 step %7 iter_args(%16 = %10) -> (i64) {
// CHECK-NEXT:     %17 = memref.load %v[%15] : memref<?xf32>
// CHECK-NEXT:     %18 = arith.extf %17 : f32 to f64
// CHECK-NEXT:     %19 = arith.cmpf uno, %18, %18 : f64
// CHECK-NEXT:     %20 = arith.bitcast %18 : f64 to i64
// CHECK-NEXT:     %21 = arith.shrsi %20, %8 : i64
// CHECK-NEXT:     %22 = arith.ori %21, %9 : i64
// CHECK-NEXT:     %23 = arith.xori %20, %22 : i64
// CHECK-NEXT:     %24 = arith.select %19, %10, %23 : i64
// CHECK-NEXT:     memref.store %24, %13[%15] : memref<?xi64>
// CHECK-NEXT:     %25 = arith.minui %16, %24 : i64
// CHECK-NEXT:     scf.yield %25 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   "scf.parallel"(%11, %12, %7) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:   ^bb0(%26: index):
// CHECK-NEXT:     %27 = memref.load %13[%26] : memref<?xi64>
// CHECK-NEXT:     %28 = arith.subi %27, %14 : i64
// CHECK-NEXT:     memref.store %28, %13[%26] : memref<?xi64>
// CHECK-NEXT:     scf.reduce
// CHECK-NEXT:   }) : (index, index, index) -> ()
// CHECK-NEXT:   %29 = memref.alloc(%12) : memref<?xi64>
// CHECK-NEXT:   %30 = arith.cmpi sle, %12, %6 : index
// CHECK-NEXT:   scf.if %30 {
// CHECK-NEXT:     scf.for %31 = %11 to %12 step %7 {
// CHECK-NEXT:       %32 = memref.load %13[%31] : memref<?xi64>
// CHECK-NEXT:       %33 = scf.for %34 = %11 to %12 step %7 iter_args(%35 = %11) -> (index) {
// CHECK-NEXT:         %36 = memref.load %13[%34] : memref<?xi64>
// CHECK-NEXT:         %37 = arith.cmpi ult, %36, %32 : i64
// CHECK-NEXT:         %38 = arith.cmpi eq, %36, %32 : i64
// CHECK-NEXT:         %39 = arith.cmpi slt, %34, %31 : index
// CHECK-NEXT:         %40 = arith.andi %38, %39 : i1
// CHECK-NEXT:         %41 = arith.ori %37, %40 : i1
// CHECK-NEXT:         %42 = arith.addi %35, %7 : index
// CHECK-NEXT:         %43 = arith.select %41, %42, %35 : index
// CHECK-NEXT:         scf.yield %43 : index
// CHECK-NEXT:       }
// CHECK-NEXT:       %44 = memref.load %13[%31] : memref<?xi64>
// CHECK-NEXT:       memref.store %44, %29[%33] : memref<?xi64>
// CHECK-NEXT:     }
// CHECK-NEXT:     "scf.parallel"(%11, %12, %7) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:     ^bb0(%45: index):
// CHECK-NEXT:       %46 = memref.load %29[%45] : memref<?xi64>
// CHECK-NEXT:       memref.store %46, %13[%45] : memref<?xi64>
// CHECK-NEXT:       scf.reduce
// CHECK-NEXT:     }) : (index, index, index) -> ()
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %47 = memref.alloc(%5) : memref<?xi64>
// CHECK-NEXT:     scf.for %48 = %11 to %4 step %7 {
// CHECK-NEXT:       %49 = arith.index_cast %48 : index to i64
// CHECK-NEXT:       %50 = arith.muli %49, %3 : i64
// CHECK-NEXT:       "scf.parallel"(%11, %5, %7) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:       ^bb0(%51: index):
// CHECK-NEXT:         memref.store %2, %47[%51] : memref<?xi64>
// CHECK-NEXT:         scf.reduce
// CHECK-NEXT:       }) : (index, index, index) -> ()
// CHECK-NEXT:       scf.for %52 = %11 to %12 step %7 {
// CHECK-NEXT:         %53 = memref.load %13[%52] : memref<?xi64>
// CHECK-NEXT:         %54 = arith.shrui %53, %50 : i64
// CHECK-NEXT:         %55 = arith.andi %54, %1 : i64
// CHECK-NEXT:         %56 = arith.index_cast %55 : i64 to index
// CHECK-NEXT:         %57 = memref.load %47[%56] : memref<?xi64>
// CHECK-NEXT:         %58 = arith.addi %57, %0 : i64
// CHECK-NEXT:         memref.store %58, %47[%56] : memref<?xi64>
// CHECK-NEXT:       }
// CHECK-NEXT:       %59 = memref.load %13[%11] : memref<?xi64>
// CHECK-NEXT:       %60 = arith.shrui %59, %50 : i64
// CHECK-NEXT:       %61 = arith.andi %60, %1 : i64
// CHECK-NEXT:       %62 = arith.index_cast %61 : i64 to index
// CHECK-NEXT:       %63 = memref.load %47[%62] : memref<?xi64>
// CHECK-NEXT:       %64 = arith.index_cast %12 : index to i64
// CHECK-NEXT:       %65 = arith.cmpi slt, %63, %64 : i64
// CHECK-NEXT:       scf.if %65 {
// CHECK-NEXT:         %66 = scf.for %67 = %11 to %5 step %7 iter_args(%68 = %2) -> (i64) {
// CHECK-NEXT:           %69 = memref.load %47[%67] : memref<?xi64>
// CHECK-NEXT:           memref.store %68, %47[%67] : memref<?xi64>
// CHECK-NEXT:           %70 = arith.addi %68, %69 : i64
// CHECK-NEXT:           scf.yield %70 : i64
// CHECK-NEXT:         }
// CHECK-NEXT:         scf.for %71 = %11 to %12 step %7 {
// CHECK-NEXT:           %72 = memref.load %13[%71] : memref<?xi64>
// CHECK-NEXT:           %73 = arith.shrui %72, %50 : i64
// CHECK-NEXT:           %74 = arith.andi %73, %1 : i64
// CHECK-NEXT:           %75 = arith.index_cast %74 : i64 to index
// CHECK-NEXT:           %76 = memref.load %47[%75] : memref<?xi64>
// CHECK-NEXT:           %77 = arith.index_cast %76 : i64 to index
// CHECK-NEXT:           %78 = memref.load %13[%71] : memref<?xi64>
// CHECK-NEXT:           memref.store %78, %29[%77] : memref<?xi64>
// CHECK-NEXT:           %79 = arith.addi %76, %0 : i64
// CHECK-NEXT:           memref.store %79, %47[%75] : memref<?xi64>
// CHECK-NEXT:         }
// CHECK-NEXT:         "scf.parallel"(%11, %12, %7) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:         ^bb0(%80: index):
// CHECK-NEXT:           %81 = memref.load %29[%80] : memref<?xi64>
// CHECK-NEXT:           memref.store %81, %13[%80] : memref<?xi64>
// CHECK-NEXT:           scf.reduce
// CHECK-NEXT:         }) : (index, index, index) -> ()
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     memref.dealloc %47 : memref<?xi64>
// CHECK-NEXT:   }
// CHECK-NEXT:   memref.dealloc %29 : memref<?xi64>
// CHECK-NEXT:   "scf.parallel"(%11, %12, %7) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:   ^bb0(%82: index):
// CHECK-NEXT:     %83 = memref.load %13[%82] : memref<?xi64>
// CHECK-NEXT:     %84 = arith.addi %83, %14 : i64
// CHECK-NEXT:     %85 = arith.xori %84, %9 : i64
// CHECK-NEXT:     %86 = arith.xori %84, %10 : i64
// CHECK-NEXT:     %87 = arith.cmpi slt, %84, %2 : i64
// CHECK-NEXT:     %88 = arith.select %87, %85, %86 : i64
// CHECK-NEXT:     %89 = arith.bitcast %88 : i64 to f64
// CHECK-NEXT:     %90 = arith.truncf %89 : f64 to f32
// CHECK-NEXT:     memref.store %90, %s[%82] : memref<?xf32>
// CHECK-NEXT:     scf.reduce
// CHECK-NEXT:   }) : (index, index, index) -> ()
// CHECK-NEXT:   memref.dealloc %13 : memref<?xi64>
// CHECK-NEXT:   func.return %s : memref<?xf32>
// CHECK-NEXT: }

// -----

func.func @bools_in_order(%v: !phi.vec<i1>) -> !phi.vec<i1> {
  %s = phi.sort %v : !phi.vec<i1>
  func.return %s : !phi.vec<i1>
}
// CHECK:      func.func @bools_in_order(%v: memref<?xi1>, %operands: memref<2xi64>) -> memref<?xi1> {
// CHECK-NEXT:   %0 = arith.constant 1 : index
// CHECK-NEXT:   %1 = arith.constant 0 : index
// CHECK-NEXT:   %2 = memref.dim %v, %1 : memref<?xi1>
// CHECK-NEXT:   %s = memref.alloc(%2) : memref<?xi1>
// CHECK-NEXT:   %3 = scf.for %4 = %1 to %2 step %0 iter_args(%5 = %1) -> (index) {
// CHECK-NEXT:     %6 = memref.load %v[%4] : memref<?xi1>
// CHECK-NEXT:     %7 = arith.addi %5, %0 : index
// CHECK-NEXT:     %8 = arith.select %6, %5, %7 : index
// CHECK-NEXT:     scf.yield %8 : index
// CHECK-NEXT:   }
// CHECK-NEXT:   "scf.parallel"(%1, %2, %0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:   ^bb0(%9: index):
// CHECK-NEXT:     %10 = arith.cmpi sge, %9, %3 : index
// CHECK-NEXT:     memref.store %10, %s[%9] : memref<?xi1>
// CHECK-NEXT:     scf.reduce
// CHECK-NEXT:   }) : (index, index, index) -> ()
// CHECK-NEXT:   func.return %s : memref<?xi1>
// CHECK-NEXT: }

// -----

// A loop in a step goes on in the buffer of the accumulator. What it reads if the array is empty is made before the loops.
func.func @nested(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %r = phi.fold (%i < %n, %x = %a) -> !phi.vec<f64> {
    %s = phi.fold (%j < %i, %y = %x) -> !phi.vec<f64> {
      %0 = phi.get %y[%j] : !phi.vec<f64>[i64]
      %k = arith.addi %j, %one : i64
      %1 = phi.update %y[%k], %0 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %1 : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @nested(%a: memref<?xf64>, %n: i64, %operands: memref<2xi64>) -> memref<?xf64> {
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 17592186044416 : i64
// CHECK-NEXT:      %3 = arith.constant true
// CHECK-NEXT:      %4 = arith.constant 0 : i64
// CHECK-NEXT:      %one = arith.constant 1 : i64
// CHECK-NEXT:      %5 = arith.constant 0 : index
// CHECK-NEXT:      %6 = memref.dim %a, %5 : memref<?xf64>
// CHECK-NEXT:      %7 = arith.cmpi eq, %6, %5 : index
// CHECK-NEXT:      %8 = arith.maxsi %6, %1 : index
// CHECK-NEXT:      %9 = arith.select %7, %8, %5 : index
// CHECK-NEXT:      %10 = memref.alloc(%9) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%5, %9, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%11: index):
// CHECK-NEXT:        memref.store %0, %10[%11] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %12 = arith.cmpi sge, %n, %4 : i64
// CHECK-NEXT:      %13 = arith.xori %12, %3 : i1
// CHECK-NEXT:      scf.if %13 {
// CHECK-NEXT:        memref.store %n, %operands[%5] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %12, "size of index i is negative: {0}"
// CHECK-NEXT:      %14 = arith.cmpi sle, %n, %2 : i64
// CHECK-NEXT:      %15 = arith.xori %14, %3 : i1
// CHECK-NEXT:      scf.if %15 {
// CHECK-NEXT:        memref.store %n, %operands[%5] : memref<2xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %14, "size of index i is too large: {0}"
// CHECK-NEXT:      %16 = arith.index_cast %n : i64 to index
// CHECK-NEXT:      %17 = memref.alloc(%6) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%5, %6, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%18: index):
// CHECK-NEXT:        %19 = memref.load %a[%18] : memref<?xf64>
// CHECK-NEXT:        memref.store %19, %17[%18] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      %r = scf.for %20 = %5 to %16 step %1 iter_args(%x = %17) -> (memref<?xf64>) {
// CHECK-NEXT:        %i = arith.index_cast %20 : index to i64
// CHECK-NEXT:        %s = scf.for %21 = %5 to %20 step %1 iter_args(%y = %x) -> (memref<?xf64>) {
// CHECK-NEXT:          %22 = arith.cmpi eq, %6, %5 : index
// CHECK-NEXT:          %23 = scf.if %22 -> (memref<?xf64>) {
// CHECK-NEXT:            scf.yield %10 : memref<?xf64>
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %y : memref<?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %j = arith.index_cast %21 : index to i64
// CHECK-NEXT:          %24 = arith.subi %6, %1 : index
// CHECK-NEXT:          %25 = arith.minsi %21, %24 : index
// CHECK-NEXT:          %26 = arith.maxsi %25, %5 : index
// CHECK-NEXT:          %27 = memref.load %23[%26] : memref<?xf64>
// CHECK-NEXT:          %k = arith.addi %j, %one : i64
// CHECK-NEXT:          %28 = arith.index_cast %k : i64 to index
// CHECK-NEXT:          %29 = arith.cmpi ult, %28, %6 : index
// CHECK-NEXT:          scf.if %29 {
// CHECK-NEXT:            memref.store %27, %y[%28] : memref<?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %y : memref<?xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %s : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %10 : memref<?xf64>
// CHECK-NEXT:      func.return %r : memref<?xf64>
// CHECK-NEXT:    }

// -----

// In the step of a loop: the position is tested before the loop over the row, whose own index is in bounds; the second
// accumulation carries its element over the index that its position does not vary with.
func.func @accumulate_rows(%k: !phi.vec<i64>, %v: !phi.vec<!phi.vec<f64>>, %x: f64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>) {
  %n = phi.size %v, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %v, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%z < %n) -> tuple<!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>> {
    %s = phi.accumulate (%i < %n, %j < %m) into "add" (%n, %m) -> !phi.vec<!phi.vec<f64>> {
      %p = phi.get %k[%i] : !phi.vec<i64>[index]
      %q = arith.index_cast %j : index to i64
      %y = phi.get %v[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %at = phi.tuple (%p, %q, %y) : tuple<i64, i64, f64>
      phi.yield %at : tuple<i64, i64, f64>
    }
    %t = phi.accumulate (%i < %n, %j < %m) into "max" (%n) -> !phi.vec<f64> {
      %p = phi.get %k[%i] : !phi.vec<i64>[index]
      %y = phi.get %v[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %at = phi.tuple (%p, %y) : tuple<i64, f64>
      phi.yield %at : tuple<i64, f64>
    }
    %both = phi.tuple (%s, %t) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
    phi.yield %both : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<f64>>
  }
  %zero = arith.constant 0 : i64
  %f = phi.proj %r, 0 : tuple<!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<!phi.vec<f64>>>
  %g = phi.proj %r, 1 : tuple<!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  %a = phi.get %f[%zero] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64]
  %b = phi.get %g[%zero] : !phi.vec<!phi.vec<f64>>[i64]
  func.return %a, %b : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>
}

// CHECK:         func.func @accumulate_rows(%k: memref<?xi64>, %v: memref<?x?xf64>, %x: f64, %operands: memref<2xi64>) -> (memref<?x?xf64>, memref<?xf64>) {
// CHECK-NEXT:      %0 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %2 = arith.constant 1 : index
// CHECK-NEXT:      %3 = arith.constant 0 : index
// CHECK-NEXT:      %4 = memref.dim %k, %3 : memref<?xi64>
// CHECK-NEXT:      %5 = arith.cmpi eq, %4, %3 : index
// CHECK-NEXT:      %6 = scf.if %5 -> (memref<?xi64>) {
// CHECK-NEXT:        %7 = arith.maxsi %4, %2 : index
// CHECK-NEXT:        %8 = memref.alloc(%7) : memref<?xi64>
// CHECK-NEXT:        "scf.parallel"(%3, %7, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%9: index):
// CHECK-NEXT:          memref.store %zero, %8[%9] : memref<?xi64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.yield %8 : memref<?xi64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %k : memref<?xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %10 = memref.dim %v, %3 : memref<?x?xf64>
// CHECK-NEXT:      %11 = memref.dim %v, %2 : memref<?x?xf64>
// CHECK-NEXT:      %n = arith.index_cast %10 : index to i64
// CHECK-NEXT:      %m = arith.index_cast %11 : index to i64
// CHECK-NEXT:      %s = memref.alloc(%10, %10, %11) : memref<?x?x?xf64>
// CHECK-NEXT:      %12 = arith.cmpi eq, %10, %3 : index
// CHECK-NEXT:      %13 = arith.cmpi eq, %10, %3 : index
// CHECK-NEXT:      %14 = arith.ori %12, %13 : i1
// CHECK-NEXT:      %15 = arith.cmpi eq, %11, %3 : index
// CHECK-NEXT:      %16 = arith.ori %14, %15 : i1
// CHECK-NEXT:      %17 = scf.if %16 -> (memref<?x?x?xf64>) {
// CHECK-NEXT:        %18 = arith.maxsi %10, %2 : index
// CHECK-NEXT:        %19 = arith.maxsi %10, %2 : index
// CHECK-NEXT:        %20 = arith.maxsi %11, %2 : index
// CHECK-NEXT:        %21 = memref.alloc(%18, %19, %20) : memref<?x?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%3, %3, %3, %18, %19, %20, %2, %2, %2) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
// CHECK-NEXT:        ^bb0(%22: index, %23: index, %24: index):
// CHECK-NEXT:          memref.store %1, %21[%22, %23, %24] : memref<?x?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:        scf.yield %21 : memref<?x?x?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %s : memref<?x?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = memref.alloc(%10, %10) : memref<?x?xf64>
// CHECK-NEXT:      %25 = arith.cmpi eq, %10, %3 : index
// CHECK-NEXT:      %26 = arith.cmpi eq, %10, %3 : index
// CHECK-NEXT:      %27 = arith.ori %25, %26 : i1
// CHECK-NEXT:      %28 = scf.if %27 -> (memref<?x?xf64>) {
// CHECK-NEXT:        %29 = arith.maxsi %10, %2 : index
// CHECK-NEXT:        %30 = arith.maxsi %10, %2 : index
// CHECK-NEXT:        %31 = memref.alloc(%29, %30) : memref<?x?xf64>
// CHECK-NEXT:        "scf.parallel"(%3, %3, %29, %30, %2, %2) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%32: index, %33: index):
// CHECK-NEXT:          memref.store %1, %31[%32, %33] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        scf.yield %31 : memref<?x?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %t : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      "scf.parallel"(%3, %10, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%z: index):
// CHECK-NEXT:        "scf.parallel"(%3, %3, %10, %11, %2, %2) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:        ^bb0(%34: index, %35: index):
// CHECK-NEXT:          memref.store %1, %s[%z, %34, %35] : memref<?x?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:        scf.for %i = %3 to %10 step %2 {
// CHECK-NEXT:          %36 = arith.subi %4, %2 : index
// CHECK-NEXT:          %37 = arith.minsi %i, %36 : index
// CHECK-NEXT:          %38 = arith.maxsi %37, %3 : index
// CHECK-NEXT:          %p = memref.load %6[%38] : memref<?xi64>
// CHECK-NEXT:          %39 = arith.index_cast %p : i64 to index
// CHECK-NEXT:          %40 = arith.cmpi ult, %39, %10 : index
// CHECK-NEXT:          scf.if %40 {
// CHECK-NEXT:            scf.for %j = %3 to %11 step %2 {
// CHECK-NEXT:              %q = arith.index_cast %j : index to i64
// CHECK-NEXT:              %y = memref.load %v[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:              %41 = arith.index_cast %p : i64 to index
// CHECK-NEXT:              %42 = memref.load %s[%z, %41, %j] : memref<?x?x?xf64>
// CHECK-NEXT:              %43 = arith.addf %42, %y : f64
// CHECK-NEXT:              memref.store %43, %s[%z, %41, %j] : memref<?x?x?xf64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        "scf.parallel"(%3, %10, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%44: index):
// CHECK-NEXT:          memref.store %0, %t[%z, %44] : memref<?x?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        scf.for %i_1 = %3 to %10 step %2 {
// CHECK-NEXT:          %45 = arith.subi %4, %2 : index
// CHECK-NEXT:          %46 = arith.minsi %i_1, %45 : index
// CHECK-NEXT:          %47 = arith.maxsi %46, %3 : index
// CHECK-NEXT:          %p_1 = memref.load %6[%47] : memref<?xi64>
// CHECK-NEXT:          %48 = arith.index_cast %p_1 : i64 to index
// CHECK-NEXT:          %49 = arith.cmpi ult, %48, %10 : index
// CHECK-NEXT:          scf.if %49 {
// CHECK-NEXT:            %50 = arith.index_cast %p_1 : i64 to index
// CHECK-NEXT:            %51 = memref.load %t[%z, %50] : memref<?x?xf64>
// CHECK-NEXT:            %52 = scf.for %j_1 = %3 to %11 step %2 iter_args(%53 = %51) -> (f64) {
// CHECK-NEXT:              %y_1 = memref.load %v[%i_1, %j_1] : memref<?x?xf64>
// CHECK-NEXT:              %54 = arith.maximumf %53, %y_1 : f64
// CHECK-NEXT:              scf.yield %54 : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            memref.store %52, %t[%z, %50] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      scf.if %5 {
// CHECK-NEXT:        memref.dealloc %6 : memref<?xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %55 = arith.subi %10, %2 : index
// CHECK-NEXT:      %56 = arith.minsi %3, %55 : index
// CHECK-NEXT:      %57 = arith.maxsi %56, %3 : index
// CHECK-NEXT:      %58 = arith.subi %10, %2 : index
// CHECK-NEXT:      %59 = arith.minsi %3, %58 : index
// CHECK-NEXT:      %60 = arith.maxsi %59, %3 : index
// CHECK-NEXT:      %61 = memref.alloc(%10, %11) : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%3, %3, %10, %11, %2, %2) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%62: index, %63: index):
// CHECK-NEXT:        %64 = memref.load %17[%57, %62, %63] : memref<?x?x?xf64>
// CHECK-NEXT:        memref.store %64, %61[%62, %63] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %s : memref<?x?x?xf64>
// CHECK-NEXT:      scf.if %16 {
// CHECK-NEXT:        memref.dealloc %17 : memref<?x?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %65 = memref.alloc(%10) : memref<?xf64>
// CHECK-NEXT:      "scf.parallel"(%3, %10, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%66: index):
// CHECK-NEXT:        %67 = memref.load %28[%60, %66] : memref<?x?xf64>
// CHECK-NEXT:        memref.store %67, %65[%66] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      memref.dealloc %t : memref<?x?xf64>
// CHECK-NEXT:      scf.if %27 {
// CHECK-NEXT:        memref.dealloc %28 : memref<?x?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %61, %65 : memref<?x?xf64>, memref<?xf64>
// CHECK-NEXT:    }

// -----

// The keys of narrow Ints are extended: MLIR casts only from and to indices.

func.func @narrow_keys(%v: !phi.vec<i8>) -> !phi.vec<i8> {
  %s = phi.sort %v : !phi.vec<i8>
  func.return %s : !phi.vec<i8>
}
// CHECK-LABEL: func.func @narrow_keys(
// CHECK:         arith.extsi %{{.*}} : i8 to i64
// CHECK:         arith.trunci %{{.*}} : i64 to i8

// -----

// What an array holds whose rows a loop replaces is of no use: it is not filled.

func.func @saved(%n: i64, %x: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %m = phi.size %x, 0 : !phi.vec<f64>
  %rows = phi.array (%k < %n, %i < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %zero : f64
  }
  %start = phi.tuple (%x, %rows) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  %r = phi.fold (%k < %n, %acc = %start) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> {
    %y = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<f64>
    %saved = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
    %last = arith.subi %n, %one : i64
    %p = arith.subi %last, %k : i64
    %next = phi.update %saved[%p], %y : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
    %double = phi.array (%i < %m) -> !phi.vec<f64> {
      %e = phi.get %y[%i] : !phi.vec<f64>[index]
      %d = arith.addf %e, %e : f64
      phi.yield %d : f64
    }
    %both = phi.tuple (%double, %next) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
    phi.yield %both : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<f64>>>
}
// CHECK-LABEL: func.func @saved(
// CHECK:         %[[ROWS:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf64>
// CHECK-NOT:     memref.store %zero
// CHECK:         scf.for {{.*}} = %[[ROWS]]
// CHECK-NOT:     memref.store %zero
// CHECK:         func.return

// -----

// Not if a step reads another row, or if there are more rows than steps.

func.func @read(%n: i64, %m: i64) -> tuple<f64, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %rows = phi.array (%k < %n) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %more = phi.array (%k < %m) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %start = phi.tuple (%rows, %more) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %acc = %start) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %saved = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %others = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %p = arith.addi %k, %one : i64
    %e = phi.get %saved[%p] : !phi.vec<f64>[i64]
    %next = phi.update %saved[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %other = phi.update %others[%k], %zero : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %both = phi.tuple (%next, %other) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %both : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  %a = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %b = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %s = phi.get %a[%one] : !phi.vec<f64>[i64]
  %t = phi.tuple (%s, %b) : tuple<f64, !phi.vec<f64>>
  func.return %t : tuple<f64, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @read(
// CHECK:         %[[SAVED:.*]] = memref.alloc(
// CHECK:         memref.store %zero, %[[SAVED]]
// CHECK:         %[[OTHERS:.*]] = memref.alloc(
// CHECK:         memref.store %zero, %[[OTHERS]]
// CHECK:         func.return

// -----

// Of such an array a copy is memory alone, if two are equal. Steps write their rows in place.

func.func @rows_of_steps(%n: i64, %x: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>> {
  %no = arith.constant false
  %m = phi.size %x, 0 : !phi.vec<f64>
  %rows = phi.array (%k < %n, %i < %m) -> !phi.vec<!phi.vec<i1>> {
    phi.yield %no : i1
  }
  %start = phi.tuple (%x, %rows, %rows) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>>
  %r = phi.fold (%k < %n, %acc = %start) -> tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>> {
    %y = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>> -> !phi.vec<f64>
    %s = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>> -> !phi.vec<!phi.vec<i1>>
    %t = phi.proj %acc, 2 : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>> -> !phi.vec<!phi.vec<i1>>
    %each = phi.array (%i < %m) -> tuple<!phi.vec<f64>, !phi.vec<i1>, !phi.vec<i1>> {
      %e = phi.get %y[%i] : !phi.vec<f64>[index]
      %d = arith.addf %e, %e : f64
      %c = arith.cmpf olt, %d, %e : f64
      %b = arith.cmpf ole, %d, %e : f64
      %three = phi.tuple (%d, %c, %b) : tuple<f64, i1, i1>
      phi.yield %three : tuple<f64, i1, i1>
    }
    %z = phi.proj %each, 0 : tuple<!phi.vec<f64>, !phi.vec<i1>, !phi.vec<i1>> -> !phi.vec<f64>
    %p = phi.proj %each, 1 : tuple<!phi.vec<f64>, !phi.vec<i1>, !phi.vec<i1>> -> !phi.vec<i1>
    %q = phi.proj %each, 2 : tuple<!phi.vec<f64>, !phi.vec<i1>, !phi.vec<i1>> -> !phi.vec<i1>
    %u = phi.update %s[%k], %p : (!phi.vec<!phi.vec<i1>>, i64, !phi.vec<i1>) -> !phi.vec<!phi.vec<i1>>
    %v = phi.update %t[%k], %q : (!phi.vec<!phi.vec<i1>>, i64, !phi.vec<i1>) -> !phi.vec<!phi.vec<i1>>
    %next = phi.tuple (%z, %u, %v) : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<!phi.vec<i1>>, !phi.vec<!phi.vec<i1>>>
}
// CHECK-LABEL: func.func @rows_of_steps(
// CHECK:         memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xi1>
// CHECK:         memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xi1>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %[[K:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[S:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}}) ->
// CHECK-NOT:       memref.alloc
// CHECK:           memref.store %{{.*}}, %[[S]][%[[K]], %i] : memref<?x?xi1>
// CHECK:           memref.store %{{.*}}, %[[T]][%[[K]], %i] : memref<?x?xi1>
// CHECK-NOT:     memref.store
// CHECK:         func.return

// -----

// Rows that are updated in a comprehension are those of an array that nothing else reads.

func.func @updated_rows(%n: i64, %m: i64, %p: i64, %f: f64) -> !phi.vec<!phi.vec<f64>> {
  %a = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %f : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %e = phi.get %a[%i, %p] : !phi.vec<!phi.vec<f64>>[index, i64]
    %d = arith.addf %e, %f : f64
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %u = phi.update %row[%p], %d : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @updated_rows(
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf64>
// CHECK:         memref.store %f, %[[A]]
// CHECK:           memref.store %d, %[[A]]
// CHECK:         func.return %[[A]]

// -----

// Not of one that is read afterwards.

func.func @read_again(%n: i64, %m: i64, %p: i64, %f: f64) -> tuple<!phi.vec<!phi.vec<f64>>, f64> {
  %a = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %f : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %u = phi.update %row[%p], %f : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  %e = phi.get %a[%p, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
  %t = phi.tuple (%r, %e) : tuple<!phi.vec<!phi.vec<f64>>, f64>
  func.return %t : tuple<!phi.vec<!phi.vec<f64>>, f64>
}
// CHECK-LABEL: func.func @read_again(
// CHECK:         %a = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf64>
// CHECK:         %u = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf64>
// CHECK:         func.return %u

// -----

// Nor rows of another one, which a comprehension reads while it writes.

func.func @neighbours(%n: i64, %m: i64, %p: i64, %f: f64) -> !phi.vec<!phi.vec<f64>> {
  %a = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %f : f64
  }
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %e = phi.get %a[%p, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %u = phi.update %row[%p], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @neighbours(
// CHECK:         %a = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf64>
// CHECK:         %u = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf64>
// CHECK:         func.return %u

// -----

// An assertion that a step begins with holds in the step: arrays of equal sizes are not clipped.

func.func @compared_in_steps(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %l = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %b) -> !phi.vec<f64> {
    %m = phi.size %v, 0 : !phi.vec<f64>
    %s = phi.assert_eq %l, %m, "sizes"
    %next = phi.array (%i < %s) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      %y = phi.get %v[%i] : !phi.vec<f64>[index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @compared_in_steps(
// CHECK:         scf.for
// CHECK:           cf.assert
// CHECK-NOT:       alloc
// CHECK:           "scf.parallel"
// CHECK-NEXT:      ^[[BODY:.*]](%i: index):
// CHECK-NEXT:        %x = memref.load %a[%i] : memref<?xf64>
// CHECK-NEXT:        %y = memref.load %[[V:.*]][%i] : memref<?xf64>
// CHECK-NEXT:        %z = arith.addf %x, %y : f64
// CHECK-NEXT:        memref.store %z, %[[V]][%i] : memref<?xf64>

// -----

// Not before the assertion.

func.func @compared_late(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %l = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %b) -> !phi.vec<f64> {
    %m = phi.size %v, 0 : !phi.vec<f64>
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %x = phi.get %a[%i] : !phi.vec<f64>[index]
      phi.yield %x : f64
    }
    %s = phi.assert_eq %l, %m, "sizes"
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @compared_late(
// CHECK:         scf.for
// CHECK:           "scf.parallel"
// CHECK:             arith.minsi %i
// CHECK:           cf.assert

// -----

// The rows of sums have one element more than those that are summed: none is computed for its size.

func.func @sums_of_rows(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %sums = phi.scan "add" %row : !phi.vec<f64>
    phi.yield %sums : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @sums_of_rows(
// CHECK:         memref.dim %a
// CHECK-NEXT:    %[[M:.*]] = memref.dim %a
// CHECK-NOT:     scf.for
// CHECK:         %[[WIDTH:.*]] = arith.addi %[[M]], %{{.*}} : index
// CHECK-NOT:     scf.for
// CHECK:         %[[SUMS:.*]] = memref.alloc(%{{.*}}, %[[WIDTH]]) : memref<?x?xf64>
// CHECK:         "scf.parallel"
// CHECK:           scf.for

// -----

// An accumulation that is added to the array of a loop adds to the elements of that array.

func.func @continued(%p: !phi.vec<i64>, %x: !phi.vec<f64>, %y: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
  %m = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %y, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %steps, %v = %y) -> !phi.vec<f64> {
    %sums = phi.accumulate (%i < %m) into "add" (%n) -> !phi.vec<f64> {
      %q = phi.get %p[%i] : !phi.vec<i64>[index]
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %t = phi.tuple (%q, %e) : tuple<i64, f64>
      phi.yield %t : tuple<i64, f64>
    }
    %next = phi.array (%j < %n) -> !phi.vec<f64> {
      %old = phi.get %v[%j] : !phi.vec<f64>[index]
      %more = phi.get %sums[%j] : !phi.vec<f64>[index]
      %sum = arith.addf %old, %more : f64
      phi.yield %sum : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @continued(
// CHECK:         scf.for %{{.*}} iter_args(%v = %[[START:.*]]) -> (memref<?xf64>)
// CHECK:           } else {
// CHECK-NOT:         scf.parallel
// CHECK:             scf.for
// CHECK:               %[[OLD:.*]] = memref.load %v[%[[AT:.*]]] : memref<?xf64>
// CHECK-NEXT:          %[[SUM:.*]] = arith.addf %[[OLD]], %{{.*}} : f64
// CHECK-NEXT:          memref.store %[[SUM]], %v[%[[AT]]] : memref<?xf64>
// CHECK-NOT:       scf.parallel
// CHECK:           scf.yield %v : memref<?xf64>

// -----

// Not if its values read the array, which is that of the step before.

func.func @continued_from_old(%p: !phi.vec<i64>, %y: !phi.vec<f64>, %steps: i64) -> !phi.vec<f64> {
  %m = phi.size %p, 0 : !phi.vec<i64>
  %n = phi.size %y, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %steps, %v = %y) -> !phi.vec<f64> {
    %sums = phi.accumulate (%i < %m) into "add" (%n) -> !phi.vec<f64> {
      %q = phi.get %p[%i] : !phi.vec<i64>[index]
      %e = phi.get %v[%i] : !phi.vec<f64>[index]
      %t = phi.tuple (%q, %e) : tuple<i64, f64>
      phi.yield %t : tuple<i64, f64>
    }
    %next = phi.array (%j < %n) -> !phi.vec<f64> {
      %old = phi.get %v[%j] : !phi.vec<f64>[index]
      %more = phi.get %sums[%j] : !phi.vec<f64>[index]
      %sum = arith.addf %old, %more : f64
      phi.yield %sum : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @continued_from_old(
// CHECK:         scf.for %{{.*}} iter_args(%v = %[[START:.*]]) -> (memref<?xf64>)
// CHECK:           %sums = memref.alloc(%{{.*}}) : memref<?xf64>
// CHECK:           memref.load %sums[%j]
// CHECK:           scf.yield %v : memref<?xf64>

// -----

// A loop in a step takes the array of the loop over, also if the step updates its result after it.

func.func @taken_over(%a: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<i64> {
    %w = phi.fold (%l < %k, %u = %v) -> !phi.vec<i64> {
      %x = phi.get %u[%k] : !phi.vec<i64>[i64]
      %next = phi.update %u[%x], %l : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %next : !phi.vec<i64>
    }
    %last = phi.update %w[%k], %k : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %last : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @taken_over(
// CHECK:         %[[ZEROS:.*]] = memref.alloc(
// CHECK:         %[[COPY:.*]] = memref.alloc(
// CHECK:         scf.for %{{.*}} iter_args(%v = %[[COPY]]) -> (memref<?xi64>) {
// CHECK-NOT:       memref.alloc(%{{[0-9]*}}) : memref<?xi64>{{$}}
// CHECK:           %w = scf.for %{{.*}} iter_args(%u = %v) -> (memref<?xi64>)
// CHECK:           memref.store %{{.*}}, %w[
// CHECK:           scf.yield %w : memref<?xi64>

// -----

// A loop in a step begins in the second buffer of the array that it computes the next value of.

func.func @lent(%a: !phi.vec<i64>, %n: i64) -> !phi.vec<i64> {
  %m = phi.size %a, 0 : !phi.vec<i64>
  %zeros = phi.array (%i < %m) -> !phi.vec<i64> {
    %zero = arith.constant 0 : i64
    phi.yield %zero : i64
  }
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<i64> {
    %w = phi.fold (%l < %m, %u = %zeros) -> !phi.vec<i64> {
      %x = phi.get %v[%l] : !phi.vec<i64>[i64]
      %next = phi.update %u[%x], %l : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %next : !phi.vec<i64>
    }
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @lent(
// CHECK:         scf.for %{{.*}} iter_args(%v = %{{.*}}, %[[SPARE:.*]] = %{{.*}}) -> (memref<?xi64>, memref<?xi64>) {
// CHECK-NOT:       memref.alloc
// CHECK:           memref.store %{{.*}}, %[[SPARE]][
// CHECK:           %w = scf.for %{{.*}} iter_args(%u = %[[SPARE]]) -> (memref<?xi64>)
// CHECK-NOT:       memref.alloc
// CHECK:           scf.yield %w, %v : memref<?xi64>, memref<?xi64>

// -----

// A matrix of a step is dead after the comprehension that reads it at its indices alone: both
// overwrite the accumulator, one after the other.

func.func @one_after_another(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
    %first = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %0 = math.exp %own : f64
      phi.yield %0 : f64
    }
    %column = phi.array (%i < %m) -> !phi.vec<f64> {
      %0 = phi.get %first[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      phi.yield %0 : f64
    }
    %next = phi.array (%i < %m, %j < %l) -> !phi.vec<!phi.vec<f64>> {
      %own = phi.get %first[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %c = phi.get %column[%i] : !phi.vec<f64>[index]
      %0 = arith.addf %own, %c : f64
      phi.yield %0 : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @one_after_another(
// CHECK:         scf.for %{{.*}} iter_args(%x = %{{.*}}) -> (memref<?x?xf64>)
// CHECK:           math.exp
// CHECK-NEXT:      memref.store %{{.*}}, %x[%i, %j] : memref<?x?xf64>
// CHECK:           %column = memref.alloc(
// CHECK:           memref.load %x[
// CHECK:           memref.store %{{.*}}, %x[
// CHECK:           scf.yield %x : memref<?x?xf64>

// -----

// Not if the second one reads another element.

func.func @neighbour_of_another(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<f64> {
    %first = phi.array (%i < %m) -> !phi.vec<f64> {
      %own = phi.get %x[%i] : !phi.vec<f64>[index]
      %0 = math.exp %own : f64
      phi.yield %0 : f64
    }
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %own = phi.get %first[%i] : !phi.vec<f64>[index]
      %c = phi.get %first[%zero] : !phi.vec<f64>[i64]
      %0 = arith.addf %own, %c : f64
      phi.yield %0 : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @neighbour_of_another(
// CHECK:         scf.for
// CHECK:           %first = memref.alloc(
// CHECK:           memref.store %{{.*}}, %first[

// -----

// Rows are updated on a diagonal, from elements of other rows on diagonals before it: in place.

func.func @intervals(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %start = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%t < %m, %c = %start) -> !phi.vec<!phi.vec<f64>> {
    %steps = arith.addi %t, %one : i64
    %next = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %c[%i] : !phi.vec<!phi.vec<f64>>[index]
      %number = arith.index_cast %i : index to i64
      %last = arith.addi %number, %steps : i64
      %best = phi.fold (%k < %steps, %acc = %zero) -> f64 {
        %q = arith.addi %number, %k : i64
        %p = arith.addi %q, %one : i64
        %x = phi.get %c[%p, %last] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %y = arith.maximumf %acc, %x : f64
        phi.yield %y : f64
      }
      %new = phi.update %row[%last], %best : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %new : !phi.vec<f64>
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @intervals(
// CHECK:         scf.for %{{.*}} iter_args(%c = %{{.*}}) -> (memref<?x?xf64>)
// CHECK:           memref.load %c[
// CHECK:           memref.store %{{.*}}, %c[
// CHECK:           scf.yield %c : memref<?x?xf64>

// -----

// Not if a step reads the element that the next row replaces.

func.func @of_the_next_row(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %start = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%t < %m, %c = %start) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %c[%i] : !phi.vec<!phi.vec<f64>>[index]
      %number = arith.index_cast %i : index to i64
      %w = arith.addi %number, %t : i64
      %p = arith.addi %number, %one : i64
      %q = arith.addi %w, %one : i64
      %x = phi.get %c[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %new = phi.update %row[%w], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %new : !phi.vec<f64>
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @of_the_next_row(
// CHECK:         scf.for %{{.*}} iter_args(%c = %{{.*}}, %{{.*}} = %{{.*}}) -> (memref<?x?xf64>, memref<?x?xf64>)

// -----

// An array that only the search for its best elements reads is not stored: its elements are computed
// for the comparison with the worst of the best, and again where one may be better.
func.func @top_k_of_squares(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<i64> {
  %size = phi.size %x, 0 : !phi.vec<f64>
  %squares = phi.array (%i < %size) -> !phi.vec<f64> {
    %a = phi.get %x[%i] : !phi.vec<f64>[index]
    %b = arith.mulf %a, %a : f64
    phi.yield %b : f64
  }
  %places = phi.top_k %squares, %n by "<" : !phi.vec<f64>
  func.return %places : !phi.vec<i64>
}

// CHECK-LABEL:   func.func @top_k_of_squares(
// CHECK-NOT:       arith.mulf
// CHECK:               %[[SOME:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i1) {
// CHECK-NEXT:            %i = arith.addi
// CHECK-NEXT:            %a = memref.load %x[%i] : memref<?xf64>
// CHECK-NEXT:            %b = arith.mulf %a, %a : f64
// CHECK-NEXT:            arith.cmpf olt, %b
// CHECK:               scf.if %[[SOME]] {
// CHECK:                   arith.mulf

// -----

// Positions that are indices need no test: no two values meet at them, so their loops are parallel,
// around those of the other indices, which carry an element. An index that is two positions stays in
// order.
func.func @accumulate_at_indices(%a: !phi.vec<!phi.vec<f64>>) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %transposed = phi.accumulate (%i < %n, %j < %m) into "add" (%m, %n) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %q = arith.index_cast %j : index to i64
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %at = phi.tuple (%q, %p, %x) : tuple<i64, i64, f64>
    phi.yield %at : tuple<i64, i64, f64>
  }
  %columns = phi.accumulate (%i < %n, %j < %m) into "max" (%m) -> !phi.vec<f64> {
    %q = arith.index_cast %j : index to i64
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %at = phi.tuple (%q, %x) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  %twice = phi.accumulate (%i < %n, %j < %m) into "add" (%m, %m) -> !phi.vec<!phi.vec<f64>> {
    %q = arith.index_cast %j : index to i64
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %at = phi.tuple (%q, %q, %x) : tuple<i64, i64, f64>
    phi.yield %at : tuple<i64, i64, f64>
  }
  func.return %transposed, %columns, %twice : !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:   func.func @accumulate_at_indices(
// CHECK:           %[[N:.*]] = memref.dim %a, %[[ZERO:.*]] : memref<?x?xf64>
// CHECK-NEXT:      %[[M:.*]] = memref.dim %a, %[[ONE:.*]] : memref<?x?xf64>
// CHECK:           %transposed = memref.alloc(%[[M]], %[[N]]) : memref<?x?xf64>
// CHECK-NEXT:      "scf.parallel"(%[[ZERO]], %[[ZERO]], %[[M]], %[[N]], %[[ONE]], %[[ONE]]) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
// CHECK-NEXT:      ^bb0(%j: index, %i: index):
// CHECK-NEXT:        %q = arith.index_cast %j : index to i64
// CHECK-NEXT:        %p = arith.index_cast %i : index to i64
// CHECK-NEXT:        %x = memref.load %a[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[START:.*]], %x : f64
// CHECK-NEXT:        memref.store %[[SUM]], %transposed[%j, %i] : memref<?x?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index, index, index, index) -> ()
// CHECK:           "scf.parallel"(%[[ZERO]], %[[M]], %[[ONE]])
// CHECK-NEXT:      ^bb0(%j_1: index):
// CHECK-NEXT:        %q_1 = arith.index_cast %j_1 : index to i64
// CHECK-NEXT:        %[[MAX:.*]] = scf.for %i_1 = %[[ZERO]] to %[[N]] step %[[ONE]] iter_args(%[[OLD:.*]] = %{{.*}}) -> (f64) {
// CHECK-NEXT:          %x_1 = memref.load %a[%i_1, %j_1] : memref<?x?xf64>
// CHECK-NEXT:          %[[NEW:.*]] = arith.maximumf %[[OLD]], %x_1 : f64
// CHECK-NEXT:          scf.yield %[[NEW]] : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %[[MAX]], %columns[%j_1] : memref<?xf64>
// CHECK:           } else {
// CHECK:             scf.for %i_3 =
// CHECK-NEXT:          scf.for %j_3 =
// CHECK:                 memref.store %{{.*}}, %twice[%{{.*}}, %{{.*}}] : memref<?x?xf64>

// -----

// Clips of the program at the bounds of an array are those of its positions: they are left out where
// a position needs none.
func.func @clips(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %count = arith.addi %p, %one : i64
    %s = phi.fold irregular (%k < %count, %acc = %p) -> i64 {
      %back = arith.subi %p, %k : i64
      %from_zero = arith.maxsi %back, %zero : i64
      %to_last = arith.minsi %from_zero, %last : i64
      %x = phi.get %a[%to_last] : !phi.vec<f64>[i64]
      %y = math.absf %x : f64
      %z = arith.fptosi %y : f64 to i64
      %e = arith.addi %acc, %z : i64
      phi.yield %e : i64
    }
    %f = arith.sitofp %s : i64 to f64
    phi.yield %f : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:   func.func @clips(
// CHECK:           %[[BACK:.*]] = arith.index_cast %back : i64 to index
// CHECK-NEXT:      memref.load %a[%[[BACK]]]

// -----

// No loop adds zeros where a condition on the outer index does not hold.
func.func @accumulate_selected(%on: !phi.vec<i1>, %k: !phi.vec<!phi.vec<i64>>) -> !phi.vec<i64> {
  %n = phi.size %k, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %k, 1 : !phi.vec<!phi.vec<i64>>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %s = phi.accumulate (%i < %n, %j < %m) into "add" (%n) -> !phi.vec<i64> {
    %p = phi.get %k[%i, %j] : !phi.vec<!phi.vec<i64>>[index, index]
    %c = phi.get %on[%i] : !phi.vec<i1>[index]
    %v = arith.select %c, %one, %zero : i64
    %t = phi.tuple (%p, %v) : tuple<i64, i64>
    phi.yield %t : tuple<i64, i64>
  }
  func.return %s : !phi.vec<i64>
}

// CHECK:         func.func @accumulate_selected(
// CHECK:           scf.for %i_1 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:             %c_1 = memref.load %{{.*}}[%{{.*}}] : memref<?xi1>
// CHECK-NEXT:        %v_1 = arith.select %c_1, %one, %zero : i64
// CHECK-NEXT:        scf.if %c_1 {
// CHECK-NEXT:          scf.for %j_1 = %{{.*}} to %{{.*}} step %{{.*}} {

// -----

// Two columns are replaced, each row after its old elements were read: in place.

func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %n: i64, %x: f64) -> !phi.vec<!phi.vec<f64>> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %n, %b = %a) -> !phi.vec<!phi.vec<f64>> {
    %next = phi.array (%i < %m) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %b[%i] : !phi.vec<!phi.vec<f64>>[index]
      %p = phi.get %b[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %q = phi.get %b[%i, %n] : !phi.vec<!phi.vec<f64>>[index, i64]
      %sum = arith.addf %p, %q : f64
      %one = phi.update %row[%n], %sum : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      %y = arith.mulf %p, %q : f64
      %both = phi.update %one[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %both : !phi.vec<f64>
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @columns(
// CHECK:         scf.for %{{.*}} iter_args(%[[B:.*]] = %{{.*}}) -> (memref<?x?xf64>) {
// CHECK-COUNT-2:   memref.load %{{.*}}[%i, %
// CHECK-NOT:       memref.load
// CHECK-COUNT-2:   memref.store %{{.*}}, %[[B]][%i, %
// CHECK:           scf.yield %[[B]] : memref<?x?xf64>

// -----

// The sign of a float has one test; a count of two Bools is a sum of chosen floats.
func.func @signs(%x: f64, %y: f64, %k: i8) -> (f64, f64, f64) {
  %0 = sigma.sign %x : f64
  %more = arith.cmpf ogt, %x, %y : f64
  %same = arith.cmpf oge, %x, %y : f64
  %a = arith.extui %more : i1 to i8
  %b = arith.extui %same : i1 to i8
  %c = arith.addi %a, %b : i8
  %1 = arith.sitofp %c : i8 to f64
  %d = arith.addi %a, %k : i8
  %2 = arith.sitofp %d : i8 to f64
  func.return %0, %1, %2 : f64, f64, f64
}

// CHECK:         func.func @signs(%x: f64, %y: f64, %k: i8, %operands: memref<2xi64>) -> (f64, f64, f64) {
// CHECK-NEXT:      %0 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %2 = arith.addf %x, %1 : f64
// CHECK-NEXT:      %3 = math.copysign %0, %x : f64
// CHECK-NEXT:      %4 = arith.cmpf one, %x, %1 : f64
// CHECK-NEXT:      %5 = arith.select %4, %3, %2 : f64
// CHECK-NEXT:      %more = arith.cmpf ogt, %x, %y : f64
// CHECK-NEXT:      %same = arith.cmpf oge, %x, %y : f64
// CHECK-NEXT:      %a = arith.extui %more : i1 to i8
// CHECK-NEXT:      %b = arith.extui %same : i1 to i8
// CHECK-NEXT:      %c = arith.addi %a, %b : i8
// CHECK-NEXT:      %6 = arith.select %more, %0, %1 : f64
// CHECK-NEXT:      %7 = arith.select %same, %0, %1 : f64
// CHECK-NEXT:      %8 = arith.addf %6, %7 : f64
// CHECK-NEXT:      %d = arith.addi %a, %k : i8
// CHECK-NEXT:      %9 = arith.sitofp %d : i8 to f64
// CHECK-NEXT:      func.return %5, %8, %9 : f64, f64, f64
// CHECK-NEXT:    }
