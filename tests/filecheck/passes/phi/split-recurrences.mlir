// RUN: ein-opt %s --split-input-file -p split-recurrences,simplify | filecheck %s

// A sum that no step reads is computed after the loop, which keeps the number that it carries.
func.func @sum(%a: !phi.vec<f64>, %c: !phi.vec<f64>, %n: i64, %x: f64) -> tuple<f64, f64> {
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%x, %zero) : tuple<f64, f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
    %y = phi.proj %s, 0 : tuple<f64, f64> -> f64
    %sum = phi.proj %s, 1 : tuple<f64, f64> -> f64
    %u = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %u, %y : f64
    %w = phi.get %c[%k] : !phi.vec<f64>[i64]
    %0 = arith.mulf %y, %y : f64
    %1 = arith.divf %0, %w : f64
    %2 = math.exp %1 : f64
    %3 = arith.addf %sum, %2 : f64
    %4 = phi.tuple (%next, %3) : tuple<f64, f64>
    phi.yield %4 : tuple<f64, f64>
  }
  func.return %r : tuple<f64, f64>
}

// CHECK:       func.func @sum(%a: !phi.vec<f64>, %c: !phi.vec<f64>, %n: i64, %x: f64) -> tuple<f64, f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %0 = arith.constant 0 : i64
// CHECK-NEXT:    %1 = arith.maxsi %n, %0 : i64
// CHECK-NEXT:    %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:      %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %5 = phi.tuple (%x, %2) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %6 = phi.fold (%k < %n, %s = %5) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:      %7 = phi.proj %s, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %8 = phi.proj %s, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %u = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %next = arith.mulf %u, %7 : f64
// CHECK-NEXT:      %9 = phi.update %8[%k], %7 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %10 = phi.tuple (%next, %9) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %10 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %11 = phi.proj %6, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:    %12 = phi.proj %6, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %13 = phi.fold (%k_1 < %n, %s_1 = %zero) -> f64 {
// CHECK-NEXT:      %14 = phi.get %12[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %w = phi.get %c[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %15 = arith.mulf %14, %14 : f64
// CHECK-NEXT:      %16 = arith.divf %15, %w : f64
// CHECK-NEXT:      %17 = math.exp %16 : f64
// CHECK-NEXT:      %18 = arith.addf %s_1, %17 : f64
// CHECK-NEXT:      phi.yield %18 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.tuple (%11, %13) : tuple<f64, f64>
// CHECK-NEXT:    func.return %r : tuple<f64, f64>
// CHECK-NEXT:  }

// -----


// Few operations stay in the loop.
func.func @cheap(%a: !phi.vec<f64>, %n: i64, %x: f64) -> tuple<f64, f64> {
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%x, %zero) : tuple<f64, f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
    %y = phi.proj %s, 0 : tuple<f64, f64> -> f64
    %sum = phi.proj %s, 1 : tuple<f64, f64> -> f64
    %u = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %u, %y : f64
    %0 = arith.addf %sum, %y : f64
    %1 = phi.tuple (%next, %0) : tuple<f64, f64>
    phi.yield %1 : tuple<f64, f64>
  }
  func.return %r : tuple<f64, f64>
}

// CHECK:       func.func @cheap(%a: !phi.vec<f64>, %n: i64, %x: f64) -> tuple<f64, f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %init = phi.tuple (%x, %zero) : tuple<f64, f64>
// CHECK-NEXT:    %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
// CHECK-NEXT:      %y = phi.proj %s, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %sum = phi.proj %s, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %u = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %next = arith.mulf %u, %y : f64
// CHECK-NEXT:      %0 = arith.addf %sum, %y : f64
// CHECK-NEXT:      %1 = phi.tuple (%next, %0) : tuple<f64, f64>
// CHECK-NEXT:      phi.yield %1 : tuple<f64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tuple<f64, f64>
// CHECK-NEXT:  }

// -----


