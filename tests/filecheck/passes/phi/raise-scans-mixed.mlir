// RUN: ein-opt %s --split-input-file -p raise-scans,canonicalize,dce | filecheck %s

// A magnitude of a difference: the number and the sum of the elements on either side, in order.
func.func @distances(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %own = phi.get %x[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %y = phi.get %x[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %own, %y : f64
      %e = math.absf %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @distances(
// CHECK:         phi.sort %x
// CHECK:         phi.scan "add" %{{.*}} : !phi.vec<f64>
// CHECK:         phi.scan "add" %{{.*}} suffixes : !phi.vec<f64>
// CHECK:         phi.searchsorted
// CHECK:         phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %{{.*}}) -> f64 {
// CHECK:           math.absf

// -----

// A difference of Ints does not wrap, as is tested; the steps of a loop are elements of an array.
func.func @in_a_loop(%x: !phi.vec<i64>) -> i64 {
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<i64>
  %r = phi.fold (%i < %n, %total = %zero) -> i64 {
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %own = phi.get %x[%i] : !phi.vec<i64>[i64]
      %y = phi.get %x[%k] : !phi.vec<i64>[i64]
      %d = arith.subi %own, %y : i64
      %e = math.absi %d : i64
      %next = arith.addi %acc, %e : i64
      phi.yield %next : i64
    }
    %sum = arith.addi %total, %s : i64
    phi.yield %sum : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @in_a_loop(
// CHECK:         phi.scan "add" %{{.*}} : !phi.vec<i64>
// CHECK:         arith.cmpi ult
// CHECK:         phi.fold (%{{.*}} < %{{.*}}, %{{.*}} = %{{.*}}) -> i64 {

// -----

// Values of the steps that vary with the index have an order for each: all pairs are compared.
func.func @rows(%x: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%t < %m, %i < %n) -> !phi.vec<!phi.vec<f64>> {
    %own = phi.get %x[%t, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %y = phi.get %x[%t, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %d = arith.subf %own, %y : f64
      %e = math.absf %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     phi.scan
// CHECK:         func.return
