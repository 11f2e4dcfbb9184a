// RUN: ein-opt %s --split-input-file -p raise-running-values,canonicalize,dce | filecheck %s

// A sum that is written out: its values in all steps are a scan.
func.func @written(%a: !phi.vec<f64>, %v: !phi.vec<f64>, %x: f64) -> tuple<f64, !phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %init = phi.tuple (%x, %v) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %acc = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %acc, %y : f64
    %out = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %new = phi.update %out[%k], %sum : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%sum, %new) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @written(
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.scan "add" %a : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.get %0[%n] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %2 = arith.addf %x, %1 : f64
// CHECK-NEXT:    %r = phi.fold (%k < %n, %state = %v) -> !phi.vec<f64> {
// CHECK-NEXT:      %3 = arith.constant 1 : i64
// CHECK-NEXT:      %4 = arith.addi %k, %3 : i64
// CHECK-NEXT:      %5 = phi.get %0[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %sum = arith.addf %x, %5 : f64
// CHECK-NEXT:      %new = phi.update %state[%k], %sum : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r_1 = phi.tuple (%2, %r) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    func.return %r_1 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:  }

// -----

// The last positive element so far.
func.func @taken(%a: !phi.vec<f64>, %v: !phi.vec<f64>, %x: f64) -> tuple<f64, !phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %init = phi.tuple (%x, %v) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %last = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpf ogt, %y, %zero : f64
    %z = arith.select %c, %y, %last : f64
    %out = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %new = phi.update %out[%k], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%z, %new) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  func.return %r : tuple<f64, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @taken(
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:      %y = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %c = arith.cmpf ogt, %y, %zero : f64
// CHECK-NEXT:      %1 = arith.constant -1 : i64
// CHECK-NEXT:      %2 = arith.select %c, %k_1, %1 : i64
// CHECK-NEXT:      phi.yield %2 : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = phi.scan "max" %0 : !phi.vec<i64>
// CHECK-NEXT:    %4 = arith.constant 1 : i64
// CHECK-NEXT:    %5 = arith.addi %n, %4 : i64
// CHECK-NEXT:    %6 = phi.array (%7 < %5) -> !phi.vec<f64> {
// CHECK-NEXT:      %8 = phi.get %3[%7] : !phi.vec<i64>[index]
// CHECK-NEXT:      %9 = arith.constant 0 : i64
// CHECK-NEXT:      %10 = arith.cmpi sge, %8, %9 : i64
// CHECK-NEXT:      %y_1 = phi.get %a[%8] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %11 = arith.select %10, %y_1, %x : f64
// CHECK-NEXT:      phi.yield %11 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %12 = phi.get %6[%n] : !phi.vec<f64>[i64]
// CHECK-NEXT:    %r = phi.fold (%k_2 < %n, %state = %v) -> !phi.vec<f64> {
// CHECK-NEXT:      %13 = arith.constant 1 : i64
// CHECK-NEXT:      %14 = arith.addi %k_2, %13 : i64
// CHECK-NEXT:      %z = phi.get %6[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %new = phi.update %state[%k_2], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      phi.yield %new : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r_1 = phi.tuple (%12, %r) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    func.return %r_1 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:  }

// -----

// The best element so far: a scan of Ints.
func.func @improved(%a: !phi.vec<i64>, %v: !phi.vec<i64>, %x: i64) -> tuple<i64, !phi.vec<i64>> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %init = phi.tuple (%x, %v) : tuple<i64, !phi.vec<i64>>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, !phi.vec<i64>> {
    %best = phi.proj %state, 0 : tuple<i64, !phi.vec<i64>> -> i64
    %y = phi.get %a[%k] : !phi.vec<i64>[i64]
    %c = arith.cmpi slt, %y, %best : i64
    %z = arith.select %c, %y, %best : i64
    %out = phi.proj %state, 1 : tuple<i64, !phi.vec<i64>> -> !phi.vec<i64>
    %new = phi.update %out[%k], %best : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %next = phi.tuple (%z, %new) : tuple<i64, !phi.vec<i64>>
    phi.yield %next : tuple<i64, !phi.vec<i64>>
  }
  func.return %r : tuple<i64, !phi.vec<i64>>
}

