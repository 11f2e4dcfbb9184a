// RUN: ein-opt %s -p convert-loops-to-llvm --split-input-file --verify-diagnostics | filecheck %s

func.func @unsupported(%x: i64, %operands: memref<2xi64>) -> i64 {
  %0 = arith.floordivsi %x, %x : i64
  func.return %0 : i64
}
// CHECK: convert-loops-to-llvm: no rule for 'arith.floordivsi'

// -----

func.func @axis(%a: memref<?xf64>, %k: index, %operands: memref<2xi64>) -> index {
  %0 = memref.dim %a, %k : memref<?xf64>
  func.return %0 : index
}
// CHECK: convert-loops-to-llvm: memref.dim: expected a constant axis

// -----

func.func @stack(%n: index, %operands: memref<2xi64>) {
  %0 = memref.alloca(%n) : memref<?xf64>
  func.return
}
// CHECK: convert-loops-to-llvm: memref.alloca: expected a row-major array of known sizes, got 'memref<?xf64>'

// -----

func.func @layout(%n: index, %operands: memref<2xi64>) {
  %0 = memref.alloc(%n) : memref<?xf64, strided<[2]>>
  func.return
}
// CHECK: convert-loops-to-llvm: memref.alloc: expected a row-major array, got 'memref<?xf64, strided<[2]>>'

// -----

func.func @arrays(%c: i1, %a: memref<?xf64>, %operands: memref<2xi64>) -> f64 {
  %0 = arith.select %c, %a, %a : memref<?xf64>
  %c0 = arith.constant 0 : index
  %1 = memref.load %0[%c0] : memref<?xf64>
  func.return %1 : f64
}
// CHECK: convert-loops-to-llvm: arith.select: expected scalars, got memref<?xf64>

// -----

func.func @reduction(%n: index, %x: f64, %operands: memref<2xi64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = "scf.parallel"(%c0, %n, %c1, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    "scf.reduce"(%x) ({
    ^bb1(%y: f64, %z: f64):
      "scf.reduce.return"(%y) : (f64) -> ()
    }) : (f64) -> ()
  }) : (index, index, index, f64) -> f64
  func.return %0 : f64
}
// CHECK: convert-loops-to-llvm: scf.parallel: expected a loop without reductions

// -----

func.func @half(%x: f16, %operands: memref<2xi64>) -> f16 {
  %0 = math.sinh %x : f16
  func.return %0 : f16
}
// CHECK: convert-loops-to-llvm: math.sinh: expected f32 or f64, got f16

// -----

%0 = arith.constant 1 : i64
// CHECK: convert-loops-to-llvm: no rule for 'arith.constant'
