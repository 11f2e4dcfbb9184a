// RUN: ein-opt %s --split-input-file -p inline-calls | filecheck %s

// Callees are inlined first, in bodies too; private functions go.
func.func @f(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %y = func.call @fourth(%x) : (f64) -> f64
    phi.yield %y : f64
  }
  func.return %r : !phi.vec<f64>
}
func.func private @fourth(%x: f64) -> f64 {
  %y = func.call @square(%x) : (f64) -> f64
  %z = func.call @square(%y) : (f64) -> f64
  func.return %z : f64
}
func.func private @square(%x: f64) -> f64 {
  %p = arith.mulf %x, %x : f64
  func.return %p : f64
}

// CHECK:        func.func @f(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %p = arith.mulf %x, %x : f64
// CHECK-NEXT:       %p_1 = arith.mulf %p, %p : f64
// CHECK-NEXT:       phi.yield %p_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Public functions stay; an argument that is returned is the operand.
func.func @second(%x: f64, %y: i64) -> (i64, f64) {
  func.return %y, %x : i64, f64
}
func.func @g(%x: f64, %y: i64) -> f64 {
  %p, %q = func.call @second(%x, %y) : (f64, i64) -> (i64, f64)
  func.return %q : f64
}

// CHECK:        func.func @second(%x: f64, %y: i64) -> (i64, f64) {
// CHECK-NEXT:     func.return %y, %x : i64, f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @g(%x: f64, %y: i64) -> f64 {
// CHECK-NEXT:     func.return %x : f64
// CHECK-NEXT:   }
