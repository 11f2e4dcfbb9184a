// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// A loop around one with an unknown number of steps is not unrolled, even if it has few steps. One
// that carries no number takes one vector at a time.

func.func @around(%r: memref<?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %r, %c0 : memref<?xf64>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %x = memref.load %r[%j] : memref<?xf64>
      %y = arith.addf %x, %x : f64
      memref.store %y, %r[%j] : memref<?xf64>
    }
  }
  func.return
}

// CHECK:       ![[INNER:[0-9]+]] = distinct !{![[INNER]], !{!"llvm.loop.interleave.count", i32 1}}
// CHECK-NEXT:  ![[FIRST:[0-9]+]] = distinct !{![[FIRST]], !{!"llvm.loop.unroll.disable"}}
// CHECK-LABEL: define i64 @ein.around(
// CHECK:         store double
// CHECK-NEXT:    add nsw i64
// CHECK-NEXT:    br label %b{{[0-9]+}}, !llvm.loop ![[INNER]]
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[FIRST]]

// Loops with known numbers of steps are.

func.func @known(%r: memref<?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %r[%j] : memref<?xf64>
      memref.store %x, %r[%i] : memref<?xf64>
    }
  }
  func.return
}

func.func @sum(%r: memref<?xf64>, %zero: f64, %operands: memref<2xi64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %r, %c0 : memref<?xf64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %x = memref.load %r[%i] : memref<?xf64>
    %next = arith.addf %acc, %x fastmath<reassoc> : f64
    scf.yield %next : f64
  }
  func.return %s : f64
}

// CHECK-LABEL: define i64 @ein.known(
// CHECK-COUNT-2: br label %b{{[0-9]+}}, !llvm.loop
// CHECK-LABEL: define i64 @ein.sum(
// CHECK-NOT:     !llvm.loop
// CHECK:       }

// So it is in the loops of a nest. The number of steps of a while loop is unknown.

func.func @nest(%r: memref<?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  "scf.parallel"(%c0, %c0, %c0, %c4, %c4, %c4, %c1, %c1, %c1) <{operandSegmentSizes = array<i32: 3, 3, 3, 0>}> ({
  ^bb0(%i: index, %j: index, %k: index):
    %last = scf.while (%s = %j) : (index) -> index {
      %more = arith.cmpi slt, %s, %c4 : index
      scf.condition(%more) %s : index
    } do {
    ^bb1(%t: index):
      %next = arith.addi %t, %c2 : index
      scf.yield %next : index
    }
    %x = memref.load %r[%last] : memref<?xf64>
    memref.store %x, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: define internal i64 @loop.nest.0(
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[SECOND:[0-9]+]]
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[THIRD:[0-9]+]]
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[FOURTH:[0-9]+]]

// -----

// A second loop of a few steps is not split: LLVM knows its number of steps.

func.func @whole(%r: memref<?xf64>, %n: index, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  "scf.parallel"(%c0, %c0, %n, %c4, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %p = arith.addi %i, %j : index
    %x = memref.load %r[%j] : memref<?xf64>
    memref.store %x, %r[%p] : memref<?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// CHECK-LABEL: define internal i64 @loop.whole.0(ptr %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, ptr
// CHECK:         icmp slt i64 %{{.*}}, 4
