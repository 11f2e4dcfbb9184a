// RUN: ein-opt %s -p merge-branches --split-input-file | filecheck %s

// An update under a condition and one under this and another are nested branches. The loads and the
// choices that only they need are in the outer one.

func.func @nested(%p: memref<?xindex>, %x: memref<?xf64>, %n: index, %m: index) -> i64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %some = arith.constant 1 : i64
  %least = memref.alloc(%m) : memref<?xf64>
  %counts = memref.alloc(%m) : memref<?xi64>
  %total = scf.for %k = %zero to %n step %one iter_args(%length = %none) -> (i64) {
    %at = memref.load %p[%k] : memref<?xindex>
    %new = memref.load %x[%k] : memref<?xf64>
    %old = memref.load %least[%at] : memref<?xf64>
    %less = arith.cmpf olt, %new, %old : f64
    scf.if %less {
      memref.store %new, %least[%at] : memref<?xf64>
    }
    %count = memref.load %counts[%at] : memref<?xi64>
    %first = arith.cmpi eq, %count, %none : i64
    %both = arith.andi %less, %first : i1
    scf.if %both {
      memref.store %some, %counts[%at] : memref<?xi64>
    }
    %longer = arith.addi %length, %some : i64
    %next = arith.select %both, %longer, %length : i64
    scf.yield %next : i64
  }
  func.return %total : i64
}
// CHECK-LABEL: func.func @nested
// CHECK:           %less = arith.cmpf olt, %new, %old : f64
// CHECK-NEXT:      %next = scf.if %less -> (i64) {
// CHECK-NEXT:        memref.store %new, %least[%at] : memref<?xf64>
// CHECK-NEXT:        %count = memref.load %counts[%at] : memref<?xi64>
// CHECK-NEXT:        %first = arith.cmpi eq, %count, %none : i64
// CHECK-NEXT:        scf.if %first {
// CHECK-NEXT:          memref.store %some, %counts[%at] : memref<?xi64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %longer = arith.addi %length, %some : i64
// CHECK-NEXT:        %[[INNER:.*]] = arith.select %first, %longer, %length : i64
// CHECK-NEXT:        scf.yield %[[INNER]] : i64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %length : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %next : i64

// -----

// What something else reads in between from an array that a branch stores to stays before it only if
// both share no memory: here the second load sees what the first branch stores.

func.func @read_between(%p: memref<?xindex>, %n: index, %m: index) -> memref<?xi64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %some = arith.constant 1 : i64
  %a = memref.alloc(%m) : memref<?xi64>
  %b = memref.alloc(%m) : memref<?xi64>
  scf.for %k = %zero to %n step %one {
    %at = memref.load %p[%k] : memref<?xindex>
    %old = memref.load %b[%at] : memref<?xi64>
    %c = arith.cmpi eq, %old, %some : i64
    scf.if %c {
      memref.store %some, %a[%at] : memref<?xi64>
    }
    %seen = memref.load %a[%k] : memref<?xi64>
    memref.store %seen, %b[%k] : memref<?xi64>
    scf.if %c {
      memref.store %some, %a[%k] : memref<?xi64>
    }
  }
  func.return %a : memref<?xi64>
}
// CHECK-LABEL: func.func @read_between
// CHECK:           scf.if %c {
// CHECK-NEXT:        memref.store %some, %a[%at] : memref<?xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %seen = memref.load %a[%k] : memref<?xi64>

// -----

// A quotient that only a branch needs is computed there. The other value of a choice, what is used
// elsewhere and the test itself stay; a test of bounds alone saves nothing.

func.func @costly(%x: memref<?xi64>, %n: index, %m: index, %d: i64) -> memref<?xi64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0 : i64
  %a = memref.alloc(%m) : memref<?xi64>
  %end = scf.for %k = %zero to %n step %one iter_args(%s = %start) -> (i64) {
    %y = memref.load %x[%k] : memref<?xi64>
    %q = arith.divsi %y, %d : i64
    %r = arith.remsi %y, %d : i64
    %c = arith.cmpi sgt, %y, %s : i64
    scf.if %c {
      memref.store %q, %a[%k] : memref<?xi64>
    }
    %t = arith.select %c, %y, %r : i64
    %inside = arith.cmpi ult, %k, %m : index
    %u = arith.divsi %t, %d : i64
    scf.if %inside {
      memref.store %u, %a[%k] : memref<?xi64>
    }
    scf.yield %t : i64
  }
  func.return %a : memref<?xi64>
}
// CHECK-LABEL: func.func @costly
// CHECK:           %r = arith.remsi %y, %d : i64
// CHECK-NEXT:      %c = arith.cmpi sgt, %y, %s : i64
// CHECK-NEXT:      %t = scf.if %c -> (i64) {
// CHECK-NEXT:        %q = arith.divsi %y, %d : i64
// CHECK-NEXT:        memref.store %q, %a[%k] : memref<?xi64>
// CHECK-NEXT:        scf.yield %y : i64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %r : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %inside = arith.cmpi ult, %k, %m : index
// CHECK-NEXT:      %u = arith.divsi %t, %d : i64
// CHECK-NEXT:      scf.if %inside {

// -----

// The numbers of the message of an assertion are stored before it.
func.func @numbers_of_messages(%a: i64, %b: i64, %operands: memref<2xi64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %equal = arith.cmpi eq, %a, %b : i64
  %fails = arith.xori %equal, %true : i1
  scf.if %fails {
    memref.store %a, %operands[%zero] : memref<2xi64>
    memref.store %b, %operands[%one] : memref<2xi64>
  }
  cf.assert %equal, "counter j: {0} != {1}"
  scf.if %fails {
    memref.store %a, %operands[%zero] : memref<2xi64>
    memref.store %b, %operands[%one] : memref<2xi64>
  }
  cf.assert %equal, "index i: {0} != {1}"
  func.return
}

// CHECK:      func.func @numbers_of_messages(
// CHECK:        scf.if %fails {
// CHECK:        cf.assert %equal, "counter j: {0} != {1}"
// CHECK-NEXT:   scf.if %fails {
// CHECK:        cf.assert %equal, "index i: {0} != {1}"
