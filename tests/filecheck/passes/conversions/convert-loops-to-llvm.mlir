// RUN: ein-opt %s -p convert-loops-to-llvm | filecheck %s
// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s --check-prefix=LLVM
// RUN: xdsl-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s --check-prefix=LLVM

// The llvm dialect of one function; the others are checked as LLVM's text.

func.func @element(%a: memref<?xf64>, %i: i64, %operands: memref<2xi64>) -> f64 {
  %p = arith.index_cast %i : i64 to index
  %x = memref.load %a[%p] : memref<?xf64>
  func.return %x : f64
}

// Arrays of several axes, truth values, known sizes.

func.func @flags(%a: memref<?x?xi1>, %i: i64, %operands: memref<2xi64>) -> i1 {
  %p = arith.index_cast %i : i64 to index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c1 : memref<?x?xi1>
  %x = memref.load %a[%p, %m] : memref<?x?xi1>
  memref.store %x, %a[%m, %p] : memref<?x?xi1>
  func.return %x : i1
}

// A part of an array: a row, whose elements have a stride.

func.func @part(%a: memref<?x?xf32>, %i: i64, %operands: memref<2xi64>) -> f32 {
  %p = arith.index_cast %i : i64 to index
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %b = memref.subview %a[0, %p] [%n, 1] [2, 1]
      : memref<?x?xf32> to memref<?xf32, strided<[?], offset: ?>>
  %x = memref.load %b[%p] : memref<?xf32, strided<[?], offset: ?>>
  func.return %x : f32
}

// Windows of an array: the distance of their first elements is the last argument.

func.func @windows(%a: memref<?xf64>, %i: i64, %d: i64, %operands: memref<2xi64>) -> f64 {
  %p = arith.index_cast %i : i64 to index
  %t = arith.index_cast %d : i64 to index
  %b = memref.reinterpret_cast %a to offset: [%p], sizes: [%p, %p], strides: [%t, 1]
      : memref<?xf64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
  %x = memref.load %b[%p, %t] : memref<?x?xf64, strided<[?, 1], offset: ?>>
  func.return %x : f64
}

// Memory: allocated, copied, released, returned.

func.func @memory(%a: memref<?xi32>, %operands: memref<2xi64>) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  %b = memref.alloc(%n) : memref<?xi32>
  %c = memref.alloc() : memref<4xi32>
  "memref.copy"(%a, %b) : (memref<?xi32>, memref<?xi32>) -> ()
  memref.dealloc %c : memref<4xi32>
  func.return %b : memref<?xi32>
}

// The lesser of an element and a number, in its place: an element that stays is not written.

func.func @lesser(%a: memref<?xf64>, %x: f64, %i: i64, %operands: memref<2xi64>) {
  %p = arith.index_cast %i : i64 to index
  %old = memref.load %a[%p] : memref<?xf64>
  %new = arith.minimumf %x, %old : f64
  memref.store %new, %a[%p] : memref<?xf64>
  func.return
}

// After another write it is another element.

func.func @lesser_of_another(%a: memref<?xf64>, %x: f64, %i: i64, %operands: memref<2xi64>) {
  %p = arith.index_cast %i : i64 to index
  %old = memref.load %a[%p] : memref<?xf64>
  memref.store %x, %a[%p] : memref<?xf64>
  %new = arith.minimumf %x, %old : f64
  memref.store %new, %a[%p] : memref<?xf64>
  func.return
}

// A loop that carries a number, and a branch.

func.func @loop(%n: i64, %x: f64, %operands: memref<2xi64>) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %total = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) : i64 {
    %c = arith.cmpi sgt, %k, %c1 : i64
    %y = scf.if %c -> (f64) {
      %z = arith.addf %sum, %x : f64
      scf.yield %z : f64
    } else {
      scf.yield %sum : f64
    }
    scf.yield %y : f64
  }
  func.return %total : f64
}

