// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// The work of a loop that takes several steps at a time: its bounds are computed in the nest, but are
// about those of the size, which is known before.

func.func @sums(%r: memref<?xf64>, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %r, %c0 : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %rest = arith.remsi %n, %c4 : index
    %middle = arith.subi %n, %rest : index
    %s = scf.for %k = %c0 to %middle step %c4 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %r[%k] : memref<?xf64>
      %y = arith.addf %acc, %x : f64
      scf.yield %y : f64
    }
    memref.store %s, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: define i64 @ein.sums(ptr %a0, ptr %a1) {
// CHECK-NEXT: b0:
// CHECK-NEXT:   %v3 = alloca i64, i64 4, align 16
// CHECK-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 0
// CHECK-NEXT:   %v5 = load ptr, ptr %v4
// CHECK-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 1
// CHECK-NEXT:   %v7 = load i64, ptr %v6
// CHECK-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 2
// CHECK-NEXT:   %v9 = load ptr, ptr %v8
// CHECK-NEXT:   %v15 = sub nsw i64 %v7, 0
// CHECK-NEXT:   %v16 = add nsw i64 %v15, 1
// CHECK-NEXT:   %v18 = sub nsw i64 %v16, 1
// CHECK-NEXT:   %v19 = sdiv i64 %v18, 1
// CHECK-NEXT:   %v21 = call i64 @llvm.smax.i64(i64 %v19, i64 0)
// CHECK-NEXT:   %v25 = sub nsw i64 %v7, 0
// CHECK-NEXT:   %v27 = call i64 @llvm.smax.i64(i64 %v25, i64 0)
// CHECK-NEXT:   %v29 = add nsw i64 %v27, 3
// CHECK-NEXT:   %v31 = udiv i64 %v29, 4
// CHECK-NEXT:   %v32 = mul nsw i64 1, %v31
// CHECK-NEXT:   %v33 = mul nsw i64 %v32, 2
// CHECK-NEXT:   %v34 = add nsw i64 11, %v33
// CHECK-NEXT:   %v35 = mul nsw i64 %v34, %v21
// CHECK-NEXT:   %v37 = udiv i64 %v35, 60000
// CHECK-NEXT:   %v39 = icmp ugt i64 %v37, 1
// CHECK-NEXT:   br i1 %v39, label %b2, label %b1
