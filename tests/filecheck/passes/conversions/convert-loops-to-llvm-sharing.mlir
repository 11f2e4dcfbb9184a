// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// Loops that compute the same from the values that they capture are one function; those of another
// constant, another type or other flags are others. Zeros of two signs are two constants.

func.func @fills(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<?xf32>, %x: f64, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  %m = memref.dim %b, %c0 : memref<?xf64>
  %l = memref.dim %c, %c0 : memref<?xf32>
  %zero = arith.constant 0.0 : f64
  %same = arith.constant 0.0 : f64
  %minus = arith.constant -0.0 : f64
  %small = arith.constant 0.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %zero, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%k: index):
    memref.store %same, %b[%k] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %minus, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %x, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %l, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %small, %c[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: define i64 @ein.fills(
// CHECK: store ptr %[[A:.*]], ptr
// CHECK-NEXT: call i64 @ein_parallel(ptr %a0, ptr @loop.fills.0.threaded,
// CHECK: store ptr %[[B:.*]], ptr
// CHECK-NEXT: call i64 @ein_parallel(ptr %a0, ptr @loop.fills.0.threaded,
// CHECK: store ptr %[[A]], ptr
// CHECK-NEXT: call i64 @ein_parallel(ptr %a0, ptr @loop.fills.1.threaded,
// CHECK: store double
// CHECK: store ptr %[[A]], ptr
// CHECK-NEXT: call i64 @ein_parallel(ptr %a0, ptr @loop.fills.2.threaded,
// CHECK: call i64 @ein_parallel(ptr %a0, ptr @loop.fills.3.threaded,

// Which captured values an operation reads counts, not only what it does with them.

func.func @order(%a: memref<?xf64>, %x: f64, %y: f64, %operands: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %d = arith.subf %x, %y : f64
    %s = arith.addf %d, %x : f64
    memref.store %s, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %d = arith.subf %x, %y : f64
    %s = arith.addf %d, %y : f64
    memref.store %s, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %d = arith.subf %y, %x : f64
    %s = arith.addf %d, %y : f64
    memref.store %s, %a[%i] : memref<?xf64>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: define i64 @ein.order(
// CHECK: store double %[[X:.*]], ptr
// CHECK: store double %[[Y:.*]], ptr
// CHECK: call i64 @ein_parallel(ptr %a0, ptr @loop.order.0.threaded,
// CHECK: store double %[[X]], ptr
// CHECK: store double %[[Y]], ptr
// CHECK: call i64 @ein_parallel(ptr %a0, ptr @loop.order.1.threaded,
// CHECK: store double %[[Y]], ptr
// CHECK: store double %[[X]], ptr
// CHECK: call i64 @ein_parallel(ptr %a0, ptr @loop.order.0.threaded,

// Products of arrays of the same types are one function. One that updates its own operand is another.

func.func @products(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %operands: memref<2xi64>) -> (memref<?x?xf64>, memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %c = memref.alloc(%n, %n) : memref<?x?xf64>
  %d = memref.alloc(%n, %n) : memref<?x?xf64>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%c : memref<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %t = arith.mulf %x, %y : f64
    %u = arith.addf %s, %t : f64
    linalg.yield %u : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%b, %a : memref<?x?xf64>, memref<?x?xf64>) outs(%d : memref<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %t = arith.mulf %x, %y : f64
    %u = arith.addf %s, %t : f64
    linalg.yield %u : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%a : memref<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %t = arith.mulf %x, %y : f64
    %u = arith.addf %s, %t : f64
    linalg.yield %u : f64
  }
  func.return %c, %d : memref<?x?xf64>, memref<?x?xf64>
}

// CHECK-LABEL: define i64 @ein.products(
// CHECK: %[[CODE:.*]] = call i64 @product.products.6(ptr %a0, ptr %[[A:.*]], i64 %[[N:.*]], i64 %[[M:.*]], ptr %[[B:.*]], i64 %{{.*}}, i64 %{{.*}}, ptr
// CHECK: icmp eq i64 %[[CODE]], 0
// CHECK: call i64 @product.products.6(ptr %a0, ptr %[[B]], i64 %{{.*}}, i64 %{{.*}}, ptr %[[A]], i64 %[[N]], i64 %[[M]], ptr
// CHECK: call i64 @product.products.7(

// CHECK: define internal i64 @loop.fills.0(
// CHECK: define internal i64 @loop.fills.0.threaded(
// CHECK: define internal i64 @loop.fills.1(
// CHECK: store double 0x8000000000000000
// CHECK-NOT: @loop.order.2
// CHECK: define internal i64 @product.products.6(ptr %a0, ptr noalias %a1, i64 %a2, i64 %a3, ptr noalias %a4, i64 %a5, i64 %a6, ptr noalias %a7,
// CHECK: call i64 @ein_product(
// CHECK: define internal i64 @product.products.7(ptr %a0, ptr %a1, i64 %a2, i64 %a3, ptr %a4, i64 %a5, i64 %a6, ptr %a7,
// CHECK-NOT: define internal
