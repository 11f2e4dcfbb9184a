// RUN: ein-opt %s -p raise-scans | filecheck %s

// Maxima of sums of which one term is the same for all steps: the other one has a scan. Its minima
// are for an infinite first term.

func.func @best(%p: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %p, 0 : !phi.vec<f64>
  %r = phi.array (%j < %n) -> !phi.vec<f64> {
    %least = arith.constant 0xFFF0000000000000 : f64
    %x = phi.get %p[%j] : !phi.vec<f64>[index]
    %m = phi.fold (%i < %n, %acc = %least) -> f64 {
      %y = phi.get %p[%i] : !phi.vec<f64>[i64]
      %d = arith.subf %x, %y : f64
      %own = arith.index_cast %j : index to i64
      %is_before = arith.cmpi slt, %i, %own : i64
      %z = arith.select %is_before, %d, %least : f64
      %next = arith.maximumf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %m : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @best(
// CHECK:           %2 = arith.negf %y : f64
// CHECK:         %3 = phi.scan "max" %1 : !phi.vec<f64>
// CHECK:         %4 = phi.get %3[%own] : !phi.vec<f64>[i64]
// CHECK:         %8 = phi.scan "min" %6 : !phi.vec<f64>
// CHECK:         %9 = phi.get %8[%own_1] : !phi.vec<f64>[i64]
// CHECK:         %12 = arith.cmpf oeq, %x, %11 : f64
// CHECK-NEXT:    %13 = arith.select %12, %9, %4 : f64
// CHECK-NEXT:    %14 = arith.addf %x, %13 : f64
// CHECK-NEXT:    %15 = arith.cmpf olt, %4, %9 : f64
// CHECK-NEXT:    %m = arith.select %15, %10, %14 : f64

// Each row has terms of its own, and sums of Ints may wrap: both folds stay.

func.func @stays(%a: !phi.vec<!phi.vec<f64>>, %p: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<i64>) {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.array (%j < %n) -> !phi.vec<f64> {
    %least = arith.constant 0xFFF0000000000000 : f64
    %zero = arith.constant 0 : i64
    %x = phi.get %a[%j, %zero] : !phi.vec<!phi.vec<f64>>[index, i64]
    %m = phi.fold (%i < %n, %acc = %least) -> f64 {
      %y = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %d = arith.subf %x, %y : f64
      %is_large = arith.cmpf ogt, %y, %x : f64
      %z = arith.select %is_large, %d, %least : f64
      %next = arith.maximumf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %m : f64
  }
  %s = phi.array (%j < %n) -> !phi.vec<i64> {
    %least = arith.constant -9223372036854775808 : i64
    %x = phi.get %p[%j] : !phi.vec<i64>[index]
    %m = phi.fold (%i < %n, %acc = %least) -> i64 {
      %y = phi.get %p[%i] : !phi.vec<i64>[i64]
      %d = arith.subi %x, %y : i64
      %own = arith.index_cast %j : index to i64
      %is_before = arith.cmpi slt, %i, %own : i64
      %z = arith.select %is_before, %d, %least : i64
      %next = arith.maxsi %acc, %z : i64
      phi.yield %next : i64
    }
    phi.yield %m : i64
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<i64>
}
// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     phi.scan
// CHECK:         %d = arith.subf %x, %y : f64
// CHECK-NOT:     phi.scan
// CHECK:         %next_1 = arith.maxsi

// Distances: the steps on either side of the index have a scan each. The other choice is no better
// than any distance, so that it needs no test of whether some step has it.

func.func @nearest(%b: !phi.vec<i1>) -> !phi.vec<i64> {
  %n = phi.size %b, 0 : !phi.vec<i1>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %most = arith.constant 9223372036854775807 : i64
    %own = arith.index_cast %i : index to i64
    %m = phi.fold (%k < %n, %acc = %most) -> i64 {
      %c = phi.get %b[%k] : !phi.vec<i1>[i64]
      %s = arith.subi %own, %k : i64
      %d = math.absi %s : i64
      %e = arith.select %c, %d, %n : i64
      %next = arith.minsi %acc, %e : i64
      phi.yield %next : i64
    }
    phi.yield %m : i64
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @nearest(
// CHECK:         phi.scan "min" %{{[0-9]+}} : !phi.vec<i64>
// CHECK:         phi.scan "min" %{{[0-9]+}} suffixes : !phi.vec<i64>
// CHECK-NOT:     phi.fold
// CHECK:         arith.cmpi sle, %n,
