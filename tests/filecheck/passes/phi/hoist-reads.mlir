// RUN: ein-opt %s --split-input-file -p hoist-reads | filecheck %s

// Elements that steps read after an update of the array are read before it: both updates are in
// place.

func.func @exchange(%x: !phi.vec<f64>, %i: i64, %j: i64) -> !phi.vec<f64> {
  %a = phi.get %x[%j] : !phi.vec<f64>[i64]
  %y = phi.update %x[%i], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %one = arith.constant 1 : i64
  %p = arith.addi %i, %one : i64
  %b = phi.get %x[%p] : !phi.vec<f64>[i64]
  %c = math.sqrt %b : f64
  %z = phi.update %y[%j], %c : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  func.return %z : !phi.vec<f64>
}

// CHECK-LABEL: func.func @exchange(
// CHECK-NEXT:    %a = phi.get %x[%j]
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %p = arith.addi %i, %one : i64
// CHECK-NEXT:    %b = phi.get %x[%p]
// CHECK-NEXT:    %y = phi.update %x[%i], %a
// CHECK-NEXT:    %c = math.sqrt %b : f64
// CHECK-NEXT:    %z = phi.update %y[%j], %c

// -----

// Not at a position that depends on the update; rows share the memory of the array.

func.func @kept(%x: !phi.vec<!phi.vec<i64>>, %v: !phi.vec<i64>, %i: i64) -> tuple<i64, !phi.vec<i64>> {
  %y = phi.update %v[%i], %i : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
  %p = phi.get %y[%i] : !phi.vec<i64>[i64]
  %a = phi.get %v[%p] : !phi.vec<i64>[i64]
  %z = phi.update %x[%i], %y : (!phi.vec<!phi.vec<i64>>, i64, !phi.vec<i64>) -> !phi.vec<!phi.vec<i64>>
  %row = phi.get %x[%a] : !phi.vec<!phi.vec<i64>>[i64]
  %other = phi.get %z[%i] : !phi.vec<!phi.vec<i64>>[i64]
  %b = phi.get %other[%i] : !phi.vec<i64>[i64]
  %t = phi.tuple (%b, %row) : tuple<i64, !phi.vec<i64>>
  func.return %t : tuple<i64, !phi.vec<i64>>
}

// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    %y = phi.update %v[%i], %i
// CHECK-NEXT:    %p = phi.get %y[%i]
// CHECK-NEXT:    %a = phi.get %v[%p]
// CHECK-NEXT:    %z = phi.update %x[%i], %y
// CHECK-NEXT:    %row = phi.get %x[%a]