func.func @search(%x: i64, %operands: memref<2xi64>) -> i64 {
  %c2 = arith.constant 2 : i64
  %r = scf.while (%k = %c2) : (i64) -> i64 {
    %c = arith.cmpi slt, %k, %x : i64
    scf.condition(%c) %k : i64
  } do {
  ^bb0(%k: i64):
    %l = arith.muli %k, %k : i64
    scf.yield %l : i64
  }
  func.return %r : i64
}

// Assertions and calls: a failure returns its code.

func.func private @host(memref<?xf64>, i1) -> f64

func.func @calls(%a: memref<?xf64>, %c: i1, %operands: memref<2xi64>) -> f64 {
  cf.assert %c, "no: {0}"
  %x = func.call @host(%a, %c) : (memref<?xf64>, i1) -> f64
  %i = arith.constant 3 : i64
  %y = func.call @element(%a, %i, %operands) : (memref<?xf64>, i64, memref<2xi64>) -> f64
  %z = arith.addf %x, %y : f64
  func.return %z : f64
}

// Operators.

func.func @integers(%x: i64, %y: i64, %operands: memref<2xi64>) -> i64 {
  %0 = arith.addi %x, %y : i64
  %1 = arith.muli %0, %y overflow<nsw> : i64
  %2 = arith.minsi %1, %x : i64
  %3 = arith.shrui %2, %y : i64
  %4 = math.absi %3 : i64
  %5 = math.ctlz %4 : i64
  %6 = arith.cmpi ult, %5, %x : i64
  %7 = arith.select %6, %x, %5 : i64
  %8 = arith.trunci %7 : i64 to i32
  %9 = arith.extui %8 : i32 to i64
  func.return %9 : i64
}

func.func @floats(%x: f64, %y: f32, %operands: memref<2xi64>) -> f64 {
  %0 = arith.extf %y : f32 to f64
  %1 = arith.negf %0 : f64
  %2 = arith.maximumf %1, %x : f64
  %3 = math.sqrt %2 : f64
  %4 = math.erf %3 : f64
  %5 = math.rsqrt %4 : f64
  %6 = arith.cmpf ole, %5, %x : f64
  %7 = arith.uitofp %6 : i1 to f64
  %8 = arith.fptosi %7 : f64 to i64
  %9 = arith.uitofp %8 : i64 to f64
  %11 = math.fma %9, %x, %x : f64
  %12 = arith.constant 0.1 : f32
  %13 = math.sinh %12 : f32
  %14 = arith.extf %13 : f32 to f64
  %15 = arith.addf %11, %14 : f64
  func.return %15 : f64
}

// A parallel loop: a function of a range of steps, for this thread or for several. The result
// shares no memory with the argument.

func.func @threads(%a: memref<?x?xf64>, %k: f64, %operands: memref<2xi64>) -> memref<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  %b = memref.alloc(%n, %m) : memref<?x?xf64>
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1)
      <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = arith.mulf %x, %k : f64
    memref.store %y, %b[%i, %j] : memref<?x?xf64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return %b : memref<?x?xf64>
}

// CHECK-LABEL: llvm.func @ein.element(%0: !llvm.ptr, %1: !llvm.ptr) -> i64 attributes {no_inline, passthrough = ["optnone"]} {
// CHECK-NEXT:     %2 = llvm.getelementptr inbounds %1[0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:     %3 = llvm.load %2 : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:     %4 = llvm.getelementptr inbounds %1[1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:     %5 = llvm.load %4 : !llvm.ptr -> i64
// CHECK-NEXT:     %6 = llvm.getelementptr inbounds %1[2] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:     %7 = llvm.load %6 : !llvm.ptr -> i64
// CHECK-NEXT:     %8 = llvm.getelementptr inbounds %1[3] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:     %9 = llvm.load %8 : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:     %10 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %11 = llvm.getelementptr inbounds %3[%7] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:     %12 = llvm.load %11 : !llvm.ptr -> f64
// CHECK-NEXT:     %13 = llvm.getelementptr inbounds %1[4] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:     llvm.store %12, %13 : f64, !llvm.ptr
// CHECK-NEXT:     %14 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     llvm.return %14 : i64
// CHECK-NEXT:   }

