// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// Choices that are marked stay as they are: LLVM neither guesses them nor combines them with others.

func.func @f(%a: memref<?xi64>, %n: index, %start: i64, %operands: memref<2xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (i64) {
    %x = memref.load %a[%i] : memref<?xi64>
    %c = arith.cmpi sle, %acc, %x : i64
    %y = arith.select %c, %x, %acc {ein.unpredictable} : i64
    %z = arith.maxsi %y, %x {ein.unpredictable} : i64
    %w = arith.minsi %z, %start : i64
    scf.yield %w : i64
  }
  func.return %r : i64
}

// CHECK-DAG:   !ein.unpredictable = !{![[NODE:[0-9]+]]}
// CHECK-DAG:   ![[ONE:[0-9]+]] = !{}
// CHECK-LABEL: define i64 @ein.f(
// CHECK:         %[[CHOSEN:.*]] = select i1 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, !unpredictable !{{[0-9]+}}
// CHECK-NEXT:    %[[STAYS:.*]] = freeze i64 %[[CHOSEN]]
// CHECK-NEXT:    %[[MOST:.*]] = call i64 @llvm.smax.i64(i64 %[[STAYS]], i64 %{{.*}}), !unpredictable !{{[0-9]+}}
// CHECK-NEXT:    call i64 @llvm.smin.i64(i64 %[[MOST]], i64 %{{[^)]*}}){{$}}

// The extremes of numbers are comparisons: a NaN gives way to the other operand.

func.func @numbers(%x: f32, %y: f32) -> f32 {
  %z = arith.maxnumf %x, %y : f32
  func.return %z : f32
}

// CHECK-LABEL: define i64 @ein.numbers(
// CHECK:         %[[BETTER:.*]] = fcmp ogt float %[[X:.*]], %[[Y:.*]]
// CHECK-NEXT:    %[[ONLY:.*]] = fcmp uno float %[[Y]], %[[Y]]
// CHECK-NEXT:    %[[Z:.*]] = select i1 %[[BETTER]], float %[[X]], float %[[Y]]
// CHECK-NEXT:    select i1 %[[ONLY]], float %[[X]], float %[[Z]]
