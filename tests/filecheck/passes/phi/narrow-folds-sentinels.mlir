// RUN: ein-opt %s --split-input-file -p "narrow-folds{irregular=true},simplify" | filecheck %s

// A maximum with the same number in place of all elements from a position on is one of those before
// it, and of the number: there is a step from the counter of the loop on.

func.func @subsequence(%x: !phi.vec<i64>) -> i64 {
  %zero = arith.constant 0 : i64
  %least = arith.constant -9223372036854775808 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %r = phi.fold (%i < %n, %a = %zero) -> i64 {
    %m = phi.fold (%k < %n, %acc = %least) -> i64 {
      %before = arith.cmpi slt, %k, %i : i64
      %e = phi.get %x[%k] : !phi.vec<i64>[i64]
      %less = arith.cmpi slt, %e, %a : i64
      %both = arith.andi %before, %less : i1
      %v = arith.select %both, %e, %zero : i64
      %next = arith.maxsi %acc, %v : i64
      phi.yield %next : i64
    }
    %b = arith.addi %a, %m : i64
    phi.yield %b : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @subsequence
// CHECK:         %r = phi.fold (%i < %n, %a = %zero) -> i64 {
// CHECK:           %[[MOST:.*]] = phi.fold (%k < %i, %acc = %{{.*}}) -> i64 {
// CHECK-NEXT:        %e = phi.get %x[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %less = arith.cmpi slt, %e, %a : i64
// CHECK:             %{{.*}} = arith.select %less, %e, %{{.*}} : i64
// CHECK:           arith.maxsi %[[MOST]], %zero : i64

// -----

// Of any position, there may be none behind it: the fold stays. So does a sum, and a maximum with
// numbers that differ.
func.func @others(%x: !phi.vec<i64>, %p: i64) -> (i64, i64, i64) {
  %zero = arith.constant 0 : i64
  %least = arith.constant -9223372036854775808 : i64
  %three = arith.constant 3 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %m = phi.fold (%k < %n, %acc = %least) -> i64 {
    %before = arith.cmpi slt, %k, %p : i64
    %e = phi.get %x[%k] : !phi.vec<i64>[i64]
    %v = arith.select %before, %e, %three : i64
    %next = arith.maxsi %acc, %v : i64
    phi.yield %next : i64
  }
  %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
    %b = phi.fold (%l < %n, %acc_1 = %acc) -> i64 {
      %before = arith.cmpi slt, %l, %k : i64
      %e = phi.get %x[%l] : !phi.vec<i64>[i64]
      %v = arith.select %before, %e, %three : i64
      %next = arith.addi %acc_1, %v : i64
      phi.yield %next : i64
    }
    %c = arith.muli %b, %b : i64
    phi.yield %c : i64
  }
  %t = phi.fold (%k < %n, %acc = %zero) -> i64 {
    %b = phi.fold (%l < %n, %acc_1 = %least) -> i64 {
      %before = arith.cmpi slt, %l, %k : i64
      %e = phi.get %x[%l] : !phi.vec<i64>[i64]
      %v = arith.select %before, %e, %l : i64
      %next = arith.maxsi %acc_1, %v : i64
      phi.yield %next : i64
    }
    %c = arith.addi %acc, %b : i64
    phi.yield %c : i64
  }
  func.return %m, %s, %t : i64, i64, i64
}

// CHECK-LABEL: func.func @others
// CHECK:         %m = phi.fold (%k < %n,
// CHECK:           phi.fold (%l < %n,
// CHECK:           phi.fold (%l_1 < %n,
