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

// A version of the callee for each demand on its results, without the parameters that it does not
// need; a version that is needed whole is the public function itself.
func.func @pair(%a: !phi.vec<f64>, %b: !phi.vec<i64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<i64>) {
  %x = phi.array (%i < %n) -> !phi.vec<f64> {
    %v = phi.get %a[%i] : !phi.vec<f64>[index]
    phi.yield %v : f64
  }
  func.return %x, %b : !phi.vec<f64>, !phi.vec<i64>
}
func.func @calls(%a: !phi.vec<f64>, %b: !phi.vec<i64>, %n: i64) -> (!phi.vec<f64>, i64, !phi.vec<i64>) {
  %x, %y = func.call @pair(%a, %b, %n) : (!phi.vec<f64>, !phi.vec<i64>, i64) -> (!phi.vec<f64>, !phi.vec<i64>)
  %m = phi.size %y, 0 : !phi.vec<i64>
  %x2, %y2 = func.call @pair(%x, %b, %m) : (!phi.vec<f64>, !phi.vec<i64>, i64) -> (!phi.vec<f64>, !phi.vec<i64>)
  %x3, %y3 = func.call @pair(%x2, %b, %m) : (!phi.vec<f64>, !phi.vec<i64>, i64) -> (!phi.vec<f64>, !phi.vec<i64>)
  %k = phi.size %x3, 0 : !phi.vec<f64>
  %x4, %y4 = func.call @pair(%a, %b, %m) : (!phi.vec<f64>, !phi.vec<i64>, i64) -> (!phi.vec<f64>, !phi.vec<i64>)
  %z = phi.get %x4[%n] : !phi.vec<f64>[i64]
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %z : f64
  }
  %x5, %y5 = func.call @pair(%s, %y4, %m) : (!phi.vec<f64>, !phi.vec<i64>, i64) -> (!phi.vec<f64>, !phi.vec<i64>)
  func.return %x5, %k, %y5 : !phi.vec<f64>, i64, !phi.vec<i64>
}
// CHECK-LABEL: func.func @pair(%a: !phi.vec<f64>, %b: !phi.vec<i64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<i64>)
// CHECK:       func.func private @pair_ns(%b: i64) -> i64 {
// CHECK-NEXT:    func.return %b : i64
// CHECK:       func.func private @pair_sn(%n: i64) -> i64 {
// CHECK-NEXT:    func.return %n : i64
// CHECK:       func.func @calls(%a: !phi.vec<f64>, %b: !phi.vec<i64>, %n: i64) -> (!phi.vec<f64>, i64, !phi.vec<i64>) {
// CHECK-NEXT:    %0 = phi.size %b, 0 : !phi.vec<i64>
// CHECK-NEXT:    %y = func.call @pair_ns(%0) : (i64) -> i64
// CHECK-NEXT:    %x3 = func.call @pair_sn(%y) : (i64) -> i64
// CHECK-NEXT:    %x4, %y4 = func.call @pair(%a, %b, %y)
// CHECK:         %x5, %y5 = func.call @pair(%s, %y4, %y)
// SIZES-LABEL: func.func @pair(%b: i64, %n: i64) -> (i64, i64) {
// SIZES-NEXT:    func.return %n, %b : i64, i64

// A call in a fold of a callee whose result is needed by its sizes is a call that counts.
func.func private @append(%x: !phi.vec<f64>, %t: tuple<f64, !phi.vec<f64>>) -> !phi.vec<f64> {
  %y = phi.proj %t, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
  %z = phi.concat %x, %y : !phi.vec<f64>
  func.return %z : !phi.vec<f64>
}
func.func @grow_by_calls(%a: !phi.vec<f64>, %m: i64, %s: f64) -> i64 {
  %r = phi.fold (%k < %m, %x = %a) -> !phi.vec<f64> {
    %t = phi.tuple (%s, %x) : tuple<f64, !phi.vec<f64>>
    %z = func.call @append(%x, %t) : (!phi.vec<f64>, tuple<f64, !phi.vec<f64>>) -> !phi.vec<f64>
    phi.yield %z : !phi.vec<f64>
  }
  %n = phi.size %r, 0 : !phi.vec<f64>
  func.return %n : i64
}
// CHECK-LABEL: func.func private @append(%x: i64, %t: i64) -> i64 {
// CHECK-NEXT:    %0 = arith.addi %x, %t : i64
// CHECK-NEXT:    func.return %0 : i64
// CHECK:       func.func @grow_by_calls
// CHECK:         %r = phi.fold (%k < %m, %x = %{{.*}}) -> i64 {
// CHECK-NEXT:      %z = func.call @append(%x, %x) : (i64, i64) -> i64
// CHECK-NEXT:      phi.yield %z : i64
