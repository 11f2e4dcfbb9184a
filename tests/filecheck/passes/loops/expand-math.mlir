// RUN: ein-opt %s -p expand-math | filecheck %s
// RUN: ein-opt %s -p expand-math,expand-math | filecheck %s

// Other functions, and other types, stay.

func.func @others(%x: f64, %y: f16) -> (f64, f16) {
  %0 = math.acosh %x : f64
  %1 = math.exp %y : f16
  func.return %0, %1 : f64, f16
}
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    %0 = math.acosh %x : f64
// CHECK-NEXT:    %1 = math.exp %y : f16
// CHECK-NEXT:    func.return %0, %1 : f64, f16

// Those with the base 2 are powers of two.

func.func @of_two(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %0 = math.powf %two, %x : f64
  func.return %0 : f64
}
// CHECK-LABEL: func.func @of_two
// CHECK-NOT:     math.powf
// CHECK-NOT:     func.call
// CHECK:         func.return

// Powers of 0.5 and -0.5 are roots.

func.func @roots(%x: f64, %y: f32) -> (f64, f32) {
  %half = arith.constant 0.5 : f64
  %minus = arith.constant -0.5 : f32
  %0 = math.powf %x, %half : f64
  %1 = math.powf %y, %minus : f32
  func.return %0, %1 : f64, f32
}
// CHECK-LABEL: func.func @roots
// CHECK:         %0 = math.sqrt %x : f64
// CHECK-NEXT:    %1 = arith.constant 0x7ff0000000000000 : f64
// CHECK-NEXT:    %2 = arith.constant 0xfff0000000000000 : f64
// CHECK-NEXT:    %3 = arith.cmpf oeq, %x, %2 : f64
// CHECK-NEXT:    %4 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    %5 = arith.addf %0, %4 : f64
// CHECK-NEXT:    %6 = arith.select %3, %1, %5 : f64
// CHECK-NEXT:    %7 = math.sqrt %y : f32
// CHECK:         %13 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    %14 = arith.select %10, %8, %12 : f32
// CHECK-NEXT:    %15 = arith.divf %13, %14 : f32
// CHECK-NEXT:    func.return %6, %15 : f64, f32

// Powers of 1.5 and -1.5 are products with roots, in functions of their own.

func.func @gravity(%x: f64) -> (f64, f64) {
  %plus = arith.constant 1.5 : f64
  %minus = arith.constant -1.5 : f64
  %0 = math.powf %x, %plus : f64
  %1 = math.powf %x, %minus : f64
  func.return %0, %1 : f64, f64
}
// CHECK-LABEL: func.func @gravity
// CHECK:         func.call @math.powf.f64.three_halves(%x, %{{.*}}) : (f64, f64) -> f64
// CHECK:         func.call @math.powf.f64.inverse_three_halves(%x, %{{.*}}) : (f64, f64) -> f64

func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  func.return %y : f32
}

func.func @log(%x: f32) -> f32 {
  %y = math.log %x : f32
  func.return %y : f32
}

func.func @tanh(%x: f32) -> f32 {
  %y = math.tanh %x : f32
  func.return %y : f32
}

func.func @expm1(%x: f32) -> f32 {
  %y = math.expm1 %x : f32
  func.return %y : f32
}

func.func @erf(%x: f32) -> f32 {
  %y = math.erf %x : f32
  func.return %y : f32
}

func.func @doubles(%x: f64) -> (f64, f64, f64, f64) {
  %0 = math.exp %x : f64
  %1 = math.log %x : f64
  %2 = math.tanh %x : f64
  %3 = math.expm1 %x : f64
  func.return %0, %1, %2, %3 : f64, f64, f64, f64
}

// Computed in f64.

func.func @widened(%x: f32) -> f32 {
  %0 = math.acos %x : f32
  %1 = math.asin %0 : f32
  %2 = math.atan %1 : f32
  %3 = math.cbrt %2 : f32
  %4 = math.cosh %3 : f32
  %5 = math.exp2 %4 : f32
  %6 = math.log10 %5 : f32
  %7 = math.log1p %6 : f32
  %8 = math.log2 %7 : f32
  %9 = math.sinh %8 : f32
  func.return %9 : f32
}

func.func @quotients(%x: f64, %y: f64) -> (f64, f64, f64) {
  %0 = math.tan %x : f64
  %1 = math.atan2 %x, %y : f64
  %2 = math.powf %x, %y : f64
  func.return %0, %1, %2 : f64, f64, f64
}

// Formulas that are not for all numbers: functions, one for all uses, with a branch.

func.func @partial(%x: f64, %y: f32) -> (f64, f64, f32) {
  %0 = math.sin %x : f64
  %1 = math.sin %0 : f64
  %2 = math.cos %y : f32
  func.return %0, %1, %2 : f64, f64, f32
}

