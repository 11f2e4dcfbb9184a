// RUN: ein-opt %s --split-input-file -p interchange-reductions | filecheck %s

// A convolution: the sum over c can be a matrix product, the loop over p stays one.
func.func @convolution(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<!phi.vec<f64>>>, %l: i64) -> !phi.vec<!phi.vec<f64>> {
  %outputs = phi.size %w, 0 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %n = phi.size %w, 1 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %m = phi.size %w, 2 : !phi.vec<!phi.vec<!phi.vec<f64>>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%o < %outputs, %i < %l) -> !phi.vec<!phi.vec<f64>> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %2 = arith.addi %c, %n : i64
      %t = phi.fold (%p < %m, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = phi.get %w[%o, %2, %p] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, i64]
        %4 = arith.mulf %1, %3 : f64
        %5 = arith.addf %acc_1, %4 : f64
        phi.yield %5 : f64
      }
      %6 = arith.addf %t, %acc : f64
      phi.yield %6 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @convolution
// CHECK:            %s = phi.fold (%p < %m, %acc = %zero) -> f64 {
// CHECK-NEXT:         %t = phi.fold (%c < %n, %acc_1 = %zero) -> f64 {
// CHECK-NEXT:           %0 = arith.addi %c, %n : i64
// CHECK-NEXT:           %1 = arith.addi %j, %p : i64
// CHECK-NEXT:           %2 = phi.get %x[%c, %1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:           %3 = phi.get %w[%o, %0, %p] : !phi.vec<!phi.vec<!phi.vec<f64>>>[index, i64, i64]
// CHECK-NEXT:           %4 = arith.mulf %2, %3 : f64
// CHECK-NEXT:           %5 = arith.addf %acc_1, %4 : f64
// CHECK-NEXT:           phi.yield %5 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %6 = arith.addf %t, %acc : f64
// CHECK-NEXT:         phi.yield %6 : f64
// CHECK-NEXT:       }

// -----

// Minima, with a start of the outermost fold that is not the identity. The order of k and l, which
// both stay loops, is kept.
func.func @minimum(%a: !phi.vec<!phi.vec<i64>>, %b: !phi.vec<i64>, %x: i64, %n: i64) -> !phi.vec<i64> {
  %m = phi.size %a, 0 : !phi.vec<!phi.vec<i64>>
  %three = arith.constant 3 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %0 = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %m, %acc = %x) -> i64 {
      %inf = arith.constant 9223372036854775807 : i64
      %t = phi.fold (%k < %three, %acc_1 = %inf) -> i64 {
        %u = phi.fold (%l < %three, %acc_2 = %inf) -> i64 {
          %1 = arith.addi %0, %k : i64
          %2 = arith.muli %1, %l : i64
          %3 = phi.get %a[%c, %0] : !phi.vec<!phi.vec<i64>>[i64, i64]
          %4 = phi.get %b[%2] : !phi.vec<i64>[i64]
          %5 = arith.subi %3, %4 : i64
          %6 = arith.minsi %acc_2, %5 : i64
          phi.yield %6 : i64
        }
        %7 = arith.minsi %acc_1, %u : i64
        phi.yield %7 : i64
      }
      %8 = arith.minsi %acc, %t : i64
      phi.yield %8 : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL:  func.func @minimum
// CHECK:            phi.fold (%k < %three, %acc = %x) -> i64 {
// CHECK:              phi.fold (%l < %three, %acc_1 = %inf) -> i64 {
// CHECK-NEXT:           phi.fold (%c < %m, %acc_2 = %inf) -> i64 {

// -----

// Products of floats round differently in another order.
func.func @products(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 1.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %t = phi.fold (%p < %m, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.mulf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %5 = arith.mulf %acc, %t : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @products
// CHECK:            phi.fold (%c <
// CHECK:              phi.fold (%p <

// -----

// A minimum of sums is no minimum over both.
func.func @other_combination(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %t = phi.fold (%p < %m, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %5 = arith.minimumf %acc, %t : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @other_combination
// CHECK:            phi.fold (%c <
// CHECK:              phi.fold (%p <

// -----

// Each inner fold starts from 1, which is added in every step of the outer one.
func.func @no_identity(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %one = arith.constant 1.0 : f64
      %t = phi.fold (%p < %m, %acc_1 = %one) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %5 = arith.addf %acc, %t : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @no_identity
// CHECK:            phi.fold (%c <
// CHECK:              phi.fold (%p <

// -----

// A count may be negative, which is an error only if the outer fold takes a step.
func.func @negative_count(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %t = phi.fold (%p < %l, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %5 = arith.addf %acc, %t : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @negative_count
// CHECK:            %[[HAS_STEPS:.*]] = arith.cmpi sgt, %n, %[[NONE:.*]] : i64
// CHECK-NEXT:       %[[COUNT:.*]] = arith.select %[[HAS_STEPS]], %l, %[[NONE]] : i64
// CHECK-NEXT:       phi.fold (%p < %[[COUNT]],
// CHECK:              phi.fold (%c < %n,

// -----

// It would be none if the inner fold, which would be around it, had no steps.
func.func @negative_outer(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64, %k: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %k, %acc = %zero) -> f64 {
      %t = phi.fold (%p < %m, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %5 = arith.addf %acc, %t : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @negative_outer
// CHECK:            phi.fold (%c < %k,
// CHECK:              phi.fold (%p < %m,

// -----

// A count that is computed in a body.
func.func @count_in_body(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %k = arith.maxsi %c, %n : i64
      %q = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
      %z = arith.maxsi %k, %q : i64
      %t = phi.fold (%p < %z, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %5 = arith.addf %acc, %t : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @count_in_body
// CHECK:            phi.fold (%c <
// CHECK:              phi.fold (%p <

// -----

// The summand is more than the inner sum.
func.func @scaled(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %t = phi.fold (%p < %m, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %6 = arith.mulf %t, %t : f64
      %5 = arith.addf %acc, %6 : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @scaled
// CHECK:            phi.fold (%c <
// CHECK:              phi.fold (%p <

// -----

// A value computed once for each c would be computed again for each p.
func.func @costly(%x: !phi.vec<!phi.vec<f64>>, %w: !phi.vec<!phi.vec<f64>>, %l: i64) -> !phi.vec<f64> {
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %l) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
      %6 = phi.get %w[%c, %l] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %7 = math.exp %6 : f64
      %t = phi.fold (%p < %m, %acc_1 = %zero) -> f64 {
        %0 = arith.addi %j, %p : i64
        %1 = phi.get %x[%c, %0] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %2 = phi.get %w[%c, %p] : !phi.vec<!phi.vec<f64>>[i64, i64]
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %acc_1, %3 : f64
        phi.yield %4 : f64
      }
      %5 = arith.addf %acc, %t : f64
      phi.yield %5 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @costly
// CHECK:            phi.fold (%c <
// CHECK:              phi.fold (%p <
