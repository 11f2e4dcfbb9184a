// RUN: ein-opt %s -p keep-demanded | filecheck %s
// RUN: ein-opt %s -p 'keep-demanded{results=sizes}' | filecheck %s --check-prefix=SIZES

// A fold whose accumulator is needed by its size is the recurrence of the size; the other field,
// and all that it needs, are gone.
func.func @grow(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64) -> i64 {
  %t = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %m, %acc = %t) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %x = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %y = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %z = phi.concat %x, %a : !phi.vec<f64>
    %w = phi.concat %y, %x : !phi.vec<f64>
    %u = phi.tuple (%z, %w) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %u : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  %s = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
  %n = phi.size %s, 0 : !phi.vec<f64>
  func.return %n : i64
}
// CHECK:      func.func @grow(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64) -> i64 {
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%k < %m, %acc = %0) -> i64 {
// CHECK-NEXT:     %1 = arith.addi %acc, %0 : i64
// CHECK-NEXT:     phi.yield %1 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : i64
// CHECK-NEXT: }
// SIZES:      func.func @grow() {
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// One field by its size, which varies, one by its elements. Each step keeps the size of a field that
// is not carried: its sizes are those of %b.
func.func @fields(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %c: f64, %m: i64) -> (i64, f64, i64) {
  %t = phi.tuple (%a, %b, %c) : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
  %r = phi.fold (%k < %m, %acc = %t) -> tuple<!phi.vec<f64>, !phi.vec<f64>, f64> {
    %x = phi.proj %acc, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
    %y = phi.proj %acc, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
    %z = phi.proj %acc, 2 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> f64
    %x1 = phi.concat %x, %x : !phi.vec<f64>
    %y1 = phi.update %y[%k], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %z1 = arith.addf %z, %z : f64
    %u = phi.tuple (%x1, %y1, %z1) : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
    phi.yield %u : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
  }
  %r0 = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
  %r1 = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
  %r2 = phi.proj %r, 2 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> f64
  %n0 = phi.size %r0, 0 : !phi.vec<f64>
  %n1 = phi.size %r1, 0 : !phi.vec<f64>
  func.return %n0, %r2, %n1 : i64, f64, i64
}
// CHECK-LABEL: func.func @fields
// CHECK:         phi.fold (%k < %m, %{{.*}} = %{{.*}}) -> tuple<i64, f64> {
// CHECK-NOT:       phi.update
// CHECK-NOT:       phi.concat
// CHECK:           arith.addi
// CHECK:           arith.addf
// CHECK:         phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:    func.return

// The sizes of a comprehension are Ints before it, and those of what its body yields.
func.func @table(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<i64>, %n: i64) -> (!phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<i64>, f64) {
  %t = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
    %p = phi.get %v[%i] : !phi.vec<i64>[index]
    %row = phi.get %a[%p] : !phi.vec<!phi.vec<f64>>[i64]
    phi.yield %row : !phi.vec<f64>
  }
  %s = phi.scan "add" %v : !phi.vec<i64>
  %x = arith.constant 1.0 : f64
  func.return %t, %s, %x : !phi.vec<!phi.vec<!phi.vec<f64>>>, !phi.vec<i64>, f64
}
// SIZES-LABEL: func.func @table(%a: i64, %a_1: i64, %v: i64, %n: i64) -> (i64, i64, i64, i64) {
// SIZES-NEXT:    %0 = arith.constant 1 : i64
// SIZES-NEXT:    %1 = arith.addi %v, %0 : i64
// SIZES-NEXT:    func.return %n, %n, %a_1, %1 : i64, i64, i64, i64

// A size that is an element keeps the elements of its array; an extrinsic is called on zeros.
func.func @elements(%v: !phi.vec<i64>, %a: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0 : i64
  %n = phi.get %v[%zero] : !phi.vec<i64>[i64]
  %x = arith.constant 1.0 : f64
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %x : f64
  }
  %c = phi.extern @sort(%a) : (!phi.vec<f64>) -> !phi.vec<f64>
  func.return %b, %c : !phi.vec<f64>, !phi.vec<f64>
}
// SIZES-LABEL: func.func @elements(%v: !phi.vec<i64>, %a: i64) -> (i64, i64) {
// SIZES:         %n = phi.get %v[%zero] : !phi.vec<i64>[i64]
// SIZES:         %[[ZEROS:.*]] = phi.array (%{{.*}} < %a) -> !phi.vec<f64> {
// SIZES:         %[[CALL:.*]] = phi.extern @sort(%[[ZEROS]])
// SIZES:         %[[SIZE:.*]] = phi.size %[[CALL]], 0
// SIZES:         func.return %n, %[[SIZE]] : i64, i64

// A record of arrays, of which one is needed.
func.func @columns(%n: i64, %x: f64) -> f64 {
  %r = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
    %k = arith.index_cast %i : index to i64
    %t = phi.tuple (%x, %k) : tuple<f64, i64>
    phi.yield %t : tuple<f64, i64>
  }
  %v = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<f64>
  %w = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<i64>> -> !phi.vec<i64>
  %m = phi.size %w, 0 : !phi.vec<i64>
  %y = phi.get %v[%m] : !phi.vec<f64>[i64]
  func.return %y : f64
}
// CHECK-LABEL: func.func @columns
// CHECK-NEXT:    %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %x : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = phi.get %r[%n] : !phi.vec<f64>[i64]
// CHECK-NEXT:    func.return %y : f64
