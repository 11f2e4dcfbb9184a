// RUN: ein-opt %s -p "raise-writes,raise-writes{versions=false windows=true}" | filecheck %s

// A row of floats with a constant cost is a scan with weights where it has 256 elements or more:
// the first run makes the versions, the second one, after other passes, the scan.
func.func @rows(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %cost: f64) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %size = arith.addi %m, %one : i64
  %zero = arith.constant 0.0 : f64
  %zeros = phi.array (%k < %size) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%i < %n, %above = %zeros) -> !phi.vec<f64> {
    %a = phi.get %x[%i] : !phi.vec<f64>[i64]
    %row = phi.fold (%j < %m, %own = %zeros) -> !phi.vec<f64> {
      %u = phi.get %above[%j] : !phi.vec<f64>[i64]
      %v = phi.get %y[%j] : !phi.vec<f64>[i64]
      %w = arith.mulf %a, %v : f64
      %e = arith.addf %u, %w : f64
      %before = phi.get %own[%j] : !phi.vec<f64>[i64]
      %f = arith.addf %before, %cost : f64
      %g = arith.maximumf %e, %f : f64
      %next = arith.addi %j, %one : i64
      %written = phi.update %own[%next], %g : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %written : !phi.vec<f64>
    }
    phi.yield %row : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      %[[LEAST:.*]] = arith.constant 256 : i64
// CHECK:      arith.cmpi sge, %m, %[[LEAST]] : i64
// CHECK:      phi.weighted_scan "max" %{{.*}} by %cost : !phi.vec<f64> by f64
// CHECK:      %[[MOST:.*]] = arith.constant 255 : i64
// CHECK:      %[[COUNT:.*]] = arith.minsi %m, %[[MOST]] : i64
// CHECK:      phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}})
// CHECK-NOT:  phi.weighted_scan
// CHECK:      phi.fold (%{{.*}} < %[[COUNT]], %{{.*}} = %{{.*}})
// CHECK:        phi.update
