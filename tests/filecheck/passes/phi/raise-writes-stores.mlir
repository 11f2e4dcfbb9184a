// RUN: ein-opt %s -p raise-writes{stores=true},canonicalize,dce | filecheck %s
// RUN: ein-opt %s -p raise-writes,canonicalize,dce | filecheck %s --check-prefix=LOOP

// Values are stored in a vector that a loop carries, in rows of any length: long rows at once.
func.func @deposits(%v: !phi.vec<f64>, %p: !phi.vec<i64>, %x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.fold (%t < %n, %a = %v) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %b = %a) -> !phi.vec<f64> {
      %q = phi.get %p[%k] : !phi.vec<i64>[i64]
      %at = arith.addi %q, %t : i64
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %u = phi.update %b[%at], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %u : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @deposits(
// CHECK:         arith.cmpi sge, %m
// CHECK:         phi.fold (%t <
// CHECK:           phi.accumulate (%k < %m) into "max"
// CHECK:         arith.minsi %m
// CHECK:         phi.fold (
// CHECK:           phi.fold (
// CHECK:             phi.update
// LOOP-LABEL:  func.func @deposits(
// LOOP-NOT:      phi.accumulate
