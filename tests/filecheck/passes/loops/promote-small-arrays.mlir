// RUN: ein-opt %s --split-input-file -p promote-small-arrays | filecheck %s

// A loop that carries two arrays, which change places: both are overwritten at the end of a step,
// and the result is a copy that the caller may keep. A parallel loop of few steps is an ordinary one.

func.func @exchanged(%n: index) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc(%c2) : memref<?xf64>
  %b = memref.alloc(%c2) : memref<?xf64>
  %r, %s = scf.for %t = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (memref<?xf64>, memref<?xf64>) {
    "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %v = memref.load %x[%i] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.yield %y, %x : memref<?xf64>, memref<?xf64>
  }
  memref.dealloc %s : memref<?xf64>
  func.return %r : memref<?xf64>
}

// CHECK-LABEL:   func.func @exchanged
// CHECK:           %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c2 = arith.constant 2 : index
// CHECK-NEXT:      %a = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      %b = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      %x = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      "memref.copy"(%a, %x) : (memref<2xf64>, memref<2xf64>) -> ()
// CHECK-NEXT:      %y = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      "memref.copy"(%b, %y) : (memref<2xf64>, memref<2xf64>) -> ()
// CHECK-NEXT:      scf.for %t = %c0 to %n step %c1 {
// CHECK-NEXT:        scf.for %i = %c0 to %c2 step %c1 {
// CHECK-NEXT:          %v = memref.load %x[%i] : memref<2xf64>
// CHECK-NEXT:          memref.store %v, %y[%i] : memref<2xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %0 = arith.constant 0 : index
// CHECK-NEXT:        %1 = arith.constant 1 : index
// CHECK-NEXT:        %2 = memref.load %y[%0] : memref<2xf64>
// CHECK-NEXT:        %3 = memref.load %y[%1] : memref<2xf64>
// CHECK-NEXT:        %4 = memref.load %x[%0] : memref<2xf64>
// CHECK-NEXT:        %5 = memref.load %x[%1] : memref<2xf64>
// CHECK-NEXT:        memref.store %2, %x[%0] : memref<2xf64>
// CHECK-NEXT:        memref.store %3, %x[%1] : memref<2xf64>
// CHECK-NEXT:        memref.store %4, %y[%0] : memref<2xf64>
// CHECK-NEXT:        memref.store %5, %y[%1] : memref<2xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = arith.constant 2 : index
// CHECK-NEXT:      %7 = memref.alloc(%6) : memref<?xf64>
// CHECK-NEXT:      %8 = "memref.cast"(%x) : (memref<2xf64>) -> memref<?xf64>
// CHECK-NEXT:      "memref.copy"(%8, %7) : (memref<?xf64>, memref<?xf64>) -> ()
// CHECK-NEXT:      func.return %7 : memref<?xf64>

// -----

// An array of each step takes the place of the one before; a size is a number.

func.func @replaced(%n: index, %z: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%c1) : memref<?xf64>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<?xf64>) {
    %y = memref.alloc(%c1) : memref<?xf64>
    %m = memref.dim %x, %c0 : memref<?xf64>
    %v = memref.load %z[%m] : memref<?xf64>
    memref.store %v, %y[%c0] : memref<?xf64>
    memref.dealloc %x : memref<?xf64>
    scf.yield %y : memref<?xf64>
  }
  %e = memref.load %r[%c0] : memref<?xf64>
  memref.dealloc %r : memref<?xf64>
  func.return %e : f64
}

// CHECK-LABEL:   func.func @replaced
// CHECK:           %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %a = memref.alloca() : memref<1xf64>
// CHECK-NEXT:      %x = memref.alloca() : memref<1xf64>
// CHECK-NEXT:      "memref.copy"(%a, %x) : (memref<1xf64>, memref<1xf64>) -> ()
// CHECK-NEXT:      %y = memref.alloca() : memref<1xf64>
// CHECK-NEXT:      scf.for %t = %c0 to %n step %c1 {
// CHECK-NEXT:        %m = arith.constant 1 : index
// CHECK-NEXT:        %v = memref.load %z[%m] : memref<?xf64>
// CHECK-NEXT:        memref.store %v, %y[%c0] : memref<1xf64>
// CHECK-NEXT:        %0 = arith.constant 0 : index
// CHECK-NEXT:        %1 = memref.load %y[%0] : memref<1xf64>
// CHECK-NEXT:        memref.store %1, %x[%0] : memref<1xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %e = memref.load %x[%c0] : memref<1xf64>
// CHECK-NEXT:      func.return %e : f64

