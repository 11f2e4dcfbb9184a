// RUN: ein-opt %s --split-input-file -p sieve-folds,canonicalize | filecheck %s

// The sums of divisors.
func.func @sums(%n: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.maxsi %n, %zero : i64
  %b = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %d = arith.addi %k, %one : i64
      %0 = arith.index_cast %i : index to i64
      %r = sigma.floormod %0, %d : i64
      %c = arith.cmpi eq, %r, %zero : i64
      %e = arith.select %c, %d, %zero : i64
      %t = arith.addi %acc, %e : i64
      phi.yield %t : i64
    }
    phi.yield %s : i64
  }
  func.return %b : !phi.vec<i64>
}

// CHECK:      func.func @sums(%n: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %m = arith.maxsi %n, %zero : i64
// CHECK-NEXT:   %0 = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %zero_1 = arith.constant 0 : i64
// CHECK-NEXT:     phi.yield %zero_1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%k < %m, %acc = %0) -> !phi.vec<i64> {
// CHECK-NEXT:     %1 = phi.size %acc, 0 : !phi.vec<i64>
// CHECK-NEXT:     %2 = phi.array (%i_1 < %1) -> !phi.vec<i64> {
// CHECK-NEXT:       %3 = phi.get %acc[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:       %d = arith.addi %k, %one : i64
// CHECK-NEXT:       %4 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:       %r = sigma.floormod %4, %d : i64
// CHECK-NEXT:       %c = arith.cmpi eq, %r, %zero : i64
// CHECK-NEXT:       %5 = arith.addi %3, %d : i64
// CHECK-NEXT:       %6 = arith.select %c, %5, %3 : i64
// CHECK-NEXT:       phi.yield %6 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %2 : !phi.vec<i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %b = phi.array (%i_2 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %s_1 = phi.get %s[%i_2] : !phi.vec<i64>[index]
// CHECK-NEXT:     phi.yield %s_1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %b : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// No number is provably at least 1: the fold stays.
func.func @any_step(%n: i64, %v: !phi.vec<f64>) -> !phi.vec<i64> {
  %m = phi.size %v, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %b = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %0 = arith.index_cast %i : index to i64
      %r = sigma.floormod %0, %k : i64
      %c = arith.cmpi eq, %r, %zero : i64
      %e = arith.select %c, %k, %zero : i64
      %t = arith.addi %acc, %e : i64
      phi.yield %t : i64
    }
    phi.yield %s : i64
  }
  func.return %b : !phi.vec<i64>
}

// CHECK:      func.func @any_step(%n: i64, %v: !phi.vec<f64>) -> !phi.vec<i64> {
// CHECK-NEXT:   %m = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %b = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %s = phi.fold (%k < %m, %acc = %zero) -> i64 {
// CHECK-NEXT:       %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:       %r = sigma.floormod %0, %k : i64
// CHECK-NEXT:       %c = arith.cmpi eq, %r, %zero : i64
// CHECK-NEXT:       %e = arith.select %c, %k, %zero : i64
// CHECK-NEXT:       %t = arith.addi %acc, %e : i64
// CHECK-NEXT:       phi.yield %t : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %b : !phi.vec<i64>
// CHECK-NEXT: }
