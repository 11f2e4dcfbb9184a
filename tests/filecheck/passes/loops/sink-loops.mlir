// RUN: ein-opt %s -p sink-loops --split-input-file | filecheck %s

// The loop for a value that a choice takes under a condition runs in a branch, with all that only it
// needs. What other operations use stays.

func.func @choice(%c: i1, %y: f64, %x: f64, %n: index) -> (f64, f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = math.sqrt %x : f64
  %w = math.exp %x : f64
  %s = scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (f64) {
    %next = arith.addf %acc, %w : f64
    scf.yield %next : f64
  }
  %z = math.sqrt %s : f64
  %r = arith.select %c, %z, %y : f64
  func.return %r, %w : f64, f64
}
// CHECK-LABEL: func.func @choice
// CHECK:         %w = math.exp %x : f64
// CHECK-NEXT:    %r = scf.if %c -> (f64) {
// CHECK-NEXT:      %start = math.sqrt %x : f64
// CHECK-NEXT:      %s = scf.for
// CHECK:           %z = math.sqrt %s : f64
// CHECK-NEXT:      scf.yield %z : f64
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %y : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r, %w

// -----

// `x and y` and `x or y` need y if x is true, and false. Both values of a choice may be loops.

func.func @truth(%c: i1, %n: index, %x: f64, %y: f64) -> (i1, i1, f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %next = math.sqrt %acc : f64
    scf.yield %next : f64
  }
  %is_less = arith.cmpf olt, %s, %y : f64
  %both = arith.andi %is_less, %c : i1
  %t = scf.for %k = %zero to %n step %one iter_args(%acc = %y) -> (f64) {
    %next = math.exp %acc : f64
    scf.yield %next : f64
  }
  %is_more = arith.cmpf ogt, %t, %y : f64
  %either = arith.ori %c, %is_more : i1
  %u = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %next = math.sin %acc : f64
    scf.yield %next : f64
  }
  %v = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %next = math.cos %acc : f64
    scf.yield %next : f64
  }
  %w = arith.select %either, %u, %v : f64
  func.return %both, %either, %w : i1, i1, f64
}
// CHECK-LABEL: func.func @truth
// CHECK:         %both = scf.if %c -> (i1) {
// CHECK:           math.sqrt
// CHECK:           scf.yield %is_less : i1
// CHECK:         } else {
// CHECK-NEXT:      %[[F:.*]] = arith.constant false
// CHECK-NEXT:      scf.yield %[[F]] : i1
// CHECK:         %either = scf.if %c -> (i1) {
// CHECK-NEXT:      %[[T:.*]] = arith.constant true
// CHECK-NEXT:      scf.yield %[[T]] : i1
// CHECK-NEXT:    } else {
// CHECK:           math.exp
// CHECK:           scf.yield %is_more : i1
// CHECK:         %w = scf.if %either -> (f64) {
// CHECK:           math.sin
// CHECK:         } else {
// CHECK:           math.cos

// -----

// A value that a branch stores is computed there. Between are stores to another array: not if
// they may be to one that the loop reads.

func.func @stored(%c: i1, %a: memref<?xf64>, %n: index, %x: f64) -> memref<?xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %b = memref.alloc(%n) : memref<?xf64>
  %s = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %y = memref.load %a[%k] : memref<?xf64>
    %next = arith.addf %acc, %y : f64
    scf.yield %next : f64
  }
  %t = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %y = memref.load %b[%k] : memref<?xf64>
    %next = arith.mulf %acc, %y : f64
    scf.yield %next : f64
  }
  memref.store %x, %b[%one] : memref<?xf64>
  scf.if %c {
    memref.store %s, %b[%zero] : memref<?xf64>
    memref.store %t, %b[%one] : memref<?xf64>
  }
  func.return %b : memref<?xf64>
}
// CHECK-LABEL: func.func @stored
// CHECK:         memref.alloc
// CHECK:         arith.mulf
// CHECK:         memref.store %x
// CHECK-NEXT:    scf.if %c {
// CHECK:           arith.addf
// CHECK:           memref.store

// -----

// Unchanged: a loop of few known steps, which LLVM unrolls, one whose result is the condition, one
// that both branches use, and one with an assertion.

func.func @unchanged(%c: i1, %n: index, %x: f64, %y: f64) -> (f64, f64, f64, f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %s = scf.for %k = %zero to %four step %one iter_args(%acc = %x) -> (f64) {
    %next = math.sqrt %acc : f64
    scf.yield %next : f64
  }
  %few = arith.select %c, %s, %y : f64
  %t = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %next = math.exp %acc : f64
    scf.yield %next : f64
  }
  %is_less = arith.cmpf olt, %t, %y : f64
  %own = arith.select %is_less, %t, %y : f64
  %u = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %next = math.sin %acc : f64
    scf.yield %next : f64
  }
  %minus = arith.negf %u : f64
  %both = arith.select %c, %u, %minus : f64
  %v = scf.for %k = %zero to %n step %one iter_args(%acc = %x) -> (f64) {
    %is_more = arith.cmpf ogt, %acc, %y : f64
    cf.assert %is_more, "less"
    %next = math.cos %acc : f64
    scf.yield %next : f64
  }
  %asserted = arith.select %c, %v, %y : f64
  func.return %few, %own, %both, %asserted : f64, f64, f64, f64
}
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT:     scf.if

// -----

// A loop whose steps keep what it carries without a condition that is the same in all of them takes
// no step without it: a sum of selected terms, and one of selected sums with a largest one.

func.func @guarded(%c: i1, %d: i1, %n: index, %x: memref<?xf64>, %p: memref<?xi1>) -> (f64, f64, f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xfff0000000000000 : f64
  %s = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %own = memref.load %p[%k] : memref<?xi1>
    %some = arith.andi %c, %own : i1
    %all = arith.andi %some, %d : i1
    %term = arith.select %all, %v, %none : f64
    %next = arith.addf %acc, %term : f64
    scf.yield %next : f64
  }
  %t, %u = scf.for %k = %zero to %n step %one iter_args(%sum = %s, %max = %least) -> (f64, f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %both = arith.andi %c, %d : i1
    %more = arith.addf %sum, %v : f64
    %next = arith.select %both, %more, %sum : f64
    %one_of = arith.select %d, %v, %least : f64
    %largest = arith.maximumf %max, %one_of : f64
    scf.yield %next, %largest : f64, f64
  }
  func.return %s, %t, %u : f64, f64, f64
}
// CHECK-LABEL: func.func @guarded
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:    %[[COUNT:.*]] = arith.select %c, %n, %zero : index
// CHECK-NEXT:    %[[TRUE_1:.*]] = arith.constant true
// CHECK-NEXT:    %[[BOTH:.*]] = arith.select %d, %[[COUNT]], %zero : index
// CHECK-NEXT:    %s = scf.for %k = %zero to %[[BOTH]] step %one
// CHECK:           %some = arith.andi %{{.*}}, %own : i1
// CHECK:         %[[COUNT_1:.*]] = arith.select %d, %n, %zero : index
// CHECK-NEXT:    %t, %u = scf.for %k_1 = %zero to %[[COUNT_1]] step %one
// CHECK:           arith.andi %c, %{{.*}} : i1

// -----

// Tests whether any step, or all, have a property: conjunctions and disjunctions with the condition.