// -----

// An inner loop goes on with the array of an outer one, in place.

func.func @nested(%n: index, %v: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<2xf64>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<2xf64>) {
    %s = scf.for %u = %c0 to %n step %c1 iter_args(%y = %x) -> (memref<2xf64>) {
      memref.store %v, %y[%c1] : memref<2xf64>
      scf.yield %y : memref<2xf64>
    }
    scf.yield %s : memref<2xf64>
  }
  %e = memref.load %r[%c0] : memref<2xf64>
  memref.dealloc %r : memref<2xf64>
  func.return %e : f64
}

// CHECK-LABEL:   func.func @nested
// CHECK:           %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %a = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      %x = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      "memref.copy"(%a, %x) : (memref<2xf64>, memref<2xf64>) -> ()
// CHECK-NEXT:      %y = memref.alloca() : memref<2xf64>
// CHECK-NEXT:      scf.for %t = %c0 to %n step %c1 {
// CHECK-NEXT:        "memref.copy"(%x, %y) : (memref<2xf64>, memref<2xf64>) -> ()
// CHECK-NEXT:        scf.for %u = %c0 to %n step %c1 {
// CHECK-NEXT:          memref.store %v, %y[%c1] : memref<2xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %0 = arith.constant 0 : index
// CHECK-NEXT:        %1 = arith.constant 1 : index
// CHECK-NEXT:        %2 = memref.load %y[%0] : memref<2xf64>
// CHECK-NEXT:        %3 = memref.load %y[%1] : memref<2xf64>
// CHECK-NEXT:        memref.store %2, %x[%0] : memref<2xf64>
// CHECK-NEXT:        memref.store %3, %x[%1] : memref<2xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %e = memref.load %x[%c0] : memref<2xf64>
// CHECK-NEXT:      func.return %e : f64

// -----

// These arrays stay: of 17 elements, of a size that is not known, read through a view, chosen by a
// branch, and one that is read after the loop that carries it.

func.func @kept(%n: index, %z: f64, %c: i1) -> (memref<?xf64>, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c17 = arith.constant 17 : index
  %large = memref.alloc(%c17) : memref<?xf64>
  memref.dealloc %large : memref<?xf64>
  %unknown = memref.alloc(%n) : memref<?xf64>
  memref.dealloc %unknown : memref<?xf64>
  %viewed = memref.alloc() : memref<2xf64>
  %view = memref.subview %viewed[1] [1] [1] : memref<2xf64> to memref<1xf64, strided<[1], offset: 1>>
  %e = memref.load %view[%c0] : memref<1xf64, strided<[1], offset: 1>>
  memref.dealloc %viewed : memref<2xf64>
  %chosen = scf.if %c -> (memref<?xf64>) {
    %one = memref.alloc(%c2) : memref<?xf64>
    scf.yield %one : memref<?xf64>
  } else {
    %other = memref.alloc(%c2) : memref<?xf64>
    scf.yield %other : memref<?xf64>
  }
  %read = memref.alloc() : memref<2xf64>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %read) -> (memref<2xf64>) {
    memref.store %e, %x[%c1] : memref<2xf64>
    scf.yield %x : memref<2xf64>
  }
  %f = memref.load %read[%c0] : memref<2xf64>
  memref.dealloc %r : memref<2xf64>
  func.return %chosen, %f : memref<?xf64>, f64
}

// CHECK-LABEL:   func.func @kept
// CHECK:           %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c2 = arith.constant 2 : index
// CHECK-NEXT:      %c17 = arith.constant 17 : index
// CHECK-NEXT:      %large = memref.alloc(%c17) : memref<?xf64>
// CHECK-NEXT:      memref.dealloc %large : memref<?xf64>
// CHECK-NEXT:      %unknown = memref.alloc(%n) : memref<?xf64>
// CHECK-NEXT:      memref.dealloc %unknown : memref<?xf64>
// CHECK-NEXT:      %viewed = memref.alloc() : memref<2xf64>
// CHECK-NEXT:      %view = memref.subview %viewed[1] [1] [1] : memref<2xf64> to memref<1xf64, strided<[1], offset: 1>>
// CHECK-NEXT:      %e = memref.load %view[%c0] : memref<1xf64, strided<[1], offset: 1>>
// CHECK-NEXT:      memref.dealloc %viewed : memref<2xf64>
// CHECK-NEXT:      %chosen = scf.if %c -> (memref<?xf64>) {
// CHECK-NEXT:        %one = memref.alloc(%c2) : memref<?xf64>
// CHECK-NEXT:        scf.yield %one : memref<?xf64>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %other = memref.alloc(%c2) : memref<?xf64>
// CHECK-NEXT:        scf.yield %other : memref<?xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %read = memref.alloc() : memref<2xf64>
// CHECK-NEXT:      %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %read) -> (memref<2xf64>) {
// CHECK-NEXT:        memref.store %e, %x[%c1] : memref<2xf64>
// CHECK-NEXT:        scf.yield %x : memref<2xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %f = memref.load %read[%c0] : memref<2xf64>
// CHECK-NEXT:      memref.dealloc %r : memref<2xf64>
// CHECK-NEXT:      func.return %chosen, %f : memref<?xf64>, f64

