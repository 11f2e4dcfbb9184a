// RUN: ein-opt %s --split-input-file -p delinearize-indices,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p "delinearize-indices{costly=true},dce" | filecheck %s --check-prefix=COSTLY

// Positions are numbers of two indices: the accumulation is a comprehension over the digits.
func.func @rows(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %l = arith.muli %n, %m : i64
  %t = phi.accumulate (%i < %n, %j < %m) into "add" (%l) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.muli %0, %m : i64
    %2 = arith.index_cast %j : index to i64
    %p = arith.addi %1, %2 : i64
    %e = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %3 = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %3 : tuple<i64, f64>
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL: @rows
// CHECK:         %0 = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:      %e = phi.get %x[%i, %j]
// CHECK-NEXT:      phi.yield %e : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = phi.array (%1 < %l) -> !phi.vec<f64> {
// CHECK-NEXT:      %2 = arith.index_cast %1 : index to i64
// CHECK-NEXT:      %3 = sigma.floormod %2, %m : i64
// CHECK-NEXT:      %4 = arith.floordivsi %2, %m : i64
// CHECK-NEXT:      %5 = phi.get %0[%4, %3]
// CHECK-NEXT:      phi.yield %5 : f64
// COSTLY-LABEL: @rows
// COSTLY-NOT:     phi.accumulate

// -----

// Reversed positions are read backwards.
func.func @backwards(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %t = phi.accumulate (%i < %n) into "max" (%n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %p = arith.subi %last, %0 : i64
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %1 = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %1 : tuple<i64, f64>
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL: @backwards
// CHECK-NOT:     phi.accumulate
// CHECK:         %t = phi.array (%[[P:.*]] < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %[[I:.*]] = arith.index_cast %[[P]] : index to i64
// CHECK:           %[[Q:.*]] = arith.subi %{{.*}}, %[[I]] : i64
// CHECK-NEXT:      phi.get %{{.*}}[%[[Q]]]

// -----

// A sum over an index that is no digit stays an accumulation, over the digits; it does in machine
// code, where it is one pass.
func.func @sums(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %l = arith.muli %two, %n : i64
  %t = phi.accumulate (%i < %n, %a < %two, %k < %m) into "add" (%l) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.muli %two, %0 : i64
    %2 = arith.index_cast %a : index to i64
    %p = arith.addi %1, %2 : i64
    %e = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, index]
    %3 = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %3 : tuple<i64, f64>
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL: @sums
// CHECK:         phi.accumulate (%i < %n, %a < %two, %k < %m) into "add" (%n, %two)
// COSTLY-LABEL: @sums
// COSTLY:        phi.accumulate (%i < %n, %a < %two, %k < %m) into "add" (%l)

// -----

// A number with gaps, and one of fewer values than there are elements, stay.
func.func @others(%x: !phi.vec<!phi.vec<f64>>, %l: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %three = arith.constant 3 : i64
  %two = arith.constant 2 : i64
  %c = arith.muli %three, %n : i64
  %t = phi.accumulate (%i < %n, %j < %two) into "add" (%c) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.muli %0, %three : i64
    %2 = arith.index_cast %j : index to i64
    %p = arith.addi %1, %2 : i64
    %e = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %3 = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %3 : tuple<i64, f64>
  }
  %u = phi.accumulate (%i < %n, %j < %m) into "add" (%l) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.muli %0, %m : i64
    %2 = arith.index_cast %j : index to i64
    %p = arith.addi %1, %2 : i64
    %e = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    %3 = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %3 : tuple<i64, f64>
  }
  func.return %t, %u : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: @others
// CHECK:         phi.accumulate (%i < %n, %j < %two) into "add" (%c)
// CHECK:         %u = phi.accumulate ({{.*}} < %n, {{.*}} < %m) into "add" (%l)

// -----

// Matrices that are added at the quotient of an index are sums over its remainders in machine code,
// where products of matrices are raised; two accumulations are taken apart.
func.func @heads(%x: !phi.vec<!phi.vec<f64>>, %h: i64) -> (!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>) {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %k = arith.constant 16 : i64
  %t = phi.accumulate (%c < %m) into "add" (%h), "add" (%h) -> tuple<!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>> {
    %p = arith.index_cast %c : index to i64
    %q = arith.floordivsi %p, %k : i64
    %products = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
      %y = phi.get %x[%i, %c] : !phi.vec<!phi.vec<f64>>[index, index]
      %z = phi.get %x[%j, %c] : !phi.vec<!phi.vec<f64>>[index, index]
      %w = arith.mulf %y, %z : f64
      phi.yield %w : f64
    }
    %row = phi.array (%i < %n) -> !phi.vec<f64> {
      %y = phi.get %x[%i, %c] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %y : f64
    }
    %first = phi.tuple (%q, %products) : tuple<i64, !phi.vec<!phi.vec<f64>>>
    %second = phi.tuple (%q, %row) : tuple<i64, !phi.vec<f64>>
    %both = phi.tuple (%first, %second) : tuple<tuple<i64, !phi.vec<!phi.vec<f64>>>, tuple<i64, !phi.vec<f64>>>
    phi.yield %both : tuple<tuple<i64, !phi.vec<!phi.vec<f64>>>, tuple<i64, !phi.vec<f64>>>
  }
  %a = phi.proj %t, 0 : tuple<!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<!phi.vec<f64>>>
  %b = phi.proj %t, 1 : tuple<!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>> -> !phi.vec<!phi.vec<f64>>
  func.return %a, %b : !phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<!phi.vec<f64>>
}
// COSTLY-LABEL: func.func @heads
// COSTLY:         phi.array ([[Q:%.*]] < {{.*}}, %i < %n, %j < %n) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
// COSTLY:           phi.fold
// COSTLY:             arith.mulf
// COSTLY-NEXT:        arith.addf
// COSTLY:         phi.accumulate ({{.*}}) into "add"
// COSTLY:         phi.concat
// COSTLY:         phi.array ({{.*}} < {{.*}}, {{.*}} < %n) -> !phi.vec<!phi.vec<f64>> {
// COSTLY:           phi.fold
// COSTLY:         phi.accumulate ({{.*}}) into "add"
// COSTLY:         phi.concat
