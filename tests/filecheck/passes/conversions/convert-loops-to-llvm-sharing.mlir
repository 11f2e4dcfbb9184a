// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// An address is computed once, and its element loaded once between writes.

func.func @once(%a: memref<?x?xf64>, %i: index, %j: index, %x: f64) -> f64 {
  %0 = memref.load %a[%i, %j] : memref<?x?xf64>
  %1 = memref.load %a[%i, %j] : memref<?x?xf64>
  memref.store %x, %a[%j, %i] : memref<?x?xf64>
  %2 = memref.load %a[%i, %j] : memref<?x?xf64>
  %3 = arith.addf %0, %1 : f64
  %4 = arith.addf %3, %2 : f64
  func.return %4 : f64
}

// CHECK-LABEL: define i64 @ein.once(
// CHECK:        %v14 = mul nsw i64 %v9, %v7
// CHECK-NEXT:   %v15 = add nsw i64 %v14, %v11
// CHECK-NEXT:   %v16 = getelementptr inbounds double, ptr %v3, i64 %v15
// CHECK-NEXT:   %v17 = load double, ptr %v16
// CHECK-NEXT:   %v18 = mul nsw i64 %v11, %v7
// CHECK-NEXT:   %v19 = add nsw i64 %v18, %v9
// CHECK-NEXT:   %v20 = getelementptr inbounds double, ptr %v3, i64 %v19
// CHECK-NEXT:   store double %v13, ptr %v20
// CHECK-NEXT:   %v21 = load double, ptr %v16
// CHECK-NEXT:   %v22 = fadd double %v17, %v17
// CHECK-NEXT:   %v23 = fadd double %v22, %v21

// A position of a branch or of the steps of a loop is not known after it, nor in the other branch.

func.func @apart(%a: memref<?x?xf64>, %i: index, %n: index, %c: i1) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %k = %zero to %n step %one {
    %x = memref.load %a[%i, %i] : memref<?x?xf64>
    memref.store %x, %a[%k, %i] : memref<?x?xf64>
  }
  %y = scf.if %c -> (f64) {
    %0 = memref.load %a[%i, %i] : memref<?x?xf64>
    scf.yield %0 : f64
  } else {
    %1 = memref.load %a[%i, %i] : memref<?x?xf64>
    scf.yield %1 : f64
  }
  func.return %y : f64
}

// CHECK-LABEL: define i64 @ein.apart(
// CHECK:      b3:
// CHECK-NEXT:   %v25 = mul nsw i64 %v9, %v7
// CHECK-NEXT:   %v26 = add nsw i64 %v25, %v9
// CHECK-NEXT:   %v27 = getelementptr inbounds double, ptr %v3, i64 %v26
// CHECK-NEXT:   %v28 = load double, ptr %v27
// CHECK-NEXT:   %v29 = mul nsw i64 %v23, %v7
// CHECK-NEXT:   %v30 = add nsw i64 %v29, %v9
// CHECK-NEXT:   %v31 = getelementptr inbounds double, ptr %v3, i64 %v30
// CHECK-NEXT:   store double %v28, ptr %v31
// CHECK-NEXT:   %v32 = add nsw i64 %v23, 1
// CHECK-NEXT:   br label %b2, !llvm.loop !1
// CHECK:      b9:
// CHECK-NEXT:   %v38 = mul nsw i64 %v9, %v7
// CHECK-NEXT:   %v39 = add nsw i64 %v38, %v9
// CHECK-NEXT:   %v40 = getelementptr inbounds double, ptr %v3, i64 %v39
// CHECK-NEXT:   %v41 = load double, ptr %v40
// CHECK-NEXT:   br label %b11
// CHECK:      b10:
// CHECK-NEXT:   %v42 = mul nsw i64 %v9, %v7
// CHECK-NEXT:   %v43 = add nsw i64 %v42, %v9
// CHECK-NEXT:   %v44 = getelementptr inbounds double, ptr %v3, i64 %v43
// CHECK-NEXT:   %v45 = load double, ptr %v44
// CHECK-NEXT:   br label %b11
