// RUN: ein-opt %s --split-input-file --verify-diagnostics -p linearize | filecheck %s

func.func @main(%a: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %0 = phi.tuple (%a) : tuple<!phi.vec<f64>>
  %1 = phi.tuple (%a) : tuple<!phi.vec<f64>>
  %2 = phi.jvp (%x = %0 by %1) : tuple<!phi.vec<f64>> -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %3 = phi.proj %x, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
    %4 = phi.size %3, 0 : !phi.vec<f64>
    %5 = phi.array (%i < %4) -> !phi.vec<tuple<f64, i64>> {
      %6 = phi.get %3[%i] : !phi.vec<f64>[index]
      %7 = arith.index_cast %i : index to i64
      %8 = phi.tuple (%6, %7) : tuple<f64, i64>
      phi.yield %8 : tuple<f64, i64>
    }
    %9 = phi.array (%j < %4) -> !phi.vec<f64> {
      %10 = phi.get %5[%j] : !phi.vec<tuple<f64, i64>>[index]
      %11 = phi.proj %10, 0 : tuple<f64, i64> -> f64
      %12 = arith.constant 2.000000e+00 : f64
      %13 = arith.mulf %11, %12 : f64
      phi.yield %13 : f64
    }
    phi.yield %9 : !phi.vec<f64>
  }
  func.return %2 : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK: phi.array: '!phi.vec<tuple<f64, i64>>' has arrays of records; run 'struct-of-arrays' before
