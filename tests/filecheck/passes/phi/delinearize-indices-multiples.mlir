// RUN: ein-opt %s --split-input-file -p delinearize-indices,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p "delinearize-indices{static=true},dce" | filecheck %s --check-prefix=STATIC

// Sums of accumulations at interleaved positions are slices of one array of zeros.
func.func @interleaved(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %h = arith.floordivsi %n, %two : i64
  %last = arith.subi %n, %one : i64
  %a = phi.accumulate (%i < %h) into "add" (%n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.muli %0, %two : i64
    %2 = arith.addi %1, %one : i64
    %3 = arith.minsi %2, %last : i64
    %p = arith.maxsi %3, %zero : i64
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %t = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  %b = phi.accumulate (%i < %h) into "add" (%n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %p = arith.muli %0, %two : i64
    %e = phi.get %x[%p] : !phi.vec<f64>[i64]
    %t = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  %r = phi.array (%j < %n) -> !phi.vec<f64> {
    %y = phi.get %a[%j] : !phi.vec<f64>[index]
    %z = phi.get %b[%j] : !phi.vec<f64>[index]
    %s = arith.addf %y, %z : f64
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: @interleaved
// CHECK-NOT:     phi.accumulate
// CHECK:         phi.update_slice %{{.*}}[%{{.*}} by %{{.*}}], %{{.*}} : !phi.vec<f64>
// CHECK:         phi.update_slice %{{.*}}[%{{.*}} by %{{.*}}], %{{.*}} : !phi.vec<f64>
// CHECK:         %r = phi.array (%j < %n)
// CHECK-NOT:       arith.addf
// STATIC-LABEL: @interleaved
// STATIC-NOT:     phi.update_slice

// -----

// Positions that may clip stay.
func.func @clipped(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %a = phi.accumulate (%i < %n) into "add" (%n) -> !phi.vec<f64> {
    %0 = arith.index_cast %i : index to i64
    %p = arith.muli %0, %two : i64
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    %t = phi.tuple (%p, %e) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  func.return %a : !phi.vec<f64>
}

// CHECK-LABEL: @clipped
// CHECK:         phi.accumulate
