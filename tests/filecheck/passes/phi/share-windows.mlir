// RUN: ein-opt %s -p share-windows | filecheck %s

// The window without its mean is computed once for each element, not for each step.
func.func @mean(%a: !phi.vec<f64>, %mean: f64, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %w = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %i0 = arith.index_cast %i : index to i64
      %0 = arith.addi %i0, %k : i64
      %x = phi.get %a[%0] : !phi.vec<f64>[i64]
      %1 = arith.subf %x, %mean : f64
      %2 = arith.addf %acc, %1 : f64
      phi.yield %2 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @mean
// CHECK:         %[[LAST:.*]] = arith.subi %w, %{{.*}} : i64
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %n, %[[LAST]] : i64
// CHECK-NEXT:    %[[SIZE:.*]] = arith.maxsi %[[SUM]], %{{.*}} : i64
// CHECK-NEXT:    %[[V:.*]] = phi.array (%i < %[[SIZE]]) -> !phi.vec<f64> {
// CHECK:           arith.subf
// CHECK:         }
// CHECK:         %r = phi.array (%i_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.fold (%k < %w, %acc = %zero) -> f64 {
// CHECK-NOT:         arith.subf
// CHECK:             phi.get %[[V]][%{{.*}}] : !phi.vec<f64>[i64]

// A reflected border in two axes, and a counter that is subtracted.
func.func @reflected(%a: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %q = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %p, %acc = %zero) -> f64 {
      %t = phi.fold (%l < %q, %sum = %acc) -> f64 {
        %i0 = arith.index_cast %i : index to i64
        %j0 = arith.index_cast %j : index to i64
        %0 = arith.addi %i0, %k : i64
        %1 = arith.subi %j0, %l : i64
        %2 = arith.subi %none, %1 : i64
        %3 = arith.cmpi slt, %1, %none : i64
        %4 = arith.select %3, %2, %1 : i64
        %x = phi.get %a[%0, %4] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %y = phi.get %w[%k, %l] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %5 = arith.mulf %x, %y : f64
        %6 = arith.addf %sum, %5 : f64
        phi.yield %6 : f64
      }
      phi.yield %t : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @reflected
// CHECK:         %[[V:.*]] = phi.array (%i < %{{.*}}, %j < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           arith.select
// CHECK:         }
// CHECK:         %r = phi.array (%i_1 < %n, %j_1 < %m)
// CHECK:         phi.fold (%k < %p,
// CHECK:           phi.fold (%l < %q,
// CHECK:             %[[X:.*]] = phi.get %[[V]][%{{.*}}, %{{.*}}]
// CHECK:             arith.mulf %[[X]], %y : f64

// One array for all steps of the loops that define no part of it: for each %j the window has a mean
// of its own.
func.func @own_means(%a: !phi.vec<f64>, %means: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %means, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%j < %m) -> !phi.vec<!phi.vec<f64>> {
    %0 = phi.get %means[%j] : !phi.vec<f64>[index]
    %mean = math.exp %0 : f64
    %t = phi.array (%i < %n) -> !phi.vec<f64> {
      %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
        %i0 = arith.index_cast %i : index to i64
        %1 = arith.addi %i0, %k : i64
        %x = phi.get %a[%1] : !phi.vec<f64>[i64]
        %2 = arith.mulf %x, %x : f64
        %3 = arith.mulf %2, %mean : f64
        %4 = arith.addf %acc, %3 : f64
        phi.yield %4 : f64
      }
      phi.yield %s : f64
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @own_means
// CHECK:         %[[V:.*]] = phi.array (%i < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           arith.mulf %x, %x : f64
// CHECK:         }
// CHECK-NEXT:    %r = phi.array (%j < %m)

// Not shared: a read alone, a value that also varies with the counter, one with an index more.
func.func @stay(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %i0 = arith.index_cast %i : index to i64
      %0 = arith.addi %i0, %k : i64
      %x = phi.get %a[%0] : !phi.vec<f64>[i64]
      %y = phi.get %a[%k] : !phi.vec<f64>[i64]
      %z = phi.get %b[%j] : !phi.vec<f64>[index]
      %1 = arith.mulf %x, %y : f64
      %2 = arith.mulf %x, %z : f64
      %3 = arith.addf %1, %2 : f64
      %4 = arith.addf %acc, %3 : f64
      phi.yield %4 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @stay
// CHECK:         %r = phi.array (%i < %n, %j < %m)
// CHECK-NEXT:      phi.fold

// A choice between two windows by a comparison of their difference is one window; a comparison with
// an Int that may wrap is not.
func.func @toeplitz(%c: !phi.vec<f64>, %d: !phi.vec<f64>, %s: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %c, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %t = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %i0 = arith.index_cast %i : index to i64
      %0 = arith.subi %i0, %k : i64
      %1 = arith.subi %k, %i0 : i64
      %x = phi.get %c[%0] : !phi.vec<f64>[i64]
      %y = phi.get %d[%1] : !phi.vec<f64>[i64]
      %2 = arith.cmpi sge, %i0, %k : i64
      %z = arith.select %2, %x, %y : f64
      %3 = arith.addf %acc, %z : f64
      phi.yield %3 : f64
    }
    phi.yield %t : f64
  }
  %u = phi.array (%j < %n) -> !phi.vec<f64> {
    %v = phi.fold (%l < %n, %sum = %zero) -> f64 {
      %j0 = arith.index_cast %j : index to i64
      %4 = arith.subi %j0, %l : i64
      %5 = arith.subi %l, %j0 : i64
      %p = phi.get %c[%4] : !phi.vec<f64>[i64]
      %q = phi.get %d[%5] : !phi.vec<f64>[i64]
      %6 = arith.addi %j0, %s : i64
      %7 = arith.cmpi sge, %6, %l : i64
      %w = arith.select %7, %p, %q : f64
      %8 = arith.addf %sum, %w : f64
      phi.yield %8 : f64
    }
    phi.yield %v : f64
  }
  func.return %r, %u : !phi.vec<f64>, !phi.vec<f64>
}
// CHECK-LABEL: func.func @toeplitz
// CHECK:         %[[V:.*]] = phi.array (%i < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           arith.select
// CHECK:         }
// CHECK-NEXT:    %r = phi.array (%i_1 < %n)
// CHECK:           phi.get %[[V]][
// CHECK:         %u = phi.array (%j < %n)
// CHECK-NEXT:      phi.fold
// CHECK:             arith.select

// A window of the state before a step is computed in the step.
func.func @state(%a: !phi.vec<f64>, %t: i64, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %w = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%step < %t, %u = %a) -> !phi.vec<f64> {
    %next = phi.array (%i < %n) -> !phi.vec<f64> {
      %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
        %i0 = arith.index_cast %i : index to i64
        %0 = arith.addi %i0, %k : i64
        %x = phi.get %u[%0] : !phi.vec<f64>[i64]
        %1 = math.sin %x : f64
        %2 = arith.addf %acc, %1 : f64
        phi.yield %2 : f64
      }
      phi.yield %s : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @state
// CHECK:         phi.fold (%step < %t, %u = %a)
// CHECK:           %[[V:.*]] = phi.array (%i < %{{.*}}) -> !phi.vec<f64> {
// CHECK:             phi.get %u[
// CHECK-NEXT:        math.sin
// CHECK:           }
// CHECK-NEXT:      phi.array (%i_1 < %n)
// CHECK-NOT:         math.sin
// CHECK:             phi.get %[[V]][

// It is not for each element of a loop around, which its values vary with.
func.func @varying(%a: !phi.vec<f64>, %t: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %w = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %rows = phi.array (%j < %n) -> !phi.vec<!phi.vec<f64>> {
    %r = phi.fold (%step < %t, %u = %a) -> !phi.vec<f64> {
      %next = phi.array (%i < %n) -> !phi.vec<f64> {
        %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
          %i0 = arith.index_cast %i : index to i64
          %0 = arith.addi %i0, %k : i64
          %x = phi.get %u[%0] : !phi.vec<f64>[i64]
          %c = phi.get %a[%j] : !phi.vec<f64>[index]
          %1 = arith.mulf %x, %c : f64
          %2 = arith.addf %acc, %1 : f64
          phi.yield %2 : f64
        }
        phi.yield %s : f64
      }
      phi.yield %next : !phi.vec<f64>
    }
    phi.yield %r : !phi.vec<f64>
  }
  func.return %rows : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @varying
// CHECK:             phi.array (%i < %n)
// CHECK-NEXT:          phi.fold
// CHECK:                 arith.mulf
