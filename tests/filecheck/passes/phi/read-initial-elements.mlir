// RUN: ein-opt %s -p read-initial-elements,dce | filecheck %s

// Step k reads element n - 1 - k, and overwrites it: no step before has. Nothing else needs the array.

func.func @cotangents(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %init = phi.tuple (%zero, %a) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %sum = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %b = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %last = arith.subi %n, %one : i64
    %p = arith.subi %last, %k : i64
    %x = phi.get %b[%p] : !phi.vec<f64>[i64]
    %s = math.sin %sum : f64
    %y = arith.addf %s, %x : f64
    %c = phi.update %b[%p], %zero : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%y, %c) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  %sum = phi.proj %r, 0 : tuple<f64, !phi.vec<f64>> -> f64
  func.return %sum : f64
}
// CHECK-LABEL: func.func @cotangents(
// CHECK:           phi.get %a[%{{.*}}] : !phi.vec<f64>[i64]

// Step k reads the element that the step before has written.

func.func @recurrence(%a: !phi.vec<f64>) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %init = phi.tuple (%zero, %a) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %sum = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %b = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %p = arith.subi %k, %one : i64
    %x = phi.get %b[%p] : !phi.vec<f64>[i64]
    %s = math.sin %sum : f64
    %y = arith.addf %s, %x : f64
    %c = phi.update %b[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%y, %c) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  %sum = phi.proj %r, 0 : tuple<f64, !phi.vec<f64>> -> f64
  func.return %sum : f64
}
// CHECK-LABEL: func.func @recurrence(
// CHECK:           %b = phi.proj %state, 1
// CHECK:           phi.get %b[%{{.*}}] : !phi.vec<f64>[i64]

// A position that may be beyond the end is clipped to an element that a step has written.

func.func @beyond(%a: !phi.vec<f64>, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %init = phi.tuple (%zero, %a) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %sum = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %b = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %s = math.sin %sum : f64
    %y = arith.addf %s, %x : f64
    %p = arith.subi %k, %one : i64
    %c = phi.update %b[%p], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%y, %c) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  %sum = phi.proj %r, 0 : tuple<f64, !phi.vec<f64>> -> f64
  func.return %sum : f64
}
// CHECK-LABEL: func.func @beyond(
// CHECK:           %b = phi.proj %state, 1
// CHECK:           phi.get %b[%k] : !phi.vec<f64>[i64]

// A loop in another one keeps its array, which the outer loop needs: it is overwritten in place.

func.func @nested(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%t < %m, %v = %a) -> !phi.vec<f64> {
    %init = phi.tuple (%zero, %v) : tuple<f64, !phi.vec<f64>>
    %q = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
      %sum = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
      %b = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
      %x = phi.get %b[%k] : !phi.vec<f64>[i64]
      %s = math.sin %sum : f64
      %y = arith.addf %s, %x : f64
      %c = phi.update %b[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      %next = phi.tuple (%y, %c) : tuple<f64, !phi.vec<f64>>
      phi.yield %next : tuple<f64, !phi.vec<f64>>
    }
    %w = phi.proj %q, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @nested(
// CHECK:             %b = phi.proj %state, 1
// CHECK:             phi.get %b[%k] : !phi.vec<f64>[i64]
