// RUN: ein-opt %s -p interchange-accumulations | filecheck %s

// The sums of each column for each key: one pass over the rows. The axes of the result are exchanged.

func.func @columns(%keys: !phi.vec<i64>, %data: !phi.vec<!phi.vec<f64>>, %l: i64, %c: i64, %d: i64) -> f64 {
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %m = phi.size %data, 1 : !phi.vec<!phi.vec<f64>>
  %a = phi.array (%j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.accumulate (%i < %n) into "max" (%l) -> !phi.vec<f64> {
      %p = phi.get %keys[%i] : !phi.vec<i64>[index]
      %x = phi.get %data[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
      %t = phi.tuple (%p, %x) : tuple<i64, f64>
      phi.yield %t : tuple<i64, f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  %e = phi.get %a[%d, %c] : !phi.vec<!phi.vec<f64>>[i64, i64]
  func.return %e : f64
}
// CHECK-LABEL: func.func @columns(
// CHECK:         %a = phi.accumulate (%i < %n, %j < %m) into "max" (%l, %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %p = phi.get %keys[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:      %x = phi.get %data[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:      [[J:%[^ ]+]] = arith.index_cast %j : index to i64
// CHECK-NEXT:      [[T:%[^ ]+]] = phi.tuple (%p, [[J]], %x) : tuple<i64, i64, f64>
// CHECK-NEXT:      phi.yield [[T]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %e = phi.get %a[%c, %d]

// Unchanged: the columns of the array are rows of the data, whose elements are not neighbours.

func.func @rows(%keys: !phi.vec<i64>, %data: !phi.vec<!phi.vec<f64>>, %l: i64) -> f64 {
  %n = phi.size %keys, 0 : !phi.vec<i64>
  %m = phi.size %data, 0 : !phi.vec<!phi.vec<f64>>
  %a = phi.array (%j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.accumulate (%i < %n) into "add" (%l) -> !phi.vec<f64> {
      %p = phi.get %keys[%i] : !phi.vec<i64>[index]
      %x = phi.get %data[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
      %t = phi.tuple (%p, %x) : tuple<i64, f64>
      phi.yield %t : tuple<i64, f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  %e = phi.get %a[%l, %l] : !phi.vec<!phi.vec<f64>>[i64, i64]
  func.return %e : f64
}
// CHECK-LABEL: func.func @rows(
// CHECK:         %a = phi.array (%j < %m)

// Unchanged: keys of each column, and a use of a whole row.

func.func @keys(%keys: !phi.vec<!phi.vec<i64>>, %l: i64) -> tuple<i64, !phi.vec<i64>> {
  %n = phi.size %keys, 0 : !phi.vec<!phi.vec<i64>>
  %m = phi.size %keys, 1 : !phi.vec<!phi.vec<i64>>
  %one = arith.constant 1 : i64
  %a = phi.array (%j < %m) -> !phi.vec<!phi.vec<i64>> {
    %s = phi.accumulate (%i < %n) into "add" (%l) -> !phi.vec<i64> {
      %p = phi.get %keys[%i, %j] : !phi.vec<!phi.vec<i64>>[index, index]
      %t = phi.tuple (%p, %one) : tuple<i64, i64>
      phi.yield %t : tuple<i64, i64>
    }
    phi.yield %s : !phi.vec<i64>
  }
  %e = phi.get %a[%l, %l] : !phi.vec<!phi.vec<i64>>[i64, i64]
  %b = phi.array (%j < %m) -> !phi.vec<!phi.vec<i64>> {
    %s = phi.accumulate (%i < %n) into "add" (%l) -> !phi.vec<i64> {
      %x = phi.get %keys[%i, %j] : !phi.vec<!phi.vec<i64>>[index, index]
      %t = phi.tuple (%one, %x) : tuple<i64, i64>
      phi.yield %t : tuple<i64, i64>
    }
    phi.yield %s : !phi.vec<i64>
  }
  %row = phi.get %b[%l] : !phi.vec<!phi.vec<i64>>[i64]
  %r = phi.tuple (%e, %row) : tuple<i64, !phi.vec<i64>>
  func.return %r : tuple<i64, !phi.vec<i64>>
}
// CHECK-LABEL: func.func @keys(
// CHECK:         %a = phi.array (%j < %m)
// CHECK:         %b = phi.array (%j_1 < %m)
