// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// The last loop of a nest has few steps, as at a border: it is neither unrolled nor vectorised. What
// runs once for a call is not optimised.

func.func @border(%r: memref<?x?xf64>, %few: index, %operands: memref<2xi64>) {
  %x = arith.constant 2.5 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %r, %c0 : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %few, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    memref.store %x, %r[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) {ein.few_steps} : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK:       ![[INNER:[0-9]+]] = distinct !{![[INNER]], !{!"llvm.loop.unroll.disable"}, !{!"llvm.loop.vectorize.enable", i1 false}}
// CHECK-NEXT:  ![[OUTER:[0-9]+]] = distinct !{![[OUTER]], !{!"llvm.loop.unroll.disable"}}
// CHECK:       define i64 @ein.border(ptr %a0, ptr %a1) noinline optnone {
// CHECK:       define internal i64 @loop.border.0({{.*}}) noinline {
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[INNER]]
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[OUTER]]
// CHECK:       define internal i64 @loop.border.0.threaded({{.*}}) noinline optnone {