func.func @tested(%c: i1, %n: index, %p: memref<?xi1>) -> (i1, i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no = arith.constant false
  %yes = arith.constant true
  %any = scf.for %k = %zero to %n step %one iter_args(%acc = %no) -> (i1) {
    %own = memref.load %p[%k] : memref<?xi1>
    %both = arith.andi %c, %own : i1
    %next = arith.ori %acc, %both : i1
    scf.yield %next : i1
  }
  %all = scf.for %k = %zero to %n step %one iter_args(%acc = %yes) -> (i1) {
    %own = memref.load %p[%k] : memref<?xi1>
    %either = arith.ori %c, %own : i1
    %next = arith.andi %acc, %either : i1
    scf.yield %next : i1
  }
  func.return %any, %all : i1, i1
}
// CHECK-LABEL: func.func @tested
// CHECK:         %[[COUNT:.*]] = arith.select %c, %n, %zero : index
// CHECK-NEXT:    %any = scf.for %k = %zero to %[[COUNT]] step %one
// CHECK:         %[[OTHER:.*]] = arith.select %c, %zero, %n : index
// CHECK-NEXT:    %all = scf.for %k_1 = %zero to %[[OTHER]] step %one

// -----

// Steps that are taken: other values where a term is left out, a condition that varies, two values
// with different conditions, and a difference, which has no identity on both sides.

func.func @taken(%c: i1, %d: i1, %n: index, %x: memref<?xf64>, %p: memref<?xi1>) -> (f64, f64, f64, f64, f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %other = arith.constant 1.0 : f64
  %a = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %term = arith.select %c, %v, %other : f64
    %next = arith.addf %acc, %term : f64
    scf.yield %next : f64
  }
  %b = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %own = memref.load %p[%k] : memref<?xi1>
    %term = arith.select %own, %v, %none : f64
    %next = arith.addf %acc, %term : f64
    scf.yield %next : f64
  }
  %e, %f = scf.for %k = %zero to %n step %one iter_args(%sum = %none, %sum_1 = %none) -> (f64, f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %term = arith.select %c, %v, %none : f64
    %next = arith.addf %sum, %term : f64
    %term_1 = arith.select %d, %v, %none : f64
    %next_1 = arith.addf %sum_1, %term_1 : f64
    scf.yield %next, %next_1 : f64, f64
  }
  %g = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (f64) {
    %v = memref.load %x[%k] : memref<?xf64>
    %term = arith.select %c, %v, %none : f64
    %next = arith.subf %term, %acc : f64
    scf.yield %next : f64
  }
  func.return %a, %b, %e, %f, %g : f64, f64, f64, f64, f64
}
// CHECK-LABEL: func.func @taken
// CHECK:         %a = scf.for %k = %zero to %n step %one
// CHECK:         %b = scf.for %k_1 = %zero to %n step %one
// CHECK:         %e, %f = scf.for %k_2 = %zero to %n step %one
// CHECK:         %g = scf.for %k_3 = %zero to %n step %one

// -----

// The elements of a column are read in the rows that overwrite them, if these are not few.

func.func @in_rows(%a: memref<?x?xf64>, %k: index, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i, %k] : memref<?x?xf64>
    memref.store %x, %c[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %zero, %n, %m, %one, %one) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = memref.load %c[%i] : memref<?xf64>
    %z = arith.minimumf %x, %y : f64
    memref.store %z, %a[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %c : memref<?xf64>
  func.return
}
// CHECK-LABEL: func.func @in_rows
// CHECK:         scf.if %{{.*}} {
// CHECK-NEXT:      "scf.parallel"(%zero, %n, %one)
// CHECK-NEXT:      ^bb0(%i: index):
// CHECK-NEXT:        %x = memref.load %a[%i, %k]
// CHECK-NEXT:        "scf.parallel"(%zero, %m, %one)
// CHECK-NEXT:        ^bb0(%j: index):
// CHECK-NEXT:          %x_1 = memref.load %a[%i, %j]
// CHECK-NEXT:          %z = arith.minimumf %x_1, %x
// CHECK-NEXT:          memref.store %z, %a[%i, %j]
// CHECK:         } else {
// CHECK-NEXT:      %c = memref.alloc(%n)
// CHECK-NEXT:      "scf.parallel"(%zero, %n, %one)
// CHECK:           "scf.parallel"(%zero, %zero, %n, %m, %one, %one)
// CHECK:           memref.dealloc %c
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