// CHECK-LABEL: func.func @improved(
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:    %0 = phi.scan "min" %a : !phi.vec<i64>
// CHECK-NEXT:    %1 = phi.get %0[%n] : !phi.vec<i64>[i64]
// CHECK-NEXT:    %2 = arith.minsi %x, %1 : i64
// CHECK-NEXT:    %r = phi.fold (%k < %n, %state = %v) -> !phi.vec<i64> {
// CHECK-NEXT:      %3 = phi.get %0[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %best = arith.minsi %x, %3 : i64
// CHECK-NEXT:      %new = phi.update %state[%k], %best : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:      phi.yield %new : !phi.vec<i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r_1 = phi.tuple (%2, %r) : tuple<i64, !phi.vec<i64>>
// CHECK-NEXT:    func.return %r_1 : tuple<i64, !phi.vec<i64>>
// CHECK-NEXT:  }

// -----

// Left alone: products and sums; a field that only a loop reads; few steps; a step that may fail.
func.func @loops(%a: !phi.vec<f64>, %v: !phi.vec<f64>, %x: f64, %n: i64)
    -> (tuple<f64, !phi.vec<f64>>, tuple<f64, f64>, tuple<f64, !phi.vec<f64>>, tuple<f64, !phi.vec<f64>>) {
  %three = arith.constant 3 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %init = phi.tuple (%x, %v) : tuple<f64, !phi.vec<f64>>
  %r = phi.fold (%k < %m, %state = %init) -> tuple<f64, !phi.vec<f64>> {
    %acc = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %y = phi.get %a[%k] : !phi.vec<f64>[i64]
    %product = arith.mulf %acc, %y : f64
    %sum = arith.addf %product, %y : f64
    %out = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %new = phi.update %out[%k], %sum : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%sum, %new) : tuple<f64, !phi.vec<f64>>
    phi.yield %next : tuple<f64, !phi.vec<f64>>
  }
  %pair = phi.tuple (%x, %x) : tuple<f64, f64>
  %s = phi.fold (%k_1 < %m, %state_1 = %pair) -> tuple<f64, f64> {
    %acc_1 = phi.proj %state_1, 0 : tuple<f64, f64> -> f64
    %other = phi.proj %state_1, 1 : tuple<f64, f64> -> f64
    %y_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
    %sum_1 = arith.addf %acc_1, %y_1 : f64
    %product_1 = arith.mulf %other, %sum_1 : f64
    %last = math.sin %product_1 : f64
    %next_1 = phi.tuple (%sum_1, %last) : tuple<f64, f64>
    phi.yield %next_1 : tuple<f64, f64>
  }
  %t = phi.fold (%k_2 < %three, %state_2 = %init) -> tuple<f64, !phi.vec<f64>> {
    %acc_2 = phi.proj %state_2, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %y_2 = phi.get %a[%k_2] : !phi.vec<f64>[i64]
    %sum_2 = arith.addf %acc_2, %y_2 : f64
    %out_2 = phi.proj %state_2, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %new_2 = phi.update %out_2[%k_2], %sum_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next_2 = phi.tuple (%sum_2, %new_2) : tuple<f64, !phi.vec<f64>>
    phi.yield %next_2 : tuple<f64, !phi.vec<f64>>
  }
  %u = phi.fold (%k_3 < %m, %state_3 = %init) -> tuple<f64, !phi.vec<f64>> {
    %acc_3 = phi.proj %state_3, 0 : tuple<f64, !phi.vec<f64>> -> f64
    %y_3 = phi.fold (%j < %n, %z = %x) -> f64 {
      %z_1 = math.sin %z : f64
      phi.yield %z_1 : f64
    }
    %sum_3 = arith.addf %acc_3, %y_3 : f64
    %out_3 = phi.proj %state_3, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
    %new_3 = phi.update %out_3[%k_3], %sum_3 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next_3 = phi.tuple (%sum_3, %new_3) : tuple<f64, !phi.vec<f64>>
    phi.yield %next_3 : tuple<f64, !phi.vec<f64>>
  }
  func.return %r, %s, %t, %u : tuple<f64, !phi.vec<f64>>, tuple<f64, f64>, tuple<f64, !phi.vec<f64>>, tuple<f64, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @loops(
// CHECK-NEXT:   %three = arith.constant 3 : i64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %init = phi.tuple (%x, %v) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   %r = phi.fold (%k < %m, %state = %init) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:     %acc = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:     %y = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %product = arith.mulf %acc, %y : f64
// CHECK-NEXT:     %sum = arith.addf %product, %y : f64
// CHECK-NEXT:     %out = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %new = phi.update %out[%k], %sum : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     %next = phi.tuple (%sum, %new) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     phi.yield %next : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %pair = phi.tuple (%x, %x) : tuple<f64, f64>
// CHECK-NEXT:   %s = phi.fold (%k_1 < %m, %state_1 = %pair) -> tuple<f64, f64> {
// CHECK-NEXT:     %acc_1 = phi.proj %state_1, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:     %other = phi.proj %state_1, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:     %y_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %sum_1 = arith.addf %acc_1, %y_1 : f64
// CHECK-NEXT:     %product_1 = arith.mulf %other, %sum_1 : f64
// CHECK-NEXT:     %last = math.sin %product_1 : f64
// CHECK-NEXT:     %next_1 = phi.tuple (%sum_1, %last) : tuple<f64, f64>
// CHECK-NEXT:     phi.yield %next_1 : tuple<f64, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.fold (%k_2 < %three, %state_2 = %init) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:     %acc_2 = phi.proj %state_2, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:     %y_2 = phi.get %a[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %sum_2 = arith.addf %acc_2, %y_2 : f64
// CHECK-NEXT:     %out_1 = phi.proj %state_2, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %new_1 = phi.update %out_1[%k_2], %sum_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     %next_2 = phi.tuple (%sum_2, %new_1) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     phi.yield %next_2 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %u = phi.fold (%k_3 < %m, %state_3 = %init) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:     %acc_3 = phi.proj %state_3, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:     %y_3 = phi.fold (%j < %n, %z = %x) -> f64 {
// CHECK-NEXT:       %z_1 = math.sin %z : f64
// CHECK-NEXT:       phi.yield %z_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %sum_3 = arith.addf %acc_3, %y_3 : f64
// CHECK-NEXT:     %out_2 = phi.proj %state_3, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:     %new_2 = phi.update %out_2[%k_3], %sum_3 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     %next_3 = phi.tuple (%sum_3, %new_2) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:     phi.yield %next_3 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s, %t, %u : tuple<f64, !phi.vec<f64>>, tuple<f64, f64>, tuple<f64, !phi.vec<f64>>, tuple<f64, !phi.vec<f64>>
// CHECK-NEXT: }

// -----

// A count that a condition sets back, and its largest value.
func.func @streak(%x: !phi.vec<i64>, %start: i64) -> tuple<i64, i64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %init = phi.tuple (%start, %zero) : tuple<i64, i64>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, i64> {
    %run = phi.proj %state, 0 : tuple<i64, i64> -> i64
    %best = phi.proj %state, 1 : tuple<i64, i64> -> i64
    %a = phi.get %x[%k] : !phi.vec<i64>[i64]
    %is = arith.cmpi slt, %a, %zero : i64
    %more = arith.addi %run, %one : i64
    %new = arith.select %is, %zero, %more : i64
    %better = arith.maxsi %best, %new : i64
    %next = phi.tuple (%new, %better) : tuple<i64, i64>
    phi.yield %next : tuple<i64, i64>
  }
  func.return %r : tuple<i64, i64>
}
// CHECK:      func.func @streak(%x: !phi.vec<i64>, %start: i64) -> tuple<i64, i64> {
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<i64>
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.addi %n, %0 : i64
// CHECK-NEXT:   %2 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %a = phi.get %x[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %is = arith.cmpi slt, %a, %zero : i64
// CHECK-NEXT:     %3 = arith.constant -1 : i64
// CHECK-NEXT:     %4 = arith.select %is, %k_1, %3 : i64
// CHECK-NEXT:     phi.yield %4 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %5 = phi.scan "max" %2 : !phi.vec<i64>
// CHECK-NEXT:   %6 = phi.array (%7 < %1) -> !phi.vec<i64> {
// CHECK-NEXT:     %8 = arith.index_cast %7 : index to i64
// CHECK-NEXT:     %9 = phi.get %5[%8] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %10 = arith.constant 0 : i64
// CHECK-NEXT:     %11 = arith.cmpi sge, %9, %10 : i64
// CHECK-NEXT:     %12 = arith.constant -1 : i64
// CHECK-NEXT:     %13 = arith.subi %12, %9 : i64
// CHECK-NEXT:     %14 = arith.select %11, %13, %start : i64
// CHECK-NEXT:     %15 = arith.addi %14, %8 : i64
// CHECK-NEXT:     phi.yield %15 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %16 = phi.get %6[%n] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %17 = phi.array (%k_2 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:     %18 = arith.constant 1 : i64
// CHECK-NEXT:     %19 = arith.addi %k_3, %18 : i64
// CHECK-NEXT:     %new = phi.get %6[%19] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %new : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %20 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:   %21 = phi.reduce %17 identity %20 by { arith.maxsi } -> i64
// CHECK-NEXT:   %r = arith.maxsi %zero, %21 : i64
// CHECK-NEXT:   %r_1 = phi.tuple (%16, %r) : tuple<i64, i64>
// CHECK-NEXT:   func.return %r_1 : tuple<i64, i64>
// CHECK-NEXT: }

