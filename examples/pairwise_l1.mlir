// The L1 distances between all pairs of rows of a matrix: sum over k of |a[i, k] - a[j, k]|.
// Try:  ein-opt examples/pairwise_l1.mlir --pipeline numpy -t python
func.func @pairwise_l1(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %difference = arith.subf %x, %y : f64
      %distance = math.absf %difference : f64
      %next = arith.addf %acc, %distance : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<!phi.vec<f64>>
}
