// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// Operands of several minima and maxima are tested for NaN at once, but constants.

func.func @several(%a: f64, %b: f64, %c: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %0 = arith.minimumf %a, %b : f64
  %1 = arith.maximumf %0, %zero : f64
  %2 = arith.minimumf %c, %1 : f64
  func.return %2 : f64
}

// CHECK-LABEL: define i64 @ein.several(
// CHECK:         %[[LEAST:.*]] = call nnan nsz double @llvm.minimum.f64(double %[[A:.*]], double %[[B:.*]])
// CHECK-NEXT:    %[[MOST:.*]] = call nnan nsz double @llvm.maximum.f64(double {{.*}}, double %[[LEAST]])
// CHECK-NEXT:    %[[ALL:.*]] = call nnan nsz double @llvm.minimum.f64(double %[[C:.*]], double %[[MOST]])
// CHECK-NEXT:    %[[FIRST:.*]] = fcmp ord double %[[C]], %[[A]]
// CHECK-NEXT:    %[[SECOND:.*]] = fcmp ord double %[[B]], %[[B]]
// CHECK-NEXT:    %[[BOTH:.*]] = and i1 %[[FIRST]], %[[SECOND]]
// CHECK-NEXT:    select i1 %[[BOTH]], double %[[ALL]], double 0x7FF8000000000000

// One has its own test, with a constant or without, and so has each whose result is read twice, one
// of a constant that is NaN, and one that waits for the step before.

func.func @single(%x: memref<?xf64>, %n: index, %a: f64, %b: f64, %c: f64) -> (f64, f64, f64, f64) {
  %zero = arith.constant 0.0 : f64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.minimumf %a, %zero : f64
  %1 = arith.maximumf %0, %b : f64
  %2 = arith.minimumf %a, %b : f64
  %3 = arith.minimumf %2, %c : f64
  %4 = arith.addf %2, %3 : f64
  %5 = arith.minimumf %a, %nan : f64
  %6 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> (f64) {
    %7 = memref.load %x[%i] : memref<?xf64>
    %8 = arith.addf %acc, %7 : f64
    %9 = arith.minimumf %7, %b : f64
    %10 = arith.minimumf %9, %8 : f64
    scf.yield %10 : f64
  }
  func.return %1, %4, %5, %6 : f64, f64, f64, f64
}

// CHECK-LABEL: define i64 @ein.single(
// CHECK-NOT:     fcmp ord
// CHECK-NOT:     nnan
// CHECK:         ret i64
