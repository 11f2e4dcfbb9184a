// RUN: ein-opt %s -p convert-loops-to-llvm | filecheck %s

// A product is a call of the runtime, which needs no sums that are cleared before.

func.func @product(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index, %m: index) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    memref.store %zero, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%r : memref<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %z = arith.mulf %x, %y : f64
    %t = arith.addf %s, %z : f64
    linalg.yield %t : f64
  }
  func.return %r : memref<?x?xf64>
}
// CHECK:       llvm.func @ein.product(
// CHECK-NOT:     ein_parallel
// CHECK-NOT:     llvm.fmul
// CHECK:         [[LEAST:%[^ ]+]] = llvm.mlir.constant(32768) : i64
// CHECK:         llvm.call @ein_product(%{{[^ ]+}}, %{{[^ ]+}}, [[LEAST]])
// CHECK-NOT:     llvm.fmul
// CHECK-NOT:   llvm.func @product
