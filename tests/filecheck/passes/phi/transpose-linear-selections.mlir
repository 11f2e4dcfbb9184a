// RUN: ein-opt %s -p transpose-linear --split-input-file | filecheck %s

// Contributions that are selected by the same condition are added before.
func.func @one_condition(%x: !phi.vec<f64>, %a: !phi.vec<f64>, %b: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %zero = arith.constant 0.0 : f64
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = phi.get %a[%i] : !phi.vec<f64>[index]
      %q = phi.get %b[%i] : !phi.vec<f64>[index]
      %c = arith.cmpf ogt, %p, %q : f64
      %d = phi.get %dx[%i] : !phi.vec<f64>[index]
      %e = arith.negf %d : f64
      %u = arith.mulf %e, %p : f64
      %v = arith.divf %e, %q : f64
      %s = arith.addf %u, %v : f64
      %r = arith.select %c, %s, %zero : f64
      phi.yield %r : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @one_condition
// CHECK:         %[[U:.*]] = arith.mulf %{{.*}}, %p : f64
// CHECK:         %[[V:.*]] = arith.divf %{{.*}}, %q : f64
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[V]], %[[U]] : f64
// CHECK-NEXT:    %[[E:.*]] = arith.negf %[[S]] : f64
// CHECK:         arith.select %c, %[[E]], %{{.*}} : f64
// CHECK-NEXT:    phi.yield

// -----

// Those selected by different conditions are not.
func.func @two_conditions(%x: !phi.vec<f64>, %a: !phi.vec<f64>, %b: !phi.vec<f64>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %zero = arith.constant 0.0 : f64
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = phi.get %a[%i] : !phi.vec<f64>[index]
      %q = phi.get %b[%i] : !phi.vec<f64>[index]
      %c = arith.cmpf ogt, %p, %q : f64
      %f = arith.cmpf ogt, %p, %zero : f64
      %d = phi.get %dx[%i] : !phi.vec<f64>[index]
      %e = arith.negf %d : f64
      %u = arith.mulf %e, %p : f64
      %v = arith.mulf %e, %q : f64
      %r = arith.select %c, %u, %zero : f64
      %o = arith.select %f, %zero, %v : f64
      %s = arith.addf %r, %o : f64
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @two_conditions
// CHECK:         %[[R:.*]] = arith.select %c, %{{.*}}, %{{.*}} : f64
// CHECK:         %[[O:.*]] = arith.select %f, %{{.*}}, %{{.*}} : f64
// CHECK-NEXT:    arith.addf %[[O]], %[[R]] : f64

// -----

// A cotangent with Bools as factors is tested once for a chain of quotients, and again for others.
func.func @one_test(%x: !phi.vec<f64>, %a: !phi.vec<f64>, %h: !phi.vec<i8>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = phi.get %a[%i] : !phi.vec<f64>[index]
      %k = phi.get %h[%i] : !phi.vec<i8>[index]
      %f = arith.sitofp %k : i8 to f64
      %d = phi.get %dx[%i] : !phi.vec<f64>[index]
      %u = arith.divf %d, %p : f64
      %v = arith.mulf %u, %f : f64
      %w = arith.divf %v, %p : f64
      %r = arith.divf %w, %p : f64
      %s = arith.mulf %r, %f : f64
      phi.yield %s : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @one_test
// CHECK:         %[[S:.*]] = arith.mulf %{{.*}}, %f : f64
// CHECK-NEXT:    %[[W:.*]] = arith.divf %[[S]], %p : f64
// CHECK-NEXT:    %[[V:.*]] = arith.divf %[[W]], %p : f64
// CHECK-NEXT:    %[[U:.*]] = arith.mulf %[[V]], %f : f64
// CHECK-NEXT:    arith.divf %[[U]], %p : f64
// CHECK:         arith.cmpf une, %[[U]], %{{.*}} : f64
// CHECK:         arith.cmpf une, %[[S]], %{{.*}} : f64
// CHECK-NEXT:    arith.select
// CHECK-NEXT:    phi.yield

// -----

// A sum over all steps has the loops of sums for each k, as far as they have much in common.
func.func @common(%c: !phi.vec<f64>, %s: f64, %a: !phi.vec<!phi.vec<f64>>, %ct: f64) -> tuple<!phi.vec<f64>, f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %c, 0 : !phi.vec<f64>
  %t = phi.transpose (%dc = %c, %ds = %s) by %ct -> tuple<!phi.vec<f64>, f64> : f64 {
    %zero = arith.constant 0.0 : f64
    %y = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %z = phi.fold (%k < %m, %inner = %zero) -> f64 {
        %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %e = math.exp %p : f64
        %d = phi.get %dc[%k] : !phi.vec<f64>[i64]
        %u = arith.addf %d, %ds : f64
        %v = arith.mulf %u, %e : f64
        %next = arith.addf %inner, %v : f64
        phi.yield %next : f64
      }
      %total = arith.addf %acc, %z : f64
      phi.yield %total : f64
    }
    phi.yield %y : f64
  }
  func.return %t : tuple<!phi.vec<f64>, f64>
}
// CHECK-LABEL: func.func @common
// CHECK:         %[[C:.*]] = phi.array (%{{.*}} < %m) -> !phi.vec<f64> {
// CHECK:           phi.fold (%{{.*}} < %n, %{{.*}}) -> f64 {
// CHECK:         %[[PARTS:.*]] = phi.array (%{{.*}} < %m) -> !phi.vec<f64> {
// CHECK:           phi.fold (%{{.*}} < %n, %{{.*}}) -> f64 {
// CHECK:         %[[SIZE:.*]] = phi.size %[[PARTS]], 0 : !phi.vec<f64>
// CHECK:         %[[S:.*]] = phi.fold (%{{.*}} < %[[SIZE]], %{{.*}}) -> f64 {
// CHECK:           phi.get %[[PARTS]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK:         phi.tuple (%[[C]], %[[S]]) : tuple<!phi.vec<f64>, f64>

