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
// CHECK:      b2:
// CHECK-NEXT:   %v20 = mul nsw i64 %v9, %v7
// CHECK-NEXT:   %v21 = add nsw i64 %v20, %v9
// CHECK-NEXT:   %v22 = getelementptr inbounds double, ptr %v3, i64 %v21
// CHECK-NEXT:   %v23 = load double, ptr %v22
// CHECK-NEXT:   %v24 = mul nsw i64 %v18, %v7
// CHECK-NEXT:   %v25 = add nsw i64 %v24, %v9
// CHECK-NEXT:   %v26 = getelementptr inbounds double, ptr %v3, i64 %v25
// CHECK-NEXT:   store double %v23, ptr %v26
// CHECK-NEXT:   %v27 = add nsw i64 %v18, 1
// CHECK-NEXT:   br label %b1, !llvm.loop !1
// CHECK:      b4:
// CHECK-NEXT:   %v28 = mul nsw i64 %v9, %v7
// CHECK-NEXT:   %v29 = add nsw i64 %v28, %v9
// CHECK-NEXT:   %v30 = getelementptr inbounds double, ptr %v3, i64 %v29
// CHECK-NEXT:   %v31 = load double, ptr %v30
// CHECK-NEXT:   br label %b6
// CHECK-NEXT: b5:
// CHECK-NEXT:   %v32 = mul nsw i64 %v9, %v7
// CHECK-NEXT:   %v33 = add nsw i64 %v32, %v9
// CHECK-NEXT:   %v34 = getelementptr inbounds double, ptr %v3, i64 %v33
// CHECK-NEXT:   %v35 = load double, ptr %v34
