// RUN: ein-opt %s -p carry-values,simplify | filecheck %s

// The position of the largest element: the fold carries the element, too.
func.func @position(%a: !phi.vec<f64>, %n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %p = %zero) -> i64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %best = phi.get %a[%p] : !phi.vec<f64>[i64]
    %more = arith.cmpf ogt, %x, %best : f64
    %next = arith.select %more, %k, %p : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @position(%a: !phi.vec<f64>, %n: i64) -> i64 {
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %best = phi.get %a[%zero] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %0 = phi.tuple (%zero, %best) : tuple<i64, f64>
// CHECK-NEXT:      %1 = phi.fold (%k < %n, %p = %0) -> tuple<i64, f64> {
// CHECK-NEXT:        %p_1 = phi.proj %p, 0 : tuple<i64, f64> -> i64
// CHECK-NEXT:        %best_1 = phi.proj %p, 1 : tuple<i64, f64> -> f64
// CHECK-NEXT:        %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %more = arith.cmpf ogt, %x, %best_1 : f64
// CHECK-NEXT:        %next = arith.select %more, %k, %p_1 : i64
// CHECK-NEXT:        %2 = arith.select %more, %x, %best_1 : f64
// CHECK-NEXT:        %3 = phi.tuple (%next, %2) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %3 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.proj %1, 0 : tuple<i64, f64> -> i64
// CHECK-NEXT:      func.return %r : i64
// CHECK-NEXT:    }

// The old position is taken if the comparison holds, and another condition does.
func.func @kept(%a: !phi.vec<i64>, %m: !phi.vec<i1>, %n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %p = %zero) -> i64 {
    %is_on = phi.get %m[%k] : !phi.vec<i1>[i64]
    %x = phi.get %a[%k] : !phi.vec<i64>[i64]
    %best = phi.get %a[%p] : !phi.vec<i64>[i64]
    %less = arith.cmpi sle, %best, %x : i64
    %stays = arith.andi %less, %is_on : i1
    %next = arith.select %stays, %p, %k : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @kept(%a: !phi.vec<i64>, %m: !phi.vec<i1>, %n: i64) -> i64 {
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %best = phi.get %a[%zero] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %0 = phi.tuple (%zero, %best) : tuple<i64, i64>
// CHECK-NEXT:      %1 = phi.fold (%k < %n, %p = %0) -> tuple<i64, i64> {
// CHECK-NEXT:        %p_1 = phi.proj %p, 0 : tuple<i64, i64> -> i64
// CHECK-NEXT:        %best_1 = phi.proj %p, 1 : tuple<i64, i64> -> i64
// CHECK-NEXT:        %is_on = phi.get %m[%k] : !phi.vec<i1>[i64]
// CHECK-NEXT:        %x = phi.get %a[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:        %less = arith.cmpi sle, %best_1, %x : i64
// CHECK-NEXT:        %stays = arith.andi %less, %is_on : i1
// CHECK-NEXT:        %next = arith.select %stays, %p_1, %k : i64
// CHECK-NEXT:        %2 = arith.select %stays, %best_1, %x : i64
// CHECK-NEXT:        %3 = phi.tuple (%next, %2) : tuple<i64, i64>
// CHECK-NEXT:        phi.yield %3 : tuple<i64, i64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.proj %1, 0 : tuple<i64, i64> -> i64
// CHECK-NEXT:      func.return %r : i64
// CHECK-NEXT:    }

// Two positions, each with the element there.
func.func @ends(%a: !phi.vec<f64>, %n: i64) -> tuple<i64, i64> {
  %zero = arith.constant 0 : i64
  %init = phi.tuple (%zero, %zero) : tuple<i64, i64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<i64, i64> {
    %p = phi.proj %s, 0 : tuple<i64, i64> -> i64
    %q = phi.proj %s, 1 : tuple<i64, i64> -> i64
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %low = phi.get %a[%p] : !phi.vec<f64>[i64]
    %high = phi.get %a[%q] : !phi.vec<f64>[i64]
    %less = arith.cmpf olt, %x, %low : f64
    %more = arith.cmpf ogt, %x, %high : f64
    %first = arith.select %less, %k, %p : i64
    %last = arith.select %more, %k, %q : i64
    %next = phi.tuple (%first, %last) : tuple<i64, i64>
    phi.yield %next : tuple<i64, i64>
  }
  func.return %r : tuple<i64, i64>
}

// CHECK-LABEL: func.func @ends(%a: !phi.vec<f64>, %n: i64) -> tuple<i64, i64> {
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %low = phi.get %a[%zero] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %high = phi.get %a[%zero] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %0 = phi.tuple (%zero, %zero, %low, %high) : tuple<i64, i64, f64, f64>
// CHECK-NEXT:      %1 = phi.fold (%k < %n, %s = %0) -> tuple<i64, i64, f64, f64> {
// CHECK-NEXT:        %p = phi.proj %s, 0 : tuple<i64, i64, f64, f64> -> i64
// CHECK-NEXT:        %q = phi.proj %s, 1 : tuple<i64, i64, f64, f64> -> i64
// CHECK-NEXT:        %low_1 = phi.proj %s, 2 : tuple<i64, i64, f64, f64> -> f64
// CHECK-NEXT:        %high_1 = phi.proj %s, 3 : tuple<i64, i64, f64, f64> -> f64
// CHECK-NEXT:        %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %less = arith.cmpf olt, %x, %low_1 : f64
// CHECK-NEXT:        %more = arith.cmpf ogt, %x, %high_1 : f64
// CHECK-NEXT:        %first = arith.select %less, %k, %p : i64
// CHECK-NEXT:        %last = arith.select %more, %k, %q : i64
// CHECK-NEXT:        %2 = arith.select %less, %x, %low_1 : f64
// CHECK-NEXT:        %3 = arith.select %more, %x, %high_1 : f64
// CHECK-NEXT:        %4 = phi.tuple (%first, %last, %2, %3) : tuple<i64, i64, f64, f64>
// CHECK-NEXT:        phi.yield %4 : tuple<i64, i64, f64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = phi.proj %1, 0 : tuple<i64, i64, f64, f64> -> i64
// CHECK-NEXT:      %6 = phi.proj %1, 1 : tuple<i64, i64, f64, f64> -> i64
// CHECK-NEXT:      %r = phi.tuple (%5, %6) : tuple<i64, i64>
// CHECK-NEXT:      func.return %r : tuple<i64, i64>
// CHECK-NEXT:    }

// An element is a sum.
func.func @sum(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> i64 {
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %p = %zero) -> i64 {
    %x = phi.fold (%j < %m, %s = %none) -> f64 {
      %e = phi.get %a[%k, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %t = arith.addf %s, %e : f64
      phi.yield %t : f64
    }
    %best = phi.fold (%j < %m, %s = %none) -> f64 {
      %e = phi.get %a[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %t = arith.addf %s, %e : f64
      phi.yield %t : f64
    }
    %less = arith.cmpf olt, %x, %best : f64
    %next = arith.select %less, %k, %p : i64
    phi.yield %next : i64
  }
  func.return %r : i64
}

// CHECK-LABEL: func.func @sum(%a: !phi.vec<!phi.vec<f64>>, %n: i64) -> i64 {
// CHECK-NEXT:      %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %none = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:      %best = phi.fold (%j < %m, %s = %none) -> f64 {
// CHECK-NEXT:        %e = phi.get %a[%zero, %j] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:        %t = arith.addf %s, %e : f64
// CHECK-NEXT:        phi.yield %t : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = phi.tuple (%zero, %best) : tuple<i64, f64>
// CHECK-NEXT:      %1 = phi.fold (%k < %n, %p = %0) -> tuple<i64, f64> {
// CHECK-NEXT:        %p_1 = phi.proj %p, 0 : tuple<i64, f64> -> i64
// CHECK-NEXT:        %best_1 = phi.proj %p, 1 : tuple<i64, f64> -> f64
// CHECK-NEXT:        %x = phi.fold (%j_1 < %m, %s_1 = %none) -> f64 {
// CHECK-NEXT:          %e_1 = phi.get %a[%k, %j_1] : !phi.vec<!phi.vec<f64>>[i64, i64]
// CHECK-NEXT:          %t_1 = arith.addf %s_1, %e_1 : f64
// CHECK-NEXT:          phi.yield %t_1 : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %less = arith.cmpf olt, %x, %best_1 : f64
// CHECK-NEXT:        %next = arith.select %less, %k, %p_1 : i64
// CHECK-NEXT:        %2 = arith.select %less, %x, %best_1 : f64
// CHECK-NEXT:        %3 = phi.tuple (%next, %2) : tuple<i64, f64>
// CHECK-NEXT:        phi.yield %3 : tuple<i64, f64>
// CHECK-NEXT:      }
// CHECK-NEXT:      %r = phi.proj %1, 0 : tuple<i64, f64> -> i64
// CHECK-NEXT:      func.return %r : i64
// CHECK-NEXT:    }

// Other elements are compared: those of another array, of a position that the counter moves, and of
// an array that the steps change.
func.func @others(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> (i64, i64, !phi.vec<f64>) {
  %zero = arith.constant 0 : i64
  %r = phi.fold (%k < %n, %p = %zero) -> i64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %best = phi.get %b[%p] : !phi.vec<f64>[i64]
    %less = arith.cmpf olt, %x, %best : f64
    %next = arith.select %less, %k, %p : i64
    phi.yield %next : i64
  }
  %s = phi.fold (%k < %n, %p = %zero) -> i64 {
    %i = arith.addi %k, %k : i64
    %j = arith.addi %p, %k : i64
    %x = phi.get %a[%i] : !phi.vec<f64>[i64]
    %best = phi.get %a[%j] : !phi.vec<f64>[i64]
    %less = arith.cmpf olt, %x, %best : f64
    %next = arith.select %less, %k, %p : i64
    phi.yield %next : i64
  }
  %init = phi.tuple (%zero, %a) : tuple<i64, !phi.vec<f64>>
  %t = phi.fold (%k < %n, %u = %init) -> tuple<i64, !phi.vec<f64>> {
    %p = phi.proj %u, 0 : tuple<i64, !phi.vec<f64>> -> i64
    %v = phi.proj %u, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %best = phi.get %v[%p] : !phi.vec<f64>[i64]
    %less = arith.cmpf olt, %x, %best : f64
    %next = arith.select %less, %k, %p : i64
    %w = phi.update %v[%k], %best : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %both = phi.tuple (%next, %w) : tuple<i64, !phi.vec<f64>>
    phi.yield %both : tuple<i64, !phi.vec<f64>>
  }
  %w = phi.proj %t, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
  func.return %r, %s, %w : i64, i64, !phi.vec<f64>
}

// CHECK-LABEL: func.func @others(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> (i64, i64, !phi.vec<f64>) {
// CHECK-NEXT:      %zero = arith.constant 0 : i64
// CHECK-NEXT:      %r = phi.fold (%k < %n, %p = %zero) -> i64 {
// CHECK-NEXT:        %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %best = phi.get %b[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %less = arith.cmpf olt, %x, %best : f64
// CHECK-NEXT:        %next = arith.select %less, %k, %p : i64
// CHECK-NEXT:        phi.yield %next : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %s = phi.fold (%k_1 < %n, %p_1 = %zero) -> i64 {
// CHECK-NEXT:        %i = arith.addi %k_1, %k_1 : i64
// CHECK-NEXT:        %j = arith.addi %p_1, %k_1 : i64
// CHECK-NEXT:        %x_1 = phi.get %a[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %best_1 = phi.get %a[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %less_1 = arith.cmpf olt, %x_1, %best_1 : f64
// CHECK-NEXT:        %next_1 = arith.select %less_1, %k_1, %p_1 : i64
// CHECK-NEXT:        phi.yield %next_1 : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      %init = phi.tuple (%zero, %a) : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:      %t = phi.fold (%k_2 < %n, %u = %init) -> tuple<i64, !phi.vec<f64>> {
// CHECK-NEXT:        %p_2 = phi.proj %u, 0 : tuple<i64, !phi.vec<f64>> -> i64
// CHECK-NEXT:        %v = phi.proj %u, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:        %x_2 = phi.get %v[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %best_2 = phi.get %v[%p_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %less_2 = arith.cmpf olt, %x_2, %best_2 : f64
// CHECK-NEXT:        %next_2 = arith.select %less_2, %k_2, %p_2 : i64
// CHECK-NEXT:        %w = phi.update %v[%k_2], %best_2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:        %both = phi.tuple (%next_2, %w) : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:        phi.yield %both : tuple<i64, !phi.vec<f64>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %w_1 = phi.proj %t, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
// CHECK-NEXT:      func.return %r, %s, %w_1 : i64, i64, !phi.vec<f64>
// CHECK-NEXT:    }

// The condition computes a function of the next value, and the next step the same of its value.
func.func @distance(%d: f64, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %true = arith.constant true
  %init = phi.tuple (%true, %d) : tuple<i1, f64>
  %r = phi.while (%k < %n, %acc = %init) -> tuple<i1, f64> {
    %x = phi.proj %acc, 1 : tuple<i1, f64> -> f64
    %e = math.exp %x : f64
    %y = arith.subf %x, %e : f64
    %next = arith.addf %x, %y : f64
    %next_e = math.exp %next : f64
    %next_y = arith.subf %next, %next_e : f64
    %more = arith.cmpf ogt, %next_y, %zero : f64
    %after = phi.tuple (%more, %next) : tuple<i1, f64>
    phi.yield %after : tuple<i1, f64>
  }
  %x = phi.proj %r, 1 : tuple<i1, f64> -> f64
  func.return %x : f64
}

// CHECK-LABEL: func.func @distance(%d: f64, %n: i64) -> f64 {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %true = arith.constant true
// CHECK-NEXT:        %e = math.exp %d : f64
// CHECK-NEXT:        %y = arith.subf %d, %e : f64
// CHECK-NEXT:        %0 = phi.tuple (%true, %d, %y) : tuple<i1, f64, f64>
// CHECK-NEXT:        %1 = phi.while (%k < %n, %acc = %0) -> tuple<i1, f64, f64> {
// CHECK-NEXT:          %x = phi.proj %acc, 1 : tuple<i1, f64, f64> -> f64
// CHECK-NEXT:          %y_1 = phi.proj %acc, 2 : tuple<i1, f64, f64> -> f64
// CHECK-NEXT:          %next = arith.addf %x, %y_1 : f64
// CHECK-NEXT:          %next_e = math.exp %next : f64
// CHECK-NEXT:          %next_y = arith.subf %next, %next_e : f64
// CHECK-NEXT:          %more = arith.cmpf ogt, %next_y, %zero : f64
// CHECK-NEXT:          %2 = phi.tuple (%more, %next, %next_y) : tuple<i1, f64, f64>
// CHECK-NEXT:          phi.yield %2 : tuple<i1, f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %x_1 = phi.proj %1, 1 : tuple<i1, f64, f64> -> f64
// CHECK-NEXT:        func.return %x_1 : f64
// CHECK-NEXT:      }

// The function depends on the number of the step, too.
func.func @counter(%d: f64, %n: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %true = arith.constant true
  %init = phi.tuple (%true, %d) : tuple<i1, f64>
  %r = phi.while (%k < %n, %acc = %init) -> tuple<i1, f64> {
    %x = phi.proj %acc, 1 : tuple<i1, f64> -> f64
    %t = arith.sitofp %k : i64 to f64
    %s = arith.mulf %x, %t : f64
    %e = math.exp %s : f64
    %next = arith.addf %x, %e : f64
    %next_s = arith.mulf %next, %t : f64
    %next_e = math.exp %next_s : f64
    %more = arith.cmpf ogt, %next_e, %zero : f64
    %after = phi.tuple (%more, %next) : tuple<i1, f64>
    phi.yield %after : tuple<i1, f64>
  }
  %x = phi.proj %r, 1 : tuple<i1, f64> -> f64
  func.return %x : f64
}

// CHECK-LABEL: func.func @counter(%d: f64, %n: i64) -> f64 {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        %true = arith.constant true
// CHECK-NEXT:        %init = phi.tuple (%true, %d) : tuple<i1, f64>
// CHECK-NEXT:        %r = phi.while (%k < %n, %acc = %init) -> tuple<i1, f64> {
// CHECK-NEXT:          %x = phi.proj %acc, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:          %t = arith.sitofp %k : i64 to f64
// CHECK-NEXT:          %s = arith.mulf %x, %t : f64
// CHECK-NEXT:          %e = math.exp %s : f64
// CHECK-NEXT:          %next = arith.addf %x, %e : f64
// CHECK-NEXT:          %next_s = arith.mulf %next, %t : f64
// CHECK-NEXT:          %next_e = math.exp %next_s : f64
// CHECK-NEXT:          %more = arith.cmpf ogt, %next_e, %zero : f64
// CHECK-NEXT:          %after = phi.tuple (%more, %next) : tuple<i1, f64>
// CHECK-NEXT:          phi.yield %after : tuple<i1, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %x_1 = phi.proj %r, 1 : tuple<i1, f64> -> f64
// CHECK-NEXT:        func.return %x_1 : f64
// CHECK-NEXT:      }

// The next value is computed twice: neither copy is a function of it.
func.func @twice(%a: !phi.vec<f64>, %n: i64, %w: f64) -> f64 {
  %init = phi.tuple (%w, %w) : tuple<f64, f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
    %x = phi.proj %s, 0 : tuple<f64, f64> -> f64
    %y = phi.proj %s, 1 : tuple<f64, f64> -> f64
    %e = math.exp %x : f64
    %u = arith.mulf %e, %w : f64
    %f = math.exp %x : f64
    %v = arith.mulf %f, %w : f64
    %z = arith.addf %y, %v : f64
    %t = phi.tuple (%u, %z) : tuple<f64, f64>
    phi.yield %t : tuple<f64, f64>
  }
  %z = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %z : f64
}

// CHECK-LABEL: func.func @twice(%a: !phi.vec<f64>, %n: i64, %w: f64) -> f64 {
// CHECK-NEXT:        %init = phi.tuple (%w, %w) : tuple<f64, f64>
// CHECK-NEXT:        %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
// CHECK-NEXT:          %x = phi.proj %s, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %y = phi.proj %s, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %e = math.exp %x : f64
// CHECK-NEXT:          %u = arith.mulf %e, %w : f64
// CHECK-NEXT:          %f = math.exp %x : f64
// CHECK-NEXT:          %v = arith.mulf %f, %w : f64
// CHECK-NEXT:          %z = arith.addf %y, %v : f64
// CHECK-NEXT:          %t = phi.tuple (%u, %z) : tuple<f64, f64>
// CHECK-NEXT:          phi.yield %t : tuple<f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %z_1 = phi.proj %r, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:        func.return %z_1 : f64
// CHECK-NEXT:      }

// A value of the next state is read twice: the function of one copy is not that of the state.
func.func @read_twice(%a: !phi.vec<f64>, %n: i64, %w: f64) -> f64 {
  %init = phi.tuple (%w, %w) : tuple<f64, f64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
    %g = phi.get %a[%k] : !phi.vec<f64>[i64]
    %p = phi.fold (%j < %k, %q = %s) -> tuple<f64, f64> {
      %x = phi.proj %q, 0 : tuple<f64, f64> -> f64
      %y = arith.mulf %x, %g : f64
      %t = phi.tuple (%y, %g) : tuple<f64, f64>
      phi.yield %t : tuple<f64, f64>
    }
    %u = phi.proj %p, 0 : tuple<f64, f64> -> f64
    %v = phi.proj %p, 0 : tuple<f64, f64> -> f64
    %e = math.exp %u : f64
    %f = math.exp %v : f64
    %z = arith.addf %e, %f : f64
    %t = phi.tuple (%u, %z) : tuple<f64, f64>
    phi.yield %t : tuple<f64, f64>
  }
  %z = phi.proj %r, 1 : tuple<f64, f64> -> f64
  func.return %z : f64
}

// CHECK-LABEL: func.func @read_twice(%a: !phi.vec<f64>, %n: i64, %w: f64) -> f64 {
// CHECK-NEXT:        %init = phi.tuple (%w, %w) : tuple<f64, f64>
// CHECK-NEXT:        %r = phi.fold (%k < %n, %s = %init) -> tuple<f64, f64> {
// CHECK-NEXT:          %g = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:          %p = phi.fold (%j < %k, %q = %s) -> tuple<f64, f64> {
// CHECK-NEXT:            %x = phi.proj %q, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:            %y = arith.mulf %x, %g : f64
// CHECK-NEXT:            %t = phi.tuple (%y, %g) : tuple<f64, f64>
// CHECK-NEXT:            phi.yield %t : tuple<f64, f64>
// CHECK-NEXT:          }
// CHECK-NEXT:          %u = phi.proj %p, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %v = phi.proj %p, 0 : tuple<f64, f64> -> f64
// CHECK-NEXT:          %e = math.exp %u : f64
// CHECK-NEXT:          %f = math.exp %v : f64
// CHECK-NEXT:          %z = arith.addf %e, %f : f64
// CHECK-NEXT:          %t_1 = phi.tuple (%u, %z) : tuple<f64, f64>
// CHECK-NEXT:          phi.yield %t_1 : tuple<f64, f64>
// CHECK-NEXT:        }
// CHECK-NEXT:        %z_1 = phi.proj %r, 1 : tuple<f64, f64> -> f64
// CHECK-NEXT:        func.return %z_1 : f64
// CHECK-NEXT:      }
