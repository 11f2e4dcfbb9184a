// RUN: ein-opt %s --split-input-file -p "share-elements{derivatives=true},simplify" | filecheck %s

// A loop for each row: all elements of a row are of one loop.
func.func @rows(%a: !phi.vec<!phi.vec<f64>>) -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %d = phi.vjp (%x = %a by %one) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %x[%i] : !phi.vec<!phi.vec<f64>>[index]
      %s = phi.scan "add" %row : !phi.vec<f64>
      %e = phi.get %s[%j] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }
    %f = phi.get %y[%two, %two] : !phi.vec<!phi.vec<f64>>[i64, i64]
    phi.yield %f : f64
  }
  func.return %d : tuple<f64, !phi.vec<!phi.vec<f64>>>
}

// CHECK:       func.func @rows(%a: !phi.vec<!phi.vec<f64>>) -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %two = arith.constant 2 : i64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %d = phi.vjp (%x = %a by %one) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:      %y = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %row = phi.get %x[%i] : !phi.vec<!phi.vec<f64>>[index]
// CHECK-NEXT:        %s = phi.scan "add" %row : !phi.vec<f64>
// CHECK-NEXT:        %0 = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:          %e = phi.get %s[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:          phi.yield %e : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %0 : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %f = phi.get %y[%two, %two] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:      phi.yield %f : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %d : tuple<f64, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }

// -----

// One for each column, and a sum, which is no such loop.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>) -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %d = phi.vjp (%x = %a by %one) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
    %y = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %column = phi.array (%p < %n) -> !phi.vec<f64> {
        %c = phi.get %x[%p, %j] : !phi.vec<!phi.vec<f64>>[index, index]
        phi.yield %c : f64
      }
      %s = phi.scan "add" %column : !phi.vec<f64>
      %e = phi.get %s[%i] : !phi.vec<f64>[index]
      %t = phi.fold (%q < %m, %acc = %zero) -> f64 {
        %g = phi.get %x[%i, %q] : !phi.vec<!phi.vec<f64>>[index, i64]
        %next = arith.addf %acc, %g : f64
        phi.yield %next : f64
      }
      %h = arith.mulf %e, %t : f64
      phi.yield %h : f64
    }
    %f = phi.get %y[%two, %two] : !phi.vec<!phi.vec<f64>>[i64, i64]
    phi.yield %f : f64
  }
  func.return %d : tuple<f64, !phi.vec<!phi.vec<f64>>>
}

// CHECK:       func.func @columns(%a: !phi.vec<!phi.vec<f64>>) -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %two = arith.constant 2 : i64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:    %d = phi.vjp (%x = %a by %one) : !phi.vec<!phi.vec<f64>> by f64 -> tuple<f64, !phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:      %0 = phi.array (%j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %column = phi.array (%p < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %c = phi.get %x[%p, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:          phi.yield %c : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %s = phi.scan "add" %column : !phi.vec<f64>
// CHECK-NEXT:        phi.yield %s : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %y = phi.array (%i < %n, %j_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:        %e = phi.get %0[%j_1, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:        %t = phi.fold (%q < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:          %g = phi.get %x[%i, %q] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:          %next = arith.addf %acc, %g : f64
// CHECK-NEXT:          phi.yield %next : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %h = arith.mulf %e, %t : f64
// CHECK-NEXT:        phi.yield %h : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %f = phi.get %y[%two, %two] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:      phi.yield %f : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %d : tuple<f64, !phi.vec<!phi.vec<f64>>>
// CHECK-NEXT:  }
