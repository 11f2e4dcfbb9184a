// RUN: ein-opt %s -p "raise-scans{static=true least-limits=1000 least-pairs=4096},canonicalize" | filecheck %s

// Few limits or few keys are compared in pairs.
func.func @ranks(%x: !phi.vec<f64>, %y: !phi.vec<f64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %key = phi.get %y[%k] : !phi.vec<f64>[i64]
      %limit = phi.get %x[%i] : !phi.vec<f64>[index]
      %below = arith.cmpf olt, %key, %limit : f64
      %t = arith.select %below, %one, %zero : i64
      %next = arith.addi %acc, %t : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @ranks
// CHECK:           %[[LIMITS:.*]] = arith.constant 1000 : i64
// CHECK-NEXT:      %[[FEW:.*]] = arith.cmpi slt, %n, %[[LIMITS]] : i64
// CHECK-NEXT:      %[[LEAST:.*]] = arith.constant 4096 : i64
// CHECK-NEXT:      %[[SHORT:.*]] = arith.cmpi slt, %{{.*}}, %[[LEAST]] : i64
// CHECK-NEXT:      %[[PAIRS:.*]] = arith.ori %[[FEW]], %[[SHORT]] : i1
// CHECK-NEXT:      %[[ALL:.*]] = phi.fold (%k < %m, %acc = %zero) -> i64 {
// CHECK:           phi.sort
// CHECK:           %[[FOUND:.*]] = arith.minsi
// CHECK-NEXT:      %{{.*}} = arith.select %[[PAIRS]], %[[ALL]], %[[FOUND]] : i64
