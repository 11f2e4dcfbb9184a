// RUN: ein-opt %s --split-input-file -p skew-folds | filecheck %s

// Blocks of as many steps as the lag has, if that is long at run time, and the steps if not.

func.func @echo(%x: !phi.vec<f64>, %d: i64) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%t < %n, %y = %x) -> !phi.vec<f64> {
    %e = phi.get %x[%t] : !phi.vec<f64>[i64]
    %p = arith.subi %t, %d : i64
    %o = phi.get %y[%p] : !phi.vec<f64>[i64]
    %s = arith.addf %e, %o : f64
    %u = phi.update %y[%t], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @echo(
// CHECK:         %[[long:.*]] = arith.cmpi sge, %d, %{{.*}} : i64
// CHECK:         %[[first:.*]] = phi.fold (%t < %{{.*}}, %y = %x) -> !phi.vec<f64> {
// CHECK:           phi.array (%t_1 < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           phi.update_slice %y[%{{.*}} by %{{.*}}], %{{.*}} : !phi.vec<f64>
// CHECK:         %[[blocks:.*]] = phi.fold (%t_{{.*}} < %{{.*}}, %y_1 = %[[first]]) -> !phi.vec<f64> {
// CHECK:           phi.array (%t_{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           phi.update_slice %y_1[%{{.*}} by %{{.*}}], %{{.*}} : !phi.vec<f64>
// CHECK:         %[[chains:.*]] = phi.fold (%t_{{.*}} < %{{.*}}, %y_2 = %[[blocks]]) -> !phi.vec<f64> {
// CHECK:           phi.scan "add"
// CHECK:           phi.update_slice %y_2[%{{.*}} by %d], %{{.*}} : !phi.vec<f64>
// CHECK:         phi.fold (%t_{{.*}} < %{{.*}}, %y_3 = %[[chains]]) -> !phi.vec<f64> {
// CHECK:           phi.update %y_3

// -----

// A step before the lag writes nothing: no block has such steps, and none tests it. Short lags
// are those of chains, which are scans.

func.func @coins(%x: !phi.vec<i64>, %d: i64) -> !phi.vec<i64> {
  %n = phi.size %x, 0 : !phi.vec<i64>
  %none = arith.constant -1 : i64
  %r = phi.fold (%t < %n, %y = %x) -> !phi.vec<i64> {
    %early = arith.cmpi sgt, %d, %t : i64
    %p = arith.subi %t, %d : i64
    %o = phi.get %y[%p] : !phi.vec<i64>[i64]
    %e = phi.get %y[%t] : !phi.vec<i64>[i64]
    %s = arith.addi %e, %o : i64
    %q = arith.select %early, %none, %t : i64
    %u = phi.update %y[%q], %s : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %u : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @coins(
// CHECK-NOT:     arith.cmpi sgt, %d
// CHECK:         %[[blocks:.*]] = phi.fold (%t < %{{.*}}, %y = %x) -> !phi.vec<i64> {
// CHECK-NOT:     arith.cmpi sgt, %d
// CHECK:           phi.update_slice %y[%{{.*}} by %{{.*}}], %{{.*}} : !phi.vec<i64>
// CHECK:         %[[chains:.*]] = phi.fold (%t_{{.*}} < %{{.*}}, %y_1 = %[[blocks]]) -> !phi.vec<i64> {
// CHECK-NOT:     arith.cmpi sgt, %d
// CHECK:           phi.scan "add"
// CHECK:           phi.update_slice %y_1[%{{.*}} by %d], %{{.*}} : !phi.vec<i64>
// CHECK:         phi.fold (%t_{{.*}} < %{{.*}}, %y_2 = %[[chains]]) -> !phi.vec<i64> {
// CHECK:           arith.cmpi sgt, %d
// CHECK:           phi.update %y_2

// -----

// Short lags, lags of one step only, and those of an array that is read as a whole.

func.func @steps(%x: !phi.vec<f64>, %d: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %c = arith.constant 12 : i64
  %r = phi.fold (%t < %n, %y = %x) -> !phi.vec<f64> {
    %p = arith.subi %t, %c : i64
    %o = phi.get %y[%p] : !phi.vec<f64>[i64]
    %u = phi.update %y[%t], %o : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  %s = phi.fold (%t < %n, %y = %x) -> !phi.vec<f64> {
    %l = phi.get %d[%t] : !phi.vec<i64>[i64]
    %p = arith.subi %t, %l : i64
    %o = phi.get %y[%p] : !phi.vec<f64>[i64]
    %u = phi.update %y[%t], %o : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @steps(
// CHECK-NOT:     phi.update_slice
// CHECK:         func.return
