// RUN: ein-opt %s -p hoist-recurrences | filecheck %s

// The gain of a filter is the same for all tracks.
func.func @tracks(%z: !phi.vec<!phi.vec<f64>>, %r: f64, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %z, 0 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1.0 : f64
  %start = phi.tuple (%one, %one) : tuple<f64, f64>
  %x = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%t < %m, %acc = %start) -> tuple<f64, f64> {
      %v = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %p = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %d = arith.addf %p, %r : f64
      %k = arith.divf %p, %d : f64
      %e = phi.get %z[%i, %t] : !phi.vec<!phi.vec<f64>>[index, i64]
      %q = arith.mulf %k, %e : f64
      %w = arith.addf %v, %q : f64
      %l = arith.mulf %k, %r : f64
      %b = phi.tuple (%w, %l) : tuple<f64, f64>
      phi.yield %b : tuple<f64, f64>
    }
    %f = phi.proj %s, 0 : tuple<f64, f64> -> f64
    phi.yield %f : f64
  }
  func.return %x : !phi.vec<f64>
}

// CHECK-LABEL: func.func @tracks(%z: !phi.vec<!phi.vec<f64>>, %r: f64, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %z, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %start = phi.tuple (%one, %one) : tuple<f64, f64>
// CHECK-NEXT:      %0 = arith.constant 0 : i64
// CHECK-NEXT:      %1 = arith.maxsi %m, %0 : i64
// CHECK-NEXT:      %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:        %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        phi.yield %4 : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = phi.tuple (%one, %2) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      %6 = phi.fold (%t < %1, %acc = %5) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:        %7 = phi.proj %acc, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:        %8 = phi.proj %acc, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %d = arith.addf %7, %r : f64
// CHECK-NEXT:        %k = arith.divf %7, %d : f64
// CHECK-NEXT:        %l = arith.mulf %k, %r : f64
// CHECK-NEXT:        %9 = phi.update %8[%t], %k : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %10 = phi.tuple (%l, %9) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %10 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %11 = phi.proj %6, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %12 = phi.proj %6, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %x = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %s = phi.fold (%t_1 < %m, %acc_1 = %one) -> f64 {
// CHECK-NEXT:          %k_1 = phi.get %12[%t_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %e = phi.get %z[%i, %t_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %q = arith.mulf %k_1, %e : f64
// CHECK-NEXT:          %w = arith.addf %acc_1, %q : f64
// CHECK-NEXT:          phi.yield %w : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %s_1 = phi.tuple (%s, %11) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %s : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %x : !phi.vec<f64>
// CHECK-NEXT:  }

// A variance that begins with one of the track stays, and so does one that costs less than a load.
func.func @others(%z: !phi.vec<!phi.vec<f64>>, %r: f64, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %z, 0 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1.0 : f64
  %x = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = phi.get %z[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    %start = phi.tuple (%one, %own, %one) : tuple<f64, f64, f64>
    %s = phi.fold (%t < %m, %acc = %start) -> tuple<f64, f64, f64> {
      %v = phi.proj %acc, 0 : tuple<f64, f64, f64> -> f64
      %p = phi.proj %acc, 1 : tuple<f64, f64, f64> -> f64
      %c = phi.proj %acc, 2 : tuple<f64, f64, f64> -> f64
      %d = arith.addf %p, %r : f64
      %k = arith.divf %p, %d : f64
      %q = arith.mulf %k, %c : f64
      %w = arith.addf %v, %q : f64
      %l = arith.mulf %c, %r : f64
      %b = phi.tuple (%w, %k, %l) : tuple<f64, f64, f64>
      phi.yield %b : tuple<f64, f64, f64>
    }
    %f = phi.proj %s, 0 : tuple<f64, f64, f64> -> f64
    phi.yield %f : f64
  }
  func.return %x : !phi.vec<f64>
}

// CHECK-LABEL: func.func @others(%z: !phi.vec<!phi.vec<f64>>, %r: f64, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %n = phi.size %z, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:      %x = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:        %own = phi.get %z[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %start = phi.tuple (%one, %own, %one) : tuple<f64, f64, f64>
// CHECK-NEXT:        %s = phi.fold (%t < %m, %acc = %start) -> tuple<f64, f64, f64> {
// CHECK-NEXT:          %v = phi.proj %acc, 0 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:          %p = phi.proj %acc, 1 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:          %c = phi.proj %acc, 2 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:          %d = arith.addf %p, %r : f64
// CHECK-NEXT:          %k = arith.divf %p, %d : f64
// CHECK-NEXT:          %q = arith.mulf %k, %c : f64
// CHECK-NEXT:          %w = arith.addf %v, %q : f64
// CHECK-NEXT:          %l = arith.mulf %c, %r : f64
// CHECK-NEXT:          %b = phi.tuple (%w, %k, %l) : tuple<f64, f64, f64>
// CHECK-NEXT:          phi.yield %b : tuple<f64, f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %f = phi.proj %s, 0 : tuple<f64, f64, f64> -> f64
// CHECK-NEXT:        phi.yield %f : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %x : !phi.vec<f64>
// CHECK-NEXT:    }