// -----

// The largest sum, with its step: a search, after the sums. A field that reads the best one in each step needs
// all of its values.
func.func @highest(%x: !phi.vec<i64>, %start: i64) -> tuple<i64, i64, i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %init = phi.tuple (%zero, %start, %zero) : tuple<i64, i64, i64>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, i64, i64> {
    %sum = phi.proj %state, 0 : tuple<i64, i64, i64> -> i64
    %best = phi.proj %state, 1 : tuple<i64, i64, i64> -> i64
    %at = phi.proj %state, 2 : tuple<i64, i64, i64> -> i64
    %a = phi.get %x[%k] : !phi.vec<i64>[i64]
    %new = arith.addi %sum, %a : i64
    %is = arith.cmpi sgt, %new, %best : i64
    %high = arith.select %is, %new, %best : i64
    %there = arith.select %is, %k, %at : i64
    %next = phi.tuple (%new, %high, %there) : tuple<i64, i64, i64>
    phi.yield %next : tuple<i64, i64, i64>
  }
  func.return %r : tuple<i64, i64, i64>
}
// CHECK:      func.func @highest(%x: !phi.vec<i64>, %start: i64) -> tuple<i64, i64, i64> {
// CHECK:        %[[SUMS:.*]] = phi.scan "add"
// CHECK-NOT:    phi.scan
// CHECK:        phi.argreduce %{{.*}} by ">" : !phi.vec<i64>
// CHECK-NOT:    phi.scan
// CHECK-NOT:    phi.fold
// CHECK:        func.return

