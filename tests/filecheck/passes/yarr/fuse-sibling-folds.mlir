// RUN: ein-opt %s --split-input-file -p fuse-sibling-folds,cse | filecheck %s
// RUN: ein-opt %s --split-input-file -p 'fuse-sibling-folds{chains=false}' | filecheck %s --check-prefix=APART

// Two loops over one array are one, and read each element once.
func.func @sum_and_product(%a: tensor<?xf64>, %n: tensor<i64>, %x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %p = yarr.fold (%j < %n, %bcc = %y) -> tensor<f64> {
    %v = yarr.take %a, 0, %j : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %1 = yarr.elementwise { arith.mulf } %bcc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %1 : tensor<f64>
  }
  func.return %s, %p : tensor<f64>, tensor<f64>
}

// CHECK:        func.func @sum_and_product
// CHECK-NEXT:     %s, %p = yarr.fold (%k < %n, %acc = %x, %bcc = %y) -> tensor<f64>, tensor<f64> {
// CHECK-NEXT:       %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
// CHECK-NEXT:       %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK-NEXT:       %1 = yarr.elementwise { arith.mulf } %bcc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK-NEXT:       yarr.yield %0, %1 : tensor<f64>, tensor<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %s, %p : tensor<f64>, tensor<f64>
// CHECK-NEXT:   }

// -----

