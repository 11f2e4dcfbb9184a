// RUN: ein-opt %s -p raise-reductions,simplify | filecheck %s
// RUN: ein-opt %s -p "raise-reductions{nested=true},simplify" | filecheck %s --check-prefix=NESTED

// A search in rows is one in all elements; another value of a row and a column is computed at the end.

func.func @nearest(%d: !phi.vec<!phi.vec<f64>>) -> (i64, i64) {
  %n = phi.size %d, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %d, 1 : !phi.vec<!phi.vec<f64>>
  %inf = arith.constant 0x7ff0000000000000 : f64
  %zero = arith.constant 0 : i64
  %init = phi.tuple (%inf, %zero, %zero) : tuple<f64, i64, i64>
  %r = phi.fold (%i < %n, %acc = %init) -> tuple<f64, i64, i64> {
    %s = phi.fold (%j < %m, %best = %acc) -> tuple<f64, i64, i64> {
      %row = arith.muli %i, %m : i64
      %place = arith.addi %row, %j : i64
      %sum = arith.addi %i, %j : i64
      %x = phi.get %d[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.proj %best, 0 : tuple<f64, i64, i64> -> f64
      %p = phi.proj %best, 1 : tuple<f64, i64, i64> -> i64
      %q = phi.proj %best, 2 : tuple<f64, i64, i64> -> i64
      %less = arith.cmpf olt, %x, %y : f64
      %a = arith.select %less, %x, %y : f64
      %b = arith.select %less, %place, %p : i64
      %c = arith.select %less, %sum, %q : i64
      %next = phi.tuple (%a, %b, %c) : tuple<f64, i64, i64>
      phi.yield %next : tuple<f64, i64, i64>
    }
    phi.yield %s : tuple<f64, i64, i64>
  }
  %at = phi.proj %r, 1 : tuple<f64, i64, i64> -> i64
  %with = phi.proj %r, 2 : tuple<f64, i64, i64> -> i64
  func.return %at, %with : i64, i64
}

// CHECK-LABEL: func.func @nearest(
// CHECK:         %[[COUNT:.*]] = arith.muli %n, %m : i64
// CHECK:         %[[FLAT:.*]] = phi.array (%{{.*}} < %[[COUNT]])
// CHECK:         %[[AT:.*]] = phi.argreduce %[[FLAT]] by "<" : !phi.vec<f64>
// CHECK:         arith.floordivsi %[[AT]], %m
// CHECK:         sigma.floormod %[[AT]], %m
// CHECK-NOT:     phi.argreduce
// CHECK:         func.return %[[AT]],

// NESTED-LABEL: func.func @nearest(
// NESTED:         phi.array (%{{.*}} < %n)
// NESTED:           phi.argreduce
// NESTED:         phi.argreduce
