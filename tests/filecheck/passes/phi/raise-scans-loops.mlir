// RUN: ein-opt %s --split-input-file -p raise-scans,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p "raise-scans{once=true},dce" | filecheck %s --check-prefix=ONCE

// A loop that counts up to the first position where a condition fails: a scan of all of these.

func.func @run(%x: !phi.vec<i1>) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %x, 0 : !phi.vec<i1>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %start = arith.index_cast %i : index to i64
    %first = phi.get %x[%i] : !phi.vec<i1>[index]
    %init = phi.tuple (%first, %start) : tuple<i1, i64>
    %s = phi.while (%steps < %limit, %acc = %init) -> tuple<i1, i64> {
      %j = phi.proj %acc, 1 : tuple<i1, i64> -> i64
      %next = arith.addi %j, %one : i64
      %inside = arith.cmpi slt, %next, %n : i64
      %c = phi.get %x[%next] : !phi.vec<i1>[i64]
      %more = arith.andi %inside, %c : i1
      %after = phi.tuple (%more, %next) : tuple<i1, i64>
      phi.yield %after : tuple<i1, i64>
    }
    %end = phi.proj %s, 1 : tuple<i1, i64> -> i64
    phi.yield %end : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @run(
// CHECK-NOT:     phi.while
// CHECK:         phi.scan "min" %{{.*}} suffixes
// CHECK-NOT:     phi.while
// CHECK:         func.return
// ONCE-LABEL:  func.func @run(
// ONCE-NOT:      phi.while
// ONCE:          phi.scan "min" %{{.*}} suffixes

// -----

// Downwards, by a comparison with the element of the index, or NaN: a search by halves in a table,
// where a loop that ends early takes no less time.

func.func @last(%x: !phi.vec<f64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %start = arith.index_cast %i : index to i64
    %own = phi.get %x[%i] : !phi.vec<f64>[index]
    %first = arith.cmpi sge, %start, %zero : i64
    %init = phi.tuple (%first, %start) : tuple<i1, i64>
    %s = phi.while (%steps < %limit, %acc = %init) -> tuple<i1, i64> {
      %j = phi.proj %acc, 1 : tuple<i1, i64> -> i64
      %next = arith.subi %j, %one : i64
      %inside = arith.cmpi sge, %next, %zero : i64
      %e = phi.get %x[%next] : !phi.vec<f64>[i64]
      %c = arith.cmpf ole, %e, %own : f64
      %more = arith.andi %inside, %c : i1
      %after = phi.tuple (%more, %next) : tuple<i1, i64>
      phi.yield %after : tuple<i1, i64>
    }
    %end = phi.proj %s, 1 : tuple<i1, i64> -> i64
    phi.yield %end : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @last(
// CHECK-NOT:     phi.while
// CHECK:         arith.maximumf
// CHECK-NOT:     phi.while
// CHECK:         func.return
// ONCE-LABEL:  func.func @last(
// ONCE:          phi.while

// -----

// The number of positions varies with the index, or a start may be before the first position.

func.func @others(%x: !phi.vec<i1>, %m: i64) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %limit = arith.constant 17592186044416 : i64
  %n = phi.size %x, 0 : !phi.vec<i1>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %own = arith.index_cast %i : index to i64
    %start = arith.subi %own, %m : i64
    %first = phi.get %x[%i] : !phi.vec<i1>[index]
    %init = phi.tuple (%first, %start) : tuple<i1, i64>
    %s = phi.while (%steps < %limit, %acc = %init) -> tuple<i1, i64> {
      %j = phi.proj %acc, 1 : tuple<i1, i64> -> i64
      %next = arith.addi %j, %one : i64
      %inside = arith.cmpi slt, %next, %own : i64
      %c = phi.get %x[%next] : !phi.vec<i1>[i64]
      %more = arith.andi %inside, %c : i1
      %after = phi.tuple (%more, %next) : tuple<i1, i64>
      phi.yield %after : tuple<i1, i64>
    }
    %end = phi.proj %s, 1 : tuple<i1, i64> -> i64
    phi.yield %end : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @others(
// CHECK:         phi.while
