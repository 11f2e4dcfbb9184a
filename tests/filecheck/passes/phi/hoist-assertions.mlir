// RUN: ein-opt %s --split-input-file -p hoist-assertions | filecheck %s

// Assertions are before the work of their body, with the sizes that they need, in the same order.
func.func @late(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %c = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %one : f64
  }
  %m = phi.size %b, 0 : !phi.vec<f64>
  %k = phi.assert_eq %n, %m, "first"
  %l = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %twice = arith.muli %l, %two : i64
  %o = phi.assert_eq %k, %twice, "second"
  func.return %c : !phi.vec<f64>
}

// CHECK:         func.func @late(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:      %k = phi.assert_eq %n, %m, "first"
// CHECK-NEXT:      %l = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:      %two = arith.constant 2 : i64
// CHECK-NEXT:      %twice = arith.muli %l, %two : i64
// CHECK-NEXT:      %o = phi.assert_eq %k, %twice, "second"
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %c = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        phi.yield %one : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %c : !phi.vec<f64>
// CHECK-NEXT:    }

// -----

// The size of a result is compared after the loop, and in a step at its beginning.
func.func @result(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %r = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
    %m = phi.size %a, 0 : !phi.vec<f64>
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      phi.yield %one : f64
    }
    %l = phi.size %acc, 0 : !phi.vec<f64>
    %o = phi.assert_eq %l, %m, "in a step"
    phi.yield %next : !phi.vec<f64>
  }
  %s = phi.size %r, 0 : !phi.vec<f64>
  %t = phi.assert_eq %s, %n, "of the result"
  func.return %r : !phi.vec<f64>
}

// CHECK:         func.func @result(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
// CHECK-NEXT:        %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:        %l = phi.size %acc, 0 : !phi.vec<f64>
// CHECK-NEXT:        %o = phi.assert_eq %l, %m, "in a step"
// CHECK-NEXT:        %next = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          phi.yield %one : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.size %r, 0 : !phi.vec<f64>
// CHECK-NEXT:      %t = phi.assert_eq %s, %n, "of the result"
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }
