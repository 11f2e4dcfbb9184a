// RUN: ein-opt %s --split-input-file -p eliminate-common-subexpressions | filecheck %s
// RUN: ein-opt %s --split-input-file -p eliminate-common-subexpressions,eliminate-common-subexpressions | filecheck %s

// Equal operations become the first; what reads them is equal then.
func.func @chain(%x: f64, %y: f64) -> (f64, f64) {
  %0 = arith.addf %x, %y : f64
  %1 = arith.mulf %0, %x : f64
  %2 = arith.addf %x, %y : f64
  %3 = arith.mulf %2, %x : f64
  func.return %1, %3 : f64, f64
}

// CHECK:      func.func @chain(%x: f64, %y: f64) -> (f64, f64) {
// CHECK-NEXT:   %0 = arith.addf %x, %y : f64
// CHECK-NEXT:   %1 = arith.mulf %0, %x : f64
// CHECK-NEXT:   func.return %1, %1 : f64, f64
// CHECK-NEXT: }

// -----

// Other operands, another order of them, other properties, another type: not equal.
func.func @different(%x: f64, %y: f64, %m: i64) -> (f64, f64, f64, i1, i1, f64, f32) {
  %0 = arith.subf %x, %y : f64
  %1 = arith.subf %y, %x : f64
  %2 = arith.subf %x, %x : f64
  %3 = arith.cmpi slt, %m, %m : i64
  %4 = arith.cmpi sle, %m, %m : i64
  %5 = arith.sitofp %m : i64 to f64
  %6 = arith.sitofp %m : i64 to f32
  func.return %0, %1, %2, %3, %4, %5, %6 : f64, f64, f64, i1, i1, f64, f32
}

// CHECK:      func.func @different(%x: f64, %y: f64, %m: i64) -> (f64, f64, f64, i1, i1, f64, f32) {
// CHECK-NEXT:   %0 = arith.subf %x, %y : f64
// CHECK-NEXT:   %1 = arith.subf %y, %x : f64
// CHECK-NEXT:   %2 = arith.subf %x, %x : f64
// CHECK-NEXT:   %3 = arith.cmpi slt, %m, %m : i64
// CHECK-NEXT:   %4 = arith.cmpi sle, %m, %m : i64
// CHECK-NEXT:   %5 = arith.sitofp %m : i64 to f64
// CHECK-NEXT:   %6 = arith.sitofp %m : i64 to f32
// CHECK-NEXT:   func.return %0, %1, %2, %3, %4, %5, %6 : f64, f64, f64, i1, i1, f64, f32
// CHECK-NEXT: }

// -----

// Equal constants: an integer, a Float, zeros with either sign.
func.func @constants() -> (i64, i64, f64, f64, f64) {
  %0 = arith.constant 0 : i64
  %1 = arith.constant 0 : i64
  %2 = arith.constant 0.0 : f64
  %3 = arith.constant -0.0 : f64
  %4 = arith.constant 0.0 : f64
  func.return %0, %1, %2, %3, %4 : i64, i64, f64, f64, f64
}

// CHECK:      func.func @constants() -> (i64, i64, f64, f64, f64) {
// CHECK-NEXT:   %0 = arith.constant 0 : i64
// CHECK-NEXT:   %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %2 = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:   func.return %0, %0, %1, %2, %1 : i64, i64, f64, f64, f64
// CHECK-NEXT: }

// -----

// A region sees what is around it, directly nested loops too; nothing around sees a region.
func.func @scopes(%x: f64, %n: i64) -> (f64, f64) {
  %0 = arith.mulf %x, %x : f64
  %1 = phi.fold (%k < %n, %a = %0) -> f64 {
    %2 = phi.fold (%l < %n, %b = %a) -> f64 {
      %3 = arith.mulf %x, %x : f64
      %4 = arith.addf %x, %x : f64
      %5 = arith.addf %b, %3 : f64
      %6 = arith.addf %5, %4 : f64
      phi.yield %6 : f64
    }
    phi.yield %2 : f64
  }
  %7 = arith.addf %x, %x : f64
  %8 = phi.fold (%m < %n, %c = %1) -> f64 {
    %9 = arith.addf %x, %x : f64
    phi.yield %9 : f64
  }
  func.return %7, %8 : f64, f64
}

// CHECK:      func.func @scopes(%x: f64, %n: i64) -> (f64, f64) {
// CHECK-NEXT:   %0 = arith.mulf %x, %x : f64
// CHECK-NEXT:   %1 = phi.fold (%k < %n, %a = %0) -> f64 {
// CHECK-NEXT:     %2 = phi.fold (%l < %n, %b = %a) -> f64 {
// CHECK-NEXT:       %3 = arith.addf %x, %x : f64
// CHECK-NEXT:       %4 = arith.addf %b, %0 : f64
// CHECK-NEXT:       %5 = arith.addf %4, %3 : f64
// CHECK-NEXT:       phi.yield %5 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %2 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %6 = arith.addf %x, %x : f64
// CHECK-NEXT:   %7 = phi.fold (%m < %n, %c = %1) -> f64 {
// CHECK-NEXT:     phi.yield %6 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %6, %7 : f64, f64
// CHECK-NEXT: }

// -----

// Loops are equal that differ in names only, once what they read is: %2 is %1, and %3 is not.
func.func @loops(%a: !phi.vec<f64>, %x: f64, %n: i64) -> (f64, f64, f64) {
  %0 = arith.mulf %x, %x : f64
  %1 = phi.fold (%k < %n, %p = %x) -> f64 {
    %s = arith.addf %p, %0 : f64
    phi.yield %s : f64
  }
  %2 = phi.fold (%l < %n, %q = %x) -> f64 {
    %again = arith.mulf %x, %x : f64
    %t = arith.addf %q, %again : f64
    phi.yield %t : f64
  }
  %3 = phi.fold (%m < %n, %r = %x) -> f64 {
    %u = arith.addf %r, %x : f64
    phi.yield %u : f64
  }
  func.return %1, %2, %3 : f64, f64, f64
}

