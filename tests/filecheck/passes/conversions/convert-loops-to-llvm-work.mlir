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

// CHECK-LABEL: define i64 @ein.sums(ptr %a0, ptr %a1) noinline optnone {
// CHECK-NEXT: b0:
// CHECK-NEXT:   %v3 = alloca i64, i64 4, align 16
// CHECK-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 0
// CHECK-NEXT:   %v5 = load ptr, ptr %v4
// CHECK-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 1
// CHECK-NEXT:   %v7 = load i64, ptr %v6
// CHECK-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 2
// CHECK-NEXT:   %v9 = load ptr, ptr %v8
// CHECK-NEXT:   %v16 = call i64 @llvm.smax.i64(i64 %v7, i64 0)
// CHECK-NEXT:   %v20 = add nsw i64 %v7, 3
// CHECK-NEXT:   %v21 = sdiv i64 %v20, 4
// CHECK-NEXT:   %v22 = call i64 @llvm.smax.i64(i64 %v21, i64 0)
// CHECK-NEXT:   %v24 = mul nsw i64 %v22, 2
// CHECK-NEXT:   %v25 = add nsw i64 11, %v24
// CHECK-NEXT:   %v26 = mul nsw i64 %v25, %v16
// CHECK-NEXT:   %v28 = udiv i64 %v26, 60000
// CHECK-NEXT:   %v29 = getelementptr inbounds i64, ptr %v3, i64 1
// CHECK-NEXT:   store i64 %v16, ptr %v29
// CHECK-NEXT:   %v30 = getelementptr inbounds i64, ptr %v3, i64 2
// CHECK-NEXT:   store i64 %v7, ptr %v30
// CHECK-NEXT:   %v31 = getelementptr inbounds i64, ptr %v3, i64 3
// CHECK-NEXT:   store ptr %v5, ptr %v31
// CHECK-NEXT:   %v33 = call i64 @ein_parallel(ptr %a0, ptr @loop.sums.0.threaded, ptr %v3, i64 1, i64 %v28)
// CHECK-NEXT:   %v34 = icmp eq i64 %v33, 0
// CHECK-NEXT:   br i1 %v34, label %b1, label %b2
// CHECK-NEXT: b1:
// CHECK-NEXT:   ret i64 0
// CHECK-NEXT: b2:
// CHECK-NEXT:   %v35 = phi i64 [ %v33, %b0 ]
// CHECK-NEXT:   ret i64 %v35
// CHECK-NEXT: }

// Bounds that vary in the nest are estimated in the middle of its counters: that of `i * n / 16` to
// `(i + 1) * n / 16` is at 8.

func.func @parts(%r: memref<?xf64>, %n: index, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  "scf.parallel"(%c0, %c16, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %0 = arith.muli %i, %n : index
    %low = arith.divui %0, %c16 : index
    %next = arith.addi %i, %c1 : index
    %1 = arith.muli %next, %n : index
    %high = arith.divui %1, %c16 : index
    %s = scf.for %k = %low to %high step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %r[%k] : memref<?xf64>
      %y = arith.addf %acc, %x : f64
      scf.yield %y : f64
    }
    memref.store %s, %r[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL: define i64 @ein.parts(ptr %a0, ptr %a1) noinline optnone {
// CHECK:        %v18 = sub i64 16, 0
// CHECK-NEXT:   %v19 = sdiv i64 %v18, 2
// CHECK-NEXT:   %v20 = add i64 0, %v19
// CHECK-NEXT:   %v21 = mul i64 %v20, %v9
// CHECK-NEXT:   %v22 = udiv i64 %v21, 16
// CHECK-NEXT:   %v23 = add i64 %v20, 1
// CHECK-NEXT:   %v24 = mul i64 %v23, %v9
// CHECK-NEXT:   %v25 = udiv i64 %v24, 16
// CHECK-NEXT:   %v26 = sub nsw i64 %v25, %v22
// CHECK-NEXT:   %v29 = call i64 @llvm.smax.i64(i64 %v26, i64 0)
// CHECK-NEXT:   %v31 = mul nsw i64 %v29, 2
// CHECK-NEXT:   %v32 = add nsw i64 21, %v31
// CHECK-NEXT:   %v33 = mul nsw i64 %v32, 16
// CHECK-NEXT:   %v35 = udiv i64 %v33, 60000
