// RUN: ein-opt %s -p skip-empty-parts | filecheck %s

// Of two parts, one has all elements: the second one and what only it needs is a step that runs or
// does not. What the first part needs, too, stays.

func.func @either(%a: tensor<?xf64>, %c: tensor<i1>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %b = yarr.elementwise { math.exp } %a : (tensor<?xf64>) -> tensor<?xf64>
  %x = yarr.slice %b, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
  %i = yarr.range %q : tensor<?xi64>
  %d = yarr.fill_empty %a, 0 : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.take %d, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %z = yarr.elementwise { math.sqrt } %y : (tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.concat %x, %z axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @either(%a: tensor<?xf64>, %c: tensor<i1>) -> tensor<?xf64> {
// CHECK-NEXT:    %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:    %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %b = yarr.elementwise { math.exp } %a : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    %x = yarr.slice %b, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %2 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %3 = yarr.elementwise { arith.select } %c, %1, %2 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %r = yarr.fold (%4 < %3, %5 = %x) -> tensor<?xf64> {
// CHECK-NEXT:    %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %i = yarr.range %q : tensor<?xi64>
// CHECK-NEXT:    %d = yarr.fill_empty %a, 0 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %y = yarr.take %d, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
// CHECK-NEXT:    %z = yarr.elementwise { math.sqrt } %y : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    yarr.yield %z : tensor<?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<?xf64>
// CHECK-NEXT:    }

// The parts of a matrix along its second axis, by a condition of their own each: both are computed.

func.func @both(%a: tensor<?x?xf64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<?x?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 1 : tensor<?x?xf64>
  %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %q = yarr.elementwise { arith.select } %d, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 1, %0, %p step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %y = yarr.slice %a, 1, %0, %q step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %r = yarr.concat %x, %y axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @both(%a: tensor<?x?xf64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<?x?xf64> {
// CHECK-NEXT:    %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %n = yarr.size %a, 1 : tensor<?x?xf64>
// CHECK-NEXT:    %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %q = yarr.elementwise { arith.select } %d, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %x = yarr.slice %a, 1, %0, %p step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %y = yarr.slice %a, 1, %0, %q step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
// CHECK-NEXT:    %r = yarr.concat %x, %y axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:    func.return %r : tensor<?x?xf64>
// CHECK-NEXT:    }

// The second part may have elements wherever the first one has: both are computed.

func.func @same(%a: tensor<?xf64>, %c: tensor<i1>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.concat %x, %x axis 0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @same(%a: tensor<?xf64>, %c: tensor<i1>) -> tensor<?xf64> {
// CHECK-NEXT:    %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:    %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %r = yarr.concat %x, %x axis 0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    func.return %r : tensor<?xf64>
// CHECK-NEXT:    }

// The second part is the result of a loop that keeps its size.

func.func @looped(%a: tensor<?xf64>, %c: tensor<i1>, %k: tensor<i64>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %zero = arith.constant dense<0.0> : tensor<1xf64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
  %z = yarr.repeat %zero, 0, %q : tensor<1xf64> -> tensor<?xf64>
  %y = yarr.fold (%step < %k, %acc = %z) -> tensor<?xf64> {
    %1 = yarr.elementwise { math.cos } %acc : (tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %1 : tensor<?xf64>
  }
  %r = yarr.concat %x, %y axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @looped(%a: tensor<?xf64>, %c: tensor<i1>, %k: tensor<i64>) -> tensor<?xf64> {
// CHECK-NEXT:    %0 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %n = yarr.size %a, 0 : tensor<?xf64>
// CHECK-NEXT:    %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
// CHECK-NEXT:    %1 = arith.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %2 = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %3 = yarr.elementwise { arith.select } %c, %1, %2 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %r = yarr.fold (%4 < %3, %5 = %x) -> tensor<?xf64> {
// CHECK-NEXT:    %zero = arith.constant dense<0.000000e+00> : tensor<1xf64>
// CHECK-NEXT:    %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT:    %z = yarr.repeat %zero, 0, %q : tensor<1xf64> -> tensor<?xf64>
// CHECK-NEXT:    %y = yarr.fold (%step < %k, %acc = %z) -> tensor<?xf64> {
// CHECK-NEXT:    %6 = yarr.elementwise { math.cos } %acc : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:    yarr.yield %6 : tensor<?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    yarr.yield %y : tensor<?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<?xf64>
// CHECK-NEXT:    }

// -----

// A loop, and one in it, that add contractions over an axis which has no elements if %c is true.
func.func @sums(%a: tensor<?x?x?xf64>, %b: tensor<?x?x?xf64>, %c: tensor<i1>, %h: tensor<i64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 2 : tensor<?x?x?xf64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?xf64> {
    %s = yarr.fold (%k < %h, %acc_1 = %acc) -> tensor<?xf64> {
      %1 = yarr.take %a, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
      %2 = yarr.take %b, 0, %k in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
      %3 = yarr.slice %1, 1, %0, %q step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
      %4 = yarr.slice %2, 1, %0, %q step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
      %5 = yarr.einsum "ij,ij->i" %3, %4 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
      %6 = yarr.elementwise { arith.addf } %acc_1, %5 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      yarr.yield %6 : tensor<?xf64>
    }
    yarr.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @sums(
// CHECK:         %[[STEPS:.*]] = yarr.elementwise { arith.select } %c, %{{.*}}, %h
// CHECK-NEXT:    %r = yarr.fold (%p < %[[STEPS]], %acc = %x)
// CHECK-NEXT:      %s = yarr.fold (%k < %h, %acc_1 = %acc)

// -----

// The same with a mask beside a contraction.
func.func @masked(%a: tensor<?x?x?xf64>, %b: tensor<?xf64>, %c: tensor<i1>, %h: tensor<i64>, %m: tensor<?xi1>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<[1.0]> : tensor<1xf64>
  %none = arith.constant dense<[0.0]> : tensor<1xf64>
  %n = yarr.size %a, 2 : tensor<?x?x?xf64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = yarr.fold (%p < %h, %acc = %x) -> tensor<?xf64> {
    %1 = yarr.take %a, 0, %p in_bounds : (tensor<?x?x?xf64>, tensor<i64>) -> tensor<?x?xf64>
    %2 = yarr.slice %1, 1, %0, %q step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %3 = yarr.slice %b, 0, %0, %q step 1 : tensor<?xf64> -> tensor<?xf64>
    %4 = yarr.elementwise { arith.select } %m, %one, %none : (tensor<?xi1>, tensor<1xf64>, tensor<1xf64>) -> tensor<?xf64>
    %5 = yarr.einsum "ij,j->i" %2, %3 : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %6 = yarr.elementwise { arith.mulf } %5, %4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %7 = yarr.in_order "ij,j,i->i" %6 of %2, %3, %m if finite %5, %4 : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xi1> if finite tensor<?xf64>, tensor<?xf64>
    %8 = yarr.elementwise { arith.addf } %acc, %7 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %8 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @masked(
// CHECK:         %[[STEPS:.*]] = yarr.elementwise { arith.select } %c, %{{.*}}, %h
// CHECK-NEXT:    %r = yarr.fold (%p < %[[STEPS]], %acc = %x)

// -----

// Two joins by one condition are one loop: it computes what both second parts read. The user of the
// first result moves behind it.
func.func @together(%a: tensor<?xf64>, %c: tensor<i1>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
  %i = yarr.range %q : tensor<?xi64>
  %y = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %z = yarr.elementwise { math.sqrt } %y : (tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.concat %x, %y axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %e = yarr.elementwise { math.exp } %r : (tensor<?xf64>) -> tensor<?xf64>
  %w = yarr.elementwise { math.cos } %x : (tensor<?xf64>) -> tensor<?xf64>
  %s = yarr.concat %w, %z axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %e, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @together(
// CHECK-NOT:     yarr.take
// CHECK:         %w = yarr.elementwise { math.cos } %x
// CHECK:         %r, %s = yarr.fold (%{{.*}} < %{{.*}}, %{{.*}} = %x, %{{.*}} = %w) -> tensor<?xf64>, tensor<?xf64> {
// CHECK-NEXT:      %q = yarr.elementwise { arith.select } %c, %0, %n
// CHECK-NEXT:      %i = yarr.range %q
// CHECK-NEXT:      %y = yarr.take %a, 0, %i
// CHECK-NEXT:      %z = yarr.elementwise { math.sqrt } %y
// CHECK-NEXT:      yarr.yield %y, %z
// CHECK-NEXT:    }
// CHECK-NEXT:    %e = yarr.elementwise { math.exp } %r
// CHECK-NEXT:    func.return %e, %s

// A join that reads the result of another one has a loop of its own.
func.func @after(%a: tensor<?xf64>, %c: tensor<i1>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.slice %a, 0, %0, %q step 1 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.concat %x, %y axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %i = yarr.range %q : tensor<?xi64>
  %z = yarr.take %r, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %s = yarr.concat %x, %z axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: func.func @after(
// CHECK:         %s = yarr.fold
// CHECK:           %r = yarr.fold
// CHECK:           %z = yarr.take %r

// Two parts of an array, and a third one that has all elements if these have none.
func.func @parts_or_rest(%a: tensor<?xf64>, %c: tensor<i1>, %m: tensor<i64>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 0, %0, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.slice %a, 0, %m, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %i = yarr.range %q : tensor<?xi64>
  %z = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %r = yarr.concat %x, %y, %z axis 0 of %n : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @parts_or_rest(
// CHECK-NOT:     yarr.take
// CHECK:         %[[OWN:.*]] = yarr.elementwise { arith.select } %c, %n, %{{.*}} :
// CHECK-NEXT:    %[[JOINED:.*]] = yarr.concat %x, %y axis 0 of %[[OWN]]
// CHECK:         %r = yarr.fold (%{{.*}} < %{{.*}}, %{{.*}} = %[[JOINED]])
// CHECK:           %z = yarr.take %a
// CHECK-NEXT:      yarr.yield %z

// The first part has all elements, or the two others have: of these one has all, by another condition.
func.func @first_or_others(%a: tensor<?xf64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<?xf64> {
  %0 = arith.constant dense<0> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?xf64>
  %p = yarr.elementwise { arith.select } %c, %n, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %q = yarr.elementwise { arith.select } %c, %0, %n : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %s = yarr.elementwise { arith.select } %d, %q, %0 : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %t = yarr.elementwise { arith.select } %d, %0, %q : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
  %i = yarr.range %s : tensor<?xi64>
  %y = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %j = yarr.range %t : tensor<?xi64>
  %z = yarr.take %a, 0, %j : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %r = yarr.concat %x, %y, %z axis 0 of %n : (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @first_or_others(
// CHECK-NOT:     yarr.take
// CHECK:         %r = yarr.fold (%{{.*}} < %{{.*}}, %{{.*}} = %x)
// CHECK:           %y = yarr.take %a
// CHECK:           %[[REST:.*]] = yarr.fold (%{{.*}} < %{{.*}}, %{{.*}} = %y)
// CHECK:             %z = yarr.take %a
// CHECK:           yarr.yield %[[REST]]
