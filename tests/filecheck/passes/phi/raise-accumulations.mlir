// RUN: ein-opt %s --split-input-file -p raise-accumulations,simplify | filecheck %s

// Positions that are indices in another order.
func.func @transposed(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.accumulate (%i < %n, %j < %m) into "add" (%m, %n) -> !phi.vec<!phi.vec<f64>> {
    %p = arith.index_cast %i : index to i64
    %q = arith.index_cast %j : index to i64
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %at = phi.tuple (%q, %p, %x) : tuple<i64, i64, f64>
    phi.yield %at : tuple<i64, i64, f64>
  }
  func.return %t : !phi.vec<!phi.vec<f64>>
}

// CHECK: func.func @transposed(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  %t = phi.array (%j < %m, %i < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:    phi.yield %x : f64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %t : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:}

// -----

// A fold over the other index; the body reads it as an Int, also in a body of its own.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %k: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %t = phi.accumulate (%i < %n, %j < %m) into "max" (%m) -> !phi.vec<f64> {
    %q = arith.index_cast %j : index to i64
    %s = phi.fold (%l < %m, %acc = %zero) -> f64 {
      %p = arith.index_cast %i : index to i64
      %r = arith.addi %p, %l : i64
      %x = phi.get %a[%r, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %y = arith.subf %x, %acc : f64
      phi.yield %y : f64
    }
    %at = phi.tuple (%q, %s) : tuple<i64, f64>
    phi.yield %at : tuple<i64, f64>
  }
  func.return %t : !phi.vec<f64>
}

// CHECK: func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %k: i64) -> !phi.vec<f64> {
// CHECK-NEXT:  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:  %t = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:    %0 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:    %1 = phi.fold (%i < %n, %2 = %0) -> f64 {
// CHECK-NEXT:      %s = phi.fold (%l < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:        %r = arith.addi %i, %l : i64
// CHECK-NEXT:        %x = phi.get %a[%r, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:        %y = arith.subf %x, %acc : f64
// CHECK-NEXT:        phi.yield %y : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %3 = arith.maximumf %2, %s : f64
// CHECK-NEXT:      phi.yield %3 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    phi.yield %1 : f64
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %t : !phi.vec<f64>
// CHECK-NEXT:}

// -----

