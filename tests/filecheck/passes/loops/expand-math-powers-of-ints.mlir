// RUN: ein-opt %s -p convert-phi-to-loops | filecheck %s --check-prefix=MARKED
// RUN: ein-opt %s -p convert-phi-to-loops,expand-math | filecheck %s

// A power whose exponent is an Int is marked, and is a product if that is at most 63, by squaring.
func.func @powers(%x: f64, %y: f64, %n: i64) -> (f64, f64, f64) {
  %m = arith.sitofp %n : i64 to f64
  %p = math.powf %x, %m : f64
  %q = math.powf %x, %y : f64
  %r = math.fpowi %x, %n : f64, i64
  func.return %p, %q, %r : f64, f64, f64
}

// MARKED-LABEL: func.func @powers
// MARKED:         %p = math.powf %x, %m {ein.whole} : f64
// MARKED:         %q = math.powf %x, %y : f64
// MARKED:         math.powf %{{.*}}, %{{.*}} {ein.whole} : f64

// CHECK-LABEL: func.func @powers
// CHECK:         %p = func.call @math.powf.f64.whole(%x, %m) : (f64, f64) -> f64
// CHECK:         %q = func.call @math.powf.f64(%x, %y) : (f64, f64) -> f64
// CHECK:         func.call @math.powf.f64.whole

// CHECK-LABEL: func.func private @math.powf.f64.whole(%0: f64, %1: f64) -> f64
// CHECK:         %[[BITS:.*]] = arith.bitcast %1 : f64 to i64
// CHECK:         %[[LAST:.*]] = arith.constant 4634063279075885056 : i64
// CHECK:         arith.cmpi ugt, %[[BITS]], %[[LAST]] : i64
// CHECK:         arith.mulf %0, %0 : f64
