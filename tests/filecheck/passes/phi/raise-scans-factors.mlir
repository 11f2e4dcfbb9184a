// RUN: ein-opt %s --split-input-file -p raise-scans,canonicalize,dce | filecheck %s

// A factor of Ints that is the same in all steps is taken out of their sum.
func.func @of_ints(%c: !phi.vec<i64>, %x: !phi.vec<i64>) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %i_1 = arith.index_cast %i : index to i64
    %own = phi.get %c[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %y = phi.get %x[%k] : !phi.vec<i64>[i64]
      %z = arith.muli %own, %y : i64
      %chosen = arith.select %before, %z, %zero : i64
      %next = arith.addi %acc, %chosen : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}


// CHECK-LABEL:  func.func @of_ints(
// CHECK:          %[[SUMS:.*]] = phi.scan "add" %x : !phi.vec<i64>
// CHECK:          %[[SUM:.*]] = phi.get %[[SUMS]][%{{.*}}] : !phi.vec<i64>[i64]
// CHECK:          %[[TOTAL:.*]] = arith.muli %own, %[[SUM]] : i64
// CHECK-NEXT:     phi.yield %[[TOTAL]] : i64

// -----

// Where such a product of floats is not finite, the sum of products may be.
func.func @of_floats(%c: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %own = phi.get %c[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %y, %own : f64
      %chosen = arith.select %before, %z, %zero : f64
      %next = arith.addf %acc, %chosen : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}


// CHECK-LABEL:  func.func @of_floats(
// CHECK:          %[[SUMS:.*]] = phi.scan "add" %x : !phi.vec<f64>
// CHECK:          %{{.*}} = phi.array (%{{.*}} < %n) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
// CHECK:            %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK:            arith.cmpf ugt
// CHECK:          %[[RARE:.*]] = arith.cmpi sgt
// CHECK:          %[[STEPS:.*]] = arith.select %[[RARE]], %n, %{{.*}} : i64
// CHECK-NEXT:     %[[INIT:.*]] = arith.select %[[RARE]], %zero, %{{.*}} : f64
// CHECK-NEXT:     phi.fold (%k < %[[STEPS]], %acc = %[[INIT]]) -> f64 {
// CHECK:            arith.mulf %y, %own : f64

// -----

// Sums of such sums become reductions of whole arrays, which have no loop to guard.
func.func @of_sums(%c: !phi.vec<f64>, %x: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %sum = %zero) -> f64 {
    %own = phi.get %c[%i] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i : i64
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %z = arith.mulf %own, %y : f64
      %chosen = arith.select %before, %z, %zero : f64
      %next = arith.addf %acc, %chosen : f64
      phi.yield %next : f64
    }
    %more = arith.addf %sum, %s : f64
    phi.yield %more : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:  func.func @of_sums(
// CHECK-NOT:      phi.scan
// CHECK:          phi.fold (%k < %n, %acc = %zero) -> f64 {

// -----

// A divisor within a product: a loop computes the sum, too, where that without it is small.
func.func @of_ratios(%c: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %own = phi.get %c[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %o = phi.get %c[%k] : !phi.vec<f64>[i64]
      %ratio = arith.divf %o, %own : f64
      %z = arith.mulf %ratio, %y : f64
      %chosen = arith.select %before, %z, %zero : f64
      %next = arith.addf %acc, %chosen : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @of_ratios(
// CHECK:          phi.scan "add" %{{.*}} : !phi.vec<f64>
// CHECK:          %[[QUOTIENT:.*]] = arith.divf %[[SUM:.*]], %{{.*}} : f64
// CHECK:          arith.cmpf ult
// CHECK:          arith.cmpf ugt
// CHECK:          arith.ori
// CHECK:          phi.fold
// CHECK:            arith.divf

// -----

// A choice within a product, which is without steps beyond the bound if the other factors are finite.
func.func @choices(%c: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %before = arith.cmpi slt, %k, %i_1 : i64
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %z = phi.get %c[%k] : !phi.vec<f64>[i64]
      %chosen = arith.select %before, %y, %zero : f64
      %product = arith.mulf %chosen, %z : f64
      %next = arith.addf %acc, %product : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @choices(
// CHECK:          %[[TERMS:.*]] = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NOT:        arith.select
// CHECK:            arith.mulf
// CHECK:          %[[SUMS:.*]] = phi.scan "add" %[[TERMS]] : !phi.vec<f64>
// CHECK:          arith.cmpf ole
// CHECK:          phi.fold (
// CHECK:            arith.select