// Rows that other rows overwrite, columns that steps overwrite, elements that are read by column,
// and a column that changes after it is copied.

func.func @other_row(%a: memref<?x?xf64>, %k: index, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%k, %i] : memref<?x?xf64>
    memref.store %x, %c[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %zero, %n, %m, %one, %one) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = memref.load %c[%i] : memref<?xf64>
    %z = arith.minimumf %x, %y : f64
    memref.store %z, %a[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %c : memref<?xf64>
  func.return
}
// CHECK-LABEL: func.func @other_row
// CHECK-NOT:     scf.if
// CHECK:         "scf.parallel"(%zero, %zero, %n, %m, %one, %one)

func.func @of_columns(%a: memref<?x?xf64>, %k: index, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i, %k] : memref<?x?xf64>
    memref.store %x, %c[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %zero, %n, %m, %one, %one) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = memref.load %c[%i] : memref<?xf64>
    %z = arith.minimumf %x, %y : f64
    memref.store %z, %a[%j, %i] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %c : memref<?xf64>
  func.return
}
// CHECK-LABEL: func.func @of_columns
// CHECK-NOT:     scf.if
// CHECK:         "scf.parallel"(%zero, %zero, %n, %m, %one, %one)

func.func @by_column(%a: memref<?x?xf64>, %k: index, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i, %k] : memref<?x?xf64>
    memref.store %x, %c[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%zero, %zero, %n, %m, %one, %one) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = memref.load %c[%j] : memref<?xf64>
    %z = arith.minimumf %x, %y : f64
    memref.store %z, %a[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %c : memref<?xf64>
  func.return
}
// CHECK-LABEL: func.func @by_column
// CHECK-NOT:     scf.if
// CHECK:         "scf.parallel"(%zero, %zero, %n, %m, %one, %one)

func.func @changed(%a: memref<?x?xf64>, %k: index, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %one_f = arith.constant 1.0 : f64
  %c = memref.alloc(%n) : memref<?xf64>
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i, %k] : memref<?x?xf64>
    memref.store %x, %c[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  memref.store %one_f, %a[%k, %k] : memref<?x?xf64>
  "scf.parallel"(%zero, %zero, %n, %m, %one, %one) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = memref.load %c[%i] : memref<?xf64>
    %z = arith.minimumf %x, %y : f64
    memref.store %z, %a[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  memref.dealloc %c : memref<?xf64>
  func.return
}
// CHECK-LABEL: func.func @changed
// CHECK-NOT:     scf.if
// CHECK:         "scf.parallel"(%zero, %zero, %n, %m, %one, %one)

// A count takes no step where a condition outside of the loop leaves out all terms; one that counts
// the other steps, too, does.
func.func @counts(%a: memref<?xi1>, %c: i1, %n: index) -> (i64, i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %s = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (i64) {
    %x = memref.load %a[%k] : memref<?xi1>
    %both = arith.andi %x, %c : i1
    %term = arith.extui %both : i1 to i64
    %next = arith.addi %acc, %term : i64
    scf.yield %next : i64
  }
  %t = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (i64) {
    %x = memref.load %a[%k] : memref<?xi1>
    %either = arith.ori %x, %c : i1
    %term = arith.extui %either : i1 to i64
    %next = arith.addi %acc, %term : i64
    scf.yield %next : i64
  }
  func.return %s, %t : i64, i64
}
// CHECK-LABEL: func.func @counts
// CHECK:         %[[COUNT:.*]] = arith.select %c, %n, %zero : index
// CHECK:         scf.for %{{.*}} = %zero to %[[COUNT]] step %one
// CHECK:         scf.for %{{.*}} = %zero to %n step %one