// -----

func.func @gaps(%x: !phi.vec<i64>, %start: i64) -> tuple<i64, i64, i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %init = phi.tuple (%zero, %start, %zero) : tuple<i64, i64, i64>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, i64, i64> {
    %sum = phi.proj %state, 0 : tuple<i64, i64, i64> -> i64
    %best = phi.proj %state, 1 : tuple<i64, i64, i64> -> i64
    %at = phi.proj %state, 2 : tuple<i64, i64, i64> -> i64
    %a = phi.get %x[%k] : !phi.vec<i64>[i64]
    %is = arith.cmpi sgt, %a, %best : i64
    %high = arith.select %is, %a, %best : i64
    %there = arith.select %is, %k, %at : i64
    %gap = arith.subi %best, %a : i64
    %new = arith.addi %sum, %gap : i64
    %next = phi.tuple (%new, %high, %there) : tuple<i64, i64, i64>
    phi.yield %next : tuple<i64, i64, i64>
  }
  func.return %r : tuple<i64, i64, i64>
}
// CHECK:      func.func @gaps(
// CHECK:        phi.scan "max"
// CHECK-NOT:    phi.fold
// CHECK:        func.return

// -----

// The value of the step before needs no scan.
func.func @changes(%x: !phi.vec<i64>, %start: i64) -> tuple<i64, i64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %init = phi.tuple (%start, %zero) : tuple<i64, i64>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<i64, i64> {
    %last = phi.proj %state, 0 : tuple<i64, i64> -> i64
    %count = phi.proj %state, 1 : tuple<i64, i64> -> i64
    %a = phi.get %x[%k] : !phi.vec<i64>[i64]
    %is = arith.cmpi ne, %a, %last : i64
    %more = arith.addi %count, %one : i64
    %new = arith.select %is, %more, %count : i64
    %next = phi.tuple (%a, %new) : tuple<i64, i64>
    phi.yield %next : tuple<i64, i64>
  }
  func.return %r : tuple<i64, i64>
}
// CHECK:      func.func @changes(
// CHECK-NOT:    phi.scan
// CHECK:        %[[STEP:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:   arith.constant 0 : i64
// CHECK-NEXT:   arith.cmpi sge, %[[STEP]], %{{.*}} : i64
// CHECK-NOT:    phi.scan
// CHECK-NOT:    phi.fold
// CHECK:        func.return

