// RUN: ein-opt %s --split-input-file -p carry-written-elements,dce | filecheck %s

// Both accumulators depend on the element of the first one that the step before wrote.
func.func @coupled(%n: tensor<i64>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %one = arith.constant dense<1> : tensor<i64>
  %r, %s = yarr.fold (%k < %n, %a = %x, %b = %y) -> tensor<?xf64>, tensor<?xf64> {
    %p = yarr.take %a, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %q = yarr.take %b, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %u = yarr.elementwise { math.sqrt } %p : (tensor<f64>) -> tensor<f64>
    %v = yarr.elementwise { arith.addf } %p, %q : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %next = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = yarr.update %a[%next] along [0], %u in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    %d = yarr.update %b[%next] along [0], %v in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %c, %d : tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @coupled
// CHECK:         %[[FILLED:.*]] = yarr.fill_empty %x, 0
// CHECK:         %[[FIRST:.*]] = yarr.take %[[FILLED]], 0, %{{.*}} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
// CHECK:         yarr.fold (%k < %n, %a = %x, %b = %y, %p = %[[FIRST]], %q = %{{.*}}) -> tensor<?xf64>, tensor<?xf64>, tensor<f64>, tensor<f64> {
// CHECK-NEXT:      %u = yarr.elementwise { math.sqrt } %p
// CHECK:           yarr.yield %c, %d, %u, %v : tensor<?xf64>, tensor<?xf64>, tensor<f64>, tensor<f64>

// -----

// No other accumulator depends on the elements: each array is
// overwritten. An element of another step is read, too.
func.func @apart(%n: tensor<i64>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %one = arith.constant dense<1> : tensor<i64>
  %r, %s = yarr.fold (%k < %n, %a = %x, %b = %y) -> tensor<?xf64>, tensor<?xf64> {
    %p = yarr.take %a, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %q = yarr.take %b, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %o = yarr.take %a, 0, %n : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %w = yarr.take %b, 0, %n : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %u = yarr.elementwise { arith.addf } %p, %o : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %v = yarr.elementwise { arith.addf } %q, %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %next = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = yarr.update %a[%next] along [0], %u in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    %d = yarr.update %b[%next] along [0], %v in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %c, %d : tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @apart
// CHECK:         yarr.fold (%k < %n, %a = %x, %b = %y) ->

// -----

// The element of two steps before: it is carried through the step between, if it is in bounds.
func.func @two_back(%n: tensor<i64>, %x: tensor<?xf64>, %y: tensor<?xf64>, %z: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %two = arith.constant dense<2> : tensor<i64>
  %r, %s, %t = yarr.fold (%k < %n, %a = %x, %b = %y, %c = %z) -> tensor<?xf64>, tensor<?xf64>, tensor<?xf64> {
    %p = yarr.take %a, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %q = yarr.take %b, 0, %k : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %v = yarr.elementwise { arith.addf } %p, %q : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %next = yarr.elementwise { arith.addi } %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = yarr.update %a[%next] along [0], %v in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    %e = yarr.update %b[%next] along [0], %v in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    %f = yarr.update %c[%next] along [0], %v : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %d, %e, %f : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s, %t : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// CHECK-LABEL: func.func @two_back
// CHECK:         yarr.fold (%k < %n, %a = %x, %b = %y, %c = %z, %{{.*}} = %{{.*}}, %p = %{{.*}}) ->
// CHECK-NEXT:      %q = yarr.take %b, 0, %k
// CHECK:           yarr.yield %d, %e, %f, %v, %{{.*}} :

// -----

// One array that its own steps alone read: it only collects rows then.
func.func @recurrence(%n: tensor<i64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %r = yarr.fold (%k < %n, %a = %x) -> tensor<?xf64> {
    %p = yarr.take %a, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %u = yarr.elementwise { math.sqrt } %p : (tensor<f64>) -> tensor<f64>
    %next = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = yarr.update %a[%next] along [0], %u in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %c : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @recurrence
// CHECK:         yarr.fold (%k < %n, %a = %x, %p = %{{.*}}) -> tensor<?xf64>, tensor<f64> {
// CHECK-NEXT:      %u = yarr.elementwise { math.sqrt } %p
// CHECK:           yarr.yield %c, %u : tensor<?xf64>, tensor<f64>

// -----

// Elements that no step has written yet are those of the initial value.

func.func @ahead(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    %next = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %p = yarr.take %x, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %q = yarr.take %x, 0, %next : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = yarr.elementwise { arith.addf } %p, %q : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %y = yarr.update %x[%next] along [0], %s in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @ahead(
// CHECK:         yarr.fold (%k < %n, %x = %a, %p = %{{.*}}) -> tensor<?xf64>, tensor<f64> {
// CHECK:           %q = yarr.take %a, 0, %next{{.*}} in_bounds
// CHECK-NEXT:      %s = yarr.elementwise { arith.addf } %p{{.*}}, %q

// -----

// A position beyond the end clips to an element that a step has written: unchanged.

func.func @beyond(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %two = arith.constant dense<2> : tensor<i64>
  %r = yarr.fold (%k < %n, %x = %a) -> tensor<?xf64> {
    %far = yarr.elementwise { arith.addi } %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %q = yarr.take %x, 0, %far : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %y = yarr.update %x[%k] along [0], %q in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// CHECK-LABEL: func.func @beyond(
// CHECK:           %q = yarr.take %x, 0, %far : (
