// RUN: ein-opt %s --split-input-file -p "raise-scans" | filecheck %s
// RUN: ein-opt %s --split-input-file -p "raise-scans{static=true}" | filecheck %s --check-prefix=STATIC

// Powers of the distance to the bound: a loop computes the sums from each step on. A fold computes the sums of powers
// instead if one of these is not finite.
func.func @returns(%x: !phi.vec<f64>, %g: f64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%t < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %0 = arith.index_cast %t : index to i64
      %from = arith.cmpi sge, %k, %0 : i64
      %distance = arith.subi %k, %0 : i64
      %power = math.fpowi %g, %distance : f64, i64
      %own = phi.get %x[%k] : !phi.vec<f64>[i64]
      %term = arith.mulf %power, %own : f64
      %1 = arith.select %from, %term, %zero : f64
      %next = arith.addf %acc, %1 : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @returns(
// CHECK:           %[[BASE:.*]] = math.fpowi %g, %{{.*}} : f64, i64
// CHECK:           %[[SCALE:.*]] = math.fpowi %g, %{{.*}} : f64, i64
// CHECK:           phi.fold (%k < %n, %[[ACC:.*]] = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:             %[[TOTAL:.*]] = phi.proj %[[ACC]], 0
// CHECK:             %[[SUMS:.*]] = phi.proj %[[ACC]], 1
// CHECK:             %[[PLACE:.*]] = arith.subi %{{.*}}, %k : i64
// CHECK-NEXT:        %[[OWN:.*]] = phi.get %x[%[[PLACE]]]
// CHECK-NEXT:        %[[TERM:.*]] = arith.mulf %[[SCALE]], %[[OWN]] : f64
// CHECK-NEXT:        %[[BEFORE:.*]] = arith.mulf %[[BASE]], %[[TOTAL]] : f64
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addf %[[BEFORE]], %[[TERM]] : f64
// CHECK-NEXT:        phi.update %[[SUMS]][%[[PLACE]]], %[[NEXT]]
// CHECK:           arith.cmpf ole
// CHECK:           phi.fold (%{{.*}} < %{{.*}}, %acc = %{{.*}}) -> f64 {
// CHECK:             math.fpowi %g, %{{.*}} : f64, i64
// CHECK:           phi.yield %{{.*}} : f64

// STATIC-LABEL: func.func @returns(
// STATIC:          phi.fold (%k < %n,
// STATIC:          phi.while (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> tuple<i1, f64> {

// -----

// An exponential of the distance, and a factor of each row: the test is one for all rows.
func.func @rows(%x: !phi.vec<!phi.vec<f64>>, %c: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%b < %m, %t < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %0 = arith.index_cast %t : index to i64
      %before = arith.cmpi slt, %k, %0 : i64
      %distance = arith.subi %0, %k : i64
      %float = arith.sitofp %distance : i64 to f64
      %rate = phi.get %c[%b] : !phi.vec<f64>[index]
      %exponent = arith.mulf %rate, %float : f64
      %power = math.exp %exponent : f64
      %own = phi.get %x[%b, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %term = arith.mulf %own, %power : f64
      %1 = arith.select %before, %term, %zero : f64
      %next = arith.addf %acc, %1 : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(
// CHECK:           %[[BASE:.*]] = math.exp
// CHECK:           %[[SCALE:.*]] = math.exp
// CHECK:           phi.fold (%k < %n, %{{.*}} = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:           phi.fold (%{{.*}} < %m, %{{.*}} = %{{.*}}) -> i1 {
// CHECK:             phi.fold (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:             arith.cmpf ole

// -----

// A distance that is no constant at the bound.
func.func @other(%x: !phi.vec<f64>, %g: f64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%t < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %0 = arith.index_cast %t : index to i64
      %from = arith.cmpi sge, %k, %0 : i64
      %distance = arith.addi %k, %0 : i64
      %power = math.fpowi %g, %distance : f64, i64
      %own = phi.get %x[%k] : !phi.vec<f64>[i64]
      %term = arith.mulf %power, %own : f64
      %1 = arith.select %from, %term, %zero : f64
      %next = arith.addf %acc, %1 : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @other(
// CHECK-NOT:       phi.update

// -----

// Products of the elements from the index up to the step: one more factor in each step of the loop. The sums are those
// of products, too, if what underflows might grow again.
func.func @products(%x: !phi.vec<f64>, %f: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%t < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %0 = arith.index_cast %t : index to i64
      %from = arith.cmpi sge, %k, %0 : i64
      %product = phi.fold (%j < %k, %p = %one) -> f64 {
        %1 = arith.cmpi sge, %j, %0 : i64
        %2 = phi.get %f[%j] : !phi.vec<f64>[i64]
        %3 = arith.select %1, %2, %one : f64
        %4 = arith.mulf %p, %3 : f64
        phi.yield %4 : f64
      }
      %own = phi.get %x[%k] : !phi.vec<f64>[i64]
      %term = arith.mulf %own, %product : f64
      %5 = arith.select %from, %term, %zero : f64
      %next = arith.addf %acc, %5 : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @products(
// CHECK:           phi.fold (%k < %n, %[[ACC:.*]] = %{{.*}}) -> tuple<f64, !phi.vec<f64>> {
// CHECK:             %[[TOTAL:.*]] = phi.proj %[[ACC]], 0
// CHECK:             %[[SUMS:.*]] = phi.proj %[[ACC]], 1
// CHECK:             %[[PLACE:.*]] = arith.subi %{{.*}}, %k : i64
// CHECK:             %[[OWN:.*]] = phi.get %x[%[[PLACE]]]
// CHECK:             %[[TERM:.*]] = arith.mulf %[[OWN]], %{{.*}} : f64
// CHECK:             %[[FACTOR:.*]] = phi.get %f[%[[PLACE]]]
// CHECK:             %[[BEFORE:.*]] = arith.mulf %[[FACTOR]], %[[TOTAL]] : f64
// CHECK:             %[[NEXT:.*]] = arith.addf %[[BEFORE]], %[[TERM]] : f64
// CHECK:             phi.update %[[SUMS]][%[[PLACE]]], %[[NEXT]]
// CHECK:           %[[GROWTH:.*]] = phi.fold (
// CHECK:             arith.maximumf
// CHECK:           math.absf %[[GROWTH]]
// CHECK:           phi.fold (%{{.*}} < %{{.*}}, %acc = %{{.*}}) -> f64 {
// CHECK:             phi.fold (%{{.*}} < %{{.*}}, %p = %{{.*}}) -> f64 {

// JAX compiles loops of numbers, over the indices, in less time.
// STATIC-LABEL: func.func @products(
// STATIC:          phi.while (%{{.*}} < %n, %{{.*}} = %{{.*}}) -> tuple<i1, !phi.vec<f64>> {
// STATIC:            phi.fold (%{{.*}} < %n, %acc = %{{.*}}) -> f64 {
// STATIC:            phi.update
