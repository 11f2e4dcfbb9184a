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
// CHECK:       llvm.func internal @loop.versions.2({{.*}} attributes {no_inline

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

// -----

// A step has a version for large sizes: whoever runs the loop asks for its function before.

builtin.module {
  func.func @in_a_step(%a: memref<?x?xf64>, %operands: memref<2xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f64
    %n = memref.dim %a, %c0 : memref<?x?xf64>
    %m = memref.dim %a, %c1 : memref<?x?xf64>
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %c256 = arith.constant 256 : index
      %work = arith.muli %m, %m : index
      %large = arith.cmpi sge, %work, %c256 : index
      scf.if %large {
        scf.for %k = %c0 to %n step %c1 {
          scf.for %j = %c0 to %m step %c1 {
            %1 = memref.load %a[%k, %j] : memref<?x?xf64>
            %2 = arith.addf %1, %x : f64
            %3 = arith.mulf %2, %2 : f64
            %4 = arith.addf %3, %x : f64
            %5 = arith.mulf %4, %4 : f64
            %6 = arith.addf %5, %x : f64
            %7 = arith.mulf %6, %6 : f64
            %8 = arith.addf %7, %x : f64
            %9 = arith.mulf %8, %8 : f64
            %10 = arith.addf %9, %x : f64
            %11 = arith.mulf %10, %10 : f64
            %12 = arith.addf %11, %x : f64
            %13 = arith.mulf %12, %12 : f64
            %14 = arith.addf %13, %x : f64
            %15 = arith.mulf %14, %14 : f64
            %16 = arith.addf %15, %x : f64
            memref.store %16, %a[%i, %j] : memref<?x?xf64>
          }
        }
      } else {
        memref.store %x, %a[%i, %c0] : memref<?x?xf64>
      }
      scf.reduce
    }) : (index, index, index) -> ()
    func.return
  }
}

// CHECK-LABEL: llvm.func @ein.in_a_step
// CHECK:         [[SIZE:%.+]] = llvm.mlir.constant(256) : i64
// CHECK:         [[LARGE:%[0-9]+]] = llvm.icmp "sge" {{.*}}, [[SIZE]]
// CHECK:         llvm.cond_br [[LARGE]],
// CHECK:         [[LATE:%.+]] = llvm.mlir.addressof @loop.in_a_step.1.threaded
// CHECK:         llvm.call @ein_ask_late(%{{.*}}, [[LATE]])
// CHECK:         llvm.call @ein_parallel(
// CHECK:       llvm.func internal @loop.in_a_step.1({{.*}} attributes {ein.part = 0 : i64
// CHECK:       llvm.func internal @loop.in_a_step.1.threaded({{.*}} attributes {ein.part = 0 : i64
// CHECK:       llvm.func internal @loop.in_a_step.0({{.*}} attributes {no_inline}
// CHECK:         llvm.call @loop.in_a_step.1.threaded

// EAGER-LABEL: llvm.func @ein.in_a_step
// EAGER-NOT:     late

// -----

// Most calls have elements: a loop for some is compiled with the program, one for many in order is late.

builtin.module {
  func.func @some(%a: memref<?xf64>, %operands: memref<2xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %x = arith.constant 1.0 : f64
    %n = memref.dim %a, %c0 : memref<?xf64>
    %some = arith.cmpi sgt, %n, %c0 : index
    scf.if %some {
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
        memref.store %x, %a[%i] : memref<?xf64>
        scf.reduce
      }) : (index, index, index) -> ()
    }
    %many = arith.cmpi sge, %n, %c64 : index
    scf.if %many {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> (f64) {
        %1 = memref.load %a[%k] : memref<?xf64>
        %2 = arith.addf %1, %x : f64
        %3 = arith.mulf %2, %2 : f64
        %4 = arith.addf %3, %x : f64
        %5 = arith.mulf %4, %4 : f64
        %6 = arith.addf %5, %x : f64
        %7 = arith.mulf %6, %6 : f64
        %8 = arith.addf %7, %x : f64
        %9 = arith.mulf %8, %8 : f64
        %10 = arith.addf %9, %x : f64
        %11 = arith.mulf %10, %10 : f64
        %12 = arith.addf %11, %x : f64
        %13 = arith.mulf %12, %12 : f64
        %14 = arith.addf %13, %x : f64
        %15 = arith.mulf %14, %14 : f64
        %16 = arith.addf %15, %x : f64
        %17 = arith.mulf %16, %16 : f64
        %18 = arith.addf %17, %x : f64
        %19 = arith.addf %18, %s : f64
        scf.yield %19 : f64
      }
      memref.store %sum, %a[%c0] : memref<?xf64>
    }
    func.return
  }
}

// CHECK-LABEL: llvm.func @ein.some
// CHECK:         llvm.call @ein_parallel(
// CHECK:         llvm.call @loop.some.1.threaded
// CHECK:         llvm.load
// CHECK:       llvm.func internal @loop.some.0({{.*}} attributes {no_inline
// CHECK:       llvm.func internal @loop.some.1({{.*}} attributes {ein.part = 0 : i64
