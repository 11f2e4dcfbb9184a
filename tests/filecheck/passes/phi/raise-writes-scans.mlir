// RUN: ein-opt %s --split-input-file -p raise-writes,canonicalize,dce | filecheck %s

// Each element is the sum of the one before and a number.
func.func @sums(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %m = arith.addi %n, %one : i64
  %start = phi.array (%i < %m) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%j < %n, %v = %start) -> !phi.vec<f64> {
    %p = arith.addi %j, %one : i64
    %x = phi.get %v[%j] : !phi.vec<f64>[i64]
    %y = phi.get %b[%j] : !phi.vec<f64>[i64]
    %z = arith.addf %y, %x : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @sums(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %m = arith.addi %n, %one : i64
// CHECK-NEXT:   %start = phi.array (%i < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %zero : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = phi.array (%2 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %zero : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %3 = phi.size %start, 0 : !phi.vec<f64>
// CHECK-NEXT:   %4 = phi.concat %1, %b of %3 : !phi.vec<f64>
// CHECK-NEXT:   %5 = phi.scan "add" %4 : !phi.vec<f64>
// CHECK-NEXT:   %6 = phi.size %start, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%7 < %6) -> !phi.vec<f64> {
// CHECK-NEXT:     %j = arith.index_cast %7 : index to i64
// CHECK-NEXT:     %8 = arith.constant 1 : i64
// CHECK-NEXT:     %9 = arith.addi %j, %8 : i64
// CHECK-NEXT:     %10 = phi.get %5[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %10 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Downwards, up to the last element, and with the previous value as the other operand.
func.func @downwards(%a: !phi.vec<i64>) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%j < %n, %v = %a) -> !phi.vec<i64> {
    %p = arith.subi %last, %j : i64
    %q = arith.subi %n, %j : i64
    %x = phi.get %v[%q] : !phi.vec<i64>[i64]
    %y = phi.get %v[%p] : !phi.vec<i64>[i64]
    %z = arith.maxsi %x, %y : i64
    %w = phi.update %v[%p], %z : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @downwards(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %last = arith.subi %n, %one : i64
// CHECK-NEXT:   %0 = phi.get %a[%n] : !phi.vec<i64>[i64]
// CHECK-NEXT:   %1 = phi.array (%j < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %p = arith.subi %last, %j_1 : i64
// CHECK-NEXT:     %y = phi.get %a[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %y : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %2 = arith.constant 1 : i64
// CHECK-NEXT:   %3 = phi.array (%4 < %2) -> !phi.vec<i64> {
// CHECK-NEXT:     phi.yield %0 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %5 = arith.addi %n, %2 : i64
// CHECK-NEXT:   %6 = phi.concat %3, %1 of %5 : !phi.vec<i64>
// CHECK-NEXT:   %7 = phi.scan "max" %6 : !phi.vec<i64>
// CHECK-NEXT:   %8 = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%9 < %8) -> !phi.vec<i64> {
// CHECK-NEXT:     %j_2 = arith.index_cast %9 : index to i64
// CHECK-NEXT:     %10 = arith.subi %n, %j_2 : i64
// CHECK-NEXT:     %11 = arith.constant 1 : i64
// CHECK-NEXT:     %12 = arith.addi %10, %11 : i64
// CHECK-NEXT:     %13 = phi.get %7[%12] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %13 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// The row of a dynamic program, in a loop over rows. No sum can wrap around.
func.func @rows(%a: !phi.vec<i64>, %b: !phi.vec<i64>) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %m = phi.size %a, 0 : !phi.vec<i64>
  %n = phi.size %b, 0 : !phi.vec<i64>
  %size = arith.addi %n, %one : i64
  %start = phi.array (%i < %size) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %r = phi.fold (%i < %m, %above = %start) -> !phi.vec<i64> {
    %first = phi.array (%k < %size) -> !phi.vec<i64> {
      phi.yield %i : i64
    }
    %row = phi.fold (%j < %n, %v = %first) -> !phi.vec<i64> {
      %p = arith.addi %j, %one : i64
      %x = phi.get %v[%j] : !phi.vec<i64>[i64]
      %y = arith.addi %x, %one : i64
      %u = phi.get %above[%j] : !phi.vec<i64>[i64]
      %z = arith.minsi %y, %u : i64
      %w = phi.update %v[%p], %z : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %w : !phi.vec<i64>
    }
    phi.yield %row : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<i64>
// CHECK-NEXT:   %size = arith.addi %n, %one : i64
// CHECK-NEXT:   %start = phi.array (%i < %size) -> !phi.vec<i64> {
// CHECK-NEXT:     phi.yield %zero : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.addi %n, %0 : i64
// CHECK-NEXT:   %2 = phi.array (%3 < %1) -> !phi.vec<i64> {
// CHECK-NEXT:     %4 = arith.index_cast %3 : index to i64
// CHECK-NEXT:     phi.yield %4 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.fold (%i_1 < %m, %above = %start) -> !phi.vec<i64> {
// CHECK-NEXT:     %first = phi.array (%k < %size) -> !phi.vec<i64> {
// CHECK-NEXT:       phi.yield %i_1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = phi.array (%j < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:       %u = phi.get %above[%j_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %6 = arith.constant 1 : i64
// CHECK-NEXT:       %7 = arith.addi %j_1, %6 : i64
// CHECK-NEXT:       %8 = phi.get %2[%7] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %9 = arith.subi %u, %8 : i64
// CHECK-NEXT:       phi.yield %9 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %10 = arith.constant 1 : i64
// CHECK-NEXT:     %11 = phi.array (%12 < %10) -> !phi.vec<i64> {
// CHECK-NEXT:       phi.yield %i_1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %13 = phi.size %first, 0 : !phi.vec<i64>
// CHECK-NEXT:     %14 = phi.concat %11, %5 of %13 : !phi.vec<i64>
// CHECK-NEXT:     %15 = phi.scan "min" %14 : !phi.vec<i64>
// CHECK-NEXT:     %16 = phi.size %first, 0 : !phi.vec<i64>
// CHECK-NEXT:     %row = phi.array (%17 < %16) -> !phi.vec<i64> {
// CHECK-NEXT:       %j_2 = arith.index_cast %17 : index to i64
// CHECK-NEXT:       %18 = arith.constant 1 : i64
// CHECK-NEXT:       %19 = arith.addi %j_2, %18 : i64
// CHECK-NEXT:       %20 = phi.get %15[%19] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %21 = phi.get %2[%j_2] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %22 = arith.addi %20, %21 : i64
// CHECK-NEXT:       phi.yield %22 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %row : !phi.vec<i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// Costs of any size may wrap around.
func.func @wraps(%a: !phi.vec<i64>, %b: !phi.vec<i64>) -> !phi.vec<i64> {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<i64>
  %r = phi.fold (%j < %n, %v = %a) -> !phi.vec<i64> {
    %p = arith.subi %j, %one : i64
    %x = phi.get %v[%p] : !phi.vec<i64>[i64]
    %y = arith.addi %x, %one : i64
    %u = phi.get %b[%j] : !phi.vec<i64>[i64]
    %z = arith.minsi %y, %u : i64
    %w = phi.update %v[%j], %z : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @wraps(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.fold (%j < %n, %v = %a) -> !phi.vec<i64> {
// CHECK-NEXT:     %p = arith.subi %j, %one : i64
// CHECK-NEXT:     %x = phi.get %v[%p] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %y = arith.addi %x, %one : i64
// CHECK-NEXT:     %u = phi.get %b[%j] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %z = arith.minsi %y, %u : i64
// CHECK-NEXT:     %w = phi.update %v[%j], %z : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<i64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// Products of floats keep their order, and a position may be out of bounds.
func.func @loops(%a: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %one = arith.constant 1 : i64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%j < %m, %v = %a) -> !phi.vec<f64> {
    %p = arith.subi %j, %one : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%j] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    %w = phi.update %v[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%j < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.subi %j, %one : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %y = phi.get %a[%j] : !phi.vec<f64>[i64]
    %z = arith.addf %x, %y : f64
    %w = phi.update %v[%j], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @loops(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant -1 : i64
// CHECK-NEXT:   %1 = phi.get %a[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:   %2 = arith.constant 1 : i64
// CHECK-NEXT:   %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:     phi.yield %1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %5 = arith.addi %m, %2 : i64
// CHECK-NEXT:   %6 = phi.concat %3, %a of %5 : !phi.vec<f64>
// CHECK-NEXT:   %7 = phi.scan "mul" %6 : !phi.vec<f64>
// CHECK-NEXT:   %8 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%9 < %8) -> !phi.vec<f64> {
// CHECK-NEXT:     %j = arith.index_cast %9 : index to i64
// CHECK-NEXT:     %10 = arith.subi %j, %0 : i64
// CHECK-NEXT:     %11 = arith.constant 1 : i64
// CHECK-NEXT:     %12 = arith.addi %10, %11 : i64
// CHECK-NEXT:     %13 = phi.get %7[%12] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %13 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%j_1 < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %p = arith.subi %j_1, %one : i64
// CHECK-NEXT:     %x = phi.get %v[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = phi.get %a[%j_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %z = arith.addf %x, %y : f64
// CHECK-NEXT:     %w = phi.update %v[%j_1], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }
