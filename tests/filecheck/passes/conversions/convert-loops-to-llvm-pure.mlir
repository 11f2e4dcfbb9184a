// RUN: ein-opt %s -p convert-loops-to-llvm -t llvm-ir | filecheck %s

// A function without effects: of one number, and of four and eight, which a vectorised loop calls.

func.func private @half.f64(%x: f64) -> f64 attributes {ein.pure} {
  %half = arith.constant 0.5 : f64
  %bits = arith.bitcast %x : f64 to i64
  %zero = arith.constant 0 : i64
  %small = arith.cmpi sgt, %bits, %zero : i64
  %y = scf.if %small -> (f64) {
    %z = math.sin %x : f64
    scf.yield %z : f64
  } else {
    %z = math.fma %x, %half, %x : f64
    scf.yield %z : f64
  }
  func.return %y : f64
}

func.func @f(%x: f64, %operands: memref<2xi64>) -> f64 {
  %y = func.call @half.f64(%x) : (f64) -> f64
  func.return %y : f64
}

// CHECK-LABEL: define i64 @ein.f(ptr %a0, ptr %a1) noinline optnone {
// CHECK-NEXT: b0:
// CHECK-NEXT:   %v2 = getelementptr inbounds i64, ptr %a1, i64 0
// CHECK-NEXT:   %v3 = load double, ptr %v2
// CHECK-NEXT:   %v4 = getelementptr inbounds i64, ptr %a1, i64 1
// CHECK-NEXT:   %v5 = load ptr, ptr %v4
// CHECK-NEXT:   %v7 = call double @half.f64(double %v3)
// CHECK-NEXT:   %v8 = getelementptr inbounds i64, ptr %a1, i64 2
// CHECK-NEXT:   store double %v7, ptr %v8
// CHECK-NEXT:   ret i64 0
// CHECK-NEXT: }

// CHECK-LABEL: define hidden double @half.f64(double %a0) noinline nounwind willreturn memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4v_half.f64(half.f64.4),_ZGV_LLVM_N8v_half.f64(half.f64.8)" {
// CHECK-NEXT: b0:
// CHECK-NEXT:   %v2 = bitcast double %a0 to i64
// CHECK-NEXT:   %v4 = icmp sgt i64 %v2, 0
// CHECK-NEXT:   br i1 %v4, label %b1, label %b2
// CHECK-NEXT: b1:
// CHECK-NEXT:   %v5 = call double @sin(double %a0)
// CHECK-NEXT:   br label %b3
// CHECK-NEXT: b2:
// CHECK-NEXT:   %v6 = call double @llvm.fma.f64(double %a0, double 0x3FE0000000000000, double %a0)
// CHECK-NEXT:   br label %b3
// CHECK-NEXT: b3:
// CHECK-NEXT:   %v7 = phi double [ %v5, %b1 ], [ %v6, %b2 ]
// CHECK-NEXT:   ret double %v7
// CHECK-NEXT: }

// CHECK-LABEL: define hidden <4 x double> @half.f64.4(<4 x double> %a0) nounwind willreturn memory(none) {
// CHECK-NEXT: b0:
// CHECK-NEXT:   %v2 = alloca i64, i64 4, align 32
// CHECK-NEXT:   %v4 = bitcast <4 x double> %a0 to <4 x i64>
// CHECK-NEXT:   %v6 = icmp sgt <4 x i64> %v4, splat (i64 0)
// CHECK-NEXT:   %v7 = call <4 x double> @llvm.fma.v4f64(<4 x double> %a0, <4 x double> splat (double 0x3FE0000000000000), <4 x double> %a0)
// CHECK-NEXT:   %v8 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v6)
// CHECK-NEXT:   br i1 %v8, label %b1, label %b2
// CHECK-NEXT: b1:
// CHECK-NEXT:   store <4 x double> %a0, ptr %v2
// CHECK-NEXT:   %v10 = getelementptr inbounds double, ptr %v2, i64 0
// CHECK-NEXT:   %v11 = load double, ptr %v10
// CHECK-NEXT:   %v12 = call double @sin(double %v11)
// CHECK-NEXT:   store double %v12, ptr %v10
// CHECK-NEXT:   %v14 = getelementptr inbounds double, ptr %v2, i64 1
// CHECK-NEXT:   %v15 = load double, ptr %v14
// CHECK-NEXT:   %v16 = call double @sin(double %v15)
// CHECK-NEXT:   store double %v16, ptr %v14
// CHECK-NEXT:   %v18 = getelementptr inbounds double, ptr %v2, i64 2
// CHECK-NEXT:   %v19 = load double, ptr %v18
// CHECK-NEXT:   %v20 = call double @sin(double %v19)
// CHECK-NEXT:   store double %v20, ptr %v18
// CHECK-NEXT:   %v22 = getelementptr inbounds double, ptr %v2, i64 3
// CHECK-NEXT:   %v23 = load double, ptr %v22
// CHECK-NEXT:   %v24 = call double @sin(double %v23)
// CHECK-NEXT:   store double %v24, ptr %v22
// CHECK-NEXT:   %v25 = load <4 x double>, ptr %v2
// CHECK-NEXT:   %v27 = call <4 x double> @llvm.vp.select.v4f64(<4 x i1> %v6, <4 x double> %v25, <4 x double> %v7, i32 4)
// CHECK-NEXT:   br label %b2
// CHECK-NEXT: b2:
// CHECK-NEXT:   %v28 = phi <4 x double> [ %v7, %b0 ], [ %v27, %b1 ]
// CHECK-NEXT:   ret <4 x double> %v28
// CHECK-NEXT: }

// CHECK-LABEL: define hidden <8 x double> @half.f64.8(<8 x double> %a0) nounwind willreturn memory(none) {
// CHECK-NEXT: b0:
// CHECK-NEXT:   %v2 = alloca i64, i64 8, align 64

// Floats are compared in each lane.

func.func private @positive.f64(%x: f64) -> f64 attributes {ein.pure} {
  %zero = arith.constant 0.0 : f64
  %c = arith.cmpf ogt, %x, %zero : f64
  %y = arith.select %c, %x, %zero : f64
  func.return %y : f64
}

// CHECK-LABEL: define hidden <4 x double> @positive.f64.4(<4 x double> %a0) nounwind willreturn memory(none) {
// CHECK-NEXT: b0:
// CHECK-NEXT:   %v{{.*}} = fcmp ogt <4 x double> %a0,
