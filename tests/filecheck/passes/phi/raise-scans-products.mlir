// RUN: ein-opt %s -p "raise-scans" | filecheck %s

// A product of floats takes its steps in the order of a key; in their own order if another one might lose digits.
func.func @product(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %e: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %m = phi.size %y, 0 : !phi.vec<f64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %limit = phi.get %y[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %one) -> f64 {
      %key = phi.get %x[%k] : !phi.vec<f64>[i64]
      %below = arith.cmpf olt, %key, %limit : f64
      %own = phi.get %e[%k] : !phi.vec<f64>[i64]
      %0 = arith.select %below, %own, %one : f64
      %next = arith.mulf %acc, %0 : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @product(
// CHECK:           %[[ORDER:.*]] = phi.argsort
// CHECK:           %[[PLACE:.*]] = phi.searchsorted
// CHECK:           %[[SCAN:.*]] = phi.scan "mul"
// CHECK:           %[[TOTAL:.*]] = phi.get %[[SCAN]][
// CHECK:           %[[GROWTH:.*]] = phi.fold (
// CHECK:             arith.maximumf
// CHECK:           math.absf %[[GROWTH]]
// CHECK:           %[[IS_RARE:.*]] = arith.xori
// CHECK:           %[[COUNT:.*]] = arith.select %[[IS_RARE]], %n, %{{.*}} : i64
// CHECK:           %[[START:.*]] = arith.select %[[IS_RARE]], %one, %[[TOTAL]] : f64
// CHECK:           phi.fold (%{{.*}} < %[[COUNT]], %acc = %[[START]]) -> f64 {
