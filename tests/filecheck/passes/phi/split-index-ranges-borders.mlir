// RUN: ein-opt %s -p "split-index-ranges{borders=true}" | filecheck %s
// RUN: ein-opt %s -p split-index-ranges | filecheck %s --check-prefix=PARTS

// A step of a loop over a row with two guarded neighbours: each is an array of its own, with a border,
// and the sum is computed once, not for three parts.

func.func @rows(%w: !phi.vec<!phi.vec<f64>>, %d: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %inf = arith.constant 0x7FF0000000000000 : f64
  %t = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %d, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%k < %t, %acc = %d) -> !phi.vec<f64> {
    %new = phi.array (%j < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %j : index to i64
      %l = arith.subi %p, %one : i64
      %h = arith.addi %p, %one : i64
      %c = arith.cmpi sgt, %p, %zero : i64
      %x = phi.get %acc[%l] : !phi.vec<f64>[i64]
      %left = arith.select %c, %x, %inf : f64
      %e = arith.cmpi slt, %p, %last : i64
      %y = phi.get %acc[%h] : !phi.vec<f64>[i64]
      %right = arith.select %e, %y, %inf : f64
      %m = arith.minimumf %left, %right : f64
      %z = phi.get %w[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %s = arith.addf %m, %z : f64
      phi.yield %s : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @rows(
// CHECK:         %r = phi.fold (%k < %t, %acc = %d)
// CHECK:           phi.yield %inf : f64
// CHECK:           phi.get %acc
// CHECK:           %[[LEFT:.*]] = phi.concat
// CHECK:           phi.get %acc
// CHECK:           phi.yield %inf : f64
// CHECK:           %[[RIGHT:.*]] = phi.concat
// CHECK-NEXT:      %new = phi.array (%[[J:.*]] < %n)
// CHECK-NEXT:        %left = phi.get %[[LEFT]][%[[J]]]
// CHECK-NEXT:        %right = phi.get %[[RIGHT]][%[[J]]]
// CHECK-NEXT:        arith.minimumf %left, %right
// CHECK-NOT:     arith.minimumf
// PARTS-LABEL: func.func @rows(
// PARTS-COUNT-3: arith.minimumf

// With one guarded neighbour there are two parts: they are computed by themselves.

func.func @one_end(%w: !phi.vec<!phi.vec<f64>>, %d: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %inf = arith.constant 0x7FF0000000000000 : f64
  %t = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %d, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%k < %t, %acc = %d) -> !phi.vec<f64> {
    %new = phi.array (%j < %n) -> !phi.vec<f64> {
      %p = arith.index_cast %j : index to i64
      %l = arith.subi %p, %one : i64
      %h = arith.addi %p, %one : i64
      %c = arith.cmpi sgt, %p, %zero : i64
      %x = phi.get %acc[%l] : !phi.vec<f64>[i64]
      %left = arith.select %c, %x, %inf : f64
      %y = phi.get %acc[%h] : !phi.vec<f64>[i64]
      %right = arith.addf %y, %inf : f64
      %m = arith.minimumf %left, %right : f64
      %z = phi.get %w[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
      %s = arith.addf %m, %z : f64
      phi.yield %s : f64
    }
    phi.yield %new : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @one_end(
// CHECK-COUNT-2: arith.minimumf
// PARTS-LABEL: func.func @one_end(
// PARTS-COUNT-2: arith.minimumf
