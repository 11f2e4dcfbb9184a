// RUN: ein-opt %s --split-input-file -p "fuse-comprehensions{terms=true},simplify" | filecheck %s

// A step adds a part to an array that it carries: the part has no array of its own.
func.func @part(%x: !phi.vec<f64>, %u: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %c = arith.cmpi slt, %p, %k : i64
      %e = phi.get %u[%i] : !phi.vec<f64>[index]
      %y = arith.select %c, %e, %zero : f64
      phi.yield %y : f64
    }
    %new = phi.array (%i < %n) -> !phi.vec<f64> {
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %e = phi.get %b[%i] : !phi.vec<f64>[index]
      %s = arith.addf %old, %e : f64
      phi.yield %s : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @part(
// CHECK:          phi.fold
// CHECK-NEXT:       %new = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %old = phi.get %v[%i] : !phi.vec<f64>[index]
// CHECK:              %y = arith.select
// CHECK-NEXT:         arith.addf %old, %y : f64

// -----

// Not so where all elements are added, where no loop carries the array, and where the part is read again.
func.func @others(%x: !phi.vec<f64>, %u: !phi.vec<f64>, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %q = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %c = arith.cmpi slt, %p, %m : i64
    %e = phi.get %u[%i] : !phi.vec<f64>[index]
    %y = arith.select %c, %e, %zero : f64
    phi.yield %y : f64
  }
  %w = phi.array (%i < %n) -> !phi.vec<f64> {
    %old = phi.get %x[%i] : !phi.vec<f64>[index]
    %e = phi.get %q[%i] : !phi.vec<f64>[index]
    %s = arith.addf %old, %e : f64
    phi.yield %s : f64
  }
  %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
    %b = phi.array (%i < %n) -> !phi.vec<f64> {
      %e = phi.get %v[%i] : !phi.vec<f64>[index]
      %y = math.exp %e : f64
      phi.yield %y : f64
    }
    %d = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %i : index to i64
      %c = arith.cmpi slt, %p, %k : i64
      %e = phi.get %u[%i] : !phi.vec<f64>[index]
      %f = math.exp %e : f64
      %y = arith.select %c, %f, %zero : f64
      phi.yield %y : f64
    }
    %new = phi.array (%i < %n) -> !phi.vec<f64> {
      %old = phi.get %v[%i] : !phi.vec<f64>[index]
      %e = phi.get %b[%i] : !phi.vec<f64>[index]
      %s = arith.addf %old, %e : f64
      %f = phi.get %d[%i] : !phi.vec<f64>[index]
      %g = phi.get %d[%k] : !phi.vec<f64>[i64]
      %t = arith.mulf %f, %g : f64
      %h = arith.addf %s, %t : f64
      phi.yield %h : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %w, %r : !phi.vec<f64>, !phi.vec<f64>
}
// CHECK-LABEL:  func.func @others(
// CHECK:          %q = phi.array
// CHECK:          %w = phi.array
// CHECK:          phi.get %q[%{{.*}}]
// CHECK:          phi.fold
// CHECK-NEXT:       %b = phi.array
// CHECK:            %d = phi.array
// CHECK:            %new = phi.array

// -----

// An array of which one element is read is not computed.

func.func @single(%u: !phi.vec<f64>, %p: i64) -> f64 {
  %n = phi.size %u, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %e = phi.get %u[%i] : !phi.vec<f64>[index]
    %x = math.exp %e : f64
    phi.yield %x : f64
  }
  %r = phi.get %a[%p] : !phi.vec<f64>[i64]
  func.return %r : f64
}
// CHECK-LABEL:  func.func @single(
// CHECK-NOT:      phi.array
// CHECK:          math.exp
