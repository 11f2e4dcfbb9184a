// RUN: ein-opt %s -p share-windows | filecheck %s
func.func @f(%a: !phi.vec<f64>, %mean: f64, %n: i64, %m: i64) -> !phi.vec<f64> {
  %n0 = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n0) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n0, %acc = %zero) -> f64 {
      %i0 = arith.index_cast %i : index to i64
      %0 = arith.addi %i0, %k : i64
      %x = phi.get %a[%0] : !phi.vec<f64>[i64]
      %1 = arith.subf %x, %mean : f64
      %2 = arith.addf %acc, %1 : f64
      phi.yield %2 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
