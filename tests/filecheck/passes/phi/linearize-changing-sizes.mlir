// RUN: ein-opt %s -p linearize,simplify | filecheck %s

// The tangents have the largest size of all steps, which a loop of sizes alone finds; each step saves its
// size, from which on the elements repeat the last one.
// CHECK-LABEL: @grows
// CHECK: [[SIZES:%.*]] = phi.fold ({{.*}}) -> tuple<i64, i64> {
// CHECK: [[MOST:%.*]] = phi.proj [[SIZES]], 0
// CHECK: phi.update {{.*}} : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK: phi.transpose
// CHECK: phi.array ({{.*}} < [[MOST]]) -> !phi.vec<f64>
// CHECK: phi.fold
// CHECK: [[SIZE:%.*]] = phi.get {{.*}} : !phi.vec<i64>[i64]
// CHECK: [[LARGER:%.*]] = arith.addi [[SIZE]]
// CHECK: [[AFTER:%.*]] = phi.array ({{.*}} < [[LARGER]]) -> !phi.vec<f64>
// CHECK: phi.array ({{.*}} < [[MOST]]) -> !phi.vec<f64>
// CHECK-NEXT: phi.get [[AFTER]]
func.func @grows(%x: !phi.vec<f64>, %n: i64, %c: f64) -> tuple<f64, !phi.vec<f64>> {
  %r = phi.vjp (%u = %x by %c) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %one = arith.constant 1 : i64
    %v = phi.fold (%k < %n, %a = %u) -> !phi.vec<f64> {
      %s = phi.size %a, 0 : !phi.vec<f64>
      %m = arith.addi %s, %one : i64
      %b = phi.array (%i < %m) -> !phi.vec<f64> {
        %e = phi.get %a[%i] : !phi.vec<f64>[index]
        %d = arith.addf %e, %e : f64
        phi.yield %d : f64
      }
      phi.yield %b : !phi.vec<f64>
    }
    %e = phi.get %v[%n] : !phi.vec<f64>[i64]
    phi.yield %e : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// No size is saved where each step asserts that the accumulator has a size from outside.
// CHECK-LABEL: @asserted
// CHECK-NOT: !phi.vec<i64>
func.func @asserted(%w: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %n: i64, %c: f64)
    -> tuple<f64, !phi.vec<f64>> {
  %r = phi.vjp (%u = %x by %c) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %zero = arith.constant 0.0 : f64
    %rows = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
    %columns = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
    %v = phi.fold (%k < %n, %a = %u) -> !phi.vec<f64> {
      %s = phi.size %a, 0 : !phi.vec<f64>
      %m = phi.assert_eq %columns, %s, "columns"
      %b = phi.array (%i < %rows) -> !phi.vec<f64> {
        %t = phi.fold (%j < %m, %p = %zero) -> f64 {
          %f = phi.get %w[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
          %e = phi.get %a[%j] : !phi.vec<f64>[i64]
          %q = arith.mulf %e, %f : f64
          %o = arith.addf %p, %q : f64
          phi.yield %o : f64
        }
        phi.yield %t : f64
      }
      phi.yield %b : !phi.vec<f64>
    }
    %e = phi.get %v[%n] : !phi.vec<f64>[i64]
    phi.yield %e : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// An array that has the size of another one after a step must start with it.
// CHECK-LABEL: @of_another_size
// CHECK: phi.transpose
// CHECK: [[COUNT:%.*]] = phi.assert_eq %n
// CHECK: phi.fold ({{.*}} < [[COUNT]]
func.func @of_another_size(%w: !phi.vec<f64>, %x: !phi.vec<f64>, %n: i64, %c: f64)
    -> tuple<f64, !phi.vec<f64>> {
  %r = phi.vjp (%u = %x by %c) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %m = phi.size %w, 0 : !phi.vec<f64>
    %v = phi.fold (%k < %n, %a = %u) -> !phi.vec<f64> {
      %b = phi.array (%i < %m) -> !phi.vec<f64> {
        %e = phi.get %a[%i] : !phi.vec<f64>[index]
        %d = arith.addf %e, %e : f64
        phi.yield %d : f64
      }
      phi.yield %b : !phi.vec<f64>
    }
    %e = phi.get %v[%n] : !phi.vec<f64>[i64]
    phi.yield %e : f64
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// The loop of sizes is before the loops around that it does not depend on.
// CHECK-LABEL: @of_each
// CHECK: [[MOST:%.*]] = phi.fold ({{.*}}) -> i64 {
// CHECK-NEXT: arith.subi
// CHECK: phi.array (%q < %{{.*}}) -> {{.*}} {
// CHECK: phi.array (%{{.*}} < %n, %{{.*}} < [[MOST]])
func.func @of_each(%x: !phi.vec<f64>, %n: i64, %c: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %r = phi.vjp (%u = %x by %c) : !phi.vec<f64> by !phi.vec<f64> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %zero = arith.constant 0 : i64
    %size = phi.size %u, 0 : !phi.vec<f64>
    %tops = phi.array (%q < %size) -> !phi.vec<f64> {
      %first = phi.array (%i < %n) -> !phi.vec<f64> {
        %e = phi.get %u[%q] : !phi.vec<f64>[index]
        phi.yield %e : f64
      }
      %v = phi.fold (%k < %n, %a = %first) -> !phi.vec<f64> {
        %m = arith.subi %n, %k : i64
        %b = phi.array (%i < %m) -> !phi.vec<f64> {
          %e = phi.get %a[%i] : !phi.vec<f64>[index]
          %d = arith.mulf %e, %e : f64
          phi.yield %d : f64
        }
        phi.yield %b : !phi.vec<f64>
      }
      %t = phi.get %v[%zero] : !phi.vec<f64>[i64]
      phi.yield %t : f64
    }
    phi.yield %tops : !phi.vec<f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