// A counter that grows by the same Int in each step is a multiple of the number of steps.

func.func @counter(%a: !phi.vec<i64>, %by: i64, %h: i64, %n: i64) -> tuple<i64, !phi.vec<i64>> {
  %init = phi.tuple (%h, %a) : tuple<i64, !phi.vec<i64>>
  %r = phi.fold (%k < %n, %acc = %init) -> tuple<i64, !phi.vec<i64>> {
    %p = phi.proj %acc, 0 : tuple<i64, !phi.vec<i64>> -> i64
    %b = phi.proj %acc, 1 : tuple<i64, !phi.vec<i64>> -> !phi.vec<i64>
    %q = arith.addi %p, %by : i64
    %x = phi.get %b[%p] : !phi.vec<i64>[i64]
    %y = phi.update %b[%x], %q : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    %s = phi.tuple (%q, %y) : tuple<i64, !phi.vec<i64>>
    phi.yield %s : tuple<i64, !phi.vec<i64>>
  }
  func.return %r : tuple<i64, !phi.vec<i64>>
}
// CHECK-LABEL: func.func @counter(
// CHECK-NOT:     phi.scan
// CHECK:         phi.fold (%[[K:.*]] < %n,
// CHECK:           %[[STEPS:.*]] = arith.muli %by, %[[K]] : i64
// CHECK-NEXT:      arith.addi %h, %[[STEPS]] : i64

// A fold whose count varies with an index stays: arrays of its steps would not be rectangular.
func.func @own_counts(%n: i64, %c: !phi.vec<i64>, %b: !phi.vec<i1>) -> !phi.vec<i1> {
  %true = arith.constant true
  %r = phi.array (%i < %n) -> !phi.vec<i1> {
    %m = phi.get %c[%i] : !phi.vec<i64>[index]
    %x = phi.get %b[%i] : !phi.vec<i1>[index]
    %all = phi.fold irregular (%k < %m, %acc = %true) -> i1 {
      %next = arith.andi %acc, %x : i1
      phi.yield %next : i1
    }
    phi.yield %all : i1
  }
  func.return %r : !phi.vec<i1>
}
// CHECK-LABEL: func.func @own_counts(
// CHECK:         phi.fold irregular