// So does a loop that reads no array: an array of the numbers of all steps may be too large.
func.func @numbers(%n: i64, %x: f64) -> tuple<f64, f64> {
  %zero = arith.constant 0.0 : f64
  %init = phi.tuple (%x, %zero) : tuple<f64, f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
    %y = phi.proj %s, 0 : tuple<f64, f64> -> f64
    %sum = phi.proj %s, 1 : tuple<f64, f64> -> f64
    %next = arith.mulf %x, %y : f64
    %0 = math.exp %y : f64
    %1 = arith.mulf %0, %0 : f64
    %2 = arith.addf %sum, %1 : f64
    %3 = phi.tuple (%next, %2) : tuple<f64, f64>
    phi.yield %3 : tuple<f64, f64>
  }
  func.return %r : tuple<f64, f64>
}

// CHECK:       func.func @numbers(%n: i64, %x: f64) -> tuple<f64, f64> {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %init = phi.tuple (%x, %zero) : tuple<f64, f64>
// CHECK-NEXT:    %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
// CHECK-NEXT:      %y = phi.proj %s, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %sum = phi.proj %s, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %next = arith.mulf %x, %y : f64
// CHECK-NEXT:      %0 = math.exp %y : f64
// CHECK-NEXT:      %1 = arith.mulf %0, %0 : f64
// CHECK-NEXT:      %2 = arith.addf %sum, %1 : f64
// CHECK-NEXT:      %3 = phi.tuple (%next, %2) : tuple<f64, f64>
// CHECK-NEXT:      phi.yield %3 : tuple<f64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tuple<f64, f64>
// CHECK-NEXT:  }

// -----


// A field that a step reads stays with its readers, and an element that is written leaves the loop.
func.func @written(%a: !phi.vec<f64>, %z: !phi.vec<f64>, %n: i64, %x: f64) -> !phi.vec<f64> {
  %init = phi.tuple (%z, %x) : tuple<!phi.vec<f64>, f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, f64> {
    %out = phi.proj %s, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
    %y = phi.proj %s, 1 : tuple<!phi.vec<f64>, f64> -> f64
    %u = phi.get %a[%k] : !phi.vec<f64>[i64]
    %next = arith.mulf %u, %y : f64
    %0 = arith.addf %y, %u : f64
    %w = math.exp %0 : f64
    %v = arith.mulf %w, %y : f64
    %1 = arith.divf %v, %u : f64
    %2 = phi.update %out[%k], %1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %3 = phi.tuple (%2, %next) : tuple<!phi.vec<f64>, f64>
    phi.yield %3 : tuple<!phi.vec<f64>, f64>
  }
  %t = phi.proj %r, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
  func.return %t : !phi.vec<f64>
}

// CHECK:       func.func @written(%a: !phi.vec<f64>, %z: !phi.vec<f64>, %n: i64, %x: f64) -> !phi.vec<f64> {
// CHECK-NEXT:    %0 = arith.constant 0 : i64
// CHECK-NEXT:    %1 = arith.maxsi %n, %0 : i64
// CHECK-NEXT:    %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:      %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      phi.yield %4 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %5 = phi.tuple (%x, %2) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    %6 = phi.fold (%k < %n, %s = %5) -> tuple<f64, !phi.vec<f64>> {
// CHECK-NEXT:      %7 = phi.proj %s, 0 : tuple<f64, !phi.vec<f64>> -> f64
// CHECK-NEXT:      %8 = phi.proj %s, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      %u = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %next = arith.mulf %u, %7 : f64
// CHECK-NEXT:      %9 = phi.update %8[%k], %7 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %10 = phi.tuple (%next, %9) : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:      phi.yield %10 : tuple<f64, !phi.vec<f64>>
// CHECK-NEXT:    }
// CHECK-NEXT:    %11 = phi.proj %6, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:    %t = phi.fold (%k_1 < %n, %s_1 = %z) -> !phi.vec<f64> {
// CHECK-NEXT:      %12 = phi.get %11[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %u_1 = phi.get %a[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %13 = arith.addf %12, %u_1 : f64
// CHECK-NEXT:      %w = math.exp %13 : f64
// CHECK-NEXT:      %v = arith.mulf %w, %12 : f64
// CHECK-NEXT:      %14 = arith.divf %v, %u_1 : f64
// CHECK-NEXT:      %15 = phi.update %s_1[%k_1], %14 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      phi.yield %15 : !phi.vec<f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %t : !phi.vec<f64>
// CHECK-NEXT:  }
