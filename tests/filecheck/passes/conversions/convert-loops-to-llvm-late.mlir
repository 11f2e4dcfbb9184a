// RUN: ein-opt %s -p 'convert-loops-to-llvm{late=true}' --split-input-file | filecheck %s
// RUN: ein-opt %s -p convert-loops-to-llvm --split-input-file | filecheck %s --check-prefix EAGER

// Sizes decide which version of a loop runs: each is compiled when a call needs it.

builtin.module {
  func.func @versions(%a: memref<?xf64>, %m: index, %operands: memref<2xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %x = arith.constant 1.0 : f64
    %y = arith.constant 2.0 : f64
    %n = memref.dim %a, %c0 : memref<?xf64>
    %s = arith.addi %n, %m : index
    %wide = arith.cmpi sge, %s, %c8 : index
    scf.if %wide {
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
        memref.store %x, %a[%i] : memref<?xf64>
        scf.reduce
      }) : (index, index, index) -> ()
    } else {
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
        memref.store %y, %a[%i] : memref<?xf64>
        scf.reduce
      }) : (index, index, index) -> ()
    }
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
      memref.store %x, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    func.return
  }
}

// CHECK-LABEL: llvm.func @ein.versions
// CHECK:         llvm.call @ein_parallel_late
// CHECK:         llvm.call @ein_parallel_late
// CHECK:         llvm.call @ein_parallel(
// CHECK:       llvm.func internal @loop.versions.0({{.*}} attributes {ein.part = 0 : i64
// CHECK:       llvm.func internal @loop.versions.0.threaded({{.*}} attributes {ein.part = 0 : i64
// CHECK:       llvm.func internal @loop.versions.1({{.*}} attributes {ein.part = 1 : i64
// CHECK:       llvm.func internal @loop.versions.1.threaded({{.*}} attributes {ein.part = 1 : i64
// CHECK:       llvm.func internal @loop.versions.2({{.*}} attributes {no_inline}

// EAGER-LABEL: llvm.func @ein.versions
// EAGER-NOT:     late
// EAGER:         llvm.call @ein_parallel(
// EAGER-NOT:     ein.part
// EAGER:       llvm.func internal @loop.versions.1(
// EAGER-NOT:     ein.part

// -----

// An element decides: any call may run both.

builtin.module {
  func.func @by_an_element(%a: memref<?xf64>, %b: memref<?xi1>, %operands: memref<2xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f64
    %n = memref.dim %a, %c0 : memref<?xf64>
    %wide = memref.load %b[%c0] : memref<?xi1>
    scf.if %wide {
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
        memref.store %x, %a[%i] : memref<?xf64>
        scf.reduce
      }) : (index, index, index) -> ()
    }
    func.return
  }
}

// CHECK-LABEL: llvm.func @ein.by_an_element
// CHECK-NOT:     late
// CHECK-NOT:     ein.part
