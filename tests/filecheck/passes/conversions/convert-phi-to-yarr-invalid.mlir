// RUN: ein-opt %s --split-input-file --verify-diagnostics -p convert-phi-to-yarr | filecheck %s

// Records in arrays must have been split, also those with one field.

func.func @lengths(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %b = phi.array (%i < %n) -> !phi.vec<tuple<f64>> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %t = phi.tuple (%x) : tuple<f64>
    phi.yield %t : tuple<f64>
  }
  %r = phi.fold (%k < %n, %acc = %b) -> !phi.vec<tuple<f64>> {
    %c = phi.array (%i < %n) -> !phi.vec<tuple<f64>> {
      %t = phi.get %acc[%i] : !phi.vec<tuple<f64>>[index]
      %x = phi.proj %t, 0 : tuple<f64> -> f64
      %u = phi.tuple (%x) : tuple<f64>
      phi.yield %u : tuple<f64>
    }
    phi.yield %c : !phi.vec<tuple<f64>>
  }
  %s = phi.array (%i < %n) -> !phi.vec<f64> {
    %t = phi.get %r[%i] : !phi.vec<tuple<f64>>[index]
    %x = phi.proj %t, 0 : tuple<f64> -> f64
    phi.yield %x : f64
  }
  func.return %s : !phi.vec<f64>
}
// CHECK: the source of 'tuple<f64>' is an array of records: run struct-of-arrays before convert-phi-to-yarr

// -----

func.func @stays(%a: !phi.vec<tuple<f64, i64>>) -> i64 {
  %n = phi.size %a, 0 : !phi.vec<tuple<f64, i64>>
  func.return %n : i64
}
// CHECK: '!phi.vec<tuple<f64, i64>>' is an array of records: run struct-of-arrays before convert-phi-to-yarr

// -----

func.func @irregular(%a: !phi.vec<f64>, %x: f64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %c = arith.index_cast %i : index to i64
    %s = phi.fold irregular (%k < %c, %acc = %x) -> f64 {
      %y = phi.get %a[%k] : !phi.vec<f64>[i64]
      %z = arith.addf %acc, %y : f64
      phi.yield %z : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK: convert-phi-to-yarr: the count of %k is irregular, but whole arrays take each step together (at {{.*}}:{{[0-9]+}}:{{[0-9]+}})
