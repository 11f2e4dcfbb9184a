// RUN: ein-opt %s --split-input-file -p delinearize-indices,dce | filecheck %s
// RUN: ein-opt %s --split-input-file -p "delinearize-indices{static=true}" | filecheck %s --check-prefix=STATIC
// RUN: ein-opt %s --split-input-file -p "delinearize-indices{costly=true},dce" | filecheck %s --check-prefix=COSTLY

// The size of the index is a multiple of the divisor.
func.func @kron(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %k = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %n = arith.muli %k, %m : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %r = sigma.floormod %0, %m : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    %y = phi.get %b[%r] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK:      func.func @kron(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %k = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %n = arith.muli %k, %m : i64
// CHECK-NEXT:   %0 = phi.array (%p < %k, %p_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %q = arith.index_cast %p : index to i64
// CHECK-NEXT:     %r = arith.index_cast %p_1 : index to i64
// CHECK-NEXT:     %x = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = phi.get %b[%r] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %z = arith.mulf %x, %y : f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.array (%p_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %1 = arith.index_cast %p_2 : index to i64
// CHECK-NEXT:     %2 = arith.floordivsi %1, %m : i64
// CHECK-NEXT:     %3 = sigma.floormod %1, %m : i64
// CHECK-NEXT:     %4 = phi.get %0[%2, %3] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:     phi.yield %4 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %t : !phi.vec<f64>
// CHECK-NEXT: }

// The elements are cheap.
// COSTLY-LABEL: func.func @kron(
// COSTLY:         %t = phi.array (%p < %n) -> !phi.vec<f64> {

// -----

// Elements that take a function are split for machine code, too.
func.func @functions(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %k = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %b, 0 : !phi.vec<f64>
  %n = arith.muli %k, %m : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %r = sigma.floormod %0, %m : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    %y = phi.get %b[%r] : !phi.vec<f64>[i64]
    %e = math.exp %x : f64
    %z = arith.mulf %e, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @functions(
// CHECK:          phi.array (%p < %k, %p_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// COSTLY-LABEL: func.func @functions(
// COSTLY:         phi.array (%p < %k, %p_1 < %m) -> !phi.vec<!phi.vec<f64>> {

// So are those that take a loop.
func.func @sums(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %k = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %b, 0 : !phi.vec<!phi.vec<f64>>
  %l = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %n = arith.muli %k, %m : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %r = sigma.floormod %0, %m : i64
    %s = phi.fold (%c < %l, %acc = %zero) -> f64 {
      %x = phi.get %a[%q, %c] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %b[%r, %c] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @sums(
// CHECK:          phi.array (%p < %k, %p_1 < %m) -> !phi.vec<!phi.vec<f64>> {
// COSTLY-LABEL: func.func @sums(
// COSTLY:         phi.array (%p < %k, %p_1 < %m) -> !phi.vec<!phi.vec<f64>> {

// -----

// The last row may be incomplete; the divisions may be in an inner body.
func.func @constant(%a: !phi.vec<f64>, %n: i64, %w: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %three = arith.constant 3 : i64
      %q = arith.floordivsi %0, %three : i64
      %at = arith.addi %q, %k : i64
      %x = phi.get %a[%at] : !phi.vec<f64>[i64]
      %y = phi.get %a[%p] : !phi.vec<f64>[index]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK:      func.func @constant(%a: !phi.vec<f64>, %n: i64, %w: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %0 = arith.constant 3 : i64
// CHECK-NEXT:   %1 = arith.constant 2 : i64
// CHECK-NEXT:   %2 = arith.addi %n, %1 : i64
// CHECK-NEXT:   %3 = arith.floordivsi %2, %0 : i64
// CHECK-NEXT:   %4 = arith.constant 0 : i64
// CHECK-NEXT:   %5 = arith.maxsi %3, %4 : i64
// CHECK-NEXT:   %6 = phi.array (%p < %5, %p_1 < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %q = arith.index_cast %p : index to i64
// CHECK-NEXT:     %7 = arith.index_cast %p_1 : index to i64
// CHECK-NEXT:     %8 = arith.muli %q, %0 : i64
// CHECK-NEXT:     %9 = arith.addi %8, %7 : i64
// CHECK-NEXT:     %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
// CHECK-NEXT:       %at = arith.addi %q, %k : i64
// CHECK-NEXT:       %x = phi.get %a[%at] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = phi.get %a[%9] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = arith.mulf %x, %y : f64
// CHECK-NEXT:       %next = arith.addf %acc, %z : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.array (%p_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %10 = arith.index_cast %p_2 : index to i64
// CHECK-NEXT:     %11 = arith.floordivsi %10, %0 : i64
// CHECK-NEXT:     %12 = sigma.floormod %10, %0 : i64
// CHECK-NEXT:     %13 = phi.get %6[%11, %12] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:     phi.yield %13 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %t : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Divisors of each other are split one after the other: here the bits of a position.
func.func @reversed_bits(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %eight = arith.constant 8 : i64
  %four = arith.constant 4 : i64
  %two = arith.constant 2 : i64
  %t = phi.array (%p < %eight) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %high = arith.floordivsi %0, %four : i64
    %half = arith.floordivsi %0, %two : i64
    %middle = sigma.floormod %half, %two : i64
    %low = sigma.floormod %0, %two : i64
    %1 = arith.muli %low, %four : i64
    %2 = arith.muli %middle, %two : i64
    %3 = arith.addi %1, %2 : i64
    %4 = arith.addi %3, %high : i64
    %x = phi.get %a[%4] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK:      func.func @reversed_bits(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %eight = arith.constant 8 : i64
// CHECK-NEXT:   %four = arith.constant 4 : i64
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %0 = arith.constant 4 : i64
// CHECK-NEXT:   %1 = arith.constant 2 : i64
// CHECK-NEXT:   %2 = arith.constant 2 : i64
// CHECK-NEXT:   %3 = arith.constant 2 : i64
// CHECK-NEXT:   %4 = phi.array (%p < %1, %p_1 < %3, %p_2 < %2) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
// CHECK-NEXT:     %middle = arith.index_cast %p_1 : index to i64
// CHECK-NEXT:     %low = arith.index_cast %p_2 : index to i64
// CHECK-NEXT:     %high = arith.index_cast %p : index to i64
// CHECK-NEXT:     %5 = arith.muli %low, %four : i64
// CHECK-NEXT:     %6 = arith.muli %middle, %two : i64
// CHECK-NEXT:     %7 = arith.addi %5, %6 : i64
// CHECK-NEXT:     %8 = arith.addi %7, %high : i64
// CHECK-NEXT:     %x = phi.get %a[%8] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %9 = phi.array (%p_3 < %1, %p_4 < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %10 = arith.index_cast %p_4 : index to i64
// CHECK-NEXT:     %11 = arith.floordivsi %10, %2 : i64
// CHECK-NEXT:     %12 = sigma.floormod %10, %2 : i64
// CHECK-NEXT:     %13 = phi.get %4[%p_3, %11, %12] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, i64]
// CHECK-NEXT:     phi.yield %13 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.array (%p_5 < %eight) -> !phi.vec<f64> {
// CHECK-NEXT:     %14 = arith.index_cast %p_5 : index to i64
// CHECK-NEXT:     %15 = arith.floordivsi %14, %0 : i64
// CHECK-NEXT:     %16 = sigma.floormod %14, %0 : i64
// CHECK-NEXT:     %17 = phi.get %9[%15, %16] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:     phi.yield %17 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %t : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Left alone: a parity that no position and no condition depends on; an array that is read as two axes
// already; divisors of which none is a multiple of the others.
func.func @parity(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<i64> {
  %two = arith.constant 2 : i64
  %t = phi.array (%p < %n) -> !phi.vec<i64> {
    %0 = arith.index_cast %p : index to i64
    %r = sigma.floormod %0, %two : i64
    phi.yield %r : i64
  }
  func.return %t : !phi.vec<i64>
}

func.func @flat(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %k = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %n = arith.muli %k, %m : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %r = sigma.floormod %0, %m : i64
    %x = phi.get %a[%q, %r] : !phi.vec<!phi.vec<f64>>[i64, i64]
    phi.yield %x : f64
  }
  func.return %t : !phi.vec<f64>
}

func.func @coprime(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %two : i64
    %r = sigma.floormod %0, %three : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    %y = phi.get %a[%r] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}

// CHECK:      func.func @parity(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %t = phi.array (%p < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %0 = arith.index_cast %p : index to i64
// CHECK-NEXT:     %r = sigma.floormod %0, %two : i64
// CHECK-NEXT:     phi.yield %r : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %t : !phi.vec<i64>
// CHECK-NEXT: }
// CHECK:      func.func @flat(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
// CHECK-NEXT:   %k = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %n = arith.muli %k, %m : i64
// CHECK-NEXT:   %t = phi.array (%p < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.index_cast %p : index to i64
// CHECK-NEXT:     %q = arith.floordivsi %0, %m : i64
// CHECK-NEXT:     %r = sigma.floormod %0, %m : i64
// CHECK-NEXT:     %x = phi.get %a[%q, %r] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %t : !phi.vec<f64>
// CHECK-NEXT: }
// CHECK:      func.func @coprime(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %three = arith.constant 3 : i64
// CHECK-NEXT:   %t = phi.array (%p < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %0 = arith.index_cast %p : index to i64
// CHECK-NEXT:     %q = arith.floordivsi %0, %two : i64
// CHECK-NEXT:     %r = sigma.floormod %0, %three : i64
// CHECK-NEXT:     %x = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = phi.get %a[%r] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %z = arith.mulf %x, %y : f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %t : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A divisor that may be any Int: the comprehension is split for a positive one with which sums do not
// wrap, and has no elements for another, for which its copy has all.
func.func @any_divisor(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %t : !phi.vec<f64>
}
// CHECK:        func.func @any_divisor(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     %1 = arith.constant 0 : i64
// CHECK-NEXT:     %2 = arith.minsi %m, %n : i64
// CHECK-NEXT:     %3 = arith.maxsi %2, %0 : i64
// CHECK-NEXT:     %4 = arith.cmpi sge, %m, %0 : i64
// CHECK-NEXT:     %5 = arith.constant 288230376151711744 : i64
// CHECK-NEXT:     %6 = arith.cmpi sle, %m, %5 : i64
// CHECK-NEXT:     %7 = arith.andi %4, %6 : i1
// CHECK-NEXT:     %8 = arith.select %7, %n, %1 : i64
// CHECK-NEXT:     %9 = arith.select %7, %1, %n : i64
// CHECK-NEXT:     %10 = arith.constant 1 : i64
// CHECK-NEXT:     %11 = arith.subi %3, %10 : i64
// CHECK-NEXT:     %12 = arith.addi %8, %11 : i64
// CHECK-NEXT:     %13 = arith.floordivsi %12, %3 : i64
// CHECK-NEXT:     %14 = phi.array (%p < %13, %p_1 < %3) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %q = arith.index_cast %p : index to i64
// CHECK-NEXT:       %x = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %t = phi.array (%p_2 < %8) -> !phi.vec<f64> {
// CHECK-NEXT:       %15 = arith.index_cast %p_2 : index to i64
// CHECK-NEXT:       %16 = arith.floordivsi %15, %3 : i64
// CHECK-NEXT:       %17 = sigma.floormod %15, %3 : i64
// CHECK-NEXT:       %18 = phi.get %14[%16, %17] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:       phi.yield %18 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %t_1 = phi.array (%p_3 < %9) -> !phi.vec<f64> {
// CHECK-NEXT:       %19 = arith.index_cast %p_3 : index to i64
// CHECK-NEXT:       %q_1 = arith.floordivsi %19, %m : i64
// CHECK-NEXT:       %x_1 = phi.get %a[%q_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %x_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %t_2 = phi.concat %t, %t_1 of %n : !phi.vec<f64>
// CHECK-NEXT:     func.return %t_2 : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// The element below in a block of rows: a slice, not a gather.
func.func @next_row(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %below = arith.addi %0, %m : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    %y = phi.get %a[%below] : !phi.vec<f64>[i64]
    %z = arith.addf %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}
// CHECK-LABEL: func.func @next_row
// CHECK:         %[[W:.*]] = arith.maxsi
// CHECK:         phi.array (%p < %{{.*}}, %p_1 < %[[W]])
// CHECK:           %[[ROW:.*]] = arith.muli %{{.*}}, %[[W]] : i64
// CHECK-NEXT:      %[[PLACE:.*]] = arith.addi %[[ROW]], %{{.*}} : i64
// CHECK-NEXT:      arith.addi %[[PLACE]], %[[W]] : i64

// -----

// A divisor that a step of a loop computes: sizes would differ from step to step.
func.func @of_a_step(%a: !phi.vec<f64>, %k: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%s < %k, %v = %a) -> !phi.vec<f64> {
    %t = phi.array (%p < %n) -> !phi.vec<f64> {
      %0 = arith.index_cast %p : index to i64
      %q = arith.floordivsi %0, %s : i64
      %x = phi.get %v[%q] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL: func.func @of_a_step
// CHECK:         phi.concat
// STATIC-LABEL: func.func @of_a_step
// STATIC-NOT:    phi.concat

// -----

// Several indices with a divisor each have one copy for other Ints. A size that may be negative is
// checked before.
func.func @blocks(%a: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64, %p: i64, %q: i64) -> !phi.vec<!phi.vec<f64>> {
  %t = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.index_cast %j : index to i64
    %2 = arith.floordivsi %0, %p : i64
    %3 = arith.floordivsi %1, %q : i64
    %x = phi.get %a[%2, %3] : !phi.vec<!phi.vec<f64>>[i64, i64]
    phi.yield %x : f64
  }
  func.return %t : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @blocks
// CHECK:         %[[ROWS:.*]] = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK:         %[[N:.*]] = phi.size %[[ROWS]], 0 : !phi.vec<i64>
// CHECK:         %[[COLUMNS:.*]] = phi.array (%j < %m) -> !phi.vec<i64> {
// CHECK:         %[[M:.*]] = phi.size %[[COLUMNS]], 0 : !phi.vec<i64>
// CHECK:         arith.andi
// CHECK-NEXT:    arith.andi
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK-NEXT:    %[[OWN:.*]] = arith.select %[[BOTH]], %[[N]], %[[NONE:.*]] : i64
// CHECK-NEXT:    %[[REST:.*]] = arith.select %[[BOTH]], %[[NONE]], %[[N]] : i64
// CHECK:         phi.array (%{{i.*}} < %{{.*}}, %{{i.*}} < %{{.*}}, %{{j.*}} < %{{.*}}, %{{j.*}} < %{{.*}}) ->
// CHECK-NOT:       floordivsi
// CHECK:           phi.get %a[%{{.*}}, %{{.*}}]
// CHECK:         %[[OTHERS:.*]] = phi.array (%{{i.*}} < %[[REST]], %{{j.*}} < %[[M]]) ->
// CHECK:         phi.concat %{{.*}}, %[[OTHERS]] of %[[N]]

// -----

// The parity decides an element. An element of an accumulator stays in its place; a loop would run
// for each parity.
func.func @pairs(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %none = arith.constant 0 : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %r = sigma.floormod %0, %two : i64
    %even = arith.cmpi eq, %r, %none : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[index]
    %y = math.exp %x : f64
    %z = arith.select %even, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}
// CHECK-LABEL: func.func @pairs
// CHECK:         %{{.*}} = phi.array (%p < %{{.*}}, %p_1 < %[[TWO:.*]]) -> !phi.vec<!phi.vec<f64>> {
// CHECK:           %[[R:.*]] = arith.index_cast %p_1 : index to i64
// CHECK:           arith.cmpi eq, %[[R]], %none : i64
// CHECK:         %t = phi.array (%p_2 < %n) -> !phi.vec<f64> {
// STATIC-LABEL: func.func @pairs
// STATIC:         %t = phi.array (%p < %n) -> !phi.vec<f64> {
// STATIC-NEXT:      %{{.*}} = arith.index_cast %p

func.func @kept(%a: !phi.vec<f64>, %k: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %none = arith.constant 0 : i64
  %s = phi.fold (%step < %k, %v = %a) -> !phi.vec<f64> {
    %t = phi.array (%p < %n) -> !phi.vec<f64> {
      %0 = arith.index_cast %p : index to i64
      %r = sigma.floormod %0, %two : i64
      %even = arith.cmpi eq, %r, %none : i64
      %x = phi.get %v[%p] : !phi.vec<f64>[index]
      %y = math.exp %x : f64
      %z = arith.select %even, %x, %y : f64
      phi.yield %z : f64
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %s : !phi.vec<f64>
}
// CHECK-LABEL: func.func @kept
// CHECK:         %t = phi.array (%p < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %{{.*}} = arith.index_cast %p

func.func @loop(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %none = arith.constant 0 : i64
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %r = sigma.floormod %0, %two : i64
    %even = arith.cmpi eq, %r, %none : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[index]
    %y = phi.fold (%k < %n, %acc = %x) -> f64 {
      %e = math.exp %acc : f64
      phi.yield %e : f64
    }
    %z = arith.select %even, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}
// CHECK-LABEL: func.func @loop
// CHECK:         %t = phi.array (%p < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %{{.*}} = arith.index_cast %p

// An index that is compared, with a remainder by any Int: its ranges will be parts of the array.
func.func @ranges(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %t = phi.array (%p < %n) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %r = sigma.floormod %0, %m : i64
    %x = phi.get %a[%p] : !phi.vec<f64>[index]
    %y = phi.get %b[%r] : !phi.vec<f64>[i64]
    %first = arith.cmpi slt, %0, %m : i64
    %z = arith.select %first, %x, %y : f64
    phi.yield %z : f64
  }
  func.return %t : !phi.vec<f64>
}
// CHECK-LABEL: func.func @ranges
// CHECK-NOT:     phi.concat
// CHECK:         phi.array (%p < %n) -> !phi.vec<f64> {

// -----

// A power of a counter: the first 62 steps are written out, so that sizes may differ between them.
func.func @stages(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %size = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%s < %n, %v = %a) -> !phi.vec<f64> {
    %two = arith.constant 2 : i64
    %h = math.ipowi %two, %s : i64
    %t = phi.array (%p < %size) -> !phi.vec<f64> {
      %0 = arith.index_cast %p : index to i64
      %q = arith.floordivsi %0, %h : i64
      %x = phi.get %v[%q] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// STATIC-LABEL: func.func @stages
// STATIC:         %[[MOST:.*]] = arith.constant 62 : i64
// STATIC-NEXT:    %[[FEW:.*]] = arith.minsi %n, %[[MOST]] : i64
// STATIC-NEXT:    %[[FIRST:[a-z0-9_]*]] = phi.fold (%{{.*}} < %[[FEW]], %{{.*}} = %a) -> !phi.vec<f64> {
// STATIC:           phi.concat
// STATIC:         %[[LATER:[0-9]*]] = arith.subi %n, %{{.*}} : i64
// STATIC:         %[[REST:[0-9]*]] = arith.maxsi %[[LATER]], %{{.*}} : i64
// STATIC-NEXT:    phi.fold (%[[S:.*]] < %[[REST]], %{{.*}} = %[[FIRST]]) -> !phi.vec<f64> {
// STATIC-NEXT:      %[[MORE:.*]] = arith.constant 62 : i64
// STATIC-NEXT:      %[[STEP:.*]] = arith.addi %[[S]], %[[MORE]] : i64
// STATIC:           math.ipowi %{{.*}}, %[[STEP]] : i64
// STATIC-NOT:       phi.concat
// CHECK-LABEL:  func.func @stages
// CHECK-NEXT:     phi.size
// CHECK-NEXT:     phi.fold (%s < %n

// -----

// A number that is no power keeps the loop.
func.func @other_divisors(%a: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %size = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%s < %n, %v = %a) -> !phi.vec<f64> {
    %h = arith.muli %s, %s : i64
    %t = phi.array (%p < %size) -> !phi.vec<f64> {
      %0 = arith.index_cast %p : index to i64
      %q = arith.floordivsi %0, %h : i64
      %x = phi.get %v[%q] : !phi.vec<f64>[i64]
      phi.yield %x : f64
    }
    phi.yield %t : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// STATIC-LABEL: func.func @other_divisors
// STATIC-NEXT:    phi.size
// STATIC-NEXT:    phi.fold (%s < %n
// STATIC-NOT:     phi.concat

// -----

// A fold over the cells of a table is two folds.
func.func @cells(%a: !phi.vec<!phi.vec<f64>>, %x: f64) -> f64 {
  %k = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %n = arith.muli %k, %m : i64
  %r = phi.fold (%p < %n, %acc = %x) -> f64 {
    %i = arith.floordivsi %p, %m : i64
    %j = sigma.floormod %p, %m : i64
    %y = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %z = arith.sitofp %p : i64 to f64
    %0 = arith.mulf %y, %z : f64
    %next = arith.subf %0, %acc : f64
    phi.yield %next : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @cells(
// CHECK:         %r = phi.fold (%p < %k, %acc = %x) -> f64 {
// CHECK-NEXT:      %{{.*}} = phi.fold (%p_1 < %m, %acc_1 = %acc) -> f64 {
// CHECK-NEXT:        %[[ROW:.*]] = arith.muli %p, %m : i64
// CHECK-NEXT:        %[[CELL:.*]] = arith.addi %[[ROW]], %p_1 : i64
// CHECK-NEXT:        %y = phi.get %a[%p, %p_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %z = arith.sitofp %[[CELL]] : i64 to f64

// -----

// The rows are not whole, or their number may be negative.
func.func @no_cells(%a: !phi.vec<!phi.vec<f64>>, %x: f64, %n: i64, %k: i64) -> (f64, f64) {
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%p < %n, %acc = %x) -> f64 {
    %i = arith.floordivsi %p, %m : i64
    %j = sigma.floormod %p, %m : i64
    %y = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %next = arith.subf %y, %acc : f64
    phi.yield %next : f64
  }
  %l = arith.muli %k, %m : i64
  %s = phi.fold (%p < %l, %acc = %x) -> f64 {
    %i = arith.floordivsi %p, %m : i64
    %y = phi.get %a[%i, %i] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %next = arith.subf %y, %acc : f64
    phi.yield %next : f64
  }
  func.return %r, %s : f64, f64
}

// CHECK-LABEL: func.func @no_cells(
// CHECK:         %r = phi.fold (%p < %n, %acc = %x) -> f64 {
// CHECK:         %s = phi.fold (%p_1 < %l, %acc_1 = %x) -> f64 {
// CHECK-NEXT:      arith.floordivsi %p_1, %m : i64

// -----

// A multiple of the divisor leaves a remainder. The sum with an Int may wrap around.
func.func @around(%a: !phi.vec<f64>, %x: i64) -> (!phi.vec<i64>, !phi.vec<i64>) {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %0 = arith.index_cast %i : index to i64
    %1 = arith.addi %0, %n : i64
    %2 = arith.subi %1, %one : i64
    %3 = sigma.floormod %2, %n : i64
    phi.yield %3 : i64
  }
  %s = phi.array (%i < %n) -> !phi.vec<i64> {
    %0 = arith.addi %x, %n : i64
    %1 = sigma.floormod %0, %n : i64
    phi.yield %1 : i64
  }
  func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
}

// CHECK-LABEL: func.func @around(
// CHECK:         phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %[[I:.*]] = arith.index_cast %i : index to i64
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:      %[[MOVED:.*]] = arith.subi %[[I]], %[[ONE]] : i64
// CHECK-NEXT:      sigma.floormod %[[MOVED]], %n : i64
// CHECK:         phi.array (%i_1 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %x, %n : i64
// CHECK-NEXT:      sigma.floormod %[[SUM]], %n : i64

// -----

// A remainder of an index below the divisor is moved on. One of another Int may wrap around, and
// one by another divisor is another number.
func.func @around_twice(%a: !phi.vec<f64>, %x: i64, %l: i64) -> (!phi.vec<i64>, !phi.vec<i64>, !phi.vec<i64>) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %next = sigma.floormod %q, %n : i64
    %more = arith.addi %next, %one : i64
    %second = sigma.floormod %more, %n : i64
    %back = arith.subi %second, %two : i64
    %same = sigma.floormod %back, %n : i64
    %both = arith.addi %second, %same : i64
    phi.yield %both : i64
  }
  %s = phi.array (%i < %n) -> !phi.vec<i64> {
    %next = sigma.floormod %x, %n : i64
    %q = arith.addi %next, %one : i64
    %second = sigma.floormod %q, %n : i64
    phi.yield %second : i64
  }
  %t = phi.array (%i < %n) -> !phi.vec<i64> {
    %p = arith.index_cast %i : index to i64
    %q = arith.addi %p, %one : i64
    %next = sigma.floormod %q, %l : i64
    %more = arith.addi %next, %one : i64
    %second = sigma.floormod %more, %n : i64
    phi.yield %second : i64
  }
  func.return %r, %s, %t : !phi.vec<i64>, !phi.vec<i64>, !phi.vec<i64>
}

// CHECK-LABEL: func.func @around_twice(
// CHECK:         phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK:           %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-NEXT:      %[[MOVED:.*]] = arith.addi %{{.*}}, %[[TWO]] : i64
// CHECK-NEXT:      %second = sigma.floormod %[[MOVED]], %n : i64
// CHECK-NOT:       sigma.floormod
// CHECK:           arith.addi %second, %{{.*}} : i64
// CHECK:         phi.array (%i_1 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:      %[[NEXT:.*]] = sigma.floormod %x, %n : i64
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %[[NEXT]], %one : i64
// CHECK-NEXT:      sigma.floormod %[[SUM]], %n : i64
// CHECK:         phi.array (%i_2 < %n) -> !phi.vec<i64> {
// CHECK:           sigma.floormod %{{.*}}, %l : i64
// CHECK:           sigma.floormod %{{.*}}, %n : i64

// -----

// A fold over the rows of an interior is two nested ones; another one takes the steps where the
// number of rows is negative.

func.func @interior(%u: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %two = arith.constant 2 : i64
  %n = phi.size %u, 0 : !phi.vec<!phi.vec<f64>>
  %m = arith.subi %n, %two : i64
  %count = arith.muli %m, %m : i64
  %r = phi.fold (%k < %count, %v = %u) -> !phi.vec<!phi.vec<f64>> {
    %i = arith.floordivsi %k, %m : i64
    %j = sigma.floormod %k, %m : i64
    %x = phi.get %v[%j, %i] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %w = phi.update %v[%i, %j], %x : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
    phi.yield %w : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @interior(
// CHECK:          phi.fold (%k < %count, %v = %u)
// CHECK-NEXT:       %i = arith.floordivsi %k, %m : i64

// COSTLY-LABEL: func.func @interior(
// COSTLY:         [[COUNT:%.*]] = arith.select %{{.*}}, %{{.*}}, %count : i64
// COSTLY:         [[ROWS:%.*]] = arith.maxsi %m, %{{.*}} : i64
// COSTLY:         [[LENGTH:%.*]] = arith.maxsi %m, %{{.*}} : i64
// COSTLY:         [[FIRST:%.*]] = phi.fold ([[I:%.*]] < [[ROWS]], [[V:%.*]] = %u)
// COSTLY-NEXT:      phi.fold ([[J:%.*]] < [[LENGTH]], [[W:%.*]] = [[V]])
// COSTLY-NEXT:        phi.get [[W]][[[J]], [[I]]]
// COSTLY:         phi.fold (%{{.*}} < [[COUNT]], %{{.*}} = [[FIRST]])

// -----

// A comparison with the end of a row is one of rows; another one is left.
func.func @halves(%x: !phi.vec<f64>, %n: i64) -> !phi.vec<i1> {
  %four = arith.constant 4 : i64
  %eight = arith.constant 8 : i64
  %seven = arith.constant 7 : i64
  %r = phi.array (%p < %n) -> !phi.vec<i1> {
    %i = arith.index_cast %p : index to i64
    %c = sigma.floormod %i, %four : i64
    %y = phi.get %x[%c] : !phi.vec<f64>[i64]
    %e = math.exp %y : f64
    %z = arith.cmpf ogt, %e, %y : f64
    %first = arith.cmpi slt, %i, %eight : i64
    %last = arith.cmpi sgt, %i, %seven : i64
    %inside = arith.cmpi sge, %i, %seven : i64
    %a = arith.andi %z, %first : i1
    %b = arith.ori %a, %last : i1
    %d = arith.andi %b, %inside : i1
    phi.yield %d : i1
  }
  func.return %r : !phi.vec<i1>
}

// CHECK-LABEL: func.func @halves(
// CHECK:         phi.array ([[P:%.*]] < %{{.*}}, %{{.*}} < %{{.*}})
// CHECK:           [[Q:%.*]] = arith.index_cast [[P]] : index to i64
// CHECK:           %first = arith.cmpi slt, [[Q]], %{{.*}} : i64
// CHECK:           %last = arith.cmpi sge, [[Q]], %{{.*}} : i64
// CHECK:           %inside = arith.cmpi sge, %{{.*}}, %seven : i64

// -----

// An accumulation at a quotient is over rows, if they are whole and as many as the elements.
func.func @rows(%x: !phi.vec<f64>, %n: i64, %m: i64, %l: i64) -> !phi.vec<f64> {
  %s = phi.accumulate (%p < %n) into "add" (%l) -> !phi.vec<f64> {
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %m : i64
    %y = phi.get %x[%p] : !phi.vec<f64>[index]
    %t = phi.tuple (%q, %y) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  func.return %s : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @rows(
// CHECK:          %3 = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK:          %18 = phi.accumulate (%p < %16, %p_1 < %17) into "add" (%16) -> !phi.vec<f64> {
// CHECK-NEXT:       %q = arith.index_cast %p : index to i64
// CHECK-NEXT:       %19 = arith.index_cast %p_1 : index to i64
// CHECK-NEXT:       %20 = arith.muli %q, %3 : i64
// CHECK-NEXT:       %21 = arith.addi %20, %19 : i64
// CHECK-NEXT:       %y = phi.get %x[%21] : !phi.vec<f64>[i64]
// CHECK:          %s = phi.accumulate (%p_2 < %14) into "add" (%15) -> !phi.vec<f64> {
// CHECK:          %s_1 = phi.concat %18, %s of %l

// -----

// The columns are a number. The first position is an index of its own in both accumulations.
func.func @groups(%x: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %x, 1 : !phi.vec<!phi.vec<f64>>
  %four = arith.constant 4 : i64
  %s = phi.accumulate (%i < %n, %p < %m) into "add" (%n, %l) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %0, %four : i64
    %y = phi.get %x[%i, %p] : !phi.vec<!phi.vec<f64>>[index, index]
    %t = phi.tuple (%k, %q, %y) : tuple<i64, i64, f64>
    phi.yield %t : tuple<i64, i64, f64>
  }
  func.return %s : !phi.vec<!phi.vec<f64>>
}
// STATIC-LABEL: func.func @groups(
// CHECK-LABEL:  func.func @groups(
// CHECK:          %{{.*}} = arith.constant 4 : i64
// CHECK:          [[W:%.*]] = arith.constant 4 : i64
// CHECK:          %{{.*}} = sigma.floormod %m, [[W]] : i64
// CHECK:          [[REST:%.*]] = arith.select [[FITS:%.*]], %{{.*}}, %m : i64
// CHECK-NEXT:     [[NONE:%.*]] = arith.select [[FITS]], %{{.*}}, %n : i64
// CHECK-NEXT:     [[ALL:%.*]] = arith.select [[FITS]], %n, %{{.*}} : i64
// CHECK:          [[COLUMNS:%.*]] = arith.select [[FITS]], [[W]], %{{.*}} : i64
// CHECK-NEXT:     %{{.*}} = phi.accumulate (%i < [[ALL]], %p < %l, %p_1 < [[COLUMNS]]) into "add" ([[ALL]], %l)
// CHECK:          %s = phi.accumulate (%i_1 < [[NONE]], %p_2 < [[REST]]) into "add" ([[NONE]], %l)

// -----

// Two results of one comprehension are comprehensions of their own first.

func.func @record(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %k: i64) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %three = arith.constant 3 : i64
  %n = arith.muli %k, %three : i64
  %r = phi.array (%p < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %p_1 = arith.index_cast %p : index to i64
    %q = arith.floordivsi %p_1, %three : i64
    %x = phi.get %a[%q] : !phi.vec<f64>[i64]
    %y = phi.get %b[%q] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    %t = phi.tuple (%x, %z) : tuple<f64, f64>
    phi.yield %t : tuple<f64, f64>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}
// CHECK-LABEL:  func.func @record(
// CHECK:          phi.array (%p < %{{.*}}, %p_1 < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:          phi.array (%p_2 < %n) -> !phi.vec<f64> {
// CHECK:          phi.array (%p_3 < %{{.*}}, %p_4 < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
// CHECK:          phi.array (%p_5 < %n) -> !phi.vec<f64> {

// -----

// A divisor that each step computes is computed before the comprehension.
func.func @computed_divisor(%a: !phi.vec<f64>, %n: i64, %g: i64) -> !phi.vec<f64> {
  %r = phi.array (%p < %n) -> !phi.vec<f64> {
    %zero = arith.constant 0.0 : f64
    %s = phi.fold (%k < %g, %acc = %zero) -> f64 {
      %m = arith.floordivsi %n, %g : i64
      %0 = arith.index_cast %p : index to i64
      %q = arith.floordivsi %0, %m : i64
      %1 = arith.addi %q, %k : i64
      %x = phi.get %a[%1] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}
// CHECK-LABEL:  func.func @computed_divisor
// CHECK:          %m = arith.floordivsi %n, %g : i64
// CHECK:          phi.array (%{{.*}} < %{{.*}}, %{{.*}} < %{{.*}}) -> !phi.vec<!phi.vec<f64>> {