// Not if the second depends on the first, if the counts differ, or if they share no array.
func.func @apart(%a: tensor<?xf64>, %b: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %p = yarr.fold (%k < %n, %acc = %s) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %q = yarr.fold (%k < %m, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %r = yarr.fold (%k < %m, %acc = %x) -> tensor<f64> {
    %v = yarr.take %b, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %p, %q, %r : tensor<f64>, tensor<f64>, tensor<f64>
}

// CHECK:        func.func @apart
// CHECK:          %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
// CHECK:          %p = yarr.fold ({{.*}} < %n, {{.*}} = %s) -> tensor<f64> {
// CHECK:          %q = yarr.fold ({{.*}} < %m, {{.*}} = %x) -> tensor<f64> {
// CHECK:          %r = yarr.fold ({{.*}} < %m, {{.*}} = %x) -> tensor<f64> {

// -----

// Operands of the second fold move before both; users of the first stay after them.
func.func @between(%a: tensor<?xf64>, %n: tensor<i64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %t = yarr.elementwise { math.exp } %s : (tensor<f64>) -> tensor<f64>
  %y = yarr.elementwise { math.exp } %x : (tensor<f64>) -> tensor<f64>
  %p = yarr.fold (%k < %n, %bcc = %y) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %bcc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %t, %p : tensor<f64>, tensor<f64>
}

// CHECK:        func.func @between
// CHECK-NEXT:     %y = yarr.elementwise { math.exp } %x : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     %s, %p = yarr.fold (%k < %n, %acc = %x, %bcc = %y) -> tensor<f64>, tensor<f64> {
// CHECK:          %t = yarr.elementwise { math.exp } %s : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     func.return %t, %p : tensor<f64>, tensor<f64>

// -----

// Operations that move for one loop, and again for another, stay in order.
func.func @moved_twice(%a: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %p = yarr.fold (%k < %m, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %b = yarr.elementwise { math.exp } %x : (tensor<f64>) -> tensor<f64>
  %c = yarr.elementwise { math.exp } %b : (tensor<f64>) -> tensor<f64>
  %d = yarr.elementwise { math.exp } %c : (tensor<f64>) -> tensor<f64>
  %e = yarr.elementwise { math.exp } %d : (tensor<f64>) -> tensor<f64>
  %f = yarr.elementwise { math.exp } %e : (tensor<f64>) -> tensor<f64>
  %q = yarr.fold (%k < %m, %acc = %f) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.subf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %r = yarr.fold (%k < %n, %acc = %f) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.divf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %s, %p, %q, %r : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// CHECK:        func.func @moved_twice
// CHECK-NEXT:     %b = yarr.elementwise { math.exp } %x : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     %c = yarr.elementwise { math.exp } %b : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     %d = yarr.elementwise { math.exp } %c : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     %e = yarr.elementwise { math.exp } %d : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     %f = yarr.elementwise { math.exp } %e : (tensor<f64>) -> tensor<f64>
// CHECK-NEXT:     %s, %r = yarr.fold
// CHECK:          %p, %q = yarr.fold

// -----

// Loops that are fused themselves move together, unless one of them depends on the first loop.
func.func @groups(%a: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %p = yarr.fold (%k < %m, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %q = yarr.fold (%k < %m, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %r = yarr.fold (%k < %n, %acc = %q) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %s, %p, %q, %r : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// CHECK:        func.func @groups
// CHECK-NEXT:     %p, %q = yarr.fold (%k < %m, {{.*}} = %x, {{.*}} = %x)
// CHECK:          %s, %r = yarr.fold ({{.*}} < %n, {{.*}} = %x, {{.*}} = %q)
// CHECK-NOT:      yarr.fold

func.func @dependent_groups(%a: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %p = yarr.fold (%k < %m, %acc = %s) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %q = yarr.fold (%k < %m, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %r = yarr.fold (%k < %n, %acc = %q) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %p, %r : tensor<f64>, tensor<f64>
}

// CHECK:        func.func @dependent_groups
// CHECK-NEXT:     %s = yarr.fold ({{.*}} < %n
// CHECK:          %p, %q = yarr.fold ({{.*}} < %m
// CHECK:          %r = yarr.fold ({{.*}} < %n

// -----

// Accumulators that start equal and have equal steps are one; not those whose steps differ.
func.func @equal_accumulators(%a: tensor<?xf64>, %n: tensor<i64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %p, %q = yarr.fold (%k < %n, %b = %x, %c = %x) -> tensor<f64>, tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %c, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = yarr.elementwise { arith.mulf } %b, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0, %1 : tensor<f64>, tensor<f64>
  }
  %r, %s = yarr.fold (%k < %n, %b = %x, %c = %x) -> tensor<f64>, tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %c, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = yarr.elementwise { arith.mulf } %b, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0, %1 : tensor<f64>, tensor<f64>
  }
  func.return %q, %r, %s : tensor<f64>, tensor<f64>, tensor<f64>
}

// CHECK:        func.func @equal_accumulators
// CHECK-NEXT:     [[P:%.*]], [[Q:%.*]], {{%.*}}, {{%.*}} = yarr.fold (%k < %n, [[B:%.*]] = %x, [[C:%.*]] = %x, {{%.*}} = %x, {{%.*}} = %x)
// CHECK-NEXT:       %v = yarr.take %a, 0, %k
// CHECK-NEXT:       [[SUM:%.*]] = yarr.elementwise { arith.addf } [[C]], %v
// CHECK-NEXT:       [[PRODUCT:%.*]] = yarr.elementwise { arith.mulf } [[B]], %v
// CHECK-NEXT:       yarr.yield [[SUM]], [[PRODUCT]], [[SUM]], [[PRODUCT]]
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return [[Q]], [[P]], [[Q]]

// -----

// Counts that are asserted to be one size are equal; the assertion precedes the loop.
func.func @asserted_counts(%a: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %same = yarr.assert_eq %n, %m, "sizes"
  %p = yarr.fold (%k < %same, %acc = %x) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %s, %p : tensor<f64>, tensor<f64>
}

// CHECK:        func.func @asserted_counts
// CHECK-NEXT:     yarr.assert_eq %n, %m, "sizes"
// CHECK-NEXT:     %s, %p = yarr.fold (%k < %n,
// CHECK-NOT:      yarr.fold

// -----

// Each step reduces values of the step before: one loop in threads is slower than two.
func.func @chains(%a: tensor<?x?xf64>, %n: tensor<i64>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<?xf64> {
    %0 = yarr.einsum "i,ij->j" %acc, %a : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  %p = yarr.fold (%k < %n, %acc = %y) -> tensor<?xf64> {
    %0 = yarr.einsum "j,ij->i" %acc, %a : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %s, %p : tensor<?xf64>, tensor<?xf64>
}

// CHECK-LABEL: func.func @chains
// CHECK-NEXT:     %s, %p = yarr.fold

// APART-LABEL: func.func @sum_and_product
// APART-NEXT:    %s, %p = yarr.fold
// APART-LABEL: func.func @chains
// APART-NEXT:    %s = yarr.fold
// APART:         %p = yarr.fold

// -----

// Loops that compute the same are one, also where a constant is within one and outside of the other.
func.func @constants(%a: tensor<?x?xf64>, %n: tensor<i64>, %m: tensor<i64>, %x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<?xf64> {
    %zero = arith.constant dense<0> : tensor<i64>
    %b = yarr.slice %a, 0, %zero, %m step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
    %v = yarr.take %b, 1, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  %zero = arith.constant dense<0> : tensor<i64>
  %p = yarr.fold (%k < %n, %acc = %x) -> tensor<?xf64> {
    %b = yarr.slice %a, 0, %zero, %m step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
    %v = yarr.take %b, 1, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %s, %p : tensor<?xf64>, tensor<?xf64>
}

// CHECK:        func.func @constants
// CHECK:          %[[SUM:.*]], %{{.*}} = yarr.fold
// CHECK:          func.return %[[SUM]], %[[SUM]]

// -----

// So are loops of which one reads a value from before it, and the other one computes it in its steps.
func.func @values_before(%a: tensor<?x?xf64>, %n: tensor<i64>, %m: tensor<i64>, %x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %s = yarr.fold (%k < %n, %acc = %x) -> tensor<?xf64> {
    %b = yarr.slice %a, 0, %zero, %m step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
    %v = yarr.take %b, 1, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  %b = yarr.slice %a, 0, %zero, %m step 1 clip : tensor<?x?xf64> -> tensor<?x?xf64>
  %p = yarr.fold (%k < %n, %acc = %x) -> tensor<?xf64> {
    %u = yarr.take %a, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %v = yarr.take %b, 1, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %s, %p : tensor<?xf64>, tensor<?xf64>
}

// CHECK:        func.func @values_before
// CHECK:          yarr.slice
// CHECK:          %[[SUM:.*]], %{{.*}} = yarr.fold
// CHECK-NOT:        yarr.slice
// CHECK:          func.return %[[SUM]], %[[SUM]]

// -----

// Counts that are asserted to be sizes are equal if they are the same number.
func.func @asserted_sizes(%a: tensor<?xf64>, %n: tensor<i64>, %zero: tensor<f64>, %one: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %m = yarr.assert_size %n, "size of index k"
  %s = yarr.fold (%k < %m, %acc = %zero) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %l = yarr.assert_size %n, "size of index k"
  %p = yarr.fold (%k < %l, %acc = %one) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %s, %p : tensor<f64>, tensor<f64>
}

// CHECK-LABEL:  func.func @asserted_sizes
// CHECK-NEXT:     %m = yarr.assert_size %n
// CHECK-NEXT:     yarr.assert_size %n
// CHECK-NEXT:     %s, %p = yarr.fold (%k < %m,
// CHECK-NOT:      yarr.fold

// -----

// What a fold waits for keeps its order where it moves again: the square moves to the second loop,
// with the third one, and its root to that, and then both to the first.
func.func @moved_again(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>, %z: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %l = yarr.size %a, 0 : tensor<?xf64>
  %m = yarr.size %b, 0 : tensor<?xf64>
  %n = yarr.size %c, 0 : tensor<?xf64>
  %first = yarr.fold (%k < %l, %acc = %z) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %second = yarr.fold (%k < %m, %acc = %z) -> tensor<f64> {
    %v = yarr.take %b, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %square = yarr.elementwise { arith.mulf } %z, %z : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %third = yarr.fold (%k < %n, %acc = %z) -> tensor<f64> {
    %v = yarr.take %c, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.addf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %both = yarr.elementwise { arith.addf } %square, %third : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %fourth = yarr.fold (%k < %m, %acc = %both) -> tensor<f64> {
    %v = yarr.take %b, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %root = yarr.elementwise { math.sqrt } %square : (tensor<f64>) -> tensor<f64>
  %fifth = yarr.fold (%k < %n, %acc = %root) -> tensor<f64> {
    %v = yarr.take %c, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  %sixth = yarr.fold (%k < %l, %acc = %root) -> tensor<f64> {
    %v = yarr.take %a, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %0 = yarr.elementwise { arith.mulf } %acc, %v : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %0 : tensor<f64>
  }
  func.return %first, %second, %third, %fourth, %fifth, %sixth : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// CHECK-LABEL:  func.func @moved_again
// CHECK:          %square = yarr.elementwise
// CHECK:          %root = yarr.elementwise { math.sqrt } %square
// CHECK-NEXT:     %first, %sixth = yarr.fold
// CHECK:          %third, %fifth = yarr.fold
// CHECK:          %both = yarr.elementwise
// CHECK-NEXT:     %second, %fourth = yarr.fold
