// RUN: ein-opt %s --split-input-file -p raise-scans{differentiable=true},canonicalize,dce | filecheck %s

// The derivative of exp may be infinite. Each step is selected by its own key, except for a NaN: the
// values of all other steps are used.
func.func @own_keys(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %b = phi.get %x[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf ole, %a, %b : f64
      %y = math.exp %a : f64
      %z = arith.select %t, %y, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @own_keys(
// CHECK:         %[[ORDER:.*]] = phi.argsort
// CHECK:         phi.searchsorted
// CHECK:         %[[VALUES:.*]] = phi.array
// CHECK:           %[[KNOWN:.*]] = arith.cmpf ord, %[[KEY:.*]], %[[KEY]] : f64
// CHECK:           math.exp
// CHECK:           arith.select %[[KNOWN]]
// CHECK:         phi.scan "add" %[[VALUES]]

// -----

// The limits may select no step with a value.
func.func @other_limits(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %b = phi.get %y[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf ole, %a, %b : f64
      %e = math.exp %a : f64
      %z = arith.select %t, %e, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @other_limits(
// CHECK-NOT:     phi.scan

// -----

// A strict comparison does not select the step itself: the largest key is selected by none.
func.func @strict(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %b = phi.get %x[%i] : !phi.vec<f64>[index]
      %t = arith.cmpf olt, %a, %b : f64
      %e = math.exp %a : f64
      %z = arith.select %t, %e, %zero : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @strict(
// CHECK-NOT:     phi.scan
