// RUN: ein-opt %s -p delinearize-indices,simplify | filecheck %s

// Three axes as one: the last one is split off; the others are read as one.

func.func @three(%x: !phi.vec<!phi.vec<!phi.vec<f64>>>) -> !phi.vec<f64> {
  %l = phi.size %x, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %n = phi.size %x, 2 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %lm = arith.muli %l, %m : i64
  %lmn = arith.muli %lm, %n : i64
  %mn = arith.muli %m, %n : i64
  %r = phi.array (%q < %lmn) -> !phi.vec<f64> {
    %p = arith.index_cast %q : index to i64
    %i = arith.floordivsi %p, %mn : i64
    %jj = arith.floordivsi %p, %n : i64
    %j = sigma.floormod %jj, %m : i64
    %k = sigma.floormod %p, %n : i64
    %y = phi.get %x[%i, %j, %k] : !phi.vec<!phi.vec<!phi.vec<f64>>>[i64, i64, i64]
    %z = math.exp %y : f64
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @three(
// CHECK:         phi.array (%{{.*}} < %lm, %{{.*}} < %n)
// CHECK:           %i = arith.floordivsi %[[ROW:.*]], %m
// CHECK:           %j = sigma.floormod %[[ROW]], %m
// CHECK:         phi.array (%{{.*}} < %lmn)

// No other division is by a factor: nothing is split.

func.func @alone(%x: !phi.vec<f64>, %y: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %l = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %y, 1 : !phi.vec<!phi.vec<f64>>
  %mn = arith.muli %m, %n : i64
  %r = phi.array (%q < %l) -> !phi.vec<f64> {
    %p = arith.index_cast %q : index to i64
    %i = arith.floordivsi %p, %mn : i64
    %z = phi.get %x[%i] : !phi.vec<f64>[i64]
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @alone(
// CHECK-NOT:     arith.floordivsi %{{.*}}, %n
// CHECK:         func.return

// Rows before other elements end with a row, where the product does not wrap.

func.func @packed(%x: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %size: i64) -> !phi.vec<f64> {
  %h = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %w = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %hw = arith.muli %h, %w : i64
  %r = phi.array (%q < %size) -> !phi.vec<f64> {
    %p = arith.index_cast %q : index to i64
    %is_row = arith.cmpi slt, %p, %hw : i64
    %i = arith.floordivsi %p, %w : i64
    %j = sigma.floormod %p, %w : i64
    %y = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %k = arith.subi %p, %hw : i64
    %z = phi.get %v[%k] : !phi.vec<f64>[i64]
    %e = arith.select %is_row, %y, %z : f64
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @packed(
// CHECK:         %[[WHOLE:.*]] = arith.floordivsi %{{.*}}, %w
// CHECK-NEXT:    arith.cmpi eq, %[[WHOLE]], %h
// CHECK:         phi.array (%{{.*}} < %{{.*}}, %{{.*}} < %{{.*}})
// CHECK:           %is_row = arith.cmpi slt, %i, %h

// Rows behind an element.

func.func @tokens(%x: !phi.vec<!phi.vec<f64>>, %first: f64, %size: i64) -> !phi.vec<f64> {
  %w = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = phi.array (%q < %size) -> !phi.vec<f64> {
    %p = arith.index_cast %q : index to i64
    %is_first = arith.cmpi eq, %p, %zero : i64
    %k = arith.subi %p, %one : i64
    %i = arith.floordivsi %k, %w : i64
    %j = sigma.floormod %k, %w : i64
    %y = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %e = arith.select %is_first, %first, %y : f64
    phi.yield %e : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @tokens(
// CHECK:         phi.array
// CHECK:         phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %first
// CHECK:         phi.array (%{{.*}} < %{{.*}}, %{{.*}} < %{{.*}})
// CHECK-NEXT:      %i = arith.index_cast
// CHECK-NEXT:      %j = arith.index_cast
// CHECK-NEXT:      %y = phi.get %x[%i, %j]
