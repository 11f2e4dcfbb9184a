// RUN: ein-opt %s --split-input-file -p raise-scans,canonicalize,dce | filecheck %s

// The intervals that hold a number are those that begin before it, without those that end before it.

func.func @active(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %y = phi.get %x[%i] : !phi.vec<f64>[index]
    %c = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %low = phi.get %a[%k] : !phi.vec<f64>[i64]
      %high = phi.get %b[%k] : !phi.vec<f64>[i64]
      %begins = arith.cmpf ole, %low, %y : f64
      %ends = arith.cmpf olt, %y, %high : f64
      %holds = arith.andi %begins, %ends : i1
      %term = arith.select %holds, %one, %zero : i64
      %next = arith.addi %acc, %term : i64
      phi.yield %next : i64
    }
    phi.yield %c : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK:      func.func @active(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<i64> {
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %y = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %0 = phi.argsort %a : !phi.vec<f64>
// CHECK-NEXT:     %1 = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %2 = phi.get %0[%k] : !phi.vec<i64>[index]
// CHECK-NEXT:       %3 = phi.get %a[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %3 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %4 = phi.searchsorted %1, %y right : !phi.vec<f64>, f64
// CHECK-NEXT:     %5 = arith.constant 0 : i64
// CHECK-NEXT:     %6 = arith.cmpf une, %y, %y : f64
// CHECK-NEXT:     %7 = arith.select %6, %5, %4 : i64
// CHECK-NEXT:     %8 = phi.array (%k_1 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:       %k_3 = phi.get %0[%k_2] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %low = phi.get %a[%k_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %high = phi.get %b[%k_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %9 = arith.cmpf ole, %low, %high : f64
// CHECK-NEXT:       %10 = arith.constant 0 : i64
// CHECK-NEXT:       %11 = arith.select %9, %one, %10 : i64
// CHECK-NEXT:       phi.yield %11 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %12 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:     %13 = phi.get %12[%7] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %14 = phi.array (%k_4 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_5 = arith.index_cast %k_4 : index to i64
// CHECK-NEXT:       %high_1 = phi.get %b[%k_5] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %high_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %15 = phi.argsort %14 : !phi.vec<f64>
// CHECK-NEXT:     %16 = phi.array (%k_6 < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %17 = phi.get %15[%k_6] : !phi.vec<i64>[index]
// CHECK-NEXT:       %18 = phi.get %14[%17] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %18 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %19 = phi.searchsorted %16, %y right : !phi.vec<f64>, f64
// CHECK-NEXT:     %20 = arith.constant 0 : i64
// CHECK-NEXT:     %21 = arith.cmpf une, %y, %y : f64
// CHECK-NEXT:     %22 = arith.select %21, %20, %19 : i64
// CHECK-NEXT:     %23 = phi.array (%k_7 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_8 = arith.index_cast %k_7 : index to i64
// CHECK-NEXT:       %k_9 = phi.get %15[%k_8] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %low_1 = phi.get %a[%k_9] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %high_2 = phi.get %b[%k_9] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %24 = arith.cmpf ole, %low_1, %high_2 : f64
// CHECK-NEXT:       %25 = arith.constant 0 : i64
// CHECK-NEXT:       %26 = arith.select %24, %one, %25 : i64
// CHECK-NEXT:       phi.yield %26 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %27 = phi.scan "add" %23 : !phi.vec<i64>
// CHECK-NEXT:     %28 = phi.get %27[%22] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %c = arith.subi %13, %28 : i64
// CHECK-NEXT:     phi.yield %c : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }
// -----

// Whether there is such an interval: their number is not 0.

func.func @is_active(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %x: !phi.vec<i64>) -> !phi.vec<i1> {
  %no = arith.constant false
  %m = phi.size %a, 0 : !phi.vec<i64>
  %n = phi.size %x, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i1> {
    %y = phi.get %x[%i] : !phi.vec<i64>[index]
    %c = phi.fold (%k < %m, %acc = %no) -> i1 {
      %low = phi.get %a[%k] : !phi.vec<i64>[i64]
      %high = phi.get %b[%k] : !phi.vec<i64>[i64]
      %begins = arith.cmpi sle, %low, %y : i64
      %ends = arith.cmpi sle, %y, %high : i64
      %holds = arith.andi %begins, %ends : i1
      %next = arith.ori %acc, %holds : i1
      phi.yield %next : i1
    }
    phi.yield %c : i1
  }
  func.return %r : !phi.vec<i1>
}
// CHECK:      func.func @is_active(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %x: !phi.vec<i64>) -> !phi.vec<i1> {
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<i1> {
// CHECK-NEXT:     %y = phi.get %x[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:     %0 = phi.argsort %a : !phi.vec<i64>
// CHECK-NEXT:     %1 = phi.array (%k < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %2 = phi.get %0[%k] : !phi.vec<i64>[index]
// CHECK-NEXT:       %3 = phi.get %a[%2] : !phi.vec<i64>[i64]
// CHECK-NEXT:       phi.yield %3 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %4 = phi.searchsorted %1, %y right : !phi.vec<i64>, i64
// CHECK-NEXT:     %5 = phi.array (%k_1 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:       %k_3 = phi.get %0[%k_2] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %low = phi.get %a[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %high = phi.get %b[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %6 = arith.cmpi sle, %low, %high : i64
// CHECK-NEXT:       %7 = arith.constant 1 : i64
// CHECK-NEXT:       %8 = arith.constant 0 : i64
// CHECK-NEXT:       %9 = arith.select %6, %7, %8 : i64
// CHECK-NEXT:       phi.yield %9 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %10 = phi.scan "add" %5 : !phi.vec<i64>
// CHECK-NEXT:     %11 = phi.get %10[%4] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %12 = phi.array (%k_4 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_5 = arith.index_cast %k_4 : index to i64
// CHECK-NEXT:       %high_1 = phi.get %b[%k_5] : !phi.vec<i64>[i64]
// CHECK-NEXT:       phi.yield %high_1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %13 = phi.argsort %12 : !phi.vec<i64>
// CHECK-NEXT:     %14 = phi.array (%k_6 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %15 = phi.get %13[%k_6] : !phi.vec<i64>[index]
// CHECK-NEXT:       %16 = phi.get %12[%15] : !phi.vec<i64>[i64]
// CHECK-NEXT:       phi.yield %16 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %17 = phi.searchsorted %14, %y : !phi.vec<i64>, i64
// CHECK-NEXT:     %18 = phi.array (%k_7 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %k_8 = arith.index_cast %k_7 : index to i64
// CHECK-NEXT:       %k_9 = phi.get %13[%k_8] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %low_1 = phi.get %a[%k_9] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %high_2 = phi.get %b[%k_9] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %19 = arith.cmpi sle, %low_1, %high_2 : i64
// CHECK-NEXT:       %20 = arith.constant 1 : i64
// CHECK-NEXT:       %21 = arith.constant 0 : i64
// CHECK-NEXT:       %22 = arith.select %19, %20, %21 : i64
// CHECK-NEXT:       phi.yield %22 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %23 = phi.scan "add" %18 : !phi.vec<i64>
// CHECK-NEXT:     %24 = phi.get %23[%17] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %25 = arith.subi %11, %24 : i64
// CHECK-NEXT:     %26 = arith.constant 0 : i64
// CHECK-NEXT:     %c = arith.cmpi sgt, %25, %26 : i64
// CHECK-NEXT:     phi.yield %c : i1
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i1>
// CHECK-NEXT: }
// -----

// A number of steps as a float is that of Ints, whose windows are differences.

func.func @share(%x: !phi.vec<f64>, %w: i64, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %c = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %y = phi.get %x[%p] : !phi.vec<f64>[i64]
      %is_more = arith.cmpf ogt, %y, %zero : f64
      %term = arith.select %is_more, %two, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %c : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @share(%x: !phi.vec<f64>, %w: i64, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.addi %n, %w : i64
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:     %3 = arith.constant 0 : i64
// CHECK-NEXT:     %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:     %5 = arith.constant 17592186044416 : i64
// CHECK-NEXT:     %6 = arith.cmpi ule, %w, %5 : i64
// CHECK-NEXT:     %7 = arith.select %6, %4, %w : i64
// CHECK-NEXT:     %8 = phi.array (%k < %7) -> !phi.vec<i64> {
// CHECK-NEXT:       %i_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %y = phi.get %x[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %is_more = arith.cmpf ogt, %y, %zero : f64
// CHECK-NEXT:       %9 = arith.constant 1 : i64
// CHECK-NEXT:       %10 = arith.constant 0 : i64
// CHECK-NEXT:       %11 = arith.select %is_more, %9, %10 : i64
// CHECK-NEXT:       phi.yield %11 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %12 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:     %13 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %14 = arith.addi %13, %w : i64
// CHECK-NEXT:     %15 = phi.get %12[%14] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %16 = phi.get %12[%13] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %17 = arith.subi %15, %16 : i64
// CHECK-NEXT:     %18 = arith.sitofp %17 : i64 to f64
// CHECK-NEXT:     %19 = arith.constant 2.000000e+00 : f64
// CHECK-NEXT:     %c = arith.mulf %18, %19 : f64
// CHECK-NEXT:     phi.yield %c : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }
// -----

// These stay: a sum of floats has no differences, and one of other floats is no number of steps.

func.func @floats(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %y = phi.get %x[%i] : !phi.vec<f64>[index]
    %c = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %low = phi.get %a[%k] : !phi.vec<f64>[i64]
      %high = phi.get %b[%k] : !phi.vec<f64>[i64]
      %begins = arith.cmpf ole, %low, %y : f64
      %ends = arith.cmpf olt, %y, %high : f64
      %holds = arith.andi %begins, %ends : i1
      %term = arith.select %holds, %low, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %c : f64
  }
  func.return %r : !phi.vec<f64>
}

func.func @half(%x: !phi.vec<f64>, %w: i64, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %c = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %p = arith.addi %i_1, %k : i64
      %y = phi.get %x[%p] : !phi.vec<f64>[i64]
      %is_more = arith.cmpf ogt, %y, %zero : f64
      %term = arith.select %is_more, %half, %zero : f64
      %next = arith.addf %acc, %term : f64
      phi.yield %next : f64
    }
    phi.yield %c : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:      func.func @floats(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %y = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %c = phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:       %low = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %high = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %begins = arith.cmpf ole, %low, %y : f64
// CHECK-NEXT:       %ends = arith.cmpf olt, %y, %high : f64
// CHECK-NEXT:       %holds = arith.andi %begins, %ends : i1
// CHECK-NEXT:       %term = arith.select %holds, %low, %zero : f64
// CHECK-NEXT:       %next = arith.addf %acc, %term : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %c : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }
// CHECK:      func.func @half(%x: !phi.vec<f64>, %w: i64, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.addi %n, %w : i64
// CHECK-NEXT:     %1 = arith.constant 1 : i64
// CHECK-NEXT:     %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:     %3 = arith.constant 0 : i64
// CHECK-NEXT:     %4 = arith.maxsi %2, %3 : i64
// CHECK-NEXT:     %5 = arith.constant 17592186044416 : i64
// CHECK-NEXT:     %6 = arith.cmpi ule, %w, %5 : i64
// CHECK-NEXT:     %7 = arith.select %6, %4, %w : i64
// CHECK-NEXT:     %8 = phi.array (%k < %7) -> !phi.vec<i64> {
// CHECK-NEXT:       %i_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %y = phi.get %x[%i_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %is_more = arith.cmpf ogt, %y, %zero : f64
// CHECK-NEXT:       %9 = arith.constant 1 : i64
// CHECK-NEXT:       %10 = arith.constant 0 : i64
// CHECK-NEXT:       %11 = arith.select %is_more, %9, %10 : i64
// CHECK-NEXT:       phi.yield %11 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %12 = phi.scan "add" %8 : !phi.vec<i64>
// CHECK-NEXT:     %13 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %14 = arith.addi %13, %w : i64
// CHECK-NEXT:     %15 = phi.get %12[%14] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %16 = phi.get %12[%13] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %17 = arith.subi %15, %16 : i64
// CHECK-NEXT:     %18 = arith.sitofp %17 : i64 to f64
// CHECK-NEXT:     %19 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:     %c = arith.mulf %18, %19 : f64
// CHECK-NEXT:     phi.yield %c : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A number of steps is their count, after a try of the loop around to take the longest one.
func.func @unread(%v: !phi.vec<f64>) -> f64 {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %none = arith.constant 0xfff0000000000000 : f64
  %r = phi.fold (%i < %n, %acc = %none) -> f64 {
    %m = phi.fold (%j < %n, %best = %none) -> f64 {
      %s = phi.fold (%k < %i, %sum = %zero) -> f64 {
        %t = arith.addf %sum, %one : f64
        phi.yield %t : f64
      }
      %x = arith.maximumf %best, %s : f64
      phi.yield %x : f64
    }
    phi.yield %m : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @unread(%v: !phi.vec<f64>) -> f64 {
// CHECK-NEXT:       %n = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:       %none = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:       %r = phi.fold (%i < %n, %acc = %none) -> f64 {
// CHECK-NEXT:         %m = phi.fold (%j < %n, %best = %none) -> f64 {
// CHECK-NEXT:           %s = arith.sitofp %i : i64 to f64
// CHECK-NEXT:           %x = arith.maximumf %best, %s : f64
// CHECK-NEXT:           phi.yield %x : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %m : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : f64
// CHECK-NEXT:     }