// -----

// Parallel loops stay that are not in a loop, or whose steps are not few.

func.func @parallel(%n: index, %a: memref<?xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %v, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  scf.for %t = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      memref.store %v, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      scf.for %u = %c0 to %n step %c1 {
        memref.store %v, %a[%i] : memref<?xf64>
      }
      scf.reduce
    }) : (index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL:   func.func @parallel
// CHECK:           %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c2 = arith.constant 2 : index
// CHECK-NEXT:      "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        memref.store %v, %a[%i] : memref<?xf64>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) : (index, index, index) -> ()
// CHECK-NEXT:      scf.for %t = %c0 to %n step %c1 {
// CHECK-NEXT:        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i_1: index):
// CHECK-NEXT:          memref.store %v, %a[%i_1] : memref<?xf64>
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:        "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
// CHECK-NEXT:        ^bb0(%i_2: index):
// CHECK-NEXT:          scf.for %u = %c0 to %n step %c1 {
// CHECK-NEXT:            memref.store %v, %a[%i_2] : memref<?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.reduce
// CHECK-NEXT:        }) : (index, index, index) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return

// -----

// The axes of a parallel loop become loops inside each other.

func.func @axes(%n: index, %a: memref<?x?xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %t = %c0 to %n step %c1 {
    "scf.parallel"(%c0, %c0, %c2, %c3, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%i: index, %j: index):
      memref.store %v, %a[%i, %j] : memref<?x?xf64>
      scf.reduce
    }) : (index, index, index, index, index, index) -> ()
  }
  func.return
}

// CHECK-LABEL:   func.func @axes
// CHECK:           %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c2 = arith.constant 2 : index
// CHECK-NEXT:      %c3 = arith.constant 3 : index
// CHECK-NEXT:      scf.for %t = %c0 to %n step %c1 {
// CHECK-NEXT:        scf.for %i = %c0 to %c2 step %c1 {
// CHECK-NEXT:          scf.for %j = %c0 to %c3 step %c1 {
// CHECK-NEXT:            memref.store %v, %a[%i, %j] : memref<?x?xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return

// -----

// Few products are added one after the other, each rounded with its sum; a sum of a number of
// products that is not known, or of more of them, stays.

func.func @sums(%n: index, %a: memref<?xf64>) -> (f64, f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (f64) {
    %x = memref.load %a[%i] : memref<?xf64>
    %p = arith.mulf %x, %x fastmath<contract> : f64
    %next = arith.addf %acc, %p fastmath<reassoc,contract> : f64
    scf.yield %next : f64
  }
  %t = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (f64) {
    %x = memref.load %a[%i] : memref<?xf64>
    %next = arith.addf %acc, %x fastmath<reassoc,contract> : f64
    scf.yield %next : f64
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %x = memref.load %a[%i] : memref<?xf64>
    %p = arith.mulf %x, %x fastmath<contract> : f64
    %next = arith.addf %acc, %p fastmath<reassoc,contract> : f64
    scf.yield %next : f64
  }
  func.return %s, %t, %u : f64, f64, f64
}

// CHECK-LABEL:   func.func @sums
// CHECK:           %s = scf.for
// CHECK-NEXT:        %x = memref.load %a[%i] : memref<?xf64>
// CHECK-NEXT:        %next = math.fma %x, %x, %acc : f64
// CHECK-NEXT:        scf.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = scf.for
// CHECK-NEXT:        %x_1 = memref.load
// CHECK-NEXT:        %next_1 = arith.addf %acc_1, %x_1 : f64
// CHECK-NEXT:        scf.yield %next_1 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %u = scf.for
// CHECK-NEXT:        %x_2 = memref.load
// CHECK-NEXT:        %p = arith.mulf %x_2, %x_2 fastmath<contract> : f64
// CHECK-NEXT:        %next_2 = arith.addf %acc_2, %p fastmath<reassoc,contract> : f64