// CHECK-LABEL: func.func @exp(%x: f32) -> f32 {
// CHECK-NEXT:       %0 = arith.constant -1.040000e+02 : f32
// CHECK-NEXT:       %1 = arith.cmpf olt, %x, %0 : f32
// CHECK-NEXT:       %2 = arith.constant 8.900000e+01 : f32
// CHECK-NEXT:       %3 = arith.cmpf ogt, %x, %2 : f32
// CHECK-NEXT:       %4 = arith.constant 8.900000e+01 : f32
// CHECK-NEXT:       %5 = arith.select %3, %4, %x : f32
// CHECK-NEXT:       %6 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %7 = arith.select %1, %6, %5 : f32
// CHECK-NEXT:       %8 = arith.constant 1.44269502 : f32
// CHECK-NEXT:       %9 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %10 = math.fma %7, %8, %9 : f32
// CHECK-NEXT:       %11 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %12 = arith.subf %10, %11 : f32
// CHECK-NEXT:       %13 = arith.constant -0.693145752 : f32
// CHECK-NEXT:       %14 = math.fma %12, %13, %7 : f32
// CHECK-NEXT:       %15 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %16 = math.fma %12, %15, %14 : f32
// CHECK-NEXT:       %17 = arith.subf %14, %16 : f32
// CHECK-NEXT:       %18 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %19 = math.fma %12, %18, %17 : f32
// CHECK-NEXT:       %20 = arith.bitcast %10 : f32 to i32
// CHECK-NEXT:       %21 = arith.constant 1262485504 : i32
// CHECK-NEXT:       %22 = arith.subi %20, %21 : i32
// CHECK-NEXT:       %23 = arith.mulf %16, %16 : f32
// CHECK-NEXT:       %24 = arith.constant 0.00139262131 : f32
// CHECK-NEXT:       %25 = arith.constant 0.00836320315 : f32
// CHECK-NEXT:       %26 = math.fma %24, %16, %25 : f32
// CHECK-NEXT:       %27 = arith.constant 0.0416665561 : f32
// CHECK-NEXT:       %28 = math.fma %26, %16, %27 : f32
// CHECK-NEXT:       %29 = arith.constant 0.166665763 : f32
// CHECK-NEXT:       %30 = math.fma %28, %16, %29 : f32
// CHECK-NEXT:       %31 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:       %32 = math.fma %30, %16, %31 : f32
// CHECK-NEXT:       %33 = math.fma %23, %32, %19 : f32
// CHECK-NEXT:       %34 = arith.addf %16, %33 : f32
// CHECK-NEXT:       %35 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %36 = arith.addf %34, %35 : f32
// CHECK-NEXT:       %37 = arith.constant 1 : i32
// CHECK-NEXT:       %38 = arith.shrsi %22, %37 : i32
// CHECK-NEXT:       %39 = arith.constant 127 : i32
// CHECK-NEXT:       %40 = arith.addi %38, %39 : i32
// CHECK-NEXT:       %41 = arith.constant 23 : i32
// CHECK-NEXT:       %42 = arith.shli %40, %41 : i32
// CHECK-NEXT:       %43 = arith.bitcast %42 : i32 to f32
// CHECK-NEXT:       %44 = arith.mulf %36, %43 : f32
// CHECK-NEXT:       %45 = arith.subi %22, %38 : i32
// CHECK-NEXT:       %46 = arith.constant 127 : i32
// CHECK-NEXT:       %47 = arith.addi %45, %46 : i32
// CHECK-NEXT:       %48 = arith.constant 23 : i32
// CHECK-NEXT:       %49 = arith.shli %47, %48 : i32
// CHECK-NEXT:       %50 = arith.bitcast %49 : i32 to f32
// CHECK-NEXT:       %51 = arith.mulf %44, %50 : f32
// CHECK-NEXT:       %52 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %y = arith.select %1, %52, %51 : f32
// CHECK-NEXT:       func.return %y : f32
// CHECK-NEXT:     }

