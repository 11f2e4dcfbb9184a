// RUN: ein-opt %s -p scalarize-small-arrays,simplify | filecheck %s

// Steps compute two numbers, and none calls an operation on arrays.
func.func @scaled(%init: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %start = phi.array (%i < %two) -> !phi.vec<f64> {
    %p = arith.index_cast %i : index to i64
    %x = phi.get %init[%p] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  %r = phi.fold (%k < %n, %v = %start) -> !phi.vec<f64> {
    %x = phi.get %v[%one] : !phi.vec<f64>[i64]
    %w = phi.array (%i < %two) -> !phi.vec<f64> {
      %q = arith.index_cast %i : index to i64
      %here = arith.cmpi eq, %q, %zero : i64
      %y = phi.get %v[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %y, %x : f64
      %chosen = arith.select %here, %z, %half : f64
      phi.yield %chosen : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @scaled(%init: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %two = arith.constant 2 : i64
// CHECK-NEXT:      %half = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:      %start = phi.array (%i < %two) -> !phi.vec<f64> {
// CHECK-NEXT:        %p = arith.index_cast %i : index to i64
// CHECK-NEXT:        %x = phi.get %init[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:        phi.yield %x : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = arith.constant 0 : i64
// CHECK-NEXT:      %1 = phi.get %init[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %2 = arith.constant 1 : i64
// CHECK-NEXT:      %3 = phi.get %init[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %4 = phi.tuple (%1, %3) : tuple<f64, f64>
// CHECK-NEXT:      %5 = phi.fold (%k < %n, %v = %4) -> tuple<f64, f64> {
// CHECK-NEXT:        %6 = phi.proj %v, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %7 = phi.proj %v, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %z = arith.mulf %6, %7 : f64
// CHECK-NEXT:        %8 = phi.tuple (%z, %half) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %8 : tuple<f64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %9 = phi.proj %5, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %10 = phi.proj %5, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %11 = arith.constant 0 : i64
// CHECK-NEXT:      %12 = phi.update %start[%11], %9 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %13 = arith.constant 1 : i64
// CHECK-NEXT:      %r = phi.update %12[%13], %10 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

// Sizes that a step asserts are checked before the loop, if it has a step.
func.func @asserted(%v: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %size = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %x = %v) -> !phi.vec<f64> {
    %m = phi.assert_eq %size, %two, "sizes"
    %w = phi.array (%i < %m) -> !phi.vec<f64> {
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %y, %y : f64
      phi.yield %z : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @asserted(%v: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:      %0 = arith.constant 0 : i64
// CHECK-NEXT:      %1 = phi.get %v[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %2 = arith.constant 1 : i64
// CHECK-NEXT:      %3 = phi.get %v[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %4 = arith.constant 2 : i64
// CHECK-NEXT:      %5 = phi.tuple (%1, %3) : tuple<f64, f64>
// CHECK-NEXT:      %6 = arith.constant 0 : i64
// CHECK-NEXT:      %7 = arith.cmpi sgt, %n, %6 : i64
// CHECK-NEXT:      %8 = arith.select %7, %size, %4 : i64
// CHECK-NEXT:      %9 = phi.assert_eq %8, %4, "sizes"
// CHECK-NEXT:      %10 = arith.subi %9, %4 : i64
// CHECK-NEXT:      %11 = arith.addi %n, %10 : i64
// CHECK-NEXT:      %12 = phi.assert_eq %n, %11, "sizes in a loop"
// CHECK-NEXT:      %13 = phi.fold (%k < %12, %x = %5) -> tuple<f64, f64> {
// CHECK-NEXT:        %14 = phi.proj %x, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %15 = phi.proj %x, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:        %z = arith.mulf %14, %14 : f64
// CHECK-NEXT:        %z_1 = arith.mulf %15, %15 : f64
// CHECK-NEXT:        %16 = phi.tuple (%z, %z_1) : tuple<f64, f64>
// CHECK-NEXT:        phi.yield %16 : tuple<f64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %17 = phi.proj %13, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %18 = phi.proj %13, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:      %19 = arith.constant 0 : i64
// CHECK-NEXT:      %20 = phi.update %v[%19], %17 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      %21 = arith.constant 1 : i64
// CHECK-NEXT:      %r = phi.update %20[%21], %18 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

// The size of the array is not known: a step calls the library.
func.func @large(%v: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %size = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %x = %v) -> !phi.vec<f64> {
    %w = phi.array (%i < %size) -> !phi.vec<f64> {
      %y = phi.get %x[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %y, %y : f64
      phi.yield %z : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @large(%v: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:      %size = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:      %r = phi.fold (%k < %n, %x = %v) -> !phi.vec<f64> {
// CHECK-NEXT:        %w = phi.array (%i < %size) -> !phi.vec<f64> {
// CHECK-NEXT:          %y = phi.get %x[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:          %z = arith.mulf %y, %y : f64
// CHECK-NEXT:          phi.yield %z : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<f64>
// CHECK-NEXT:    }

// Python has no numbers of 32 bits.
func.func @narrow(%n: i64) -> !phi.vec<f32> {
  %two = arith.constant 2 : i64
  %one = arith.constant 1.0 : f32
  %v = phi.array (%i < %two) -> !phi.vec<f32> {
    phi.yield %one : f32
  }
  %r = phi.fold (%k < %n, %x = %v) -> !phi.vec<f32> {
    %w = phi.array (%i < %two) -> !phi.vec<f32> {
      %y = phi.get %x[%i] : !phi.vec<f32>[index]
      %z = arith.addf %y, %y : f32
      phi.yield %z : f32
    }
    phi.yield %w : !phi.vec<f32>
  }
  func.return %r : !phi.vec<f32>
}

// CHECK-LABEL: func.func @narrow(%n: i64) -> !phi.vec<f32> {
// CHECK-NEXT:      %two = arith.constant 2 : i64
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %v = phi.array (%i < %two) -> !phi.vec<f32> {
// CHECK-NEXT:        phi.yield %one : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.fold (%k < %n, %x = %v) -> !phi.vec<f32> {
// CHECK-NEXT:        %w = phi.array (%i_1 < %two) -> !phi.vec<f32> {
// CHECK-NEXT:          %y = phi.get %x[%i_1] : !phi.vec<f32>[index]
// CHECK-NEXT:          %z = arith.addf %y, %y : f32
// CHECK-NEXT:          phi.yield %z : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        phi.yield %w : !phi.vec<f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return %r : !phi.vec<f32>
// CHECK-NEXT:    }
