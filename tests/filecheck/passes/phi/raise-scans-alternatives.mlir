// RUN: ein-opt %s --split-input-file -p raise-scans,canonicalize,cse,dce | filecheck %s

// Either of two tests selects a step: a bound, and another test with a bound.
func.func @alternatives(%a: !phi.vec<i64>, %most: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %high = arith.constant 9223372036854775807 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %high) -> i64 {
      %x = phi.get %a[%k] : !phi.vec<i64>[i64]
      %behind = arith.cmpi sge, %k, %i_1 : i64
      %large = arith.cmpi sgt, %x, %most : i64
      %before = arith.cmpi slt, %k, %i_1 : i64
      %small = arith.cmpi slt, %x, %most : i64
      %one = arith.andi %behind, %large : i1
      %other = arith.andi %before, %small : i1
      %either = arith.ori %one, %other : i1
      %least = arith.minsi %acc, %x : i64
      %next = arith.select %either, %least, %acc : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @alternatives(
// CHECK-NOT:     phi.fold
// CHECK:         arith.select %large, %x
// CHECK:         %3 = phi.scan "min" %0 suffixes : !phi.vec<i64>
// CHECK:         arith.select %small, %x_1
// CHECK:         phi.scan "min" %5 : !phi.vec<i64>
// CHECK-NOT:     phi.fold

// -----

// A sum takes no value twice: the second fold has the steps before the index alone.
func.func @overlapping_sum(%a: !phi.vec<i64>, %most: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %x = phi.get %a[%k] : !phi.vec<i64>[i64]
      %behind = arith.cmpi sge, %k, %i_1 : i64
      %large = arith.cmpi sgt, %x, %most : i64
      %either = arith.ori %behind, %large : i1
      %more = arith.addi %acc, %x : i64
      %next = arith.select %either, %more, %acc : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @overlapping_sum(
// CHECK-NOT:     phi.fold
// CHECK:         arith.select %large, %x
// CHECK:         phi.scan "add" %0 : !phi.vec<i64>
// CHECK:         phi.scan "add" %a suffixes : !phi.vec<i64>
// CHECK-NOT:     phi.fold

// -----

// Distances: the least position on from an index, without that.
func.func @distances(%a: !phi.vec<i64>, %most: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %high = arith.constant 9223372036854775807 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%d < %n, %acc = %high) -> i64 {
      %p = arith.addi %i_1, %d : i64
      %inside = arith.cmpi slt, %p, %n : i64
      %x = phi.get %a[%p] : !phi.vec<i64>[i64]
      %large = arith.cmpi sgt, %x, %most : i64
      %both = arith.andi %inside, %large : i1
      %least = arith.minsi %acc, %d : i64
      %next = arith.select %both, %least, %acc : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @distances(
// CHECK-NOT:     phi.fold
// CHECK:         %2 = arith.select %large, %d_1, %1 : i64
// CHECK:         %3 = phi.scan "min" %0 suffixes : !phi.vec<i64>
// CHECK:         %5 = phi.get %3[%4] : !phi.vec<i64>[i64]
// CHECK:         %7 = arith.subi %6, %4 : i64
// CHECK:         %10 = arith.addi %7, %5 : i64

// -----

// Neither of two tests of elements is a bound, so a sum stays.
func.func @stays(%a: !phi.vec<i64>, %most: i64) -> !phi.vec<i64> {
  %n = phi.size %a, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %y = phi.get %a[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %x = phi.get %a[%k] : !phi.vec<i64>[i64]
      %less = arith.cmpi slt, %x, %y : i64
      %large = arith.cmpi sgt, %x, %most : i64
      %either = arith.ori %less, %large : i1
      %more = arith.addi %acc, %x : i64
      %next = arith.select %either, %more, %acc : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @stays(
// CHECK:         phi.fold (%k < %n, %acc = %zero) -> i64 {
// CHECK-NOT:     phi.scan

// -----

// The steps before a bound and those behind it, where it chooses a part of their value.
func.func @chosen(%a: !phi.vec<f64>, %c: f64, %d: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %mean = arith.select %before, %c, %d : f64
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.subf %x, %mean : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @chosen(
// CHECK-NOT:     phi.fold
// CHECK:         %{{.*}} = arith.subf %{{.*}}, %c
// CHECK:         phi.scan "add" %{{.*}} : !phi.vec<f64>
// CHECK:         %{{.*}} = arith.subf %{{.*}}, %d
// CHECK:         phi.scan "add" %{{.*}} suffixes : !phi.vec<f64>
// CHECK-NOT:     phi.fold