// CHECK-LABEL:   func.func @log(%x: f32) -> f32 {
// CHECK-NEXT:       %0 = arith.constant 1.17549435e-38 : f32
// CHECK-NEXT:       %1 = arith.cmpf olt, %x, %0 : f32
// CHECK-NEXT:       %2 = arith.constant 0x4C000000 : f32
// CHECK-NEXT:       %3 = arith.mulf %x, %2 : f32
// CHECK-NEXT:       %4 = arith.select %1, %3, %x : f32
// CHECK-NEXT:       %5 = arith.bitcast %4 : f32 to i32
// CHECK-NEXT:       %6 = arith.constant 1060439283 : i32
// CHECK-NEXT:       %7 = arith.subi %5, %6 : i32
// CHECK-NEXT:       %8 = arith.constant 23 : i32
// CHECK-NEXT:       %9 = arith.shrsi %7, %8 : i32
// CHECK-NEXT:       %10 = arith.constant 23 : i32
// CHECK-NEXT:       %11 = arith.shli %9, %10 : i32
// CHECK-NEXT:       %12 = arith.subi %5, %11 : i32
// CHECK-NEXT:       %13 = arith.bitcast %12 : i32 to f32
// CHECK-NEXT:       %14 = arith.sitofp %9 : i32 to f32
// CHECK-NEXT:       %15 = arith.constant 2.500000e+01 : f32
// CHECK-NEXT:       %16 = arith.subf %14, %15 : f32
// CHECK-NEXT:       %17 = arith.select %1, %16, %14 : f32
// CHECK-NEXT:       %18 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %19 = arith.subf %13, %18 : f32
// CHECK-NEXT:       %20 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:       %21 = arith.addf %19, %20 : f32
// CHECK-NEXT:       %22 = arith.divf %19, %21 : f32
// CHECK-NEXT:       %23 = arith.mulf %22, %22 : f32
// CHECK-NEXT:       %24 = arith.constant 0.233304679 : f32
// CHECK-NEXT:       %25 = arith.constant 0.285508215 : f32
// CHECK-NEXT:       %26 = math.fma %24, %23, %25 : f32
// CHECK-NEXT:       %27 = arith.constant 0.400001228 : f32
// CHECK-NEXT:       %28 = math.fma %26, %23, %27 : f32
// CHECK-NEXT:       %29 = arith.constant 0.666666687 : f32
// CHECK-NEXT:       %30 = math.fma %28, %23, %29 : f32
// CHECK-NEXT:       %31 = arith.mulf %30, %23 : f32
// CHECK-NEXT:       %32 = arith.mulf %19, %19 : f32
// CHECK-NEXT:       %33 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:       %34 = arith.mulf %32, %33 : f32
// CHECK-NEXT:       %35 = arith.addf %34, %31 : f32
// CHECK-NEXT:       %36 = arith.constant 9.05800061e-06 : f32
// CHECK-NEXT:       %37 = arith.mulf %17, %36 : f32
// CHECK-NEXT:       %38 = math.fma %22, %35, %37 : f32
// CHECK-NEXT:       %39 = arith.subf %34, %38 : f32
// CHECK-NEXT:       %40 = arith.subf %19, %39 : f32
// CHECK-NEXT:       %41 = arith.constant 0.693138123 : f32
// CHECK-NEXT:       %42 = math.fma %17, %41, %40 : f32
// CHECK-NEXT:       %43 = arith.constant 0x7f800000 : f32
// CHECK-NEXT:       %44 = arith.cmpf oeq, %x, %43 : f32
// CHECK-NEXT:       %45 = arith.constant 0x7f800000 : f32
// CHECK-NEXT:       %46 = arith.select %44, %45, %42 : f32
// CHECK-NEXT:       %47 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %48 = arith.cmpf oeq, %x, %47 : f32
// CHECK-NEXT:       %49 = arith.constant 0xff800000 : f32
// CHECK-NEXT:       %50 = arith.select %48, %49, %46 : f32
// CHECK-NEXT:       %51 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %52 = arith.cmpf uge, %x, %51 : f32
// CHECK-NEXT:       %53 = arith.cmpf uno, %x, %x : f32
// CHECK-NEXT:       %54 = arith.select %53, %x, %50 : f32
// CHECK-NEXT:       %55 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:       %y = arith.select %52, %54, %55 : f32
// CHECK-NEXT:       func.return %y : f32
// CHECK-NEXT:     }

// CHECK-LABEL:   func.func @tanh(%x: f32) -> f32 {
// CHECK-NEXT:       %0 = math.absf %x : f32
// CHECK-NEXT:       %1 = arith.constant 1.000000e+01 : f32
// CHECK-NEXT:       %2 = arith.cmpf ogt, %0, %1 : f32
// CHECK-NEXT:       %3 = arith.constant 1.000000e+01 : f32
// CHECK-NEXT:       %4 = arith.select %2, %3, %0 : f32
// CHECK-NEXT:       %5 = arith.constant -2.000000e+00 : f32
// CHECK-NEXT:       %6 = arith.mulf %4, %5 : f32
// CHECK-NEXT:       %7 = arith.constant 1.44269502 : f32
// CHECK-NEXT:       %8 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %9 = math.fma %6, %7, %8 : f32
// CHECK-NEXT:       %10 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %11 = arith.subf %9, %10 : f32
// CHECK-NEXT:       %12 = arith.constant -0.693145752 : f32
// CHECK-NEXT:       %13 = math.fma %11, %12, %6 : f32
// CHECK-NEXT:       %14 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %15 = math.fma %11, %14, %13 : f32
// CHECK-NEXT:       %16 = arith.subf %13, %15 : f32
// CHECK-NEXT:       %17 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %18 = math.fma %11, %17, %16 : f32
// CHECK-NEXT:       %19 = arith.bitcast %9 : f32 to i32
// CHECK-NEXT:       %20 = arith.constant 1262485504 : i32
// CHECK-NEXT:       %21 = arith.subi %19, %20 : i32
// CHECK-NEXT:       %22 = arith.constant 127 : i32
// CHECK-NEXT:       %23 = arith.addi %21, %22 : i32
// CHECK-NEXT:       %24 = arith.constant 23 : i32
// CHECK-NEXT:       %25 = arith.shli %23, %24 : i32
// CHECK-NEXT:       %26 = arith.bitcast %25 : i32 to f32
// CHECK-NEXT:       %27 = arith.mulf %15, %15 : f32
// CHECK-NEXT:       %28 = arith.constant 0.00139262131 : f32
// CHECK-NEXT:       %29 = arith.constant 0.00836320315 : f32
// CHECK-NEXT:       %30 = math.fma %28, %15, %29 : f32
// CHECK-NEXT:       %31 = arith.constant 0.0416665561 : f32
// CHECK-NEXT:       %32 = math.fma %30, %15, %31 : f32
// CHECK-NEXT:       %33 = arith.constant 0.166665763 : f32
// CHECK-NEXT:       %34 = math.fma %32, %15, %33 : f32
// CHECK-NEXT:       %35 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:       %36 = math.fma %34, %15, %35 : f32
// CHECK-NEXT:       %37 = math.fma %27, %36, %18 : f32
// CHECK-NEXT:       %38 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %39 = arith.subf %26, %38 : f32
// CHECK-NEXT:       %40 = arith.mulf %26, %15 : f32
// CHECK-NEXT:       %41 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %42 = arith.addf %39, %41 : f32
// CHECK-NEXT:       %43 = arith.subf %26, %42 : f32
// CHECK-NEXT:       %44 = arith.addf %39, %40 : f32
// CHECK-NEXT:       %45 = arith.subf %44, %39 : f32
// CHECK-NEXT:       %46 = arith.subf %44, %45 : f32
// CHECK-NEXT:       %47 = arith.subf %39, %46 : f32
// CHECK-NEXT:       %48 = arith.subf %40, %45 : f32
// CHECK-NEXT:       %49 = arith.addf %47, %48 : f32
// CHECK-NEXT:       %50 = arith.addf %49, %43 : f32
// CHECK-NEXT:       %51 = math.fma %26, %37, %50 : f32
// CHECK-NEXT:       %52 = arith.addf %44, %51 : f32
// CHECK-NEXT:       %53 = arith.subf %44, %52 : f32
// CHECK-NEXT:       %54 = arith.addf %53, %51 : f32
// CHECK-NEXT:       %55 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:       %56 = arith.addf %52, %55 : f32
// CHECK-NEXT:       %57 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:       %58 = arith.subf %56, %57 : f32
// CHECK-NEXT:       %59 = arith.subf %52, %58 : f32
// CHECK-NEXT:       %60 = arith.addf %59, %54 : f32
// CHECK-NEXT:       %61 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %62 = arith.divf %61, %56 : f32
// CHECK-NEXT:       %63 = arith.mulf %52, %62 : f32
// CHECK-NEXT:       %64 = arith.negf %63 : f32
// CHECK-NEXT:       %65 = math.fma %64, %56, %52 : f32
// CHECK-NEXT:       %66 = arith.negf %63 : f32
// CHECK-NEXT:       %67 = math.fma %66, %60, %54 : f32
// CHECK-NEXT:       %68 = arith.addf %65, %67 : f32
// CHECK-NEXT:       %69 = math.fma %68, %62, %63 : f32
// CHECK-NEXT:       %y = math.copysign %69, %x : f32
// CHECK-NEXT:       func.return %y : f32
// CHECK-NEXT:     }

