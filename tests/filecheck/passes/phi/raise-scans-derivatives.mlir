// RUN: ein-opt %s -p raise-scans{derivatives=true} | filecheck %s

// Only the sums of derivatives are raised before these are expanded.
func.func @prefixes(%a: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %r = phi.jvp (%x = %a by %a) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %before = arith.cmpi slt, %k, %i_1 : i64
        %e = phi.get %x[%k] : !phi.vec<f64>[i64]
        %term = arith.select %before, %e, %zero : f64
        %next = arith.addf %acc, %term : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @prefixes(
// CHECK:         phi.jvp
// CHECK:           phi.array (%i < %n)
// CHECK:             %[[S:.*]] = phi.scan "add"
// CHECK-NEXT:        phi.get %[[S]][%{{.*}}] : !phi.vec<f64>[i64]

func.func @largest(%a: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %low = arith.constant 0xFFF0000000000000 : f64
  %r = phi.jvp (%x = %a by %a) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %s = phi.fold (%k < %n, %acc = %low) -> f64 {
        %before = arith.cmpi slt, %k, %i_1 : i64
        %e = phi.get %x[%k] : !phi.vec<f64>[i64]
        %term = arith.select %before, %e, %low : f64
        %next = arith.maximumf %acc, %term : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @largest(
// CHECK-NOT:     phi.scan
// CHECK:         func.return

func.func @outside(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %y = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %e = phi.get %x[%k] : !phi.vec<f64>[i64]
      %term = arith.select %before, %e, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %y : !phi.vec<f64>
}
// CHECK-LABEL: func.func @outside(
// CHECK-NOT:     phi.scan
// CHECK:         func.return

// A recurrence is computed twice: where one of its sums is not finite, the one that is differentiated has no steps.
func.func @powers(%a: !phi.vec<f64>, %g: f64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %r = phi.jvp (%x = %a by %a) : !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %n = phi.size %x, 0 : !phi.vec<f64>
    %y = phi.array (%t < %n) -> !phi.vec<f64> {
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %0 = arith.index_cast %t : index to i64
        %from = arith.cmpi sge, %k, %0 : i64
        %distance = arith.subi %k, %0 : i64
        %power = math.fpowi %g, %distance : f64, i64
        %own = phi.get %x[%k] : !phi.vec<f64>[i64]
        %term = arith.mulf %power, %own : f64
        %1 = arith.select %from, %term, %zero : f64
        %next = arith.addf %acc, %1 : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL: func.func @powers(
// CHECK:         phi.fold (%k < %n, %{{.*}} = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:         %[[NUMBER:.*]] = arith.select %{{.*}}, %{{.*}}, %n : i64
// CHECK:         phi.fold (%{{.*}} < %[[NUMBER]], %{{.*}} = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:         %[[COUNT:.*]] = arith.select %{{.*}}, %n, %{{.*}} : i64
// CHECK:         phi.fold (%{{.*}} < %[[COUNT]], %{{.*}} = %{{.*}}) -> f64 {
// CHECK:           math.fpowi %g