// Accumulators at the same indices share a comprehension and folds, also of all values.
func.func @several(%a: !phi.vec<!phi.vec<f64>>) -> (tuple<!phi.vec<f64>, !phi.vec<f64>>, tuple<f64, f64>) {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %t = phi.accumulate (%i < %n, %j < %m) into "add" (%n), "min" (%n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %own = arith.index_cast %i : index to i64
    %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %y = math.sin %x : f64
    %0 = phi.tuple (%own, %y) : tuple<i64, f64>
    %1 = phi.tuple (%own, %x) : tuple<i64, f64>
    %r = phi.tuple (%0, %1) : tuple<tuple<i64, f64>, tuple<i64, f64>>
    phi.yield %r : tuple<tuple<i64, f64>, tuple<i64, f64>>
  }
  %u = phi.accumulate (%i < %n) into "add" (), "mul" () -> tuple<f64, f64> {
    %x = phi.get %a[%i, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    %0 = phi.tuple (%x) : tuple<f64>
    %1 = phi.tuple (%x) : tuple<f64>
    %r = phi.tuple (%0, %1) : tuple<tuple<f64>, tuple<f64>>
    phi.yield %r : tuple<tuple<f64>, tuple<f64>>
  }
  func.return %t, %u : tuple<!phi.vec<f64>, !phi.vec<f64>>, tuple<f64, f64>
}

// CHECK: func.func @several(%a: !phi.vec<!phi.vec<f64>>) -> (tuple<!phi.vec<f64>, !phi.vec<f64>>, tuple<f64, f64>) {
// CHECK-NEXT:  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:  %t = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:    %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %1 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:    %2 = phi.tuple (%0, %1) : tuple<f64, f64>
// CHECK-NEXT:    %3 = phi.fold (%j < %m, %4 = %2) -> tuple<f64, f64> {
// CHECK-NEXT:      %5 = phi.proj %4, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %6 = phi.proj %4, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:      %y = math.sin %x : f64
// CHECK-NEXT:      %7 = arith.addf %5, %y : f64
// CHECK-NEXT:      %8 = arith.minimumf %6, %x : f64
// CHECK-NEXT:      %9 = phi.tuple (%7, %8) : tuple<f64, f64>
// CHECK-NEXT:      phi.yield %9 : tuple<f64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    phi.yield %3 : tuple<f64, f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:  %11 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:  %12 = phi.tuple (%10, %11) : tuple<f64, f64>
// CHECK-NEXT:  %u = phi.fold (%i_1 < %n, %13 = %12) -> tuple<f64, f64> {
// CHECK-NEXT:    %14 = phi.proj %13, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:    %15 = phi.proj %13, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:    %x_1 = phi.get %a[%i_1, %i_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:    %16 = arith.addf %14, %x_1 : f64
// CHECK-NEXT:    %17 = arith.mulf %15, %x_1 : f64
// CHECK-NEXT:    %18 = phi.tuple (%16, %17) : tuple<f64, f64>
// CHECK-NEXT:    phi.yield %18 : tuple<f64, f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %t, %u : tuple<!phi.vec<f64>, !phi.vec<f64>>, tuple<f64, f64>
// CHECK-NEXT:}
// -----

// These stay: the size is another one, the index occurs twice, the size of the other index may be
// negative, or the positions differ.
func.func @others(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %k: i64) -> (!phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, tuple<!phi.vec<f64>, !phi.vec<f64>>) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.accumulate (%i < %n) into "add" (%k) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %0 = phi.tuple (%own, %x) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  %t = phi.accumulate (%i < %n) into "add" (%n, %n) -> !phi.vec<!phi.vec<f64>> {
    %own = arith.index_cast %i : index to i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %0 = phi.tuple (%own, %own, %x) : tuple<i64, i64, f64>
    phi.yield %0 : tuple<i64, i64, f64>
  }
  %u = phi.accumulate (%i < %n, %j < %k) into "add" (%n) -> !phi.vec<f64> {
    %own = arith.index_cast %i : index to i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %0 = phi.tuple (%own, %x) : tuple<i64, f64>
    phi.yield %0 : tuple<i64, f64>
  }
  %v = phi.accumulate (%i < %n) into "add" (%n), "add" (%k) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %own = arith.index_cast %i : index to i64
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %q = phi.get %p[%i] : !phi.vec<i64>[index]
    %0 = phi.tuple (%own, %x) : tuple<i64, f64>
    %1 = phi.tuple (%q, %x) : tuple<i64, f64>
    %r = phi.tuple (%0, %1) : tuple<tuple<i64, f64>, tuple<i64, f64>>
    phi.yield %r : tuple<tuple<i64, f64>, tuple<i64, f64>>
  }
  func.return %s, %t, %u, %v : !phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK: func.func @others(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %k: i64) -> (!phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, tuple<!phi.vec<f64>, !phi.vec<f64>>) {
// CHECK-NEXT:  %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:  %s = phi.accumulate (%i < %n) into "add" (%k) -> !phi.vec<f64> {
// CHECK-NEXT:    %own = arith.index_cast %i : index to i64
// CHECK-NEXT:    %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:    %0 = phi.tuple (%own, %x) : tuple<i64, f64>
// CHECK-NEXT:    phi.yield %0 : tuple<i64, f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  %t = phi.accumulate (%i_1 < %n) into "add" (%n, %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:    %own_1 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:    %x_1 = phi.get %a[%i_1] : !phi.vec<f64>[index]
// CHECK-NEXT:    %1 = phi.tuple (%own_1, %own_1, %x_1) : tuple<i64, i64, f64>
// CHECK-NEXT:    phi.yield %1 : tuple<i64, i64, f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  %u = phi.accumulate (%i_2 < %n, %j < %k) into "add" (%n) -> !phi.vec<f64> {
// CHECK-NEXT:    %own_2 = arith.index_cast %i_2 : index to i64
// CHECK-NEXT:    %x_2 = phi.get %a[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:    %2 = phi.tuple (%own_2, %x_2) : tuple<i64, f64>
// CHECK-NEXT:    phi.yield %2 : tuple<i64, f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  %v = phi.accumulate (%i_3 < %n) into "add" (%n), "add" (%k) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK-NEXT:    %own_3 = arith.index_cast %i_3 : index to i64
// CHECK-NEXT:    %x_3 = phi.get %a[%i_3] : !phi.vec<f64>[index]
// CHECK-NEXT:    %q = phi.get %p[%i_3] : !phi.vec<i64>[index]
// CHECK-NEXT:    %3 = phi.tuple (%own_3, %x_3) : tuple<i64, f64>
// CHECK-NEXT:    %4 = phi.tuple (%q, %x_3) : tuple<i64, f64>
// CHECK-NEXT:    %r = phi.tuple (%3, %4) : tuple<tuple<i64, f64>, tuple<i64, f64>>
// CHECK-NEXT:    phi.yield %r : tuple<tuple<i64, f64>, tuple<i64, f64>>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %s, %t, %u, %v : !phi.vec<f64>, !phi.vec<!phi.vec<f64>>, !phi.vec<f64>, tuple<!phi.vec<f64>, !phi.vec<f64>>
// CHECK-NEXT:}