// CHECK-LABEL: func.func @expm1(%x: f32) -> f32 {
// CHECK-NEXT:       %0 = arith.constant 4.000000e+01 : f32
// CHECK-NEXT:       %1 = arith.cmpf ogt, %x, %0 : f32
// CHECK-NEXT:       %2 = arith.constant 4.000000e+01 : f32
// CHECK-NEXT:       %3 = arith.select %1, %2, %x : f32
// CHECK-NEXT:       %4 = arith.constant -4.000000e+01 : f32
// CHECK-NEXT:       %5 = arith.cmpf olt, %3, %4 : f32
// CHECK-NEXT:       %6 = arith.constant -4.000000e+01 : f32
// CHECK-NEXT:       %7 = arith.select %5, %6, %3 : f32
// CHECK-NEXT:       %8 = arith.constant 4.000000e+01 : f32
// CHECK-NEXT:       %9 = arith.cmpf ogt, %x, %8 : f32
// CHECK-NEXT:       %10 = arith.constant -1.040000e+02 : f32
// CHECK-NEXT:       %11 = arith.cmpf olt, %x, %10 : f32
// CHECK-NEXT:       %12 = arith.constant 8.900000e+01 : f32
// CHECK-NEXT:       %13 = arith.cmpf ogt, %x, %12 : f32
// CHECK-NEXT:       %14 = arith.constant 8.900000e+01 : f32
// CHECK-NEXT:       %15 = arith.select %13, %14, %x : f32
// CHECK-NEXT:       %16 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %17 = arith.select %11, %16, %15 : f32
// CHECK-NEXT:       %18 = arith.constant 1.44269502 : f32
// CHECK-NEXT:       %19 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %20 = math.fma %17, %18, %19 : f32
// CHECK-NEXT:       %21 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %22 = arith.subf %20, %21 : f32
// CHECK-NEXT:       %23 = arith.constant -0.693145752 : f32
// CHECK-NEXT:       %24 = math.fma %22, %23, %17 : f32
// CHECK-NEXT:       %25 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %26 = math.fma %22, %25, %24 : f32
// CHECK-NEXT:       %27 = arith.subf %24, %26 : f32
// CHECK-NEXT:       %28 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %29 = math.fma %22, %28, %27 : f32
// CHECK-NEXT:       %30 = arith.bitcast %20 : f32 to i32
// CHECK-NEXT:       %31 = arith.constant 1262485504 : i32
// CHECK-NEXT:       %32 = arith.subi %30, %31 : i32
// CHECK-NEXT:       %33 = arith.mulf %26, %26 : f32
// CHECK-NEXT:       %34 = arith.constant 0.00139262131 : f32
// CHECK-NEXT:       %35 = arith.constant 0.00836320315 : f32
// CHECK-NEXT:       %36 = math.fma %34, %26, %35 : f32
// CHECK-NEXT:       %37 = arith.constant 0.0416665561 : f32
// CHECK-NEXT:       %38 = math.fma %36, %26, %37 : f32
// CHECK-NEXT:       %39 = arith.constant 0.166665763 : f32
// CHECK-NEXT:       %40 = math.fma %38, %26, %39 : f32
// CHECK-NEXT:       %41 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:       %42 = math.fma %40, %26, %41 : f32
// CHECK-NEXT:       %43 = math.fma %33, %42, %29 : f32
// CHECK-NEXT:       %44 = arith.addf %26, %43 : f32
// CHECK-NEXT:       %45 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %46 = arith.addf %44, %45 : f32
// CHECK-NEXT:       %47 = arith.constant 1 : i32
// CHECK-NEXT:       %48 = arith.shrsi %32, %47 : i32
// CHECK-NEXT:       %49 = arith.constant 127 : i32
// CHECK-NEXT:       %50 = arith.addi %48, %49 : i32
// CHECK-NEXT:       %51 = arith.constant 23 : i32
// CHECK-NEXT:       %52 = arith.shli %50, %51 : i32
// CHECK-NEXT:       %53 = arith.bitcast %52 : i32 to f32
// CHECK-NEXT:       %54 = arith.mulf %46, %53 : f32
// CHECK-NEXT:       %55 = arith.subi %32, %48 : i32
// CHECK-NEXT:       %56 = arith.constant 127 : i32
// CHECK-NEXT:       %57 = arith.addi %55, %56 : i32
// CHECK-NEXT:       %58 = arith.constant 23 : i32
// CHECK-NEXT:       %59 = arith.shli %57, %58 : i32
// CHECK-NEXT:       %60 = arith.bitcast %59 : i32 to f32
// CHECK-NEXT:       %61 = arith.mulf %54, %60 : f32
// CHECK-NEXT:       %62 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %63 = arith.select %11, %62, %61 : f32
// CHECK-NEXT:       %64 = arith.constant 1.44269502 : f32
// CHECK-NEXT:       %65 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %66 = math.fma %7, %64, %65 : f32
// CHECK-NEXT:       %67 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %68 = arith.subf %66, %67 : f32
// CHECK-NEXT:       %69 = arith.constant -0.693145752 : f32
// CHECK-NEXT:       %70 = math.fma %68, %69, %7 : f32
// CHECK-NEXT:       %71 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %72 = math.fma %68, %71, %70 : f32
// CHECK-NEXT:       %73 = arith.subf %70, %72 : f32
// CHECK-NEXT:       %74 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %75 = math.fma %68, %74, %73 : f32
// CHECK-NEXT:       %76 = arith.bitcast %66 : f32 to i32
// CHECK-NEXT:       %77 = arith.constant 1262485504 : i32
// CHECK-NEXT:       %78 = arith.subi %76, %77 : i32
// CHECK-NEXT:       %79 = arith.constant 127 : i32
// CHECK-NEXT:       %80 = arith.addi %78, %79 : i32
// CHECK-NEXT:       %81 = arith.constant 23 : i32
// CHECK-NEXT:       %82 = arith.shli %80, %81 : i32
// CHECK-NEXT:       %83 = arith.bitcast %82 : i32 to f32
// CHECK-NEXT:       %84 = arith.mulf %72, %72 : f32
// CHECK-NEXT:       %85 = arith.constant 0.00139262131 : f32
// CHECK-NEXT:       %86 = arith.constant 0.00836320315 : f32
// CHECK-NEXT:       %87 = math.fma %85, %72, %86 : f32
// CHECK-NEXT:       %88 = arith.constant 0.0416665561 : f32
// CHECK-NEXT:       %89 = math.fma %87, %72, %88 : f32
// CHECK-NEXT:       %90 = arith.constant 0.166665763 : f32
// CHECK-NEXT:       %91 = math.fma %89, %72, %90 : f32
// CHECK-NEXT:       %92 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:       %93 = math.fma %91, %72, %92 : f32
// CHECK-NEXT:       %94 = math.fma %84, %93, %75 : f32
// CHECK-NEXT:       %95 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %96 = arith.subf %83, %95 : f32
// CHECK-NEXT:       %97 = arith.mulf %83, %72 : f32
// CHECK-NEXT:       %98 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %99 = arith.addf %96, %98 : f32
// CHECK-NEXT:       %100 = arith.subf %83, %99 : f32
// CHECK-NEXT:       %101 = arith.addf %96, %97 : f32
// CHECK-NEXT:       %102 = arith.subf %101, %96 : f32
// CHECK-NEXT:       %103 = arith.subf %101, %102 : f32
// CHECK-NEXT:       %104 = arith.subf %96, %103 : f32
// CHECK-NEXT:       %105 = arith.subf %97, %102 : f32
// CHECK-NEXT:       %106 = arith.addf %104, %105 : f32
// CHECK-NEXT:       %107 = arith.addf %106, %100 : f32
// CHECK-NEXT:       %108 = math.fma %83, %94, %107 : f32
// CHECK-NEXT:       %109 = arith.addf %101, %108 : f32
// CHECK-NEXT:       %110 = arith.subf %101, %109 : f32
// CHECK-NEXT:       %111 = arith.addf %110, %108 : f32
// CHECK-NEXT:       %112 = arith.select %9, %63, %109 : f32
// CHECK-NEXT:       %113 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %114 = arith.cmpf oeq, %x, %113 : f32
// CHECK-NEXT:       %y = arith.select %114, %x, %112 : f32
// CHECK-NEXT:       func.return %y : f32
// CHECK-NEXT:     }

