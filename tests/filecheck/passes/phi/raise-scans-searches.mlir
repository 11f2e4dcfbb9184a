// RUN: ein-opt %s --split-input-file -p raise-scans,canonicalize,cse,dce | filecheck %s

// The first of the largest elements from an index on: the next one that is the largest of all behind.
func.func @suffix(%x: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %low = arith.constant -9223372036854775808 : i64
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%low, %zero) : tuple<i64, i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %start) -> tuple<i64, i64> {
      %best = phi.proj %acc, 0 : tuple<i64, i64> -> i64
      %at = phi.proj %acc, 1 : tuple<i64, i64> -> i64
      %e = phi.get %x[%k] : !phi.vec<i64>[i64]
      %behind = arith.cmpi sge, %k, %own : i64
      %more = arith.cmpi sgt, %e, %best : i64
      %new_best = arith.select %more, %e, %best : i64
      %new_at = arith.select %more, %k, %at : i64
      %next_best = arith.select %behind, %new_best, %best : i64
      %next_at = arith.select %behind, %new_at, %at : i64
      %next = phi.tuple (%next_best, %next_at) : tuple<i64, i64>
      phi.yield %next : tuple<i64, i64>
    }
    %t = phi.proj %s, 1 : tuple<i64, i64> -> i64
    phi.yield %t : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @suffix(
// CHECK-NOT:     phi.fold
// CHECK:         %0 = phi.scan "max" %x suffixes : !phi.vec<i64>
// CHECK:         %4 = arith.cmpi eq, %2, %3 : i64
// CHECK:         %7 = phi.scan "min" %1 suffixes : !phi.vec<i64>
// CHECK:         %8 = phi.get %7[%own] : !phi.vec<i64>[i64]

// -----

// The steps from the index on have one element, which is better or not.
func.func @sentinel(%x: !phi.vec<i64>, %c: i64) -> !phi.vec<i64> {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %low = arith.constant -9223372036854775808 : i64
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%low, %zero) : tuple<i64, i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %start) -> tuple<i64, i64> {
      %best = phi.proj %acc, 0 : tuple<i64, i64> -> i64
      %at = phi.proj %acc, 1 : tuple<i64, i64> -> i64
      %y = phi.get %x[%k] : !phi.vec<i64>[i64]
      %before = arith.cmpi slt, %k, %own : i64
      %e = arith.select %before, %y, %c : i64
      %more = arith.cmpi sgt, %e, %best : i64
      %next_best = arith.select %more, %e, %best : i64
      %next_at = arith.select %more, %k, %at : i64
      %next = phi.tuple (%next_best, %next_at) : tuple<i64, i64>
      phi.yield %next : tuple<i64, i64>
    }
    %t = phi.proj %s, 1 : tuple<i64, i64> -> i64
    phi.yield %t : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @sentinel(
// CHECK-NOT:     phi.fold
// CHECK:         %0 = phi.scan "max" %x : !phi.vec<i64>
// CHECK:         %11 = arith.select %10, %y, %low : i64
// CHECK:         %13 = arith.cmpi sgt, %c, %11 : i64
// CHECK:         %14 = arith.cmpi slt, %own, %n : i64
// CHECK:         %15 = arith.andi %13, %14 : i1
// CHECK:         %t = arith.select %15, %own, %12 : i64

// -----

// The best of two numbers is at the first step with a key, or at the first one of all.
func.func @first_of_two(%key: !phi.vec<i64>, %y: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %m = phi.size %y, 0 : !phi.vec<i64>
  %low = arith.constant -9223372036854775808 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %start = phi.tuple (%low, %zero) : tuple<i64, i64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %own = phi.get %y[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %start) -> tuple<i64, i64> {
      %best = phi.proj %acc, 0 : tuple<i64, i64> -> i64
      %at = phi.proj %acc, 1 : tuple<i64, i64> -> i64
      %x = phi.get %key[%k] : !phi.vec<i64>[i64]
      %is_own = arith.cmpi eq, %x, %own : i64
      %e = arith.select %is_own, %one, %zero : i64
      %more = arith.cmpi sgt, %e, %best : i64
      %next_best = arith.select %more, %e, %best : i64
      %next_at = arith.select %more, %k, %at : i64
      %next = phi.tuple (%next_best, %next_at) : tuple<i64, i64>
      phi.yield %next : tuple<i64, i64>
    }
    %t = phi.proj %s, 1 : tuple<i64, i64> -> i64
    phi.yield %t : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @first_of_two(
// CHECK:         %[[FIRSTS:.*]] = phi.accumulate (%k < %n) into "min"
// CHECK:         %[[FIRST:.*]] = phi.get %[[FIRSTS]][
// CHECK:         %[[IS_FOUND:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK:         arith.select %[[IS_FOUND]], %{{.*}}, %zero : i64
// CHECK-NOT:     tuple<i64, i64>

// -----

// One of the numbers may be any: it may be the better one or not.
func.func @first_of_any(%key: !phi.vec<i64>, %y: !phi.vec<i64>, %one: i64) -> !phi.vec<i64> {
  %n = phi.size %key, 0 : !phi.vec<i64>
  %m = phi.size %y, 0 : !phi.vec<i64>
  %low = arith.constant -9223372036854775808 : i64
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%low, %zero) : tuple<i64, i64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %own = phi.get %y[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %start) -> tuple<i64, i64> {
      %best = phi.proj %acc, 0 : tuple<i64, i64> -> i64
      %at = phi.proj %acc, 1 : tuple<i64, i64> -> i64
      %x = phi.get %key[%k] : !phi.vec<i64>[i64]
      %is_own = arith.cmpi eq, %x, %own : i64
      %e = arith.select %is_own, %one, %zero : i64
      %more = arith.cmpi sgt, %e, %best : i64
      %next_best = arith.select %more, %e, %best : i64
      %next_at = arith.select %more, %k, %at : i64
      %next = phi.tuple (%next_best, %next_at) : tuple<i64, i64>
      phi.yield %next : tuple<i64, i64>
    }
    %t = phi.proj %s, 1 : tuple<i64, i64> -> i64
    phi.yield %t : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @first_of_any(
// CHECK:         phi.fold (%k < %n, %acc = %start) -> tuple<i64, i64>
