// RUN: ein-opt %s --split-input-file -p store-terms{blocks=true},simplify | filecheck %s

// The functions of a pair are computed for a block of steps, and sums of rows before the loop.
func.func @driven(%x: !phi.vec<f64>, %a: !phi.vec<!phi.vec<f64>>, %init: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %init, 0 : !phi.vec<f64>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%t < %n, %s = %init) -> !phi.vec<f64> {
    %xt = phi.get %x[%t] : !phi.vec<f64>[i64]
    %row = phi.array (%k < %l) -> !phi.vec<f64> {
      %y = phi.get %a[%t, %k] : !phi.vec<!phi.vec<f64>>[i64, index]
      phi.yield %y : f64
    }
    %sum = phi.reduce %row identity %zero by { arith.addf } -> f64
    %next = phi.array (%i < %m) -> !phi.vec<f64> {
      %v = phi.get %x[%i] : !phi.vec<f64>[index]
      %w = arith.mulf %xt, %v : f64
      %e = math.exp %w : f64
      %u = phi.get %s[%i] : !phi.vec<f64>[index]
      %p = arith.mulf %u, %sum : f64
      %q = arith.addf %p, %e : f64
      phi.yield %q : f64
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @driven(%x: !phi.vec<f64>, %a: !phi.vec<!phi.vec<f64>>, %init: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %m = phi.size %init, 0 : !phi.vec<f64>
// CHECK-NEXT:     %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %0 = phi.array (%t < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %t_1 = arith.index_cast %t : index to i64
// CHECK-NEXT:       %row = phi.array (%k < %l) -> !phi.vec<f64> {
// CHECK-NEXT:         %y = phi.get %a[%t_1, %k] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         phi.yield %y : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %sum = phi.reduce %row identity %zero by { arith.addf } -> f64
// CHECK-NEXT:       phi.yield %sum : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %1 = arith.constant 131072 : i64
// CHECK-NEXT:     %2 = arith.floordivsi %1, %m : i64
// CHECK-NEXT:     %3 = arith.minsi %2, %n : i64
// CHECK-NEXT:     %4 = arith.constant 1 : i64
// CHECK-NEXT:     %5 = arith.maxsi %3, %4 : i64
// CHECK-NEXT:     %6 = arith.constant 1 : i64
// CHECK-NEXT:     %7 = arith.subi %5, %6 : i64
// CHECK-NEXT:     %8 = arith.addi %n, %7 : i64
// CHECK-NEXT:     %9 = arith.floordivsi %8, %5 : i64
// CHECK-NEXT:     %r = phi.fold (%block < %9, %s = %init) -> !phi.vec<f64> {
// CHECK-NEXT:       %10 = arith.constant 0 : i64
// CHECK-NEXT:       %11 = arith.muli %block, %5 : i64
// CHECK-NEXT:       %start = arith.maxsi %11, %10 : i64
// CHECK-NEXT:       %12 = arith.subi %n, %start : i64
// CHECK-NEXT:       %13 = arith.minsi %5, %12 : i64
// CHECK-NEXT:       %length = arith.maxsi %13, %10 : i64
// CHECK-NEXT:       %14 = phi.array (%t_2 < %length, %i < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %t_3 = arith.index_cast %t_2 : index to i64
// CHECK-NEXT:         %15 = arith.addi %start, %t_3 : i64
// CHECK-NEXT:         %xt = phi.get %x[%15] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %v = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %w = arith.mulf %xt, %v : f64
// CHECK-NEXT:         %e = math.exp %w : f64
// CHECK-NEXT:         phi.yield %e : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %16 = phi.fold (%t_4 < %length, %s_1 = %s) -> !phi.vec<f64> {
// CHECK-NEXT:         %17 = arith.addi %start, %t_4 : i64
// CHECK-NEXT:         %sum_1 = phi.get %0[%17] : !phi.vec<f64>[i64]
// CHECK-NEXT:         %next = phi.array (%i_1 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:           %e_1 = phi.get %14[%t_4, %i_1] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:           %u = phi.get %s_1[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:           %p = arith.mulf %u, %sum_1 : f64
// CHECK-NEXT:           %q = arith.addf %p, %e_1 : f64
// CHECK-NEXT:           phi.yield %q : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %16 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Matrices stay, and so do values that positions are computed from, and few calls.
func.func @stay(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %init: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %init, 0 : !phi.vec<!phi.vec<f64>>
  %two = arith.constant 2 : i64
  %r = phi.fold (%t < %n, %s = %init) -> !phi.vec<!phi.vec<f64>> {
    %xt = phi.get %x[%t] : !phi.vec<f64>[i64]
    %pt = phi.get %p[%t] : !phi.vec<i64>[i64]
    %next = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %v = phi.get %x[%i] : !phi.vec<f64>[index]
      %w = phi.get %x[%j] : !phi.vec<f64>[index]
      %vw = arith.mulf %v, %w : f64
      %e = arith.mulf %xt, %vw : f64
      %f = math.exp %e : f64
      %pi = phi.get %p[%i] : !phi.vec<i64>[index]
      %0 = arith.muli %pt, %pi : i64
      %1 = arith.addi %0, %pi : i64
      %2 = arith.muli %1, %two : i64
      %u = phi.get %s[%2, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %g = arith.mulf %xt, %v : f64
      %h = arith.addf %u, %g : f64
      %q = arith.addf %h, %f : f64
      phi.yield %q : f64
    }
    phi.yield %next : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL:  func.func @stay(%x: !phi.vec<f64>, %p: !phi.vec<i64>, %init: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %m = phi.size %init, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %two = arith.constant 2 : i64
// CHECK-NEXT:     %r = phi.fold (%t < %n, %s = %init) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %xt = phi.get %x[%t] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %pt = phi.get %p[%t] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %next = phi.array (%i < %m, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:         %v = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %w = phi.get %x[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:         %vw = arith.mulf %v, %w : f64
// CHECK-NEXT:         %e = arith.mulf %xt, %vw : f64
// CHECK-NEXT:         %f = math.exp %e : f64
// CHECK-NEXT:         %pi = phi.get %p[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:         %0 = arith.muli %pt, %pi : i64
// CHECK-NEXT:         %1 = arith.addi %0, %pi : i64
// CHECK-NEXT:         %2 = arith.muli %1, %two : i64
// CHECK-NEXT:         %u = phi.get %s[%2, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:         %g = arith.mulf %xt, %v : f64
// CHECK-NEXT:         %h = arith.addf %u, %g : f64
// CHECK-NEXT:         %q = arith.addf %h, %f : f64
// CHECK-NEXT:         phi.yield %q : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %next : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// The tests of a loop of numbers are an array of Bools, if they take several operations.

func.func @of_numbers(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %h: f64) -> i64 {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %r = phi.fold (%t < %n, %s = %zero) -> i64 {
    %a = phi.get %x[%t] : !phi.vec<f64>[i64]
    %b = phi.get %y[%t] : !phi.vec<f64>[i64]
    %ab = arith.mulf %a, %b : f64
    %c = arith.cmpf ogt, %ab, %h : f64
    %d = arith.cmpf olt, %a, %h : f64
    %e = arith.andi %c, %d : i1
    %f = arith.subi %t, %s : i64
    %g = arith.cmpi sgt, %f, %one : i64
    %i = arith.andi %e, %g : i1
    %next = arith.select %i, %t, %s : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}
// CHECK-LABEL:  func.func @of_numbers(
// CHECK:          %[[TERMS:.*]] = phi.array (%t
// CHECK:            arith.andi
// CHECK:          phi.fold (
// CHECK-NEXT:       phi.get %[[TERMS]][
// CHECK-NEXT:       arith.subi