// CHECK-LABEL: func.func @erf(%x: f32) -> f32 {
// CHECK-NEXT:       %0 = arith.mulf %x, %x : f32
// CHECK-NEXT:       %1 = arith.constant 7.853850e-05 : f32
// CHECK-NEXT:       %2 = arith.constant -0.000801020244 : f32
// CHECK-NEXT:       %3 = math.fma %1, %0, %2 : f32
// CHECK-NEXT:       %4 = arith.constant 0.00518833054 : f32
// CHECK-NEXT:       %5 = math.fma %3, %0, %4 : f32
// CHECK-NEXT:       %6 = arith.constant -0.0268538147 : f32
// CHECK-NEXT:       %7 = math.fma %5, %0, %6 : f32
// CHECK-NEXT:       %8 = arith.constant 0.112835854 : f32
// CHECK-NEXT:       %9 = math.fma %7, %0, %8 : f32
// CHECK-NEXT:       %10 = arith.constant -0.37612626 : f32
// CHECK-NEXT:       %11 = math.fma %9, %0, %10 : f32
// CHECK-NEXT:       %12 = arith.constant 0.128379166 : f32
// CHECK-NEXT:       %13 = math.fma %11, %0, %12 : f32
// CHECK-NEXT:       %14 = math.fma %x, %13, %x : f32
// CHECK-NEXT:       %15 = math.absf %x : f32
// CHECK-NEXT:       %16 = arith.constant 4.000000e+00 : f32
// CHECK-NEXT:       %17 = arith.cmpf ogt, %15, %16 : f32
// CHECK-NEXT:       %18 = arith.constant 4.000000e+00 : f32
// CHECK-NEXT:       %19 = arith.select %17, %18, %15 : f32
// CHECK-NEXT:       %20 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %21 = arith.constant 0.000185570534 : f32
// CHECK-NEXT:       %22 = arith.constant -0.00293957395 : f32
// CHECK-NEXT:       %23 = math.fma %21, %19, %22 : f32
// CHECK-NEXT:       %24 = arith.constant 0.0218051877 : f32
// CHECK-NEXT:       %25 = math.fma %23, %19, %24 : f32
// CHECK-NEXT:       %26 = arith.constant -0.103037104 : f32
// CHECK-NEXT:       %27 = math.fma %25, %19, %26 : f32
// CHECK-NEXT:       %28 = arith.constant -6.382260e-01 : f32
// CHECK-NEXT:       %29 = math.fma %27, %19, %28 : f32
// CHECK-NEXT:       %30 = arith.mulf %19, %29 : f32
// CHECK-NEXT:       %31 = arith.constant -1.12703991 : f32
// CHECK-NEXT:       %32 = arith.addf %30, %31 : f32
// CHECK-NEXT:       %33 = arith.constant -1.12703991 : f32
// CHECK-NEXT:       %34 = arith.subf %32, %33 : f32
// CHECK-NEXT:       %35 = arith.subf %30, %34 : f32
// CHECK-NEXT:       %36 = arith.mulf %32, %19 : f32
// CHECK-NEXT:       %37 = arith.negf %36 : f32
// CHECK-NEXT:       %38 = math.fma %32, %19, %37 : f32
// CHECK-NEXT:       %39 = math.fma %35, %19, %38 : f32
// CHECK-NEXT:       %40 = arith.constant -0.000353759766 : f32
// CHECK-NEXT:       %41 = arith.addf %39, %40 : f32
// CHECK-NEXT:       %42 = arith.constant 1.44269502 : f32
// CHECK-NEXT:       %43 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %44 = math.fma %36, %42, %43 : f32
// CHECK-NEXT:       %45 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:       %46 = arith.subf %44, %45 : f32
// CHECK-NEXT:       %47 = arith.constant -0.693145752 : f32
// CHECK-NEXT:       %48 = math.fma %46, %47, %36 : f32
// CHECK-NEXT:       %49 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %50 = math.fma %46, %49, %48 : f32
// CHECK-NEXT:       %51 = arith.subf %48, %50 : f32
// CHECK-NEXT:       %52 = arith.constant -1.42860677e-06 : f32
// CHECK-NEXT:       %53 = math.fma %46, %52, %51 : f32
// CHECK-NEXT:       %54 = arith.bitcast %44 : f32 to i32
// CHECK-NEXT:       %55 = arith.constant 1262485504 : i32
// CHECK-NEXT:       %56 = arith.subi %54, %55 : i32
// CHECK-NEXT:       %57 = arith.addf %50, %41 : f32
// CHECK-NEXT:       %58 = arith.constant 127 : i32
// CHECK-NEXT:       %59 = arith.addi %56, %58 : i32
// CHECK-NEXT:       %60 = arith.constant 23 : i32
// CHECK-NEXT:       %61 = arith.shli %59, %60 : i32
// CHECK-NEXT:       %62 = arith.bitcast %61 : i32 to f32
// CHECK-NEXT:       %63 = arith.mulf %57, %57 : f32
// CHECK-NEXT:       %64 = arith.constant 0.00139262131 : f32
// CHECK-NEXT:       %65 = arith.constant 0.00836320315 : f32
// CHECK-NEXT:       %66 = math.fma %64, %57, %65 : f32
// CHECK-NEXT:       %67 = arith.constant 0.0416665561 : f32
// CHECK-NEXT:       %68 = math.fma %66, %57, %67 : f32
// CHECK-NEXT:       %69 = arith.constant 0.166665763 : f32
// CHECK-NEXT:       %70 = math.fma %68, %57, %69 : f32
// CHECK-NEXT:       %71 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:       %72 = math.fma %70, %57, %71 : f32
// CHECK-NEXT:       %73 = math.fma %63, %72, %57 : f32
// CHECK-NEXT:       %74 = math.fma %62, %73, %62 : f32
// CHECK-NEXT:       %75 = arith.subf %20, %74 : f32
// CHECK-NEXT:       %76 = math.copysign %75, %x : f32
// CHECK-NEXT:       %77 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %78 = arith.cmpf ult, %19, %77 : f32
// CHECK-NEXT:       %y = arith.select %78, %14, %76 : f32
// CHECK-NEXT:       func.return %y : f32
// CHECK-NEXT:     }

