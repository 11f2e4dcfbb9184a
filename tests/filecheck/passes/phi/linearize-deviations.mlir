// RUN: ein-opt %s -p linearize,simplify --split-input-file | filecheck %s

// A variance does not depend on the mean that it is of.
func.func @variance(%a: !phi.vec<f64>, %da: !phi.vec<f64>) -> tuple<f64, f64> {
  %r = phi.jvp (%x = %a by %da) : !phi.vec<f64> -> tuple<f64, f64> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %f = arith.sitofp %n : i64 to f64
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%i] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    %m = arith.divf %s, %f : f64
    %v = phi.fold (%j < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%j] : !phi.vec<f64>[i64]
      %d = arith.subf %e, %m : f64
      %q = arith.mulf %d, %d : f64
      %next = arith.addf %acc, %q : f64
      phi.yield %next : f64
    }
    phi.yield %v : f64
  }
  func.return %r : tuple<f64, f64>
}

// CHECK-LABEL: func.func @variance
// CHECK:         %m = arith.divf %s, %f : f64
// CHECK-NOT:     arith.divf
// CHECK:         func.return

// -----

// It does if the squares have weights.
func.func @weighted(%a: !phi.vec<f64>, %w: !phi.vec<f64>, %da: !phi.vec<f64>) -> tuple<f64, f64> {
  %r = phi.jvp (%x = %a by %da) : !phi.vec<f64> -> tuple<f64, f64> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %f = arith.sitofp %n : i64 to f64
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%i] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    %m = arith.divf %s, %f : f64
    %v = phi.fold (%j < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%j] : !phi.vec<f64>[i64]
      %d = arith.subf %e, %m : f64
      %u = phi.get %w[%j] : !phi.vec<f64>[i64]
      %p = arith.mulf %d, %u : f64
      %q = arith.mulf %d, %p : f64
      %next = arith.addf %acc, %q : f64
      phi.yield %next : f64
    }
    phi.yield %v : f64
  }
  func.return %r : tuple<f64, f64>
}

// CHECK-LABEL: func.func @weighted
// CHECK:         %m = arith.divf %s, %f : f64
// CHECK:         arith.divf
// CHECK:         func.return

// -----

// It does if the number is another one.
func.func @another_number(%a: !phi.vec<f64>, %k: i64, %da: !phi.vec<f64>) -> tuple<f64, f64> {
  %r = phi.jvp (%x = %a by %da) : !phi.vec<f64> -> tuple<f64, f64> {
    %zero = arith.constant 0.0 : f64
    %n = phi.size %x, 0 : !phi.vec<f64>
    %f = arith.sitofp %k : i64 to f64
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%i] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    %m = arith.divf %s, %f : f64
    %v = phi.fold (%j < %n, %acc = %zero) -> f64 {
      %e = phi.get %x[%j] : !phi.vec<f64>[i64]
      %d = arith.subf %e, %m : f64
      %q = arith.mulf %d, %d : f64
      %next = arith.addf %acc, %q : f64
      phi.yield %next : f64
    }
    phi.yield %v : f64
  }
  func.return %r : tuple<f64, f64>
}

// CHECK-LABEL: func.func @another_number
// CHECK:         %m = arith.divf %s, %f : f64
// CHECK:         arith.divf
// CHECK:         func.return
