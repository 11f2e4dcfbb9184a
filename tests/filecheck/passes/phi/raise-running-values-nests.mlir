// RUN: ein-opt %s --split-input-file -p raise-running-values,canonicalize,dce | filecheck %s

// The number of elements so far, row by row, is a scan of all of them.
func.func @numbered(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>) -> tuple<i64, f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %init = phi.tuple (%zero, %none) : tuple<i64, f64>
  %r = phi.fold (%i < %n, %s = %init) -> tuple<i64, f64> {
    %t = phi.fold (%j < %m, %u = %s) -> tuple<i64, f64> {
      %k = phi.proj %u, 0 : tuple<i64, f64> -> i64
      %total = phi.proj %u, 1 : tuple<i64, f64> -> f64
      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %c = arith.cmpf ogt, %x, %none : f64
      %d = arith.select %c, %one, %zero : i64
      %k_1 = arith.addi %k, %d : i64
      %y = phi.get %v[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %x, %y : f64
      %total_1 = arith.addf %total, %z : f64
      %next = phi.tuple (%k_1, %total_1) : tuple<i64, f64>
      phi.yield %next : tuple<i64, f64>
    }
    phi.yield %t : tuple<i64, f64>
  }
  func.return %r : tuple<i64, f64>
}

// CHECK-LABEL: func.func @numbered(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>) -> tuple<i64, f64> {
// CHECK-NEXT:        %zero = arith.constant 0 : i64
// CHECK-NEXT:        %one = arith.constant 1 : i64
// CHECK-NEXT:        %none = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:        %0 = arith.muli %n, %m : i64
// CHECK-NEXT:        %1 = phi.array (%j < %0) -> !phi.vec<i64> {
// CHECK-NEXT:          %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:          %2 = arith.floordivsi %j_1, %m : i64
// CHECK-NEXT:          %3 = sigma.floormod %j_1, %m : i64
// CHECK-NEXT:          %x = phi.get %a[%2, %3] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:          %c = arith.cmpf ogt, %x, %none : f64
// CHECK-NEXT:          %d = arith.select %c, %one, %zero : i64
// CHECK-NEXT:          phi.yield %d : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %4 = phi.scan "add" %1 : !phi.vec<i64>
// CHECK-NEXT:        %5 = phi.get %4[%0] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %6 = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:          %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:          %7 = phi.array (%j_2 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:            %j_3 = arith.index_cast %j_2 : index to i64
// CHECK-NEXT:            %8 = arith.muli %i_1, %m : i64
// CHECK-NEXT:            %9 = arith.addi %8, %j_3 : i64
// CHECK-NEXT:            %k = phi.get %4[%9] : !phi.vec<i64>[i64]
// CHECK-NEXT:            %x_1 = phi.get %a[%i_1, %j_3] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:            %y = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:            %z = arith.mulf %x_1, %y : f64
// CHECK-NEXT:            phi.yield %z : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:          %11 = phi.reduce %7 identity %10 by { arith.addf } -> f64
// CHECK-NEXT:          phi.yield %11 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %12 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %r = phi.reduce %6 identity %12 by { arith.addf } -> f64
// CHECK-NEXT:        %r_1 = phi.tuple (%5, %r) : tuple<i64, f64>
// CHECK-NEXT:        func.return %r_1 : tuple<i64, f64>
// CHECK-NEXT:      }

// A number that each step replaces by the same one: the outer fold leaves with the inner one.

func.func @replaced(%x: !phi.vec<f64>, %m: i64, %zero: f64) -> f64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %a = %zero) -> f64 {
    %s = phi.fold (%j < %m, %b = %a) -> f64 {
      %one = arith.constant 1.0 : f64
      phi.yield %one : f64
    }
    phi.yield %s : f64
  }
  func.return %r : f64
}
// CHECK:     func.func @replaced(
// CHECK-NOT:   phi.fold
// CHECK:       func.return