// CHECK-LABEL: func.func @doubles
// CHECK-NOT:   math.exp
// CHECK-NOT:   math.log
// CHECK-NOT:   math.tanh

// CHECK-LABEL:   func.func @widened(%x: f32) -> f32 {
// CHECK-NEXT:      %0 = arith.extf %x : f32 to f64
// CHECK:           math.sqrt
// CHECK-NOT:       math.asin
// CHECK-NOT:       math.atan
// CHECK-NOT:       math.cbrt
// CHECK-NOT:       math.exp2
// CHECK-NOT:       math.log
// CHECK-NOT:       math.sinh
// CHECK:           func.return %{{.*}} : f32

// CHECK-LABEL:   func.func @quotients(%x: f64, %y: f64) -> (f64, f64, f64) {
// CHECK-NEXT:      %0 = func.call @math.tan.f64(%x) : (f64) -> f64
// CHECK-NEXT:      %1 = func.call @math.atan2.f64(%x, %y) : (f64, f64) -> f64
// CHECK-NEXT:      %2 = func.call @math.powf.f64(%x, %y) : (f64, f64) -> f64
// CHECK:       func.return

// CHECK-LABEL:   func.func @partial(%x: f64, %y: f32) -> (f64, f64, f32) {
// CHECK-NEXT:     %0 = func.call @math.sin.f64(%x) : (f64) -> f64
// CHECK-NEXT:     %1 = func.call @math.sin.f64(%0) : (f64) -> f64
// CHECK-NEXT:     %2 = func.call @math.cos.f32(%y) : (f32) -> f32
// CHECK-NEXT:     func.return %0, %1, %2 : f64, f64, f32
// CHECK-NEXT:   }

