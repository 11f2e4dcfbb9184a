// RUN: ein-opt %s --split-input-file -p raise-scans,canonicalize,dce | filecheck %s

// The elements before another one in the stable order are those before its place in it: the inverse of
// the order has the places of all elements.
func.func @before(%x: !phi.vec<f64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %y = phi.get %x[%i] : !phi.vec<f64>[index]
    %c = phi.fold (%j < %n, %acc = %zero) -> i64 {
      %z = phi.get %x[%j] : !phi.vec<f64>[i64]
      %less = arith.cmpf olt, %z, %y : f64
      %same = arith.cmpf oeq, %z, %y : f64
      %early = arith.cmpi slt, %j, %p : i64
      %both = arith.andi %same, %early : i1
      %either = arith.ori %less, %both : i1
      %term = arith.select %either, %one, %zero : i64
      %next = arith.addi %acc, %term : i64
      phi.yield %next : i64
    }
    phi.yield %c : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @before(
// CHECK:         %[[ORDER:.*]] = phi.argsort
// CHECK:         %[[RANKS:.*]] = phi.accumulate (%j < %n) into "add" (%n)
// CHECK-NEXT:      phi.get %[[ORDER]][%j]
// CHECK:         phi.get %[[RANKS]][%i]
// CHECK-NOT:     phi.fold

// -----

// Ints that are larger, or equal and earlier, come first in the order of ~x, which does not overflow.
func.func @descending(%x: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %y = phi.get %x[%i] : !phi.vec<i64>[index]
    %c = phi.fold (%j < %n, %acc = %zero) -> i64 {
      %z = phi.get %x[%j] : !phi.vec<i64>[i64]
      %more = arith.cmpi sgt, %z, %y : i64
      %same = arith.cmpi eq, %z, %y : i64
      %early = arith.cmpi slt, %j, %p : i64
      %both = arith.andi %same, %early : i1
      %either = arith.ori %more, %both : i1
      %term = arith.select %either, %one, %zero : i64
      %next = arith.addi %acc, %term : i64
      phi.yield %next : i64
    }
    phi.yield %c : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @descending(
// CHECK:         arith.xori %{{.*}}, %{{.*}} : i64
// CHECK:         phi.argsort
// CHECK-NOT:     phi.fold

// -----

// The place of a number that is no element is found by halves.
func.func @between(%x: !phi.vec<i64>, %v: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %m = phi.size %v, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %y = phi.get %v[%i] : !phi.vec<i64>[index]
    %c = phi.fold (%j < %n, %acc = %zero) -> i64 {
      %z = phi.get %x[%j] : !phi.vec<i64>[i64]
      %less = arith.cmpi slt, %z, %y : i64
      %same = arith.cmpi eq, %z, %y : i64
      %early = arith.cmpi slt, %j, %p : i64
      %both = arith.andi %same, %early : i1
      %either = arith.ori %less, %both : i1
      %term = arith.select %either, %one, %zero : i64
      %next = arith.addi %acc, %term : i64
      phi.yield %next : i64
    }
    phi.yield %c : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @between(
// CHECK:         %[[ORDER:.*]] = phi.argsort
// CHECK:         phi.fold
// CHECK:         phi.get %[[ORDER]]

// -----

// Of few keys or limits, each key is compared with each limit.
func.func @few(%x: !phi.vec<f64>, %v: !phi.vec<f64>) -> (!phi.vec<i64>, !phi.vec<i64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nine = arith.constant 9 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %y = phi.get %v[%i] : !phi.vec<f64>[index]
    %c = phi.fold (%j < %nine, %acc = %zero) -> i64 {
      %z = phi.get %x[%j] : !phi.vec<f64>[i64]
      %less = arith.cmpf olt, %z, %y : f64
      %term = arith.select %less, %one, %zero : i64
      %next = arith.addi %acc, %term : i64
      phi.yield %next : i64
    }
    phi.yield %c : i64
  }
  %s = phi.array (%i < %nine) -> !phi.vec<i64> {
    %y = phi.get %v[%i] : !phi.vec<f64>[index]
    %c = phi.fold (%j < %n, %acc = %zero) -> i64 {
      %z = phi.get %x[%j] : !phi.vec<f64>[i64]
      %less = arith.cmpf olt, %z, %y : f64
      %term = arith.select %less, %one, %zero : i64
      %next = arith.addi %acc, %term : i64
      phi.yield %next : i64
    }
    phi.yield %c : i64
  }
  func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
}

// CHECK-LABEL: func.func @few(
// CHECK-NOT:     phi.sort
// CHECK-NOT:     phi.argsort
