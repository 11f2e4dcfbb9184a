// RUN: ein-opt %s --split-input-file -p "outline{derivatives=true}" | filecheck %s

// A loop with an assertion leaves a fold that may have no step: it has none then, either.
func.func @invariant(%a: !phi.vec<f64>, %u: !phi.vec<f64>, %n: i64) -> tuple<f64, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %steps = arith.constant 50 : i64
  %d = phi.vjp (%k = %a by %one) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %e = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
        %l = phi.size %v, 0 : !phi.vec<f64>
        %m = phi.size %k, 0 : !phi.vec<f64>
        %size = phi.assert_eq %l, %m, "sizes"
        %w = phi.array (%j < %size) -> !phi.vec<f64> {
          %x = phi.get %v[%j] : !phi.vec<f64>[index]
          %y = phi.get %k[%j] : !phi.vec<f64>[index]
          %z = arith.mulf %x, %y : f64
          phi.yield %z : f64
        }
        phi.yield %w : !phi.vec<f64>
      }
      %f = phi.get %e[%i] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %f : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %d : tuple<f64, !phi.vec<f64>>
}

// CHECK:       func.func @invariant(%a: !phi.vec<f64>, %u: !phi.vec<f64>, %n: i64) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %steps = arith.constant 50 : i64
// CHECK-NEXT:    %0 = arith.constant 0 : i64
// CHECK-NEXT:    %1 = arith.cmpi sgt, %n, %0 : i64
// CHECK-NEXT:    %2 = arith.select %1, %steps, %0 : i64
// CHECK-NEXT:    %d = phi.vjp (%k = %a by %one) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:      %m = phi.size %k, 0 : !phi.vec<f64>
// CHECK-NEXT:      %e = phi.fold (%t < %2, %v = %u) -> !phi.vec<f64> {
// CHECK-NEXT:        %l = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:        %size = phi.assert_eq %l, %m, "sizes"
// CHECK-NEXT:        %w = phi.array (%j < %size) -> !phi.vec<f64> {
// CHECK-NEXT:          %x = phi.get %v[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:          %y = phi.get %k[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:          %z = arith.mulf %x, %y : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %f = phi.get %e[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %next = arith.addf %acc, %f : f64
// CHECK-NEXT:        phi.yield %next : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %d : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:  }

// -----

// It stays where a fold that it would leave counts steps that vary with another one.
func.func @varying(%a: f64, %u: !phi.vec<f64>, %k: !phi.vec<i64>, %n: i64) -> tuple<f64, f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %steps = arith.constant 50 : i64
  %d = phi.vjp (%b = %a by %one) : f64 by f64 -> tuple<f64, f64> {
    %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
      %c = phi.get %k[%i] : !phi.vec<i64>[i64]
      %q = phi.fold (%r < %c, %acc_1 = %acc) -> f64 {
        %e = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
          %l = phi.size %v, 0 : !phi.vec<f64>
          %m = phi.size %k, 0 : !phi.vec<i64>
          %size = phi.assert_eq %l, %m, "sizes"
          %w = phi.array (%j < %size) -> !phi.vec<f64> {
            %x = phi.get %v[%j] : !phi.vec<f64>[index]
            phi.yield %x : f64
          }
          phi.yield %w : !phi.vec<f64>
        }
        %f = phi.get %e[%i] : !phi.vec<f64>[i64]
        %p = arith.mulf %f, %b : f64
        %next = arith.addf %acc_1, %p : f64
        phi.yield %next : f64
      }
      phi.yield %q : f64
    }
    phi.yield %s : f64
  }
  func.return %d : tuple<f64, f64>
}

// CHECK:       func.func @varying(%a: f64, %u: !phi.vec<f64>, %k: !phi.vec<i64>, %n: i64) -> tuple<f64, f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %steps = arith.constant 50 : i64
// CHECK-NEXT:    %m = phi.size %k, 0 : !phi.vec<i64>
// CHECK-NEXT:    %d = phi.vjp (%b = %a by %one) : f64 -> tuple<f64, f64> {
// CHECK-NEXT:      %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:        %c = phi.get %k[%i] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %q = phi.fold (%r < %c, %acc_1 = %acc) -> f64 {
// CHECK-NEXT:          %e = phi.fold (%t < %steps, %v = %u) -> !phi.vec<f64> {
// CHECK-NEXT:            %l = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:            %size = phi.assert_eq %l, %m, "sizes"
// CHECK-NEXT:            %w = phi.array (%j < %size) -> !phi.vec<f64> {
// CHECK-NEXT:              %x = phi.get %v[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:              phi.yield %x : f64
// CHECK-NEXT:            }
// CHECK-NEXT:            phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %f = phi.get %e[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %p = arith.mulf %f, %b : f64
// CHECK-NEXT:          %next = arith.addf %acc_1, %p : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %q : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      phi.yield %s : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %d : tuple<f64, f64>
// CHECK-NEXT:  }
