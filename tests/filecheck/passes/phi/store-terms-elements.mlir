// RUN: ein-opt %s --split-input-file -p store-terms{elements=true},dce | filecheck %s

// The element after the written one has its initial value: all terms but the last element are one
// array.
func.func @sweep(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %three: f64, %n: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %m = phi.size %n, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %k, %one : i64
    %q = arith.addi %k, %two : i64
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %y = phi.get %v[%q] : !phi.vec<f64>[i64]
    %z = phi.get %b[%k] : !phi.vec<f64>[i64]
    %0 = arith.addf %y, %x : f64
    %1 = arith.subf %0, %z : f64
    %2 = arith.divf %1, %three : f64
    %w = phi.update %v[%p], %2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @sweep(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %three: f64, %n: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %two = arith.constant 2 : i64
// CHECK-NEXT:     %m = phi.size %n, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %q = arith.addi %k_1, %two : i64
// CHECK-NEXT:       %y = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = arith.subf %y, %z : f64
// CHECK-NEXT:       phi.yield %1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.fold (%k_2 < %m, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:       %2 = phi.get %0[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %p = arith.addi %k_2, %one : i64
// CHECK-NEXT:       %x = phi.get %v[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %3 = arith.addf %x, %2 : f64
// CHECK-NEXT:       %4 = arith.divf %3, %three : f64
// CHECK-NEXT:       %w = phi.update %v[%p], %4 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Products of floats are not regrouped: only the term of one of them is an array.
func.func @product(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %m = phi.size %n, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %k, %one : i64
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %z = phi.get %b[%k] : !phi.vec<f64>[i64]
    %e = math.exp %z : f64
    %0 = arith.mulf %x, %z : f64
    %1 = arith.mulf %0, %e : f64
    %w = phi.update %v[%p], %1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @product(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %m = phi.size %n, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %z = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %e = math.exp %z : f64
// CHECK-NEXT:       phi.yield %e : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.fold (%k_2 < %m, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:       %e_1 = phi.get %0[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %p = arith.addi %k_2, %one : i64
// CHECK-NEXT:       %x = phi.get %v[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z_1 = phi.get %b[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = arith.mulf %x, %z_1 : f64
// CHECK-NEXT:       %2 = arith.mulf %1, %e_1 : f64
// CHECK-NEXT:       %w = phi.update %v[%p], %2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Unchanged: an earlier step may have written each element that is read, and a single read is no
// array.
func.func @no_terms(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %m = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
    %q = phi.get %p[%k] : !phi.vec<i64>[i64]
    %x = phi.get %v[%q] : !phi.vec<f64>[i64]
    %y = phi.get %v[%one] : !phi.vec<f64>[i64]
    %z = phi.get %b[%k] : !phi.vec<f64>[i64]
    %0 = arith.addf %x, %y : f64
    %1 = arith.addf %0, %z : f64
    %w = phi.update %v[%k], %1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @no_terms(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:       %q = phi.get %p[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %x = phi.get %v[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = phi.get %v[%one] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %0 = arith.addf %x, %y : f64
// CHECK-NEXT:       %1 = arith.addf %0, %z : f64
// CHECK-NEXT:       %w = phi.update %v[%k], %1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Two terms that a step waits for are one sum, which waits, too.
func.func @lags(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %m = phi.size %n, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %k, %one : i64
    %q = arith.addi %k, %two : i64
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %y = phi.get %v[%p] : !phi.vec<f64>[i64]
    %z = phi.get %b[%k] : !phi.vec<f64>[i64]
    %u = phi.get %b[%p] : !phi.vec<f64>[i64]
    %0 = arith.addf %z, %x : f64
    %1 = arith.addf %u, %y : f64
    %2 = arith.addf %0, %1 : f64
    %w = phi.update %v[%q], %2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:        func.func @lags(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %two = arith.constant 2 : i64
// CHECK-NEXT:     %m = phi.size %n, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = phi.array (%k < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %p = arith.addi %k_1, %one : i64
// CHECK-NEXT:       %z = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %u = phi.get %b[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %1 = arith.addf %z, %u : f64
// CHECK-NEXT:       phi.yield %1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %r = phi.fold (%k_2 < %m, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:       %2 = phi.get %0[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %p_1 = arith.addi %k_2, %one : i64
// CHECK-NEXT:       %q = arith.addi %k_2, %two : i64
// CHECK-NEXT:       %x = phi.get %v[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = phi.get %v[%p_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %3 = arith.addf %x, %y : f64
// CHECK-NEXT:       %4 = arith.addf %3, %2 : f64
// CHECK-NEXT:       %w = phi.update %v[%q], %4 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }
