// RUN: ein-opt %s -p 'raise-updates{slices=true diagonals=true},dce' | filecheck %s

// where((i + j) mod 2 == 0, x, a[i, j]): two slices of rows, and a slice of each row.

func.func @board(%a: !phi.vec<!phi.vec<f64>>, %x: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %b = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.index_cast %j : index to i64
    %2 = arith.addi %0, %1 : i64
    %3 = sigma.floormod %2, %two : i64
    %4 = arith.cmpi eq, %3, %zero : i64
    %5 = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %6 = arith.select %4, %x, %5 : f64
    phi.yield %6 : f64
  }
  func.return %b : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @board(
// CHECK:         %[[ROWS:.*]] = phi.array (%i
// CHECK:           phi.update_slice
// CHECK:         %[[HALF:.*]] = phi.update_slice %a
// CHECK:         phi.array (%i
// CHECK:           phi.get %[[HALF]]
// CHECK:           phi.update_slice
// CHECK:         %b = phi.update_slice %[[HALF]]
// CHECK-NOT:     arith.select

// where(i mod 2 == 0, x, where(i > p, y, a[i])): a slice of x, and one of y.

func.func @sides(%a: !phi.vec<f64>, %p: i64, %x: f64, %y: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = sigma.floormod %0, %two : i64
    %2 = arith.cmpi eq, %1, %zero : i64
    %3 = arith.cmpi sgt, %0, %p : i64
    %4 = phi.get %a[%i] : !phi.vec<f64>[index]
    %5 = arith.select %3, %y, %4 : f64
    %6 = arith.select %2, %x, %5 : f64
    phi.yield %6 : f64
  }
  func.return %b : !phi.vec<f64>
}
// CHECK-LABEL: func.func @sides(
// CHECK:         %[[Y:.*]] = phi.array
// CHECK-NEXT:      phi.yield %y : f64
// CHECK:         %[[ODD:.*]] = phi.update_slice %a[
// CHECK-NOT:     arith.select
// CHECK:         phi.yield %x : f64
// CHECK:         %b = phi.update_slice %[[ODD]][
