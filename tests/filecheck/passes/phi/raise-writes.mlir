// RUN: ein-opt %s --split-input-file -p raise-writes,canonicalize,dce | filecheck %s

// Each element is written.
func.func @whole(%b: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    phi.yield %zero : f64
  }
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %y = arith.mulf %x, %x : f64
    %w = phi.update %v[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @whole(
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%0 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = arith.index_cast %0 : index to i64
// CHECK-NEXT:     %x = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = arith.mulf %x, %x : f64
// CHECK-NEXT:     phi.yield %y : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Elements before and after the written ones are unchanged; none of these is read
// after it was written.
func.func @part(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64, %c: i64) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %c, %k : i64
    %q = arith.addi %p, %one : i64
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %y = phi.get %v[%q] : !phi.vec<f64>[i64]
    %z = arith.mulf %x, %y : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @part(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %0 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %p = arith.addi %c, %k_1 : i64
// CHECK-NEXT:     %q = arith.addi %p, %one : i64
// CHECK-NEXT:     %x = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %z = arith.mulf %x, %y : f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %1 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%2 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %2 : index to i64
// CHECK-NEXT:     %3 = arith.subi %k_2, %c : i64
// CHECK-NEXT:     %4 = arith.constant 0 : i64
// CHECK-NEXT:     %5 = arith.cmpi sge, %3, %4 : i64
// CHECK-NEXT:     %6 = arith.cmpi slt, %3, %n : i64
// CHECK-NEXT:     %7 = phi.get %0[%3] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %8 = phi.get %a[%2] : !phi.vec<f64>[index]
// CHECK-NEXT:     %9 = arith.select %5, %7, %8 : f64
// CHECK-NEXT:     %10 = arith.select %6, %9, %8 : f64
// CHECK-NEXT:     phi.yield %10 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Downwards, and only if a condition holds.
func.func @downwards(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %none = arith.constant -1 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %last = arith.subi %n, %one : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.subi %last, %k : i64
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %c = arith.cmpf ogt, %x, %zero : f64
    %q = arith.select %c, %p, %none : i64
    %w = phi.update %v[%q], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @downwards(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = arith.subi %n, %0 : i64
// CHECK-NEXT:   %2 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%3 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = arith.index_cast %3 : index to i64
// CHECK-NEXT:     %4 = arith.subi %1, %k : i64
// CHECK-NEXT:     %x = phi.get %b[%4] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %c = arith.cmpf ogt, %x, %zero : f64
// CHECK-NEXT:     %5 = phi.get %a[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:     %6 = arith.select %c, %x, %5 : f64
// CHECK-NEXT:     phi.yield %6 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A fold in a fold writes a row in each step of the outer one.
func.func @matrix(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%i < %n, %u = %a) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %b[%i] : !phi.vec<f64>[i64]
    %s = phi.fold (%j < %m, %v = %u) -> !phi.vec<!phi.vec<f64>> {
      %y = phi.get %b[%j] : !phi.vec<f64>[i64]
      %z = arith.mulf %x, %y : f64
      %w = phi.update %v[%i, %j], %z
        : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
      phi.yield %w : !phi.vec<!phi.vec<f64>>
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @matrix(
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %r = phi.array (%1 < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %i = arith.index_cast %1 : index to i64
// CHECK-NEXT:     %x = phi.get %b[%i] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %2 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:       %j = arith.index_cast %4 : index to i64
// CHECK-NEXT:       %y = phi.get %b[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %z = arith.mulf %x, %y : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %3 : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }

// -----

// An element of each row, so a column.
func.func @columns(%a: !phi.vec<!phi.vec<f64>>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %r = phi.fold (%k < %m, %u = %a) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %s = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %u[%i] : !phi.vec<!phi.vec<f64>>[index]
      %y = phi.get %b[%i] : !phi.vec<f64>[index]
      %z = arith.mulf %x, %y : f64
      %w = phi.update %row[%k], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %w : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @columns(
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   %r = phi.array (%i < %0) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %1 = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:       %k = arith.index_cast %3 : index to i64
// CHECK-NEXT:       %x = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %y = phi.get %b[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %z = arith.mulf %x, %y : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %2 : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT: }

// -----

// The field of a record that depends on no other; one that is assigned another field stays.
func.func @fields(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %half = arith.constant 0.5 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %t = phi.tuple (%a, %a, %half) : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
  %r = phi.fold (%k < %n, %v = %t) -> tuple<!phi.vec<f64>, !phi.vec<f64>, f64> {
    %x = phi.proj %v, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
    %y = phi.proj %v, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
    %s = phi.proj %v, 2 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> f64
    %e = phi.get %b[%k] : !phi.vec<f64>[i64]
    %x_1 = phi.update %x[%k], %e : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %y_1 = phi.update %y[%k], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %s_1 = arith.mulf %s, %e : f64
    %u = phi.tuple (%x_1, %y_1, %s_1) : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
    phi.yield %u : tuple<!phi.vec<f64>, !phi.vec<f64>, f64>
  }
  %x_2 = phi.proj %r, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
  %y_2 = phi.proj %r, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>, f64> -> !phi.vec<f64>
  func.return %x_2, %y_2 : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @fields(
// CHECK-NEXT:   %half = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%1 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = arith.index_cast %1 : index to i64
// CHECK-NEXT:     %e = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %e : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %2 = phi.tuple (%a, %half) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:   %r_1 = phi.fold (%k_1 < %n, %v = %2) -> tuple<!phi.vec<f64>, f64> {
// CHECK-NEXT:     %3 = phi.proj %v, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
// CHECK-NEXT:     %4 = phi.proj %v, 1 : tuple<!phi.vec<f64>, f64> -> f64
// CHECK-NEXT:     %e_1 = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = phi.update %3[%k_1], %4 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     %s = arith.mulf %4, %e_1 : f64
// CHECK-NEXT:     %5 = phi.tuple (%y, %s) : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:     phi.yield %5 : tuple<!phi.vec<f64>, f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %y_1 = phi.proj %r_1, 0 : tuple<!phi.vec<f64>, f64> -> !phi.vec<f64>
// CHECK-NEXT:   func.return %r, %y_1 : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// -----

// An assertion of each step is moved before the fold, if that runs a step.
func.func @sizes(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %m = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %s = phi.size %v, 0 : !phi.vec<f64>
    %t = phi.assert_eq %m, %s, "b and v"
    %u = phi.array (%i < %t) -> !phi.vec<f64> {
      %y = phi.get %v[%i] : !phi.vec<f64>[index]
      phi.yield %y : f64
    }
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %w = phi.update %u[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @sizes(
// CHECK-NEXT:   %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %s = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant 0 : i64
// CHECK-NEXT:   %1 = arith.cmpi sgt, %n, %0 : i64
// CHECK-NEXT:   %2 = arith.select %1, %s, %m : i64
// CHECK-NEXT:   %3 = phi.assert_eq %m, %2, "b and v"
// CHECK-NEXT:   %4 = arith.constant 0 : i64
// CHECK-NEXT:   %5 = arith.cmpi sgt, %n, %4 : i64
// CHECK-NEXT:   %6 = arith.select %5, %3, %s : i64
// CHECK-NEXT:   %t = phi.assert_eq %s, %6, "b and v"
// CHECK-NEXT:   %7 = phi.array (%8 < %t) -> !phi.vec<f64> {
// CHECK-NEXT:     %9 = phi.get %a[%8] : !phi.vec<f64>[index]
// CHECK-NEXT:     phi.yield %9 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %10 = phi.array (%k < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %x = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%11 < %t) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %11 : index to i64
// CHECK-NEXT:     %12 = arith.cmpi slt, %k_2, %n : i64
// CHECK-NEXT:     %13 = phi.get %10[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %14 = phi.get %7[%11] : !phi.vec<f64>[index]
// CHECK-NEXT:     %15 = arith.select %12, %13, %14 : f64
// CHECK-NEXT:     phi.yield %15 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// One element that all steps change, at a place that may be out of bounds: a sum.
func.func @element(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: i64) -> !phi.vec<f64> {
  %n = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %y = phi.get %v[%p] : !phi.vec<f64>[i64]
    %z = arith.addf %y, %x : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @element(
// CHECK-NEXT:   %0 = phi.get %a[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:   %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %2 = phi.reduce %b identity %1 by { arith.addf } -> f64
// CHECK-NEXT:   %3 = arith.addf %0, %2 : f64
// CHECK-NEXT:   %r = phi.update %a[%p], %3 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Another element is read, too.
func.func @elements(%a: !phi.vec<f64>, %p: i64, %n: i64) -> !phi.vec<f64> {
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %y = phi.get %v[%p] : !phi.vec<f64>[i64]
    %z = arith.addf %y, %x : f64
    %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @elements(
// CHECK-NEXT:   %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %x = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = phi.get %v[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %z = arith.addf %y, %x : f64
// CHECK-NEXT:     %w = phi.update %v[%p], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// An element that was written before is read, or the array as a whole.
func.func @reads(%a: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.subi %k, %one : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %y = arith.mulf %x, %x : f64
    %w = phi.update %v[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %u = phi.concat %v, %v : !phi.vec<f64>
    %y = phi.get %u[%k] : !phi.vec<f64>[i64]
    %w = phi.update %v[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @reads(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %p = arith.subi %k, %one : i64
// CHECK-NEXT:     %x = phi.get %v[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = arith.mulf %x, %x : f64
// CHECK-NEXT:     %w = phi.update %v[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%k_1 < %n, %v_1 = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %u = phi.concat %v_1, %v_1 : !phi.vec<f64>
// CHECK-NEXT:     %y_1 = phi.get %u[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %w_1 = phi.update %v_1[%k_1], %y_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w_1 : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Elements may be written twice: the last value stays. Only every second one is written.
func.func @positions(%a: !phi.vec<f64>, %b: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %one = arith.constant 1.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = phi.get %b[%k] : !phi.vec<i64>[i64]
    %w = phi.update %v[%p], %one : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.addi %k, %k : i64
    %w = phi.update %v[%p], %one : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @positions(%a: !phi.vec<f64>, %b: !phi.vec<i64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.accumulate (%k < %n) into "max" (%0) -> !phi.vec<i64> {
// CHECK-NEXT:      %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:      %p = phi.get %b[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %2 = phi.tuple (%p, %k_1) : tuple<i64, i64>
// CHECK-NEXT:      phi.yield %2 : tuple<i64, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.array (%3 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:      %4 = phi.get %1[%3] : !phi.vec<i64>[index]
// CHECK-NEXT:      %5 = arith.constant 0 : i64
// CHECK-NEXT:      %6 = arith.cmpi sge, %4, %5 : i64
// CHECK-NEXT:      %7 = phi.get %a[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:      %8 = arith.select %6, %one, %7 : f64
// CHECK-NEXT:      phi.yield %8 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %9 = phi.array (%k_2 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.yield %one : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    %10 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %s = phi.array (%11 < %10) -> !phi.vec<f64> {
// CHECK-NEXT:      %k_3 = arith.index_cast %11 : index to i64
// CHECK-NEXT:      %12 = arith.constant 2 : i64
// CHECK-NEXT:      %13 = sigma.floormod %k_3, %12 : i64
// CHECK-NEXT:      %14 = arith.floordivsi %k_3, %12 : i64
// CHECK-NEXT:      %15 = arith.constant 0 : i64
// CHECK-NEXT:      %16 = arith.cmpi eq, %13, %15 : i64
// CHECK-NEXT:      %17 = phi.get %9[%14] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %18 = phi.get %a[%11] : !phi.vec<f64>[index]
// CHECK-NEXT:      %19 = arith.select %16, %17, %18 : f64
// CHECK-NEXT:      phi.yield %19 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Few elements, and those of an array that a loop carries, are changed in place.
func.func @in_place(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %three = arith.constant 3 : i64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %three, %v = %a) -> !phi.vec<f64> {
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %w = phi.update %v[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%t < %n, %u = %a) -> !phi.vec<f64> {
    %next = phi.fold (%k < %n, %v = %u) -> !phi.vec<f64> {
      %p = arith.addi %k, %t : i64
      %x = phi.get %b[%k] : !phi.vec<f64>[i64]
      %w = phi.update %v[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %w : !phi.vec<f64>
    }
    phi.yield %next : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT:   %three = arith.constant 3 : i64
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%k < %three, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %x = phi.get %b[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %w = phi.update %v[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%t < %n, %u = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %next = phi.fold (%k_1 < %n, %v_1 = %u) -> !phi.vec<f64> {
// CHECK-NEXT:       %p = arith.addi %k_1, %t : i64
// CHECK-NEXT:       %x_1 = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %w_1 = phi.update %v_1[%p], %x_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %w_1 : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Only the first step may raise the error of a count; not so if each step has a count of its own.
func.func @errors(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
    %x = phi.fold (%j < %n, %y = %zero) -> f64 {
      %z = math.exp %y : f64
      phi.yield %z : f64
    }
    %w = phi.update %v[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
    %x = phi.fold (%j < %k, %y = %zero) -> f64 {
      %z = math.exp %y : f64
      phi.yield %z : f64
    }
    %w = phi.update %v[%k], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @errors(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant 0 : i64
// CHECK-NEXT:   %1 = arith.cmpi sgt, %m, %0 : i64
// CHECK-NEXT:   %2 = arith.select %1, %n, %0 : i64
// CHECK-NEXT:   %3 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.array (%4 < %3) -> !phi.vec<f64> {
// CHECK-NEXT:     %x = phi.fold (%j < %2, %y = %zero) -> f64 {
// CHECK-NEXT:       %z = math.exp %y : f64
// CHECK-NEXT:       phi.yield %z : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %x_1 = phi.fold (%j_1 < %k, %y_1 = %zero) -> f64 {
// CHECK-NEXT:       %z_1 = math.exp %y_1 : f64
// CHECK-NEXT:       phi.yield %z_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %w = phi.update %v[%k], %x_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s : !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// -----

// The distances of all pairs would take more memory than the operands and the result.
func.func @memory(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %d = phi.array (%i < %n) -> !phi.vec<f64> {
      %y = phi.get %a[%i] : !phi.vec<f64>[index]
      %z = arith.subf %x, %y : f64
      %e = math.absf %z : f64
      phi.yield %e : f64
    }
    %s = phi.reduce %d identity %zero by { arith.addf } -> f64
    %w = phi.update %v[%k], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @memory(
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %x = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %d = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       %y = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:       %z = arith.subf %x, %y : f64
// CHECK-NEXT:       %e = math.absf %z : f64
// CHECK-NEXT:       phi.yield %e : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %s = phi.reduce %d identity %zero by { arith.addf } -> f64
// CHECK-NEXT:     %w = phi.update %v[%k], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Sums of the values for each place.
func.func @accumulated(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %q = phi.get %p[%k] : !phi.vec<i64>[i64]
    %x = phi.get %v[%q] : !phi.vec<f64>[i64]
    %y = phi.get %b[%k] : !phi.vec<f64>[i64]
    %z = arith.subf %x, %y : f64
    %w = phi.update %v[%q], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @accumulated(%a: !phi.vec<f64>, %p: !phi.vec<i64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %n = phi.size %p, 0 : !phi.vec<i64>
// CHECK-NEXT:    %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.accumulate (%k < %n) into "add" (%0) -> !phi.vec<f64> {
// CHECK-NEXT:      %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:      %q = phi.get %p[%k_1] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %y = phi.get %b[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %2 = arith.negf %y : f64
// CHECK-NEXT:      %3 = phi.tuple (%q, %2) : tuple<i64, f64>
// CHECK-NEXT:      phi.yield %3 : tuple<i64, f64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.array (%4 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:      %5 = phi.get %a[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      %6 = phi.get %1[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:      %7 = arith.addf %5, %6 : f64
// CHECK-NEXT:      phi.yield %7 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Two writes that never meet: one comprehension after the other.
func.func @distributed(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %p = arith.muli %k, %two : i64
    %q = arith.addi %p, %one : i64
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %y = arith.negf %x : f64
    %w = phi.update %v[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %w_1 = phi.update %w[%q], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_1 : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @distributed(
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %1 = phi.array (%2 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = arith.index_cast %2 : index to i64
// CHECK-NEXT:     %3 = arith.constant 2 : i64
// CHECK-NEXT:     %4 = sigma.floormod %k, %3 : i64
// CHECK-NEXT:     %5 = arith.floordivsi %k, %3 : i64
// CHECK-NEXT:     %6 = arith.constant 0 : i64
// CHECK-NEXT:     %7 = arith.cmpi eq, %4, %6 : i64
// CHECK-NEXT:     %8 = arith.cmpi ult, %5, %n : i64
// CHECK-NEXT:     %9 = arith.andi %7, %8 : i1
// CHECK-NEXT:     %10 = phi.get %b[%5] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %11 = phi.get %a[%2] : !phi.vec<f64>[index]
// CHECK-NEXT:     %12 = arith.select %9, %10, %11 : f64
// CHECK-NEXT:     phi.yield %12 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %13 = arith.constant 1 : i64
// CHECK-NEXT:   %14 = phi.array (%k_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:     %x = phi.get %b[%k_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y = arith.negf %x : f64
// CHECK-NEXT:     phi.yield %y : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%15 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_3 = arith.index_cast %15 : index to i64
// CHECK-NEXT:     %16 = arith.subi %k_3, %13 : i64
// CHECK-NEXT:     %17 = arith.constant 2 : i64
// CHECK-NEXT:     %18 = sigma.floormod %16, %17 : i64
// CHECK-NEXT:     %19 = arith.floordivsi %16, %17 : i64
// CHECK-NEXT:     %20 = arith.constant 0 : i64
// CHECK-NEXT:     %21 = arith.cmpi eq, %18, %20 : i64
// CHECK-NEXT:     %22 = arith.cmpi ult, %19, %n : i64
// CHECK-NEXT:     %23 = arith.andi %21, %22 : i1
// CHECK-NEXT:     %24 = phi.get %14[%19] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %25 = phi.get %1[%15] : !phi.vec<f64>[index]
// CHECK-NEXT:     %26 = arith.select %23, %24, %25 : f64
// CHECK-NEXT:     phi.yield %26 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Two writes that meet in any order: the last of both.
func.func @overlaid(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
  %one = arith.constant 1.0 : f64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %q = phi.get %p[%k] : !phi.vec<i64>[i64]
    %x = phi.get %b[%k] : !phi.vec<f64>[i64]
    %w = phi.update %v[%k], %one : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %w_1 = phi.update %w[%q], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_1 : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @overlaid(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: !phi.vec<i64>) -> !phi.vec<f64> {
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:    %0 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:    %1 = phi.accumulate (%k < %n) into "max" (%0) -> !phi.vec<i64> {
// CHECK-NEXT:      %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:      %2 = phi.tuple (%k_1, %k_1) : tuple<i64, i64>
// CHECK-NEXT:      phi.yield %2 : tuple<i64, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = phi.accumulate (%k_2 < %n) into "max" (%0) -> !phi.vec<i64> {
// CHECK-NEXT:      %k_3 = arith.index_cast %k_2 : index to i64
// CHECK-NEXT:      %q = phi.get %p[%k_3] : !phi.vec<i64>[i64]
// CHECK-NEXT:      %4 = phi.tuple (%q, %k_3) : tuple<i64, i64>
// CHECK-NEXT:      phi.yield %4 : tuple<i64, i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = phi.array (%5 < %0) -> !phi.vec<f64> {
// CHECK-NEXT:      %6 = phi.get %a[%5] : !phi.vec<f64>[index]
// CHECK-NEXT:      %7 = arith.constant 0 : i64
// CHECK-NEXT:      %8 = phi.get %1[%5] : !phi.vec<i64>[index]
// CHECK-NEXT:      %9 = arith.cmpi sge, %8, %7 : i64
// CHECK-NEXT:      %10 = arith.select %9, %one, %6 : f64
// CHECK-NEXT:      %11 = arith.maxsi %7, %8 : i64
// CHECK-NEXT:      %12 = phi.get %3[%5] : !phi.vec<i64>[index]
// CHECK-NEXT:      %x = phi.get %b[%12] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %13 = arith.cmpi sge, %12, %11 : i64
// CHECK-NEXT:      %14 = arith.select %13, %x, %10 : f64
// CHECK-NEXT:      phi.yield %14 : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : !phi.vec<f64>
// CHECK-NEXT:  }

// -----

// Loops: a read of an element that an earlier write may have replaced, also between two writes; a
// write that depends on the other one; an accumulation of two kinds.
func.func @several_loops(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %p: !phi.vec<i64>)
    -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %one = arith.constant 1 : i64
  %n = phi.size %b, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
    %q = phi.get %p[%k] : !phi.vec<i64>[i64]
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %w = phi.update %v[%q], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  %s = phi.fold (%k_1 < %n, %v_1 = %a) -> !phi.vec<f64> {
    %q_1 = arith.addi %k_1, %one : i64
    %x_1 = phi.get %b[%k_1] : !phi.vec<f64>[i64]
    %w_1 = phi.update %v_1[%k_1], %x_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %y_1 = phi.get %w_1[%q_1] : !phi.vec<f64>[i64]
    %z_1 = arith.mulf %y_1, %y_1 : f64
    %w_2 = phi.update %w_1[%q_1], %z_1 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_2 : !phi.vec<f64>
  }
  %t = phi.fold (%k_3 < %n, %v_3 = %a) -> !phi.vec<f64> {
    %q_3 = phi.get %p[%k_3] : !phi.vec<i64>[i64]
    %x_3 = phi.get %v_3[%q_3] : !phi.vec<f64>[i64]
    %y_3 = phi.get %b[%k_3] : !phi.vec<f64>[i64]
    %z_3 = arith.addf %x_3, %y_3 : f64
    %m_3 = arith.maximumf %z_3, %y_3 : f64
    %w_3 = phi.update %v_3[%q_3], %m_3 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w_3 : !phi.vec<f64>
  }
  func.return %r, %s, %t : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @several_loops(
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %n = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %q = phi.get %p[%k] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %x = phi.get %v[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %w = phi.update %v[%q], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %0 = arith.constant 1 : i64
// CHECK-NEXT:   %1 = phi.array (%k_1 < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %k_1 : index to i64
// CHECK-NEXT:     %q_1 = arith.addi %k_2, %one : i64
// CHECK-NEXT:     %y = phi.get %a[%q_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %z = arith.mulf %y, %y : f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %2 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %3 = phi.array (%4 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_3 = arith.index_cast %4 : index to i64
// CHECK-NEXT:     %5 = arith.subi %k_3, %0 : i64
// CHECK-NEXT:     %6 = arith.constant 0 : i64
// CHECK-NEXT:     %7 = arith.cmpi sge, %5, %6 : i64
// CHECK-NEXT:     %8 = arith.cmpi slt, %5, %n : i64
// CHECK-NEXT:     %9 = phi.get %1[%5] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %10 = phi.get %a[%4] : !phi.vec<f64>[index]
// CHECK-NEXT:     %11 = arith.select %7, %9, %10 : f64
// CHECK-NEXT:     %12 = arith.select %8, %11, %10 : f64
// CHECK-NEXT:     phi.yield %12 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.array (%13 < %2) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_4 = arith.index_cast %13 : index to i64
// CHECK-NEXT:     %14 = arith.constant 0 : i64
// CHECK-NEXT:     %15 = arith.cmpi sge, %k_4, %14 : i64
// CHECK-NEXT:     %16 = arith.cmpi slt, %k_4, %n : i64
// CHECK-NEXT:     %17 = phi.get %b[%k_4] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %18 = phi.get %3[%13] : !phi.vec<f64>[index]
// CHECK-NEXT:     %19 = arith.select %15, %17, %18 : f64
// CHECK-NEXT:     %20 = arith.select %16, %19, %18 : f64
// CHECK-NEXT:     phi.yield %20 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = phi.fold (%k_5 < %n, %v_1 = %a) -> !phi.vec<f64> {
// CHECK-NEXT:     %q_2 = phi.get %p[%k_5] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %x_1 = phi.get %v_1[%q_2] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %y_1 = phi.get %b[%k_5] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %z_1 = arith.addf %x_1, %y_1 : f64
// CHECK-NEXT:     %m = arith.maximumf %z_1, %y_1 : f64
// CHECK-NEXT:     %w_1 = phi.update %v_1[%q_2], %m : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:     phi.yield %w_1 : !phi.vec<f64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s, %t : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
// CHECK-NEXT: }

// -----

// A sum of Ints that starts again: the last reset before each element is a scan, and the sum since
// then is a multiple of a loop-invariant term, or the difference of two sums.
func.func @runs(%x: !phi.vec<f64>, %e: i64, %t: !phi.vec<i64>) -> (!phi.vec<i64>, !phi.vec<i64>) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %init = phi.array (%i < %n) -> !phi.vec<i64> {
    phi.yield %zero : i64
  }
  %r = phi.fold (%k < %n, %v = %init) -> !phi.vec<i64> {
    %j = arith.subi %k, %one : i64
    %a = phi.get %x[%k] : !phi.vec<f64>[i64]
    %b = phi.get %x[%j] : !phi.vec<f64>[i64]
    %same = arith.cmpf oeq, %a, %b : f64
    %last = phi.get %v[%j] : !phi.vec<i64>[i64]
    %more = arith.addi %last, %e : i64
    %new = arith.select %same, %more, %one : i64
    %w = phi.update %v[%k], %new : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  %s = phi.fold (%k < %n, %v = %init) -> !phi.vec<i64> {
    %j = arith.subi %k, %one : i64
    %c = phi.get %t[%k] : !phi.vec<i64>[i64]
    %is = arith.cmpi slt, %c, %zero : i64
    %last = phi.get %v[%j] : !phi.vec<i64>[i64]
    %more = arith.addi %last, %c : i64
    %new = arith.select %is, %c, %more : i64
    %w = phi.update %v[%k], %new : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
}
// CHECK:      func.func @runs(%x: !phi.vec<f64>, %e: i64, %t: !phi.vec<i64>) -> (!phi.vec<i64>, !phi.vec<i64>) {
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %zero = arith.constant 0 : i64
// CHECK-NEXT:   %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant -1 : i64
// CHECK-NEXT:   %1 = arith.constant 1 : i64
// CHECK-NEXT:   %2 = arith.addi %n, %1 : i64
// CHECK-NEXT:   %3 = phi.array (%k < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %j = arith.subi %k_1, %one : i64
// CHECK-NEXT:     %a = phi.get %x[%k_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %b = phi.get %x[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %same = arith.cmpf oeq, %a, %b : f64
// CHECK-NEXT:     %4 = arith.constant -1 : i64
// CHECK-NEXT:     %5 = arith.select %same, %4, %k_1 : i64
// CHECK-NEXT:     phi.yield %5 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %6 = phi.scan "max" %3 : !phi.vec<i64>
// CHECK-NEXT:   %7 = phi.array (%8 < %2) -> !phi.vec<i64> {
// CHECK-NEXT:     %9 = arith.index_cast %8 : index to i64
// CHECK-NEXT:     %10 = phi.get %6[%9] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %11 = arith.constant 0 : i64
// CHECK-NEXT:     %12 = arith.cmpi sge, %10, %11 : i64
// CHECK-NEXT:     %13 = arith.subi %one, %e : i64
// CHECK-NEXT:     %14 = arith.muli %10, %e : i64
// CHECK-NEXT:     %15 = arith.subi %13, %14 : i64
// CHECK-NEXT:     %16 = arith.select %12, %15, %zero : i64
// CHECK-NEXT:     %17 = arith.muli %9, %e : i64
// CHECK-NEXT:     %18 = arith.addi %16, %17 : i64
// CHECK-NEXT:     phi.yield %18 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%19 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %19 : index to i64
// CHECK-NEXT:     %20 = arith.subi %k_2, %0 : i64
// CHECK-NEXT:     %21 = phi.get %7[%20] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %21 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %22 = arith.constant -1 : i64
// CHECK-NEXT:   %23 = arith.constant 1 : i64
// CHECK-NEXT:   %24 = arith.addi %n, %23 : i64
// CHECK-NEXT:   %25 = phi.array (%k_3 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_4 = arith.index_cast %k_3 : index to i64
// CHECK-NEXT:     %c = phi.get %t[%k_4] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %c : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %26 = phi.scan "add" %25 : !phi.vec<i64>
// CHECK-NEXT:   %27 = phi.array (%k_5 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_6 = arith.index_cast %k_5 : index to i64
// CHECK-NEXT:     %c_1 = phi.get %t[%k_6] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %is = arith.cmpi slt, %c_1, %zero : i64
// CHECK-NEXT:     %28 = arith.constant -1 : i64
// CHECK-NEXT:     %29 = arith.select %is, %k_6, %28 : i64
// CHECK-NEXT:     phi.yield %29 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %30 = phi.scan "max" %27 : !phi.vec<i64>
// CHECK-NEXT:   %31 = phi.array (%k_7 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_8 = arith.index_cast %k_7 : index to i64
// CHECK-NEXT:     %c_2 = phi.get %t[%k_8] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %32 = arith.constant 1 : i64
// CHECK-NEXT:     %33 = arith.addi %k_8, %32 : i64
// CHECK-NEXT:     %34 = phi.get %26[%33] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %35 = arith.subi %c_2, %34 : i64
// CHECK-NEXT:     phi.yield %35 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %36 = phi.array (%37 < %24) -> !phi.vec<i64> {
// CHECK-NEXT:     %38 = arith.index_cast %37 : index to i64
// CHECK-NEXT:     %39 = phi.get %30[%38] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %40 = arith.constant 0 : i64
// CHECK-NEXT:     %41 = arith.cmpi sge, %39, %40 : i64
// CHECK-NEXT:     %42 = phi.get %31[%39] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %43 = arith.select %41, %42, %zero : i64
// CHECK-NEXT:     %44 = phi.get %26[%38] : !phi.vec<i64>[i64]
// CHECK-NEXT:     %45 = arith.addi %43, %44 : i64
// CHECK-NEXT:     phi.yield %45 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = phi.array (%46 < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     %k_9 = arith.index_cast %46 : index to i64
// CHECK-NEXT:     %47 = arith.subi %k_9, %22 : i64
// CHECK-NEXT:     %48 = phi.get %36[%47] : !phi.vec<i64>[i64]
// CHECK-NEXT:     phi.yield %48 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r, %s : !phi.vec<i64>, !phi.vec<i64>
// CHECK-NEXT: }

// -----

// A loop: the difference of two sums of floats would cancel.
func.func @runs_of_floats(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
    %j = arith.subi %k, %one : i64
    %a = phi.get %x[%k] : !phi.vec<f64>[i64]
    %same = arith.cmpf olt, %a, %zero : f64
    %last = phi.get %v[%j] : !phi.vec<f64>[i64]
    %more = arith.addf %last, %a : f64
    %new = arith.select %same, %more, %zero : f64
    %w = phi.update %v[%k], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}
// CHECK:        func.func @runs_of_floats(%x: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %n = phi.size %x, 0 : !phi.vec<f64>
// CHECK-NEXT:     %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
// CHECK-NEXT:       %j = arith.subi %k, %one : i64
// CHECK-NEXT:       %a = phi.get %x[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %same = arith.cmpf olt, %a, %zero : f64
// CHECK-NEXT:       %last = phi.get %v[%j] : !phi.vec<f64>[i64]
// CHECK-NEXT:       %more = arith.addf %last, %a : f64
// CHECK-NEXT:       %new = arith.select %same, %more, %zero : f64
// CHECK-NEXT:       %w = phi.update %v[%k], %new : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
// CHECK-NEXT:       phi.yield %w : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// Both elements that a step exchanges are initial ones.
func.func @exchanges(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %half = arith.floordivsi %n, %two : i64
  %r = phi.fold (%k < %half, %v = %a) -> !phi.vec<f64> {
    %p = arith.muli %k, %two : i64
    %q = arith.addi %p, %one : i64
    %x = phi.get %v[%p] : !phi.vec<f64>[i64]
    %y = phi.get %v[%q] : !phi.vec<f64>[i64]
    %w = phi.update %v[%p], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %u = phi.update %w[%q], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %u : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @exchanges(%a: !phi.vec<f64>) -> !phi.vec<f64> {
// CHECK-NEXT:   %one = arith.constant 1 : i64
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %half = arith.floordivsi %n, %two : i64
// CHECK-NEXT:   %0 = phi.array (%k < %half) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_1 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %p = arith.muli %k_1, %two : i64
// CHECK-NEXT:     %q = arith.addi %p, %one : i64
// CHECK-NEXT:     %y = phi.get %a[%q] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %y : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %1 = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %2 = phi.array (%3 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_2 = arith.index_cast %3 : index to i64
// CHECK-NEXT:     %4 = arith.constant 2 : i64
// CHECK-NEXT:     %5 = sigma.floormod %k_2, %4 : i64
// CHECK-NEXT:     %6 = arith.floordivsi %k_2, %4 : i64
// CHECK-NEXT:     %7 = arith.constant 0 : i64
// CHECK-NEXT:     %8 = arith.cmpi eq, %5, %7 : i64
// CHECK-NEXT:     %9 = arith.cmpi ult, %6, %half : i64
// CHECK-NEXT:     %10 = arith.andi %8, %9 : i1
// CHECK-NEXT:     %11 = phi.get %0[%6] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %12 = phi.get %a[%3] : !phi.vec<f64>[index]
// CHECK-NEXT:     %13 = arith.select %10, %11, %12 : f64
// CHECK-NEXT:     phi.yield %13 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %14 = arith.constant 1 : i64
// CHECK-NEXT:   %15 = phi.array (%k_3 < %half) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_4 = arith.index_cast %k_3 : index to i64
// CHECK-NEXT:     %p_1 = arith.muli %k_4, %two : i64
// CHECK-NEXT:     %x = phi.get %a[%p_1] : !phi.vec<f64>[i64]
// CHECK-NEXT:     phi.yield %x : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%16 < %1) -> !phi.vec<f64> {
// CHECK-NEXT:     %k_5 = arith.index_cast %16 : index to i64
// CHECK-NEXT:     %17 = arith.subi %k_5, %14 : i64
// CHECK-NEXT:     %18 = arith.constant 2 : i64
// CHECK-NEXT:     %19 = sigma.floormod %17, %18 : i64
// CHECK-NEXT:     %20 = arith.floordivsi %17, %18 : i64
// CHECK-NEXT:     %21 = arith.constant 0 : i64
// CHECK-NEXT:     %22 = arith.cmpi eq, %19, %21 : i64
// CHECK-NEXT:     %23 = arith.cmpi ult, %20, %half : i64
// CHECK-NEXT:     %24 = arith.andi %22, %23 : i1
// CHECK-NEXT:     %25 = phi.get %15[%20] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %26 = phi.get %2[%16] : !phi.vec<f64>[index]
// CHECK-NEXT:     %27 = arith.select %24, %25, %26 : f64
// CHECK-NEXT:     phi.yield %27 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Whether a step adds to an element depends on that element: the steps stay in order.
func.func @tests_of_elements(%a: !phi.vec<i64>, %b: !phi.vec<i64>, %p: !phi.vec<i64>) -> !phi.vec<i64> {
  %n = phi.size %p, 0 : !phi.vec<i64>
  %none = arith.constant -1 : i64
  %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<i64> {
    %i = phi.get %p[%k] : !phi.vec<i64>[i64]
    %x = phi.get %b[%k] : !phi.vec<i64>[i64]
    %old = phi.get %v[%i] : !phi.vec<i64>[i64]
    %is_next = arith.cmpi eq, %x, %old : i64
    %place = arith.select %is_next, %i, %none : i64
    %new = arith.addi %old, %x : i64
    %w = phi.update %v[%place], %new : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
    phi.yield %w : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}

// CHECK-LABEL: func.func @tests_of_elements(
// CHECK:         phi.fold (
// CHECK:           phi.update
// CHECK-NOT:     phi.accumulate
