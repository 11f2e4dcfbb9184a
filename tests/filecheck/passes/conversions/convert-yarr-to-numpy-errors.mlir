// RUN: ein-opt %s -p convert-yarr-to-numpy --split-input-file --verify-diagnostics | filecheck %s

func.func @f(%a: tensor<?xi64>) -> tensor<?xi64> {
  %0 = yarr.elementwise { math.cttz } %a : (tensor<?xi64>) -> tensor<?xi64>
  func.return %0 : tensor<?xi64>
}
// CHECK: convert-yarr-to-numpy has no lowering for 'math.cttz' (at {{.*}}errors.mlir:4:3); to reproduce, run: ein-opt -p convert-yarr-to-numpy FILE

// -----

func.func @f(%a: tensor<?xi1>) -> tensor<?xi1> {
  %0 = yarr.einsum "i->i" %a : (tensor<?xi1>) -> tensor<?xi1>
  func.return %0 : tensor<?xi1>
}
// CHECK: convert-yarr-to-numpy has no lowering for 'yarr.einsum' on 'i1' (at {{.*}}errors.mlir:12:3); to reproduce, run

// -----

func.func @f(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  func.return %a : !phi.vec<f64>
}
// CHECK: convert-yarr-to-numpy: the arguments of 'f' must be tensors and tuples of them (at {{.*}}errors.mlir:19:1); run convert-phi-to-yarr first
