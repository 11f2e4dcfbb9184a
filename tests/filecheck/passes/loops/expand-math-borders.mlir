// RUN: ein-opt %s -p expand-math | filecheck %s
// RUN: ein-opt %s -p expand-math,convert-loops-to-llvm -t llvm-ir | filecheck %s --check-prefix LLVM

// In a loop over few steps at a border a formula that is repeated is a function, for one number at a
// time. One that is not stays in the loop.

func.func @border(%a: memref<?xf64>, %n: index, %operands: memref<2xi64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i] : memref<?xf64>
    %0 = math.exp %x : f64
    %1 = math.exp %0 : f64
    %2 = math.exp %1 : f64
    %3 = math.exp %2 : f64
    %4 = math.exp %3 : f64
    %5 = math.tanh %4 : f64
    memref.store %5, %a[%i] : memref<?xf64>
    scf.reduce
  }) {ein.few_steps} : (index, index, index) -> ()
  func.return
}
// CHECK-LABEL:   func.func @border
// CHECK-COUNT-5:   func.call @math.exp.f64
// CHECK-NOT:       math.tanh
// CHECK:           {ein.few_steps}
// CHECK:         func.func private @math.exp.f64(%{{.*}}: f64) -> f64 attributes {ein.pure, ein.few_steps}
// CHECK-NOT:       math.exp

// LLVM:          define hidden double @math.exp.f64(double %a0) noinline nounwind willreturn memory(none) {
// LLVM-NOT:      @math.exp.f64.4
