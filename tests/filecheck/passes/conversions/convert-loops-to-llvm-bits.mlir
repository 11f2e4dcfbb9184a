// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// A loop of known steps on an Int is unrolled as a whole; one of many steps on a float, or with a
// quotient, or of very many, as LLVM decides.

func.func @bits(%x: i64, %y: f64, %operands: memref<2xi64>) -> (i64, f64, i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c640 = arith.constant 640 : index
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bits = scf.for %k = %c0 to %c64 step %c1 iter_args(%found = %none) -> (i64) {
    %p = arith.index_cast %k : index to i64
    %s = arith.shrui %x, %p : i64
    %bit = arith.andi %s, %one : i64
    %more = arith.addi %found, %bit : i64
    scf.yield %more : i64
  }
  %power = scf.for %k = %c0 to %c64 step %c1 iter_args(%z = %y) -> (f64) {
    %square = arith.mulf %z, %y : f64
    scf.yield %square : f64
  }
  %quotient = scf.for %k = %c0 to %c64 step %c1 iter_args(%z = %x) -> (i64) {
    %part = arith.divui %z, %x : i64
    scf.yield %part : i64
  }
  %many = scf.for %k = %c0 to %c640 step %c1 iter_args(%z = %x) -> (i64) {
    %twice = arith.addi %z, %z : i64
    scf.yield %twice : i64
  }
  func.return %bits, %power, %quotient, %many : i64, f64, i64, i64
}

// CHECK:       ![[WHOLE:[0-9]+]] = distinct !{![[WHOLE]], !{!"llvm.loop.unroll.full"}}
// CHECK-NOT:   distinct
// CHECK-LABEL: define i64 @ein.bits(
// CHECK:         lshr i64
// CHECK:         br label %b{{[0-9]+}}, !llvm.loop ![[WHOLE]]
// CHECK:         fmul double
// CHECK-NEXT:    add nsw i64
// CHECK-NEXT:    br label %b{{[0-9]+$}}
// CHECK:         udiv i64
// CHECK-NEXT:    add nsw i64
// CHECK-NEXT:    br label %b{{[0-9]+$}}
// CHECK:         add i64
// CHECK-NEXT:    add nsw i64
// CHECK-NEXT:    br label %b{{[0-9]+$}}
