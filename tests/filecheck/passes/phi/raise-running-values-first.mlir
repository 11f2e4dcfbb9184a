// RUN: ein-opt %s --split-input-file -p "raise-running-values{scans=false},canonicalize,dce" | filecheck %s

// The first element above a threshold, and its position, which is not negative then.
func.func @first(%a: !phi.vec<f64>, %t: f64) -> tuple<i64, f64> {
  %none = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %nan = arith.constant 0.5 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %init = phi.tuple (%none, %nan) : tuple<i64, f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<i64, f64> {
    %at = phi.proj %s, 0 : tuple<i64, f64> -> i64
    %best = phi.proj %s, 1 : tuple<i64, f64> -> f64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %b = arith.cmpi slt, %at, %zero : i64
    %c = arith.cmpf ogt, %x, %t : f64
    %d = arith.andi %b, %c : i1
    %at_1 = arith.select %d, %k, %at : i64
    %best_1 = arith.select %d, %x, %best : f64
    %next = phi.tuple (%at_1, %best_1) : tuple<i64, f64>
    phi.yield %next : tuple<i64, f64>
  }
  func.return %r : tuple<i64, f64>
}

// CHECK-LABEL: func.func @first(%a: !phi.vec<f64>, %t: f64) -> tuple<i64, f64> {
// CHECK-NEXT:        %none = arith.constant -1 : i64
// CHECK-NEXT:        %nan = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:        %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:        %0 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:          %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:          %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %c = arith.cmpf ogt, %x, %t : f64
// CHECK-NEXT:          %1 = arith.select %c, %k_1, %n : i64
// CHECK-NEXT:          phi.yield %1 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %2 = phi.reduce %0 identity %n by { arith.minsi } -> i64
// CHECK-NEXT:        %3 = arith.cmpi slt, %2, %n : i64
// CHECK-NEXT:        %4 = arith.select %3, %2, %none : i64
// CHECK-NEXT:        %5 = arith.cmpi ult, %2, %n : i64
// CHECK-NEXT:        %6 = arith.constant -1 : i64
// CHECK-NEXT:        %7 = arith.select %5, %2, %6 : i64
// CHECK-NEXT:        %d = arith.cmpi eq, %7, %2 : i64
// CHECK-NEXT:        %8 = arith.constant -1 : i64
// CHECK-NEXT:        %9 = arith.select %d, %7, %8 : i64
// CHECK-NEXT:        %10 = arith.constant 0 : i64
// CHECK-NEXT:        %11 = arith.cmpi sge, %9, %10 : i64
// CHECK-NEXT:        %x_1 = phi.get %a[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %r = arith.select %11, %x_1, %nan : f64
// CHECK-NEXT:        %r_1 = phi.tuple (%4, %r) : tuple<i64, f64>
// CHECK-NEXT:        func.return %r_1 : tuple<i64, f64>
// CHECK-NEXT:      }

// -----

// The last element above a threshold.
func.func @last(%a: !phi.vec<f64>, %t: f64, %start: f64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %s = %start) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpf ogt, %x, %t : f64
    %next = arith.select %c, %x, %s : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @last(%a: !phi.vec<f64>, %t: f64, %start: f64) -> f64 {
// CHECK-NEXT:        %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:        %0 = arith.constant -1 : i64
// CHECK-NEXT:        %1 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:          %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:          %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %c = arith.cmpf ogt, %x, %t : f64
// CHECK-NEXT:          %2 = arith.constant -1 : i64
// CHECK-NEXT:          %3 = arith.select %c, %k_1, %2 : i64
// CHECK-NEXT:          phi.yield %3 : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        %4 = phi.reduce %1 identity %0 by { arith.maxsi } -> i64
// CHECK-NEXT:        %5 = arith.constant 0 : i64
// CHECK-NEXT:        %6 = arith.cmpi sge, %4, %5 : i64
// CHECK-NEXT:        %x_1 = phi.get %a[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %r = arith.select %6, %x_1, %start : f64
// CHECK-NEXT:        func.return %r : f64
// CHECK-NEXT:      }

// -----

// A value that may be negative again: the first one may not be the last.
func.func @again(%a: !phi.vec<i64>) -> i64 {
  %none = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.fold (%k < %n, %s = %none) -> i64 {
    %x = phi.get %a[%k] : !phi.vec<i64>[i64]
    %b = arith.cmpi slt, %s, %zero : i64
    %next = arith.select %b, %x, %s : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @again(%a: !phi.vec<i64>) -> i64 {
// CHECK-NEXT:        %none = arith.constant -1 : i64
// CHECK-NEXT:        %zero = arith.constant 0 : i64
// CHECK-NEXT:        %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:        %r = phi.fold (%k < %n, %s = %none) -> i64 {
// CHECK-NEXT:          %x = phi.get %a[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:          %b = arith.cmpi slt, %s, %zero : i64
// CHECK-NEXT:          %next = arith.select %b, %x, %s : i64
// CHECK-NEXT:          phi.yield %next : i64
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : i64
// CHECK-NEXT:      }

// -----

// A sum that another field reads would be a scan.
func.func @sums(%a: !phi.vec<f64>, %init: tuple<f64, f64>) -> tuple<f64, f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
    %sum = phi.proj %s, 0 : tuple<f64, f64> -> f64
    %most = phi.proj %s, 1 : tuple<f64, f64> -> f64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %sum_1 = arith.addf %sum, %x : f64
    %most_1 = arith.maximumf %most, %sum : f64
    %next = phi.tuple (%sum_1, %most_1) : tuple<f64, f64>
    phi.yield %next : tuple<f64, f64>
  }
  func.return %r : tuple<f64, f64>
}

// CHECK-LABEL: func.func @sums(%a: !phi.vec<f64>, %init: tuple<f64, f64>) -> tuple<f64, f64> {
// CHECK-NEXT:        %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:        %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
// CHECK-NEXT:          %sum = phi.proj %s, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %most = phi.proj %s, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %sum_1 = arith.addf %sum, %x : f64
// CHECK-NEXT:          %most_1 = arith.maximumf %most, %sum : f64
// CHECK-NEXT:          %next = phi.tuple (%sum_1, %most_1) : tuple<f64, f64>
// CHECK-NEXT:          phi.yield %next : tuple<f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        func.return %r : tuple<f64, f64>
// CHECK-NEXT:      }

// -----

// A literal that the first step with a condition sets, if no other field reads it: no step is found.
func.func @alive(%x: !phi.vec<f64>) -> tuple<f64, i1> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %true = arith.constant true
  %init = phi.tuple (%zero, %true) : tuple<f64, i1>
  %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, i1> {
    %total = phi.proj %state, 0 : tuple<f64, i1> -> f64
    %alive = phi.proj %state, 1 : tuple<f64, i1> -> i1
    %a = phi.get %x[%k] : !phi.vec<f64>[i64]
    %sum = arith.addf %total, %a : f64
    %above = arith.cmpf ogt, %a, %zero : f64
    %still = arith.andi %alive, %above : i1
    %next = phi.tuple (%sum, %still) : tuple<f64, i1>
    phi.yield %next : tuple<f64, i1>
  }
  func.return %r : tuple<f64, i1>
}
// CHECK-LABEL: func.func @alive(
// CHECK:         phi.reduce %{{.*}} identity %{{.*}} by { arith.andi } -> i1
// CHECK-NOT:     arith.minsi
// CHECK:         func.return
