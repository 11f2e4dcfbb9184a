// RUN: ein-opt %s --split-input-file -p share-windows{folds=true},canonicalize | filecheck %s
// RUN: ein-opt %s --split-input-file -p "share-windows{folds=true once=true}",canonicalize | filecheck %s --check-prefix=ONCE

// A window of a window: the maximum of a row is that of all windows with the row.
func.func @largest(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>, %least: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %h = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%p < %h, %acc = %least) -> f64 {
      %i_1 = arith.index_cast %i : index to i64
      %x = arith.addi %p, %i_1 : i64
      %t = phi.fold (%q < %h, %acc_1 = %least) -> f64 {
        %j_1 = arith.index_cast %j : index to i64
        %y = arith.addi %j_1, %q : i64
        %v = phi.get %a[%x, %y] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next = arith.maximumf %acc_1, %v : f64
        phi.yield %next : f64
      }
      %next_1 = arith.maximumf %acc, %t : f64
      phi.yield %next_1 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:      func.func @largest(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>, %least: f64) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %h = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.constant 0 : i64
// CHECK-NEXT:   %2 = arith.subi %h, %0 : i64
// CHECK-NEXT:   %3 = arith.addi %n, %2 : i64
// CHECK-NEXT:   %4 = arith.maxsi %3, %1 : i64
// CHECK-NEXT:   %5 = phi.array (%i < %4, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %t = phi.fold (%q < %h, %acc = %least) -> f64 {
// CHECK-NEXT:       %j_1 = arith.index_cast %j : index to i64
// CHECK-NEXT:       %y = arith.addi %j_1, %q : i64
// CHECK-NEXT:       %v = phi.get %a[%i_1, %y] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:       %next = arith.maximumf %acc, %v : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %t : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%i_2 < %n, %j_2 < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %s = phi.fold (%p < %h, %acc_1 = %least) -> f64 {
// CHECK-NEXT:       %t_1 = arith.index_cast %i_2 : index to i64
// CHECK-NEXT:       %t_2 = arith.addi %t_1, %p : i64
// CHECK-NEXT:       %t_3 = phi.get %5[%t_2, %j_2] : !phi.vec<!phi.vec<f64>>[i64, index]
// CHECK-NEXT:       %next_1 = arith.maximumf %acc_1, %t_3 : f64
// CHECK-NEXT:       phi.yield %next_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }

// -----

// The counter is subtracted, and both are multiplied; a division is no sum.
func.func @reversed(%a: !phi.vec<f64>, %w: !phi.vec<f64>, %three: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %h = phi.size %w, 0 : !phi.vec<f64>
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %twice = arith.muli %i_1, %two : i64
    %s = phi.fold (%p < %five, %acc = %zero) -> f64 {
      %p_1 = arith.muli %two, %p : i64
      %start = arith.subi %twice, %p_1 : i64
      %from = arith.addi %start, %three : i64
      %t = phi.fold (%k < %h, %acc_1 = %zero) -> f64 {
        %y = arith.addi %from, %k : i64
        %v = phi.get %a[%y] : !phi.vec<f64>[i64]
        %u = phi.get %w[%k] : !phi.vec<f64>[i64]
        %vu = arith.mulf %v, %u : f64
        %next = arith.addf %acc_1, %vu : f64
        phi.yield %next : f64
      }
      %next_1 = arith.divf %acc, %t : f64
      phi.yield %next_1 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @reversed(%a: !phi.vec<f64>, %w: !phi.vec<f64>, %three: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %h = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %five = arith.constant 5 : i64
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %0 = arith.constant 0 : i64
// CHECK-NEXT:   %1 = arith.constant 4 : i64
// CHECK-NEXT:   %2 = arith.addi %n, %1 : i64
// CHECK-NEXT:   %3 = arith.maxsi %2, %0 : i64
// CHECK-NEXT:   %4 = phi.array (%i < %3) -> !phi.vec<f64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %twice = arith.muli %i_1, %two : i64
// CHECK-NEXT:     %p = arith.constant 8 : i64
// CHECK-NEXT:     %start = arith.subi %twice, %p : i64
// CHECK-NEXT:     %from = arith.addi %start, %three : i64
// CHECK-NEXT:     %t = phi.fold (%k < %h, %acc = %zero) -> f64 {
// CHECK-NEXT:       %y = arith.addi %from, %k : i64
// CHECK-NEXT:       %v = phi.get %a[%y] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %u = phi.get %w[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %vu = arith.mulf %v, %u : f64
// CHECK-NEXT:       %next = arith.addf %acc, %vu : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %t : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%i_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %s = phi.fold (%p_1 < %five, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:       %t_1 = arith.constant 4 : i64
// CHECK-NEXT:       %t_2 = arith.subi %t_1, %p_1 : i64
// CHECK-NEXT:       %t_3 = arith.index_cast %i_2 : index to i64
// CHECK-NEXT:       %t_4 = arith.addi %t_3, %t_2 : i64
// CHECK-NEXT:       %t_5 = phi.get %4[%t_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %next_1 = arith.divf %acc_1, %t_5 : f64
// CHECK-NEXT:       phi.yield %next_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Not if a step has its own weight, or moves by another distance than the index.
func.func @others(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %h = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %two = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%p < %h, %acc = %zero) -> f64 {
      %x = arith.addi %i_1, %p : i64
      %weighted = phi.fold (%q < %h, %sum = %zero) -> f64 {
        %v = phi.get %a[%x, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %w = phi.get %b[%p] : !phi.vec<f64>[i64]
        %vw = arith.mulf %v, %w : f64
        %next = arith.addf %sum, %vw : f64
        phi.yield %next : f64
      }
      %twice = arith.muli %two, %p : i64
      %y = arith.addi %i_1, %twice : i64
      %dilated = phi.fold (%q_1 < %h, %sum_1 = %zero) -> f64 {
        %v_1 = phi.get %a[%y, %q_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next_1 = arith.addf %sum_1, %v_1 : f64
        phi.yield %next_1 : f64
      }
      %0 = arith.addf %weighted, %dilated : f64
      %1 = arith.addf %acc, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @others(
// CHECK:         %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:           %s = phi.fold (%p < %h, %acc = %zero) -> f64 {
// CHECK:             %weighted = phi.fold (%q < %h, %sum = %zero) -> f64 {
// CHECK:             %dilated = phi.fold (%q_1 < %h, %sum_1 = %zero) -> f64 {

// -----

// An error of the inner fold is raised only if the outer one has steps.
func.func @guarded(%a: !phi.vec<!phi.vec<f64>>, %m: i64, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%p < %m, %acc = %zero) -> f64 {
      %x = arith.addi %i_1, %p : i64
      %t = phi.fold (%q < %l, %sum = %zero) -> f64 {
        %v = phi.get %a[%x, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %next = arith.addf %sum, %v : f64
        phi.yield %next : f64
      }
      %1 = arith.addf %acc, %t : f64
      phi.yield %1 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @guarded(
// CHECK:         %[[HAS_STEPS:.*]] = arith.cmpi sgt, %m, %[[NONE:.*]] : i64
// CHECK-NEXT:    %[[COUNT:.*]] = arith.select %[[HAS_STEPS]], %l, %[[NONE]] : i64
// CHECK:         %[[ROWS:.*]] = phi.array (%i < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           %t = phi.fold (%q < %[[COUNT]], %sum = %zero) -> f64 {
// CHECK:         %r = phi.array
// CHECK:           %s = phi.fold (%p < %m, %acc = %zero) -> f64 {
// CHECK:             phi.get %[[ROWS]]

// -----

// Not if that depends on another loop.
func.func @loop(%a: !phi.vec<!phi.vec<f64>>, %m: i64, %l: i64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %o = phi.fold (%k < %m, %outer = %zero) -> f64 {
    %r = phi.array (%i < %n) -> !phi.vec<f64> {
      %i_1 = arith.index_cast %i : index to i64
      %s = phi.fold (%p < %n, %acc = %outer) -> f64 {
        %x = arith.addi %i_1, %p : i64
        %t = phi.fold (%q < %l, %sum = %zero) -> f64 {
          %v = phi.get %a[%x, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
          %next = arith.addf %sum, %v : f64
          phi.yield %next : f64
        }
        %1 = arith.addf %acc, %t : f64
        phi.yield %1 : f64
      }
      phi.yield %s : f64
    }
    %e = phi.get %r[%one] : !phi.vec<f64>[i64]
    phi.yield %e : f64
  }
  func.return %o : f64
}

// CHECK-LABEL: func.func @loop(
// CHECK:         %o = phi.fold
// CHECK-NEXT:      %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK:             %s = phi.fold (%p < %n, %acc = %outer) -> f64 {
// CHECK:               %t = phi.fold (%q < %l, %sum = %zero) -> f64 {

// -----

// The rows vary with the step of a loop in the comprehension: where each element is computed by
// itself, they would be computed for each of them.

func.func @patches(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %three = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %b = phi.fold (%s < %m, %best = %zero) -> f64 {
      %d = phi.fold (%p < %three, %acc = %zero) -> f64 {
        %at = arith.addi %i_1, %p : i64
        %t = phi.fold (%q < %three, %sum = %zero) -> f64 {
          %twice = arith.muli %s, %two : i64
          %far = arith.addi %at, %twice : i64
          %further = arith.addi %far, %q : i64
          %v = phi.get %a[%further] : !phi.vec<f64>[i64]
          %next = arith.addf %sum, %v : f64
          phi.yield %next : f64
        }
        %1 = arith.addf %acc, %t : f64
        phi.yield %1 : f64
      }
      %e = math.exp %d : f64
      %2 = arith.addf %best, %e : f64
      phi.yield %2 : f64
    }
    phi.yield %b : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @patches(
// CHECK:         %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %b = phi.fold (%s < %m, %best = %zero) -> f64 {
// CHECK:             phi.array
// CHECK:             %d = phi.fold (%p < %three, %acc = %zero) -> f64 {
// CHECK:               phi.get %{{.*}}[

// ONCE-LABEL: func.func @patches(
// ONCE:           %b = phi.fold (%s < %m, %best = %zero) -> f64 {
// ONCE-NEXT:        %d = phi.fold (%p < %three, %acc = %zero) -> f64 {
// ONCE-NEXT:          %at = arith.addi %i_1, %p : i64
// ONCE-NEXT:          %t = phi.fold (%q < %three, %sum = %zero) -> f64 {

// -----

// Rows of both loops around the inner one, of windows of windows.

func.func @nested(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %three = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %b = phi.fold (%s < %m, %best = %zero) -> f64 {
      %d = phi.fold (%p < %three, %acc = %zero) -> f64 {
        %at = arith.addi %i_1, %p : i64
        %t = phi.fold (%q < %three, %sum = %zero) -> f64 {
          %far = arith.addi %at, %s : i64
          %further = arith.addi %far, %q : i64
          %v = phi.get %a[%further] : !phi.vec<f64>[i64]
          %next = arith.addf %sum, %v : f64
          phi.yield %next : f64
        }
        %1 = arith.addf %acc, %t : f64
        phi.yield %1 : f64
      }
      %e = math.exp %d : f64
      %2 = arith.addf %best, %e : f64
      phi.yield %2 : f64
    }
    phi.yield %b : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @nested(
// CHECK:         %[[INNER:.*]] = phi.array
// CHECK-NEXT:      %{{.*}} = arith.index_cast
// CHECK-NEXT:      %t = phi.fold (%q < %three, %sum = %zero) -> f64 {
// CHECK:         %[[OUTER:.*]] = phi.array
// CHECK-NEXT:      %d = phi.fold (%p < %three, %acc = %zero) -> f64 {
// CHECK:             phi.get %[[INNER]][
// CHECK:         %r = phi.array (%{{.*}} < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      %b = phi.fold (%s < %m, %best = %zero) -> f64 {
// CHECK:             phi.get %[[OUTER]][

// -----

// Constants in the comprehension do not keep the rows there.

func.func @constants(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %three = arith.constant 3 : i64
    %zero = arith.constant 0.0 : f64
    %i_1 = arith.index_cast %i : index to i64
    %d = phi.fold (%p < %three, %acc = %zero) -> f64 {
      %at = arith.addi %i_1, %p : i64
      %t = phi.fold (%q < %three, %sum = %zero) -> f64 {
        %further = arith.addi %at, %q : i64
        %v = phi.get %a[%further] : !phi.vec<f64>[i64]
        %next = arith.addf %sum, %v : f64
        phi.yield %next : f64
      }
      %1 = arith.addf %acc, %t : f64
      phi.yield %1 : f64
    }
    phi.yield %d : f64
  }
  func.return %r : !phi.vec<f64>
}

// ONCE-LABEL: func.func @constants(
// ONCE:           %d = phi.fold (%p < %three, %acc = %zero) -> f64 {
// ONCE:             phi.get %{{.*}}[%t_2]