// CHECK:      func.func @loops(%a: !phi.vec<f64>, %x: f64, %n: i64) -> (f64, f64, f64) {
// CHECK-NEXT:   %again = arith.mulf %x, %x : f64
// CHECK-NEXT:   %0 = phi.fold (%k < %n, %p = %x) -> f64 {
// CHECK-NEXT:     %s = arith.addf %p, %again : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %1 = phi.fold (%m < %n, %r = %x) -> f64 {
// CHECK-NEXT:     %u = arith.addf %r, %x : f64
// CHECK-NEXT:     phi.yield %u : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %0, %0, %1 : f64, f64, f64
// CHECK-NEXT: }

// -----

// Calls may have effects, and so may loops of them; assertions with one message are one.
func.func private @declared(%x: f64) -> f64

func.func @effects(%x: f64, %m: i64, %n: i64) -> (f64, f64, f64, f64, i64, i64, i64) {
  %0 = func.call @declared(%x) : (f64) -> f64
  %1 = func.call @declared(%x) : (f64) -> f64
  %2 = phi.fold (%k < %n, %a = %x) -> f64 {
    %y = func.call @declared(%a) : (f64) -> f64
    phi.yield %y : f64
  }
  %3 = phi.fold (%k < %n, %a = %x) -> f64 {
    %y = func.call @declared(%a) : (f64) -> f64
    phi.yield %y : f64
  }
  %4 = phi.assert_eq %m, %n, "sizes"
  %5 = phi.assert_eq %m, %n, "sizes"
  %6 = phi.assert_eq %m, %n, "counts"
  func.return %0, %1, %2, %3, %4, %5, %6 : f64, f64, f64, f64, i64, i64, i64
}

// CHECK:      func.func private @declared(f64) -> f64
// CHECK:      func.func @effects(%x: f64, %m: i64, %n: i64) -> (f64, f64, f64, f64, i64, i64, i64) {
// CHECK-NEXT:   %0 = func.call @declared(%x) : (f64) -> f64
// CHECK-NEXT:   %1 = func.call @declared(%x) : (f64) -> f64
// CHECK-NEXT:   %2 = phi.fold (%k < %n, %a = %x) -> f64 {
// CHECK-NEXT:     %y = func.call @declared(%a) : (f64) -> f64
// CHECK-NEXT:     phi.yield %y : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %3 = phi.fold (%k_1 < %n, %a_1 = %x) -> f64 {
// CHECK-NEXT:     %y_1 = func.call @declared(%a_1) : (f64) -> f64
// CHECK-NEXT:     phi.yield %y_1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %4 = phi.assert_eq %m, %n, "sizes"
// CHECK-NEXT:   %5 = phi.assert_eq %m, %n, "counts"
// CHECK-NEXT:   func.return %0, %1, %2, %3, %4, %4, %5 : f64, f64, f64, f64, i64, i64, i64
// CHECK-NEXT: }

// -----

// What nothing uses goes, in regions too; unused calls stay.
func.func private @declared(%x: f64) -> f64

func.func @dead(%x: f64, %n: i64) -> f64 {
  %0 = arith.mulf %x, %x : f64
  %1 = func.call @declared(%x) : (f64) -> f64
  %2 = phi.fold (%k < %n, %a = %x) -> f64 {
    %3 = arith.addf %a, %a : f64
    phi.yield %a : f64
  }
  func.return %2 : f64
}

// CHECK:      func.func private @declared(f64) -> f64
// CHECK:      func.func @dead(%x: f64, %n: i64) -> f64 {
// CHECK-NEXT:   %0 = func.call @declared(%x) : (f64) -> f64
// CHECK-NEXT:   %1 = phi.fold (%k < %n, %a = %x) -> f64 {
// CHECK-NEXT:     phi.yield %a : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %1 : f64
// CHECK-NEXT: }

// -----

// Each function by itself.
func.func @one(%x: f64) -> f64 {
  %0 = arith.mulf %x, %x : f64
  func.return %0 : f64
}
func.func @other(%x: f64) -> f64 {
  %0 = arith.mulf %x, %x : f64
  func.return %0 : f64
}

// CHECK:      func.func @one(%x: f64) -> f64 {
// CHECK-NEXT:   %0 = arith.mulf %x, %x : f64
// CHECK-NEXT:   func.return %0 : f64
// CHECK-NEXT: }
// CHECK:      func.func @other(%x: f64) -> f64 {
// CHECK-NEXT:   %0 = arith.mulf %x, %x : f64
// CHECK-NEXT:   func.return %0 : f64
// CHECK-NEXT: }

// -----

// Functions with control flow stay as they are.
func.func @blocks(%x: f64) -> f64 {
  %0 = arith.mulf %x, %x : f64
  %1 = arith.mulf %x, %x : f64
  cf.br ^next(%1 : f64)
^next(%y: f64):
  %2 = arith.addf %0, %y : f64
  func.return %2 : f64
}

// CHECK:      func.func @blocks(%x: f64) -> f64 {
// CHECK-NEXT:   %0 = arith.mulf %x, %x : f64
// CHECK-NEXT:   %1 = arith.mulf %x, %x : f64
// CHECK-NEXT:   cf.br ^next(%1 : f64)
// CHECK-NEXT: ^next(%y: f64):
// CHECK-NEXT:   %2 = arith.addf %0, %y : f64
// CHECK-NEXT:   func.return %2 : f64
// CHECK-NEXT: }
