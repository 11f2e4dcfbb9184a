// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// The steps after whole vectors of a loop over neighbouring results are a vector with a mask.
func.func @results(%a: memref<?x?xf64>, %b: memref<128xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %y = memref.load %b[%j] : memref<128xf64>
      %z = arith.addf %x, %y : f64
      memref.store %z, %b[%j] : memref<128xf64>
    } {ein.results}
  }
  func.return
}

// CHECK:       ![[FIRST:[0-9]+]] = distinct !{![[FIRST]], !{!"llvm.loop.interleave.count", i32 1}}
// CHECK:       ![[LAST:[0-9]+]] = distinct !{![[LAST]], !{!"llvm.loop.interleave.count", i32 1}, !{!"llvm.loop.vectorize.predicate.enable", i1 true}}
// CHECK:       define i64 @ein.results(
// CHECK:         %[[WHOLE:.*]] = and i64 %{{.*}}, -8
// CHECK:         %[[J:.*]] = phi i64 [ 0, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK-NEXT:    %{{.*}} = icmp slt i64 %[[J]], %[[WHOLE]]
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[FIRST]]
// CHECK:         %[[K:.*]] = phi i64 [ %[[WHOLE]], %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK-NEXT:    %{{.*}} = icmp slt i64 %[[K]], %{{.*}}
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[LAST]]
