// RUN: ein-opt %s --split-input-file -p split-sums | filecheck %s

// A sum with a separate factor at one step, which is in bounds.
func.func @factor(%w: !phi.vec<f64>, %x: f64) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %n = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %x) -> f64 {
      %own = arith.cmpi eq, %k, %i_1 : i64
      %a = phi.get %w[%k] : !phi.vec<f64>[i64]
      %b = arith.select %own, %one, %half : f64
      %y = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @factor(%w: !phi.vec<f64>, %x: f64) -> !phi.vec<f64> {
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %half = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:   %n = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %1 = arith.constant true
// CHECK-NEXT:     %a = phi.get %w[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = arith.mulf %a, %one : f64
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %3 = phi.fold (%k < %n, %acc = %2) -> f64 {
// CHECK-NEXT:       %a_1 = phi.get %w[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_1 = arith.mulf %a_1, %half : f64
// CHECK-NEXT:       %4 = arith.cmpi slt, %k, %0 : i64
// CHECK-NEXT:       %5 = arith.select %4, %y_1, %2 : f64
// CHECK-NEXT:       %6 = arith.addf %acc, %5 : f64
// CHECK-NEXT:       phi.yield %6 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %8 = phi.fold (%k_1 < %n, %acc_1 = %7) -> f64 {
// CHECK-NEXT:       %a_2 = phi.get %w[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_2 = arith.mulf %a_2, %half : f64
// CHECK-NEXT:       %9 = arith.cmpi sgt, %k_1, %0 : i64
// CHECK-NEXT:       %10 = arith.select %9, %y_2, %7 : f64
// CHECK-NEXT:       %11 = arith.addf %acc_1, %10 : f64
// CHECK-NEXT:       phi.yield %11 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %12 = arith.addf %x, %y : f64
// CHECK-NEXT:     %13 = arith.addf %12, %3 : f64
// CHECK-NEXT:     %s = arith.addf %13, %8 : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The position may be out of bounds; the condition is that the step is another one.
func.func @elsewhere(%w: !phi.vec<i64>, %m: i64) -> !phi.vec<i64> {
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %w, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<i64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %i_1 = arith.index_cast %i : index to i64
      %p = arith.subi %i_1, %two : i64
      %other = arith.cmpi ne, %p, %k : i64
      %a = phi.get %w[%k] : !phi.vec<i64>[i64]
      %b = arith.select %other, %a, %two : i64
      %next = arith.addi %acc, %b : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK:      func.func @elsewhere(%w: !phi.vec<i64>, %m: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %n = phi.size %w, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%i < %m) -> !phi.vec<i64> {
// CHECK-NEXT:     %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %1 = arith.constant 2 : i64
// CHECK-NEXT:     %2 = arith.subi %0, %1 : i64
// CHECK-NEXT:     %3 = arith.constant false
// CHECK-NEXT:     %a = phi.get %w[%2] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %4 = arith.cmpi ult, %2, %n : i64
// CHECK-NEXT:     %5 = arith.constant 0 : i64
// CHECK-NEXT:     %6 = arith.select %4, %two, %5 : i64
// CHECK-NEXT:     %7 = arith.constant 0 : i64
// CHECK-NEXT:     %8 = phi.fold (%k < %n, %acc = %7) -> i64 {
// CHECK-NEXT:       %a_1 = phi.get %w[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %9 = arith.cmpi slt, %k, %2 : i64
// CHECK-NEXT:       %10 = arith.select %9, %a_1, %7 : i64
// CHECK-NEXT:       %11 = arith.addi %acc, %10 : i64
// CHECK-NEXT:       phi.yield %11 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %12 = arith.constant 0 : i64
// CHECK-NEXT:     %13 = phi.fold (%k_1 < %n, %acc_1 = %12) -> i64 {
// CHECK-NEXT:       %a_2 = phi.get %w[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:       %14 = arith.cmpi sgt, %k_1, %2 : i64
// CHECK-NEXT:       %15 = arith.select %14, %a_2, %12 : i64
// CHECK-NEXT:       %16 = arith.addi %acc_1, %15 : i64
// CHECK-NEXT:       phi.yield %16 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %17 = arith.addi %6, %8 : i64
// CHECK-NEXT:     %s = arith.addi %17, %13 : i64
// CHECK-NEXT:     phi.yield %s : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// All terms vary with the index.
func.func @varies(%w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %own = arith.cmpi eq, %k, %i_1 : i64
      %a = phi.get %w[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = arith.select %own, %one, %a : f64
      %next = arith.addf %acc, %b : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @varies(%w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:       %own = arith.cmpi eq, %k, %i_1 : i64
// CHECK-NEXT:       %a = phi.get %w[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:       %b = arith.select %own, %one, %a : f64
// CHECK-NEXT:       %next = arith.addf %acc, %b : f64
// CHECK-NEXT:       phi.yield %next : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The other terms are zeros, unless something is not finite: so the sum is one term, or NaN.
func.func @zeros(%w: !phi.vec<!phi.vec<f64>>, %f: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %m = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %n = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %m, %v < %n) -> !phi.vec<!phi.vec<f64>> {
    %v_1 = arith.index_cast %v : index to i64
    %factor = phi.get %f[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %own = arith.cmpi eq, %v_1, %k : i64
      %b = arith.select %own, %one, %zero : f64
      %c = arith.mulf %b, %factor : f64
      %a = phi.get %w[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.mulf %a, %c : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:      func.func @zeros(%w: !phi.vec<!phi.vec<f64>>, %f: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %n = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %r = phi.array (%i < %m, %v < %n) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %v_1 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %factor = phi.get %f[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %0 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %1 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %a = phi.get %w[%i, %k_1] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:       phi.yield %a : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:       %a_1 = phi.get %w[%i, %k_3] : !phi.vec<!phi.vec<f64>>[index, i64]
// CHECK-NEXT:       phi.yield %a_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %3 = phi.propagate_nan %1 from %2 : !phi.vec<f64> from !phi.vec<f64>
// CHECK-NEXT:     %4 = phi.get %3[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %6 = arith.constant 1 : i64
// CHECK-NEXT:     %7 = arith.cmpi sgt, %n, %6 : i64
// CHECK-NEXT:     %8 = arith.mulf %factor, %5 : f64
// CHECK-NEXT:     %9 = arith.addf %factor, %8 : f64
// CHECK-NEXT:     %10 = arith.select %7, %9, %factor : f64
// CHECK-NEXT:     %11 = arith.constant true
// CHECK-NEXT:     %c = arith.mulf %one, %10 : f64
// CHECK-NEXT:     %y = arith.mulf %4, %c : f64
// CHECK-NEXT:     %12 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %s = arith.addf %12, %y : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }

// -----

// Finite values by construction are not tested; the initial value is added. The terms elsewhere may
// be differences and choices of zeros, which are then tested instead.
func.func @finite_zeros(%w: !phi.vec<i64>, %x: !phi.vec<f64>, %init: f64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %n = phi.size %w, 0 : !phi.vec<i64>
  %r = phi.array (%v < %n) -> !phi.vec<f64> {
    %v_1 = arith.index_cast %v : index to i64
    %s = phi.fold (%k < %n, %acc = %init) -> f64 {
      %other = arith.cmpi ne, %k, %v_1 : i64
      %b = arith.select %other, %zero, %two : f64
      %a = phi.get %w[%k] : !phi.vec<i64>[i64]
      %a_1 = arith.sitofp %a : i64 to f64
      %y = arith.mulf %b, %a_1 : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %t = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %other = arith.cmpi ne, %k, %v_1 : i64
      %b = arith.select %other, %zero, %two : f64
      %a = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %b, %a : f64
      %z = arith.subf %y, %b : f64
      %positive = arith.cmpf ogt, %a, %two : f64
      %u = arith.select %positive, %y, %z : f64
      %next = arith.addf %acc, %u : f64
      phi.yield %next : f64
    }
    %sum = arith.addf %s, %t : f64
    phi.yield %sum : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @finite_zeros(%w: !phi.vec<i64>, %x: !phi.vec<f64>, %init: f64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %two = arith.constant 2.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %w, 0 : !phi.vec<i64>
// CHECK-NEXT:   %r = phi.array (%v < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %v_1 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %0 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %1 = arith.constant false
// CHECK-NEXT:     %a = phi.get %w[%0] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %a_1 = arith.sitofp %a : i64 to f64
// CHECK-NEXT:     %y = arith.mulf %two, %a_1 : f64
// CHECK-NEXT:     %s = arith.addf %init, %y : f64
// CHECK-NEXT:     %2 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %3 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %a_2 = phi.get %x[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_1 = arith.mulf %two, %a_2 : f64
// CHECK-NEXT:       %z = arith.subf %y_1, %two : f64
// CHECK-NEXT:       %positive = arith.cmpf ogt, %a_2, %two : f64
// CHECK-NEXT:       %u = arith.select %positive, %y_1, %z : f64
// CHECK-NEXT:       phi.yield %u : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %4 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:       %a_3 = phi.get %x[%k_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_2 = arith.mulf %zero, %a_3 : f64
// CHECK-NEXT:       %z_1 = arith.subf %y_2, %zero : f64
// CHECK-NEXT:       %positive_1 = arith.cmpf ogt, %a_3, %two : f64
// CHECK-NEXT:       %u_1 = arith.select %positive_1, %y_2, %z_1 : f64
// CHECK-NEXT:       phi.yield %u_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = phi.propagate_nan %3 from %4 : !phi.vec<f64> from !phi.vec<f64>
// CHECK-NEXT:     %6 = phi.get %5[%2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %7 = arith.constant false
// CHECK-NEXT:     %8 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %t = arith.addf %8, %6 : f64
// CHECK-NEXT:     %sum = arith.addf %s, %t : f64
// CHECK-NEXT:     phi.yield %sum : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// If the term is not NaN with a factor of the zeros, the array of all terms is.
func.func @another_factor(%w: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%v < %n) -> !phi.vec<f64> {
    %v_1 = arith.index_cast %v : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %own = arith.cmpi eq, %k, %v_1 : i64
      %a = phi.get %w[%k] : !phi.vec<f64>[i64]
      %b = phi.get %x[%k] : !phi.vec<f64>[i64]
      %c = arith.mulf %b, %zero : f64
      %y = arith.select %own, %a, %c : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @another_factor(%w: !phi.vec<f64>, %x: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%v < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %v_1 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %0 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %1 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:       %a = phi.get %w[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %a : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:       %b = phi.get %x[%k_3] : !phi.vec<f64>[i64]
// CHECK-NEXT:       phi.yield %b : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %3 = phi.propagate_nan %1 from %2 : !phi.vec<f64> from !phi.vec<f64>
// CHECK-NEXT:     %4 = phi.get %3[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %s = arith.addf %5, %4 : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Not if the position may be out of bounds.
func.func @no_step(%w: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%v < %m) -> !phi.vec<f64> {
    %v_1 = arith.index_cast %v : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %own = arith.cmpi eq, %k, %v_1 : i64
      %b = arith.select %own, %one, %zero : f64
      %a = phi.get %w[%k] : !phi.vec<f64>[i64]
      %y = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @no_step(%w: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%v < %m) -> !phi.vec<f64> {
// CHECK-NEXT:     %v_1 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %0 = arith.index_cast %v : index to i64
// CHECK-NEXT:     %1 = arith.constant true
// CHECK-NEXT:     %a = phi.get %w[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = arith.mulf %a, %one : f64
// CHECK-NEXT:     %2 = arith.cmpi ult, %0, %n : i64
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %4 = arith.select %2, %y, %3 : f64
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %6 = phi.fold (%k < %n, %acc = %5) -> f64 {
// CHECK-NEXT:       %a_1 = phi.get %w[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_1 = arith.mulf %a_1, %zero : f64
// CHECK-NEXT:       %7 = arith.cmpi slt, %k, %0 : i64
// CHECK-NEXT:       %8 = arith.select %7, %y_1, %5 : f64
// CHECK-NEXT:       %9 = arith.addf %acc, %8 : f64
// CHECK-NEXT:       phi.yield %9 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %10 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %11 = phi.fold (%k_1 < %n, %acc_1 = %10) -> f64 {
// CHECK-NEXT:       %a_2 = phi.get %w[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y_2 = arith.mulf %a_2, %zero : f64
// CHECK-NEXT:       %12 = arith.cmpi sgt, %k_1, %0 : i64
// CHECK-NEXT:       %13 = arith.select %12, %y_2, %10 : f64
// CHECK-NEXT:       %14 = arith.addf %acc_1, %13 : f64
// CHECK-NEXT:       phi.yield %14 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %15 = arith.addf %4, %6 : f64
// CHECK-NEXT:     %s = arith.addf %15, %11 : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A single step has an effect: no loop is left. The sum from 0 has zeros of either sign: -0 adds nothing.
func.func @selection(%w: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %w, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %own = arith.cmpi eq, %k, %i_1 : i64
      %a = phi.get %w[%k] : !phi.vec<f64>[i64]
      %b = arith.select %own, %a, %zero : f64
      %next = arith.addf %acc, %b : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @selection(%w: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:         %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:         %n = phi.size %w, 0 : !phi.vec<f64>
// CHECK-NEXT:         %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:           %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:           %0 = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:           %1 = arith.index_cast %i : index to i64
// CHECK-NEXT:           %2 = arith.constant true
// CHECK-NEXT:           %a = phi.get %w[%1] : !phi.vec<f64>[i64]
// CHECK-NEXT:           %s = arith.addf %0, %a : f64
// CHECK-NEXT:           phi.yield %s : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         func.return %r : !phi.vec<f64>
// CHECK-NEXT:       }

// -----

// The step is a label; the accumulator, of a maximum, begins elsewhere. A step with an effect in another
// condition, a count that may be negative and a size that depends on the counter keep their loops.
func.func @labels(%z: !phi.vec<f64>, %y: !phi.vec<i64>, %low: f64, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>, !phi.vec<i64>) {
  %n = phi.size %z, 0 : !phi.vec<f64>
  %rows = phi.size %y, 0 : !phi.vec<i64>
  %zero = arith.constant 0 : i64
  %r = phi.array (%i < %rows) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %low) -> f64 {
      %label = phi.get %y[%i] : !phi.vec<i64>[index]
      %own = arith.cmpi eq, %k, %label : i64
      %a = phi.get %z[%k] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %a : f64
      %b = arith.select %own, %next, %acc : f64
      phi.yield %b : f64
    }
    phi.yield %s : f64
  }
  %p = phi.array (%i < %rows) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %low) -> f64 {
      %label = phi.get %y[%i] : !phi.vec<i64>[index]
      %own = arith.cmpi sge, %k, %label : i64
      %a = phi.get %z[%k] : !phi.vec<f64>[i64]
      %next = arith.divf %acc, %a : f64
      %b = arith.select %own, %next, %acc : f64
      phi.yield %b : f64
    }
    phi.yield %s : f64
  }
  %q = phi.array (%i < %rows) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %low) -> f64 {
      %label = phi.get %y[%i] : !phi.vec<i64>[index]
      %own = arith.cmpi eq, %k, %label : i64
      %a = phi.get %z[%k] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %a : f64
      %b = arith.select %own, %next, %acc : f64
      phi.yield %b : f64
    }
    phi.yield %s : f64
  }
  %t = phi.array (%i < %rows) -> !phi.vec<i64> {
    %label = phi.get %y[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
      %own = arith.cmpi eq, %k, %label : i64
      %inner = phi.fold (%l < %k, %part = %acc) -> i64 {
        %more = arith.muli %part, %l : i64
        phi.yield %more : i64
      }
      %b = arith.select %own, %inner, %acc : i64
      phi.yield %b : i64
    }
    phi.yield %s : i64
  }
  func.return %r, %p, %q, %t : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>, !phi.vec<i64>
}

// CHECK-LABEL: func.func @labels(%z: !phi.vec<f64>, %y: !phi.vec<i64>, %low: f64, %m: i64) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>, !phi.vec<i64>) {
// CHECK-NEXT:         %n = phi.size %z, 0 : !phi.vec<f64>
// CHECK-NEXT:         %rows = phi.size %y, 0 : !phi.vec<i64>
// CHECK-NEXT:         %zero = arith.constant 0 : i64
// CHECK-NEXT:         %r = phi.array (%i < %rows) -> !phi.vec<f64> {
// CHECK-NEXT:           %label = phi.get %y[%i] : !phi.vec<i64>[index]
// CHECK-NEXT:           %0 = arith.constant true
// CHECK-NEXT:           %a = phi.get %z[%label] : !phi.vec<f64>[i64]
// CHECK-NEXT:           %next = arith.maximumf %low, %a : f64
// CHECK-NEXT:           %1 = arith.cmpi ult, %label, %n : i64
// CHECK-NEXT:           %s = arith.select %1, %next, %low : f64
// CHECK-NEXT:           phi.yield %s : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %p = phi.array (%i_1 < %rows) -> !phi.vec<f64> {
// CHECK-NEXT:           %s_1 = phi.fold (%k < %n, %acc = %low) -> f64 {
// CHECK-NEXT:             %label_1 = phi.get %y[%i_1] : !phi.vec<i64>[index]
// CHECK-NEXT:             %own = arith.cmpi sge, %k, %label_1 : i64
// CHECK-NEXT:             %a_1 = phi.get %z[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:             %next_1 = arith.divf %acc, %a_1 : f64
// CHECK-NEXT:             %b = arith.select %own, %next_1, %acc : f64
// CHECK-NEXT:             phi.yield %b : f64
// CHECK-NEXT:           }
// CHECK-NEXT:           phi.yield %s_1 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %q = phi.array (%i_2 < %rows) -> !phi.vec<f64> {
// CHECK-NEXT:           %s_2 = phi.fold (%k_1 < %m, %acc_1 = %low) -> f64 {
// CHECK-NEXT:             %label_2 = phi.get %y[%i_2] : !phi.vec<i64>[index]
// CHECK-NEXT:             %own_1 = arith.cmpi eq, %k_1, %label_2 : i64
// CHECK-NEXT:             %a_2 = phi.get %z[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:             %next_2 = arith.maximumf %acc_1, %a_2 : f64
// CHECK-NEXT:             %b_1 = arith.select %own_1, %next_2, %acc_1 : f64
// CHECK-NEXT:             phi.yield %b_1 : f64
// CHECK-NEXT:           }
// CHECK-NEXT:           phi.yield %s_2 : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         %t = phi.array (%i_3 < %rows) -> !phi.vec<i64> {
// CHECK-NEXT:           %label_3 = phi.get %y[%i_3] : !phi.vec<i64>[index]
// CHECK-NEXT:           %s_3 = phi.fold (%k_2 < %n, %acc_2 = %zero) -> i64 {
// CHECK-NEXT:             %own_2 = arith.cmpi eq, %k_2, %label_3 : i64
// CHECK-NEXT:             %inner = phi.fold (%l < %k_2, %part = %acc_2) -> i64 {
// CHECK-NEXT:               %more = arith.muli %part, %l : i64
// CHECK-NEXT:               phi.yield %more : i64
// CHECK-NEXT:             }
// CHECK-NEXT:             %b_2 = arith.select %own_2, %inner, %acc_2 : i64
// CHECK-NEXT:             phi.yield %b_2 : i64
// CHECK-NEXT:           }
// CHECK-NEXT:           phi.yield %s_3 : i64
// CHECK-NEXT:         }
// CHECK-NEXT:         func.return %r, %p, %q, %t : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>, !phi.vec<i64>
// CHECK-NEXT:       }

// -----

// A sum of four terms is written out, or a product with a matrix.
func.func @four(%w: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 4 : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %own = arith.cmpi eq, %k, %i_1 : i64
      %a = phi.get %w[%k] : !phi.vec<f64>[i64]
      %b = arith.select %own, %one, %half : f64
      %y = arith.mulf %a, %b : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @four(%w: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:       %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:       %half = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:       %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:       %n = arith.constant 4 : i64
// CHECK-NEXT:       %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:         %i_1 = arith.index_cast %i : index to i64
// CHECK-NEXT:         %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK-NEXT:           %own = arith.cmpi eq, %k, %i_1 : i64
// CHECK-NEXT:           %a = phi.get %w[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:           %b = arith.select %own, %one, %half : f64
// CHECK-NEXT:           %y = arith.mulf %a, %b : f64
// CHECK-NEXT:           %next = arith.addf %acc, %y : f64
// CHECK-NEXT:           phi.yield %next : f64
// CHECK-NEXT:         }
// CHECK-NEXT:         phi.yield %s : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       func.return %r : !phi.vec<f64>
// CHECK-NEXT:     }