// CHECK-LABEL:   func.func private @math.sin.f64(%0: f64) -> f64 attributes {ein.pure} {
// CHECK-NEXT:       %1 = math.absf %0 : f64
// CHECK-NEXT:       %2 = arith.bitcast %1 : f64 to i64
// CHECK-NEXT:       %3 = arith.constant 4751297606875873280 : i64
// CHECK-NEXT:       %4 = arith.cmpi sgt, %2, %3 : i64
// CHECK-NEXT:       %5 = scf.if %4 -> (f64) {
// CHECK-NEXT:         %6 = math.sin %0 : f64
// CHECK-NEXT:         scf.yield %6 : f64
// CHECK-NEXT:       } else {
// CHECK-NEXT:         %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %8 = arith.cmpf oeq, %0, %7 : f64
// CHECK-NEXT:         %9 = arith.constant 0.63661977236758138 : f64
// CHECK-NEXT:         %10 = arith.constant 0x4338000000000000 : f64
// CHECK-NEXT:         %11 = math.fma %0, %9, %10 : f64
// CHECK-NEXT:         %12 = arith.constant 0x4338000000000000 : f64
// CHECK-NEXT:         %13 = arith.subf %11, %12 : f64
// CHECK-NEXT:         %14 = arith.constant -1.5707963267948966 : f64
// CHECK-NEXT:         %15 = math.fma %13, %14, %0 : f64
// CHECK-NEXT:         %16 = arith.constant 6.123233995736766e-17 : f64
// CHECK-NEXT:         %17 = arith.mulf %13, %16 : f64
// CHECK-NEXT:         %18 = arith.negf %17 : f64
// CHECK-NEXT:         %19 = arith.constant 6.123233995736766e-17 : f64
// CHECK-NEXT:         %20 = math.fma %13, %19, %18 : f64
// CHECK-NEXT:         %21 = arith.subf %15, %17 : f64
// CHECK-NEXT:         %22 = arith.subf %21, %15 : f64
// CHECK-NEXT:         %23 = arith.subf %21, %22 : f64
// CHECK-NEXT:         %24 = arith.subf %15, %23 : f64
// CHECK-NEXT:         %25 = arith.addf %17, %22 : f64
// CHECK-NEXT:         %26 = arith.subf %24, %25 : f64
// CHECK-NEXT:         %27 = arith.subf %26, %20 : f64
// CHECK-NEXT:         %28 = arith.constant 1.4973849048591698e-33 : f64
// CHECK-NEXT:         %29 = math.fma %13, %28, %27 : f64
// CHECK-NEXT:         %30 = arith.bitcast %11 : f64 to i64
// CHECK-NEXT:         %31 = arith.constant 4843621399236968448 : i64
// CHECK-NEXT:         %32 = arith.subi %30, %31 : i64
// CHECK-NEXT:         %33 = arith.constant 0 : i64
// CHECK-NEXT:         %34 = arith.addi %32, %33 : i64
// CHECK-NEXT:         %35 = arith.mulf %21, %21 : f64
// CHECK-NEXT:         %36 = arith.mulf %35, %21 : f64
// CHECK-NEXT:         %37 = arith.constant 1.5896909952115501e-10 : f64
// CHECK-NEXT:         %38 = arith.constant -2.5050760253406863e-08 : f64
// CHECK-NEXT:         %39 = math.fma %37, %35, %38 : f64
// CHECK-NEXT:         %40 = arith.constant 2.7557313707070068e-06 : f64
// CHECK-NEXT:         %41 = math.fma %39, %35, %40 : f64
// CHECK-NEXT:         %42 = arith.constant -0.00019841269829857949 : f64
// CHECK-NEXT:         %43 = math.fma %41, %35, %42 : f64
// CHECK-NEXT:         %44 = arith.constant 0.0083333333333224895 : f64
// CHECK-NEXT:         %45 = math.fma %43, %35, %44 : f64
// CHECK-NEXT:         %46 = arith.constant -0.16666666666666632 : f64
// CHECK-NEXT:         %47 = math.fma %45, %35, %46 : f64
// CHECK-NEXT:         %48 = arith.constant -5.000000e-01 : f64
// CHECK-NEXT:         %49 = arith.mulf %29, %48 : f64
// CHECK-NEXT:         %50 = math.fma %49, %35, %29 : f64
// CHECK-NEXT:         %51 = math.fma %36, %47, %50 : f64
// CHECK-NEXT:         %52 = arith.addf %21, %51 : f64
// CHECK-NEXT:         %53 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:         %54 = arith.mulf %35, %53 : f64
// CHECK-NEXT:         %55 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:         %56 = arith.subf %55, %54 : f64
// CHECK-NEXT:         %57 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:         %58 = arith.subf %57, %56 : f64
// CHECK-NEXT:         %59 = arith.subf %58, %54 : f64
// CHECK-NEXT:         %60 = arith.mulf %35, %35 : f64
// CHECK-NEXT:         %61 = arith.constant -1.1359647557788195e-11 : f64
// CHECK-NEXT:         %62 = arith.constant 2.0875723212981748e-09 : f64
// CHECK-NEXT:         %63 = math.fma %61, %35, %62 : f64
// CHECK-NEXT:         %64 = arith.constant -2.7557314351390663e-07 : f64
// CHECK-NEXT:         %65 = math.fma %63, %35, %64 : f64
// CHECK-NEXT:         %66 = arith.constant 2.4801587289476729e-05 : f64
// CHECK-NEXT:         %67 = math.fma %65, %35, %66 : f64
// CHECK-NEXT:         %68 = arith.constant -0.001388888888887411 : f64
// CHECK-NEXT:         %69 = math.fma %67, %35, %68 : f64
// CHECK-NEXT:         %70 = arith.constant 0.041666666666666602 : f64
// CHECK-NEXT:         %71 = math.fma %69, %35, %70 : f64
// CHECK-NEXT:         %72 = arith.mulf %21, %29 : f64
// CHECK-NEXT:         %73 = arith.negf %72 : f64
// CHECK-NEXT:         %74 = math.fma %60, %71, %73 : f64
// CHECK-NEXT:         %75 = arith.addf %59, %74 : f64
// CHECK-NEXT:         %76 = arith.addf %56, %75 : f64
// CHECK-NEXT:         %77 = arith.constant 1 : i64
// CHECK-NEXT:         %78 = arith.andi %34, %77 : i64
// CHECK-NEXT:         %79 = arith.constant 0 : i64
// CHECK-NEXT:         %80 = arith.cmpi ne, %78, %79 : i64
// CHECK-NEXT:         %81 = arith.select %80, %76, %52 : f64
// CHECK-NEXT:         %82 = arith.bitcast %81 : f64 to i64
// CHECK-NEXT:         %83 = arith.constant 2 : i64
// CHECK-NEXT:         %84 = arith.andi %34, %83 : i64
// CHECK-NEXT:         %85 = arith.constant 62 : i64
// CHECK-NEXT:         %86 = arith.shli %84, %85 : i64
// CHECK-NEXT:         %87 = arith.xori %82, %86 : i64
// CHECK-NEXT:         %88 = arith.bitcast %87 : i64 to f64
// CHECK-NEXT:         %89 = arith.select %8, %0, %88 : f64
// CHECK-NEXT:         scf.yield %89 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %5 : f64
// CHECK-NEXT:     }

// CHECK-NOT:   @math.sin
// CHECK-LABEL: func.func private @math.cos.f32
// CHECK:         scf.if
// CHECK-NEXT:      math.cos
