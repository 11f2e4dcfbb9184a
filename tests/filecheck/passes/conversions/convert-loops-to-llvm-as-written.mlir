// RUN: ein-opt %s -p convert-loops-to-llvm | filecheck %s

// Each step calls a loop, in nested loops too: LLVM's passes would take longer than they save.

func.func @steps(%a: memref<?xf64>, %n: index, %t: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  scf.for %s = %c0 to %t step %c1 {
    scf.for %r = %c0 to %s step %c1 {
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
        %x = memref.load %a[%i] : memref<?xf64>
        %y = arith.mulf %x, %half : f64
        memref.store %y, %a[%i] : memref<?xf64>
        scf.reduce
      }) : (index, index, index) -> ()
      scf.yield
    }
    scf.yield
  }
  func.return
}
// CHECK:       llvm.func @ein.steps({{.*}} attributes {no_inline, passthrough = ["optnone"]} {
// CHECK:         llvm.call @ein_parallel(

// A step that may run no loop is a loop that LLVM optimises.

func.func @some_steps(%a: memref<?xf64>, %n: index, %t: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %half = arith.constant 0.5 : f64
  %r = scf.for %s = %c0 to %t step %c1 iter_args(%w = %half) -> (f64) {
    %is_late = arith.cmpi sgt, %s, %c9 : index
    scf.if %is_late {
      "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
      ^bb0(%i: index):
        memref.store %w, %a[%i] : memref<?xf64>
        scf.reduce
      }) : (index, index, index) -> ()
      scf.yield
    }
    %v = arith.mulf %w, %half : f64
    scf.yield %v : f64
  }
  func.return %r : f64
}
// CHECK:       llvm.func @ein.some_steps(
// CHECK-NOT:   optnone
// CHECK:         llvm.fmul

// So is one beside a loop whose steps call others.

func.func @sum(%a: memref<?xf64>, %n: index, %t: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %s = %c0 to %t step %c1 {
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %x = memref.load %a[%i] : memref<?xf64>
      %y = arith.addf %x, %x : f64
      memref.store %y, %a[%i] : memref<?xf64>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.yield
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%w = %zero) -> (f64) {
    %x = memref.load %a[%i] : memref<?xf64>
    %v = arith.addf %w, %x : f64
    scf.yield %v : f64
  }
  func.return %r : f64
}
// CHECK:       llvm.func @ein.sum(
// CHECK-NOT:   optnone
// CHECK:         llvm.call @ein_parallel(
