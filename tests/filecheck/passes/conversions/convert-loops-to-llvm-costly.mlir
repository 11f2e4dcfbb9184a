// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// The steps after whole vectors of a loop that computes functions are a loop with a mask. So are
// those of a sum, which goes on with the first part.

func.func @rows(%a: memref<?x?xf64>, %b: memref<?xf64>, %operands: memref<2xi64>) {
  %start = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%acc = %start) -> (f64) {
      %x = memref.load %a[%i, %j] : memref<?x?xf64>
      %next = arith.addf %acc, %x fastmath<reassoc> : f64
      scf.yield %next : f64
    } {ein.costly}
    memref.store %s, %b[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK:       ![[LAST:[0-9]+]] = distinct !{![[LAST]], !{!"llvm.loop.vectorize.predicate.enable", i1 true}}
// CHECK:       define internal i64 @loop.rows.0(
// CHECK:         %[[WHOLE:.*]] = and i64 %{{.*}}, -32
// CHECK:         %[[J:.*]] = phi i64 [ 0, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK-NEXT:    %[[PART:.*]] = phi double [ 0x0000000000000000, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK-NEXT:    %{{.*}} = icmp slt i64 %[[J]], %[[WHOLE]]
// CHECK:         br label %b{{[0-9]+$}}
// CHECK:         %[[K:.*]] = phi i64 [ %[[WHOLE]], %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK-NEXT:    %{{.*}} = phi double [ %[[PART]], %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK-NEXT:    %{{.*}} = icmp slt i64 %[[K]], %a4
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[LAST]]