// LLVM-LABEL: define i64 @ein.element(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load ptr, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load i64, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v9 = load ptr, ptr %v8
// LLVM-NEXT:   %v11 = getelementptr inbounds double, ptr %v3, i64 %v7
// LLVM-NEXT:   %v12 = load double, ptr %v11
// LLVM-NEXT:   %v13 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   store double %v12, ptr %v13
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.flags(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load ptr, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load i64, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v9 = load i64, ptr %v8
// LLVM-NEXT:   %v10 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   %v11 = load ptr, ptr %v10
// LLVM-NEXT:   %v14 = mul nsw i64 %v9, %v7
// LLVM-NEXT:   %v15 = add nsw i64 %v14, %v7
// LLVM-NEXT:   %v16 = getelementptr inbounds i8, ptr %v3, i64 %v15
// LLVM-NEXT:   %v17 = load i8, ptr %v16
// LLVM-NEXT:   %v19 = icmp ne i8 %v17, 0
// LLVM-NEXT:   %v20 = zext i1 %v19 to i8
// LLVM-NEXT:   %v21 = mul nsw i64 %v7, %v7
// LLVM-NEXT:   %v22 = add nsw i64 %v21, %v9
// LLVM-NEXT:   %v23 = getelementptr inbounds i8, ptr %v3, i64 %v22
// LLVM-NEXT:   store i8 %v20, ptr %v23
// LLVM-NEXT:   %v24 = zext i1 %v19 to i8
// LLVM-NEXT:   %v25 = getelementptr inbounds i64, ptr %a1, i64 5
// LLVM-NEXT:   store i8 %v24, ptr %v25
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.part(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load ptr, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load i64, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v9 = load i64, ptr %v8
// LLVM-NEXT:   %v10 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   %v11 = load ptr, ptr %v10
// LLVM-NEXT:   %v16 = mul nsw i64 %v7, 2
// LLVM-NEXT:   %v17 = getelementptr inbounds float, ptr %v3, i64 %v9
// LLVM-NEXT:   %v18 = mul nsw i64 %v9, %v16
// LLVM-NEXT:   %v19 = getelementptr inbounds float, ptr %v17, i64 %v18
// LLVM-NEXT:   %v20 = load float, ptr %v19
// LLVM-NEXT:   %v21 = getelementptr inbounds i64, ptr %a1, i64 5
// LLVM-NEXT:   store float %v20, ptr %v21
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.windows(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load ptr, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load i64, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v9 = load i64, ptr %v8
// LLVM-NEXT:   %v10 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   %v11 = load ptr, ptr %v10
// LLVM-NEXT:   %v14 = getelementptr inbounds double, ptr %v3, i64 %v7
// LLVM-NEXT:   %v15 = mul nsw i64 %v7, %v9
// LLVM-NEXT:   %v16 = add nsw i64 %v15, %v9
// LLVM-NEXT:   %v17 = getelementptr inbounds double, ptr %v14, i64 %v16
// LLVM-NEXT:   %v18 = load double, ptr %v17
// LLVM-NEXT:   %v19 = getelementptr inbounds i64, ptr %a1, i64 5
// LLVM-NEXT:   store double %v18, ptr %v19
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.lesser(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load ptr, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load double, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v9 = load i64, ptr %v8
// LLVM-NEXT:   %v10 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   %v11 = load ptr, ptr %v10
// LLVM-NEXT:   %v13 = getelementptr inbounds double, ptr %v3, i64 %v9
// LLVM-NEXT:   %v14 = load double, ptr %v13
// LLVM-NEXT:   %v15 = call nsz double @llvm.minimum.f64(double %v7, double %v14)
// LLVM-NEXT:   %v16 = fcmp ugt double %v14, %v7
// LLVM-NEXT:   %v17 = fcmp ord double %v14, %v14
// LLVM-NEXT:   %v18 = and i1 %v16, %v17
// LLVM-NEXT:   %v19 = select i1 %v18, double %v7, double %v14
// LLVM-NEXT:   store double %v19, ptr %v13
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.lesser_of_another(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load ptr, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load double, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v9 = load i64, ptr %v8
// LLVM-NEXT:   %v10 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   %v11 = load ptr, ptr %v10
// LLVM-NEXT:   %v13 = getelementptr inbounds double, ptr %v3, i64 %v9
// LLVM-NEXT:   %v14 = load double, ptr %v13
// LLVM-NEXT:   store double %v7, ptr %v13
// LLVM-NEXT:   %v15 = call nsz double @llvm.minimum.f64(double %v7, double %v14)
// LLVM-NEXT:   store double %v15, ptr %v13
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.loop(ptr %a0, ptr %a1) {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load i64, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load double, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load ptr, ptr %v6
// LLVM-NEXT:   br label %b1
// LLVM-NEXT: b1:
// LLVM-NEXT:   %v12 = phi i64 [ 0, %b0 ], [ %v18, %b10 ]
// LLVM-NEXT:   %v13 = phi double [ 0x0000000000000000, %b0 ], [ %v19, %b10 ]
// LLVM-NEXT:   %v15 = sub nsw i64 %v3, %v12
// LLVM-NEXT:   %v16 = call i64 @llvm.smin.i64(i64 %v15, i64 1048576)
// LLVM-NEXT:   %v17 = add nsw i64 %v12, %v16
// LLVM-NEXT:   br label %b2
// LLVM-NEXT: b2:
// LLVM-NEXT:   %v18 = phi i64 [ %v12, %b1 ], [ %v24, %b6 ]
// LLVM-NEXT:   %v19 = phi double [ %v13, %b1 ], [ %v23, %b6 ]
// LLVM-NEXT:   %v20 = icmp slt i64 %v18, %v17
// LLVM-NEXT:   br i1 %v20, label %b3, label %b7
// LLVM-NEXT: b3:
// LLVM-NEXT:   %v21 = icmp sgt i64 %v18, 1
// LLVM-NEXT:   br i1 %v21, label %b4, label %b5
// LLVM-NEXT: b4:
// LLVM-NEXT:   %v22 = fadd double %v19, %v5
// LLVM-NEXT:   br label %b6
// LLVM-NEXT: b5:
// LLVM-NEXT:   br label %b6
// LLVM-NEXT: b6:
// LLVM-NEXT:   %v23 = phi double [ %v22, %b4 ], [ %v19, %b5 ]
// LLVM-NEXT:   %v24 = add nsw i64 %v18, 1
// LLVM-NEXT:   br label %b2
// LLVM-NEXT: b7:
// LLVM-NEXT:   %v25 = icmp slt i64 %v18, %v3
// LLVM-NEXT:   br i1 %v25, label %b8, label %b9
// LLVM-NEXT: b8:
// LLVM-NEXT:   %v26 = call preserve_mostcc i64 @ein_ask(ptr %a0)
// LLVM-NEXT:   %v28 = icmp eq i64 %v26, 0
// LLVM-NEXT:   br i1 %v28, label %b10, label %b11
// LLVM-NEXT: b9:
// LLVM-NEXT:   %v29 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   store double %v19, ptr %v29
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: b10:
// LLVM-NEXT:   br label %b1
// LLVM-NEXT: b11:
// LLVM-NEXT:   %v31 = phi i64 [ %v26, %b8 ]
// LLVM-NEXT:   ret i64 %v31
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.search(ptr %a0, ptr %a1) {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load i64, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load ptr, ptr %v4
// LLVM-NEXT:   br label %b1
// LLVM-NEXT: b1:
// LLVM-NEXT:   %v9 = phi i64 [ 1048576, %b0 ], [ %v18, %b4 ]
// LLVM-NEXT:   %v10 = phi i64 [ 2, %b0 ], [ %v19, %b4 ]
// LLVM-NEXT:   %v11 = icmp slt i64 %v10, %v3
// LLVM-NEXT:   br i1 %v11, label %b2, label %b7
// LLVM-NEXT: b2:
// LLVM-NEXT:   %v13 = sub nsw i64 %v9, 1
// LLVM-NEXT:   %v15 = icmp eq i64 %v13, 0
// LLVM-NEXT:   br i1 %v15, label %b3, label %b4
// LLVM-NEXT: b3:
// LLVM-NEXT:   %v16 = call preserve_mostcc i64 @ein_ask(ptr %a0)
// LLVM-NEXT:   %v17 = icmp eq i64 %v16, 0
// LLVM-NEXT:   br i1 %v17, label %b5, label %b6
// LLVM-NEXT: b4:
// LLVM-NEXT:   %v18 = phi i64 [ %v13, %b2 ], [ 1048576, %b5 ]
// LLVM-NEXT:   %v19 = mul i64 %v10, %v10
// LLVM-NEXT:   br label %b1
// LLVM-NEXT: b5:
// LLVM-NEXT:   br label %b4
// LLVM-NEXT: b6:
// LLVM-NEXT:   %v20 = phi i64 [ %v16, %b3 ]
// LLVM-NEXT:   ret i64 %v20
// LLVM-NEXT: b7:
// LLVM-NEXT:   %v21 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   store i64 %v10, ptr %v21
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.calls(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v3 = alloca i64, i64 5, align 16
// LLVM-NEXT:   %v5 = alloca i64, i64 4, align 16
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v7 = load ptr, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v9 = load i64, ptr %v8
// LLVM-NEXT:   %v10 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v11 = load i8, ptr %v10
// LLVM-NEXT:   %v13 = icmp ne i8 %v11, 0
// LLVM-NEXT:   %v14 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v15 = load ptr, ptr %v14
// LLVM-NEXT:   br i1 %v13, label %b1, label %b2
// LLVM-NEXT: b1:
// LLVM-NEXT:   %v18 = getelementptr inbounds i64, ptr %v5, i64 0
// LLVM-NEXT:   store ptr %v7, ptr %v18
// LLVM-NEXT:   %v19 = getelementptr inbounds i64, ptr %v5, i64 1
// LLVM-NEXT:   store i64 %v9, ptr %v19
// LLVM-NEXT:   %v20 = zext i1 %v13 to i8
// LLVM-NEXT:   %v21 = getelementptr inbounds i64, ptr %v5, i64 2
// LLVM-NEXT:   store i8 %v20, ptr %v21
// LLVM-NEXT:   %v23 = call i64 @ein_extern(ptr %a0, i64 0, ptr %v5)
// LLVM-NEXT:   %v24 = icmp eq i64 %v23, 0
// LLVM-NEXT:   br i1 %v24, label %b3, label %b2
// LLVM-NEXT: b2:
// LLVM-NEXT:   %v25 = phi i64 [ 1, %b0 ], [ %v23, %b1 ], [ %v33, %b3 ]
// LLVM-NEXT:   ret i64 %v25
// LLVM-NEXT: b3:
// LLVM-NEXT:   %v26 = getelementptr inbounds i64, ptr %v5, i64 3
// LLVM-NEXT:   %v27 = load double, ptr %v26
// LLVM-NEXT:   %v29 = getelementptr inbounds i64, ptr %v3, i64 0
// LLVM-NEXT:   store ptr %v7, ptr %v29
// LLVM-NEXT:   %v30 = getelementptr inbounds i64, ptr %v3, i64 1
// LLVM-NEXT:   store i64 %v9, ptr %v30
// LLVM-NEXT:   %v31 = getelementptr inbounds i64, ptr %v3, i64 2
// LLVM-NEXT:   store i64 3, ptr %v31
// LLVM-NEXT:   %v32 = getelementptr inbounds i64, ptr %v3, i64 3
// LLVM-NEXT:   store ptr %v15, ptr %v32
// LLVM-NEXT:   %v33 = call i64 @ein.element(ptr %a0, ptr %v3)
// LLVM-NEXT:   %v34 = icmp eq i64 %v33, 0
// LLVM-NEXT:   br i1 %v34, label %b4, label %b2
// LLVM-NEXT: b4:
// LLVM-NEXT:   %v35 = getelementptr inbounds i64, ptr %v3, i64 4
// LLVM-NEXT:   %v36 = load double, ptr %v35
// LLVM-NEXT:   %v37 = fadd double %v27, %v36
// LLVM-NEXT:   %v38 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   store double %v37, ptr %v38
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.integers(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load i64, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load ptr, ptr %v6
// LLVM-NEXT:   %v9 = add i64 %v3, %v5
// LLVM-NEXT:   %v10 = mul i64 %v9, %v5
// LLVM-NEXT:   %v11 = call i64 @llvm.smin.i64(i64 %v10, i64 %v3)
// LLVM-NEXT:   %v12 = lshr i64 %v11, %v5
// LLVM-NEXT:   %v14 = call i64 @llvm.abs.i64(i64 %v12, i1 0)
// LLVM-NEXT:   %v15 = call i64 @llvm.ctlz.i64(i64 %v14, i1 0)
// LLVM-NEXT:   %v16 = icmp ult i64 %v15, %v3
// LLVM-NEXT:   %v17 = select i1 %v16, i64 %v3, i64 %v15
// LLVM-NEXT:   %v18 = trunc i64 %v17 to i32
// LLVM-NEXT:   %v19 = zext i32 %v18 to i64
// LLVM-NEXT:   %v20 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   store i64 %v19, ptr %v20
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.floats(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v3 = load double, ptr %v2
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v5 = load float, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v7 = load ptr, ptr %v6
// LLVM-NEXT:   %v9 = fpext float %v5 to double
// LLVM-NEXT:   %v10 = fneg double %v9
// LLVM-NEXT:   %v11 = call nsz double @llvm.maximum.f64(double %v10, double %v3)
// LLVM-NEXT:   %v12 = call double @llvm.sqrt.f64(double %v11)
// LLVM-NEXT:   %v13 = call double @erf(double %v12)
// LLVM-NEXT:   %v14 = call double @llvm.sqrt.f64(double %v13)
// LLVM-NEXT:   %v16 = fdiv double 0x3FF0000000000000, %v14
// LLVM-NEXT:   %v17 = fcmp ole double %v16, %v3
// LLVM-NEXT:   %v18 = zext i1 %v17 to i32
// LLVM-NEXT:   %v19 = sitofp i32 %v18 to double
// LLVM-NEXT:   %v20 = fptosi double %v19 to i64
// LLVM-NEXT:   %v22 = and i64 %v20, 1
// LLVM-NEXT:   %v23 = lshr i64 %v20, 1
// LLVM-NEXT:   %v24 = or i64 %v23, %v22
// LLVM-NEXT:   %v25 = sitofp i64 %v24 to double
// LLVM-NEXT:   %v26 = fadd double %v25, %v25
// LLVM-NEXT:   %v27 = sitofp i64 %v20 to double
// LLVM-NEXT:   %v29 = icmp slt i64 %v20, 0
// LLVM-NEXT:   %v30 = select i1 %v29, double %v26, double %v27
// LLVM-NEXT:   %v31 = call double @llvm.fma.f64(double %v30, double %v3, double %v3)
// LLVM-NEXT:   %v33 = call float @sinhf(float 0x3FB99999A0000000)
// LLVM-NEXT:   %v34 = fpext float %v33 to double
// LLVM-NEXT:   %v35 = fadd double %v31, %v34
// LLVM-NEXT:   %v36 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   store double %v35, ptr %v36
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define i64 @ein.threads(ptr %a0, ptr %a1) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v3 = alloca i64, i64 8, align 16
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v5 = load ptr, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v7 = load i64, ptr %v6
// LLVM-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v9 = load i64, ptr %v8
// LLVM-NEXT:   %v10 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v11 = load double, ptr %v10
// LLVM-NEXT:   %v12 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   %v13 = load ptr, ptr %v12
// LLVM-NEXT:   %v19 = call i64 @llvm.umul.fix.sat.i64(i64 8, i64 %v7, i32 0)
// LLVM-NEXT:   %v20 = call i64 @llvm.umul.fix.sat.i64(i64 %v19, i64 %v9, i32 0)
// LLVM-NEXT:   %v21 = call ptr @ein_allocate(ptr %a0, i64 %v20)
// LLVM-NEXT:   %v22 = ptrtoint ptr %v21 to i64
// LLVM-NEXT:   %v24 = icmp ne i64 %v22, 0
// LLVM-NEXT:   br i1 %v24, label %b1, label %b2
// LLVM-NEXT: b1:
// LLVM-NEXT:   %v26 = call i64 @llvm.smax.i64(i64 %v7, i64 0)
// LLVM-NEXT:   %v27 = call i64 @llvm.smax.i64(i64 %v9, i64 0)
// LLVM-NEXT:   %v29 = mul nsw i64 3, %v26
// LLVM-NEXT:   %v30 = mul nsw i64 %v29, %v27
// LLVM-NEXT:   %v32 = udiv i64 %v30, 60000
// LLVM-NEXT:   %v33 = getelementptr inbounds i64, ptr %v3, i64 1
// LLVM-NEXT:   store i64 %v26, ptr %v33
// LLVM-NEXT:   %v34 = getelementptr inbounds i64, ptr %v3, i64 2
// LLVM-NEXT:   store i64 %v27, ptr %v34
// LLVM-NEXT:   %v35 = getelementptr inbounds i64, ptr %v3, i64 3
// LLVM-NEXT:   store i64 %v7, ptr %v35
// LLVM-NEXT:   %v36 = getelementptr inbounds i64, ptr %v3, i64 4
// LLVM-NEXT:   store i64 %v9, ptr %v36
// LLVM-NEXT:   %v37 = getelementptr inbounds i64, ptr %v3, i64 5
// LLVM-NEXT:   store ptr %v5, ptr %v37
// LLVM-NEXT:   %v38 = getelementptr inbounds i64, ptr %v3, i64 6
// LLVM-NEXT:   store double %v11, ptr %v38
// LLVM-NEXT:   %v39 = getelementptr inbounds i64, ptr %v3, i64 7
// LLVM-NEXT:   store ptr %v21, ptr %v39
// LLVM-NEXT:   %v41 = call i64 @ein_parallel(ptr %a0, ptr @loop.threads.0.threaded, ptr %v3, i64 2, i64 %v32)
// LLVM-NEXT:   %v42 = icmp eq i64 %v41, 0
// LLVM-NEXT:   br i1 %v42, label %b3, label %b2
// LLVM-NEXT: b2:
// LLVM-NEXT:   %v43 = phi i64 [ -1, %b0 ], [ %v41, %b1 ]
// LLVM-NEXT:   ret i64 %v43
// LLVM-NEXT: b3:
// LLVM-NEXT:   call void @ein_keep(ptr %v21)
// LLVM-NEXT:   %v44 = getelementptr inbounds i64, ptr %a1, i64 5
// LLVM-NEXT:   store ptr %v21, ptr %v44
// LLVM-NEXT:   %v45 = getelementptr inbounds i64, ptr %a1, i64 6
// LLVM-NEXT:   store i64 %v7, ptr %v45
// LLVM-NEXT:   %v46 = getelementptr inbounds i64, ptr %a1, i64 7
// LLVM-NEXT:   store i64 %v9, ptr %v46
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define internal i64 @loop.threads.0(ptr %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6, ptr noalias %a7, double %a8, ptr noalias %a9) noinline {
// LLVM-NEXT: b0:
// LLVM-NEXT:   br label %b1
// LLVM-NEXT: b1:
// LLVM-NEXT:   %v13 = phi i64 [ %a1, %b0 ], [ %v24, %b7 ]
// LLVM-NEXT:   %v14 = icmp slt i64 %v13, %a2
// LLVM-NEXT:   br i1 %v14, label %b2, label %b10
// LLVM-NEXT: b2:
// LLVM-NEXT:   br label %b3
// LLVM-NEXT: b3:
// LLVM-NEXT:   %v15 = phi i64 [ %a3, %b2 ], [ %v23, %b4 ]
// LLVM-NEXT:   %v16 = icmp slt i64 %v15, %a4
// LLVM-NEXT:   br i1 %v16, label %b4, label %b5
// LLVM-NEXT: b4:
// LLVM-NEXT:   %v17 = mul nsw i64 %v13, %a6
// LLVM-NEXT:   %v18 = add nsw i64 %v17, %v15
// LLVM-NEXT:   %v19 = getelementptr inbounds double, ptr %a7, i64 %v18
// LLVM-NEXT:   %v20 = load double, ptr %v19
// LLVM-NEXT:   %v21 = fmul double %v20, %a8
// LLVM-NEXT:   %v22 = getelementptr inbounds double, ptr %a9, i64 %v18
// LLVM-NEXT:   store double %v21, ptr %v22
// LLVM-NEXT:   %v23 = add nsw i64 %v15, 1
// LLVM-NEXT:   br label %b3, !llvm.loop !1
// LLVM-NEXT: b5:
// LLVM-NEXT:   %v24 = add nsw i64 %v13, 1
// LLVM-NEXT:   %v26 = and i64 %v24, 1023
// LLVM-NEXT:   %v28 = icmp eq i64 %v26, 0
// LLVM-NEXT:   br i1 %v28, label %b6, label %b7
// LLVM-NEXT: b6:
// LLVM-NEXT:   %v29 = call preserve_mostcc i64 @ein_ask(ptr %a0)
// LLVM-NEXT:   %v30 = icmp eq i64 %v29, 0
// LLVM-NEXT:   br i1 %v30, label %b8, label %b9
// LLVM-NEXT: b7:
// LLVM-NEXT:   br label %b1, !llvm.loop !2
// LLVM-NEXT: b8:
// LLVM-NEXT:   br label %b7
// LLVM-NEXT: b9:
// LLVM-NEXT:   %v31 = phi i64 [ %v29, %b6 ]
// LLVM-NEXT:   ret i64 %v31
// LLVM-NEXT: b10:
// LLVM-NEXT:   ret i64 0
// LLVM-NEXT: }

// LLVM-LABEL: define internal i64 @loop.threads.0.threaded(ptr %a0, ptr %a1, i64 %a2, i64 %a3) noinline optnone {
// LLVM-NEXT: b0:
// LLVM-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 0
// LLVM-NEXT:   %v5 = load i64, ptr %v4
// LLVM-NEXT:   %v6 = getelementptr inbounds i64, ptr %a1, i64 1
// LLVM-NEXT:   %v7 = load i64, ptr %v6
// LLVM-NEXT:   %v9 = icmp eq i64 %v5, 0
// LLVM-NEXT:   %v10 = select i1 %v9, i64 %a2, i64 0
// LLVM-NEXT:   %v11 = select i1 %v9, i64 %a3, i64 %v7
// LLVM-NEXT:   %v12 = getelementptr inbounds i64, ptr %a1, i64 2
// LLVM-NEXT:   %v13 = load i64, ptr %v12
// LLVM-NEXT:   %v15 = icmp eq i64 %v5, 1
// LLVM-NEXT:   %v16 = select i1 %v15, i64 %a2, i64 0
// LLVM-NEXT:   %v17 = select i1 %v15, i64 %a3, i64 %v13
// LLVM-NEXT:   %v18 = getelementptr inbounds i64, ptr %a1, i64 3
// LLVM-NEXT:   %v19 = load i64, ptr %v18
// LLVM-NEXT:   %v20 = getelementptr inbounds i64, ptr %a1, i64 4
// LLVM-NEXT:   %v21 = load i64, ptr %v20
// LLVM-NEXT:   %v22 = getelementptr inbounds i64, ptr %a1, i64 5
// LLVM-NEXT:   %v23 = load ptr, ptr %v22
// LLVM-NEXT:   %v24 = getelementptr inbounds i64, ptr %a1, i64 6
// LLVM-NEXT:   %v25 = load double, ptr %v24
// LLVM-NEXT:   %v26 = getelementptr inbounds i64, ptr %a1, i64 7
// LLVM-NEXT:   %v27 = load ptr, ptr %v26
// LLVM-NEXT:   %v28 = call i64 @loop.threads.0(ptr %a0, i64 %v10, i64 %v11, i64 %v16, i64 %v17, i64 %v19, i64 %v21, ptr %v23, double %v25, ptr %v27)
// LLVM-NEXT:   ret i64 %v28
// LLVM-NEXT: }