// -----

// A divisor that is far from zero needs no test of the cotangent.
func.func @far_from_zero(%x: !phi.vec<f64>, %a: !phi.vec<f64>, %h: !phi.vec<i8>, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %one = arith.constant 1.0 : f64
    %y = phi.array (%i < %n) -> !phi.vec<f64> {
      %p = phi.get %a[%i] : !phi.vec<f64>[index]
      %e = math.exp %p : f64
      %q = arith.addf %one, %e : f64
      %r = arith.divf %p, %q : f64
      %k = phi.get %h[%i] : !phi.vec<i8>[index]
      %f = arith.sitofp %k : i8 to f64
      %d = phi.get %dx[%i] : !phi.vec<f64>[index]
      %u = arith.divf %d, %q : f64
      %v = arith.mulf %u, %r : f64
      %w = arith.mulf %v, %f : f64
      phi.yield %w : f64
    }
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @far_from_zero
// CHECK-NOT:     arith.cmpf
// CHECK:         func.return

// -----

// An element that an update leaves unless a condition holds has its own cotangent.
func.func @some(%x: !phi.vec<f64>, %a: !phi.vec<f64>, %k: i64, %c: i1, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %old = phi.get %dx[%k] : !phi.vec<f64>[i64]
    %two = arith.constant 2.0 : f64
    %new = arith.mulf %old, %two : f64
    %e = arith.select %c, %new, %old : f64
    %y = phi.update %dx[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %y : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @some
// CHECK:         %[[R:.*]] = phi.get %ct[%k]
// CHECK:         %[[OLD:.*]] = phi.get %ct[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %[[KEPT:.*]] = arith.select %c, %{{.*}}, %[[OLD]] : f64
// CHECK-NEXT:    %[[REST:.*]] = phi.update %ct[%k], %[[KEPT]] : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK:         %[[X:.*]] = arith.mulf %[[R]], %two : f64
// CHECK:         arith.select %c, %{{.*}}, %{{.*}} : f64
// CHECK:         phi.get %[[REST]][

// -----

// What the step k == p contributes to an element is no term of the sum over all steps.
func.func @single_step(%x: !phi.vec<f64>, %a: !phi.vec<f64>, %p: i64, %n: i64, %ct: !phi.vec<f64>) -> tuple<!phi.vec<f64>> {
  %t = phi.transpose (%dx = %x) by %ct -> tuple<!phi.vec<f64>> : !phi.vec<f64> {
    %zero = arith.constant 0.0 : f64
    %y = phi.array (%i < %n, %k < %n) -> !phi.vec<!phi.vec<f64>> {
      %j = arith.index_cast %k : index to i64
      %c = arith.cmpi eq, %j, %p : i64
      %q = phi.get %a[%k] : !phi.vec<f64>[index]
      %d = phi.get %dx[%i] : !phi.vec<f64>[index]
      %u = arith.mulf %d, %q : f64
      %v = arith.select %c, %d, %zero : f64
      %s = arith.addf %u, %v : f64
      phi.yield %s : f64
    }
    %z = phi.array (%i < %n) -> !phi.vec<f64> {
      %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %e = phi.get %y[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %f = arith.addf %acc, %e : f64
        phi.yield %f : f64
      }
      phi.yield %r : f64
    }
    phi.yield %z : !phi.vec<f64>
  }
  func.return %t : tuple<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @single_step
// CHECK:         phi.fold
// CHECK-NOT:       arith.select
// CHECK:           phi.yield
