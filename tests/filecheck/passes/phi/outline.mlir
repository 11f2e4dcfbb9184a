// RUN: ein-opt %s --split-input-file -p outline | filecheck %s

// The example of the dissertation: the inner comprehension does not depend on %i.
func.func @invariant(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %d = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %a[%i] : !phi.vec<f64>[index]
    %c = phi.array (%j < %n) -> !phi.vec<f64> {
      %two = arith.constant 2.0 : f64
      %y = phi.get %b[%j] : !phi.vec<f64>[index]
      %z = arith.mulf %two, %y : f64
      phi.yield %z : f64
    }
    %w = phi.get %c[%i] : !phi.vec<f64>[index]
    %s = arith.addf %x, %w : f64
    phi.yield %s : f64
  }
  func.return %d : !phi.vec<f64>
}

// CHECK:      func.func @invariant(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %two = arith.constant 2.000000e+00 : f64
// CHECK-NEXT:   %c = phi.array (%j < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %y = phi.get %b[%j] : !phi.vec<f64>[index]
// CHECK-NEXT:     %z = arith.mulf %two, %y : f64
// CHECK-NEXT:     phi.yield %z : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %d = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %x = phi.get %a[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %w = phi.get %c[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:     %s = arith.addf %x, %w : f64
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %d : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Across regions: %q and %s are %p. Bodies that differ only in names are one, other bodies are not.
func.func @shared(%a: !phi.vec<f64>, %x: f64) -> (f64, f64, f64) {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %p = arith.mulf %x, %x : f64
  %first = phi.fold (%k < %n, %acc = %x) -> f64 {
    %q = arith.mulf %x, %x : f64
    %v = phi.get %a[%k] : !phi.vec<f64>[i64]
    %0 = arith.mulf %v, %q : f64
    %1 = arith.addf %acc, %0 : f64
    phi.yield %1 : f64
  }
  %second = phi.fold (%l < %n, %sum = %x) -> f64 {
    %w = phi.get %a[%l] : !phi.vec<f64>[i64]
    %r = arith.mulf %x, %x : f64
    %2 = arith.mulf %w, %r : f64
    %3 = arith.addf %sum, %2 : f64
    phi.yield %3 : f64
  }
  %third = phi.fold (%l < %n, %sum = %x) -> f64 {
    %w = phi.get %a[%l] : !phi.vec<f64>[i64]
    %s = arith.mulf %x, %x : f64
    %4 = arith.mulf %w, %s : f64
    %5 = arith.subf %sum, %4 : f64
    phi.yield %5 : f64
  }
  func.return %first, %second, %third : f64, f64, f64
}

// CHECK:      func.func @shared(%a: !phi.vec<f64>, %x: f64) -> (f64, f64, f64) {
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %p = arith.mulf %x, %x : f64
// CHECK-NEXT:   %first = phi.fold (%k < %n, %acc = %x) -> f64 {
// CHECK-NEXT:     %v = phi.get %a[%k] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %0 = arith.mulf %v, %p : f64
// CHECK-NEXT:     %1 = arith.addf %acc, %0 : f64
// CHECK-NEXT:     phi.yield %1 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %third = phi.fold (%l < %n, %sum = %x) -> f64 {
// CHECK-NEXT:     %w = phi.get %a[%l] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %2 = arith.mulf %w, %p : f64
// CHECK-NEXT:     %3 = arith.subf %sum, %2 : f64
// CHECK-NEXT:     phi.yield %3 : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %first, %first, %third : f64, f64, f64
// CHECK-NEXT: }

// -----

// Zeros of both signs, and equal constants of different types, are different values.
func.func @constants() -> (f64, f64, f32, f64) {
  %a = arith.constant 0.0 : f64
  %b = arith.constant -0.0 : f64
  %c = arith.constant 0.0 : f32
  %d = arith.constant 0.0 : f64
  func.return %a, %b, %c, %d : f64, f64, f32, f64
}

// CHECK:      func.func @constants() -> (f64, f64, f32, f64) {
// CHECK-NEXT:   %a = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %b = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:   %c = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   func.return %a, %b, %c, %a : f64, f64, f32, f64
// CHECK-NEXT: }

// -----

// Operations that may fail stay in a loop that may run zero times; others are hoisted.
func.func @zero_times(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> i64 {
  %r = phi.fold (%k < %n, %acc = %m) -> i64 {
    %s = phi.size %a, 0 : !phi.vec<f64>
    %asserted = phi.assert_eq %s, %m, "size of a, m"
    %negative = phi.array (%i < %m) -> !phi.vec<i64> {
      %0 = arith.index_cast %i : index to i64
      phi.yield %0 : i64
    }
    %safe = phi.array (%i < %s) -> !phi.vec<i64> {
      %1 = arith.index_cast %i : index to i64
      phi.yield %1 : i64
    }
    %count = phi.fold (%l < %m, %c = %n) -> i64 {
      %2 = arith.addi %c, %l : i64
      phi.yield %2 : i64
    }
    %sizes = phi.concat %b, %b : !phi.vec<!phi.vec<f64>>
    %flat = phi.concat %a, %a : !phi.vec<f64>
    %called = phi.extern @f(%a) : (!phi.vec<f64>) -> i64
    %3 = arith.addi %asserted, %acc : i64
    phi.yield %3 : i64
  }
  func.return %r : i64
}

// CHECK:      func.func @zero_times(%a: !phi.vec<f64>, %b: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> i64 {
// CHECK-NEXT:   %s = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %safe = phi.array (%i < %s) -> !phi.vec<i64> {
// CHECK-NEXT:     %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:     phi.yield %0 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %flat = phi.concat %a, %a : !phi.vec<f64>
// CHECK-NEXT:   %r = phi.fold (%k < %n, %acc = %m) -> i64 {
// CHECK-NEXT:     %asserted = phi.assert_eq %s, %m, "size of a, m"
// CHECK-NEXT:     %negative = phi.array (%i_1 < %m) -> !phi.vec<i64> {
// CHECK-NEXT:       %1 = arith.index_cast %i_1 : index to i64
// CHECK-NEXT:       phi.yield %1 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %count = phi.fold (%l < %m, %c = %n) -> i64 {
// CHECK-NEXT:       %2 = arith.addi %c, %l : i64
// CHECK-NEXT:       phi.yield %2 : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %sizes = phi.concat %b, %b : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %called = phi.extern @f(%a) : (!phi.vec<f64>) -> i64
// CHECK-NEXT:     %3 = arith.addi %asserted, %acc : i64
// CHECK-NEXT:     phi.yield %3 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : i64
// CHECK-NEXT: }

// -----

// A comprehension is evaluated even if it is empty, and a loop of two steps runs: assertions leave
// both.
func.func @runs(%n: i64, %m: i64) -> !phi.vec<i64> {
  %two = arith.constant 2 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %s = phi.fold (%k < %two, %acc = %m) -> i64 {
      %asserted = phi.assert_eq %n, %m, "n, m"
      %0 = arith.addi %acc, %asserted : i64
      phi.yield %0 : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<i64>
}

// CHECK:      func.func @runs(%n: i64, %m: i64) -> !phi.vec<i64> {
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %asserted = phi.assert_eq %n, %m, "n, m"
// CHECK-NEXT:   %s = phi.fold (%k < %two, %acc = %m) -> i64 {
// CHECK-NEXT:     %0 = arith.addi %acc, %asserted : i64
// CHECK-NEXT:     phi.yield %0 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:     phi.yield %s : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<i64>
// CHECK-NEXT: }

// -----

// An assertion that was made outside of the loop is reused in it.
func.func @asserted(%n: i64, %m: i64) -> i64 {
  %k = phi.assert_eq %n, %m, "n, m"
  %r = phi.fold (%l < %k, %acc = %k) -> i64 {
    %again = phi.assert_eq %n, %m, "n, m"
    %other = phi.assert_eq %n, %m, "another message"
    %0 = arith.addi %again, %other : i64
    phi.yield %0 : i64
  }
  func.return %r : i64
}

// CHECK:      func.func @asserted(%n: i64, %m: i64) -> i64 {
// CHECK-NEXT:   %k = phi.assert_eq %n, %m, "n, m"
// CHECK-NEXT:   %r = phi.fold (%l < %k, %acc = %k) -> i64 {
// CHECK-NEXT:     %other = phi.assert_eq %n, %m, "another message"
// CHECK-NEXT:     %0 = arith.addi %k, %other : i64
// CHECK-NEXT:     phi.yield %0 : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : i64
// CHECK-NEXT: }

// -----

// The combination of a reduction is a loop too; nests move out as one, to where %i is bound.
func.func @nest(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.reduce %v identity %zero by (%x, %y) -> f64 {
      %m = phi.size %v, 0 : !phi.vec<f64>
      %row = phi.array (%j < %m) -> !phi.vec<f64> {
        %e = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
        %sum = phi.fold (%k < %m, %acc = %e) -> f64 {
          %0 = arith.mulf %acc, %e : f64
          phi.yield %0 : f64
        }
        phi.yield %sum : f64
      }
      %1 = arith.constant 0 : i64
      %last = phi.get %row[%1] : !phi.vec<f64>[i64]
      %2 = arith.addf %x, %y : f64
      %3 = arith.mulf %2, %last : f64
      phi.yield %3 : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @nest(%a: !phi.vec<!phi.vec<f64>>, %v: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:   %m = phi.size %v, 0 : !phi.vec<f64>
// CHECK-NEXT:   %0 = arith.constant 0 : i64
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %row = phi.array (%j < %m) -> !phi.vec<f64> {
// CHECK-NEXT:       %e = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:       %sum = phi.fold (%k < %m, %acc = %e) -> f64 {
// CHECK-NEXT:         %1 = arith.mulf %acc, %e : f64
// CHECK-NEXT:         phi.yield %1 : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %sum : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     %last = phi.get %row[%0] : !phi.vec<f64>[i64]
// CHECK-NEXT:     %s = phi.reduce %v identity %zero by (%x, %y) -> f64 {
// CHECK-NEXT:       %2 = arith.addf %x, %y : f64
// CHECK-NEXT:       %3 = arith.mulf %2, %last : f64
// CHECK-NEXT:       phi.yield %3 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     phi.yield %s : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : !phi.vec<f64>
// CHECK-NEXT: }

// -----

// Sums and products in either order are one, also in bodies; differences and maxima of floats are not.
func.func @commuted(%a: !phi.vec<f64>, %x: f64, %y: f64) -> (f64, f64, f64, f64, f64, f64) {
  %p = arith.mulf %x, %y : f64
  %q = arith.mulf %y, %x : f64
  %d = arith.subf %x, %y : f64
  %e = arith.subf %y, %x : f64
  %u = arith.maximumf %x, %y : f64
  %v = arith.maximumf %y, %x : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %first = phi.fold (%k < %n, %acc = %x) -> f64 {
    %w = phi.get %a[%k] : !phi.vec<f64>[i64]
    %r = arith.divf %x, %y : f64
    %0 = arith.mulf %w, %r : f64
    %1 = arith.addf %acc, %0 : f64
    phi.yield %1 : f64
  }
  %second = phi.fold (%k < %n, %acc = %x) -> f64 {
    %r = arith.divf %x, %y : f64
    %w = phi.get %a[%k] : !phi.vec<f64>[i64]
    %0 = arith.mulf %r, %w : f64
    %1 = arith.addf %0, %acc : f64
    phi.yield %1 : f64
  }
  %s = arith.addf %p, %q : f64
  %t = arith.addf %u, %v : f64
  func.return %s, %d, %e, %t, %first, %second : f64, f64, f64, f64, f64, f64
}

// CHECK:      func.func @commuted(
// CHECK-NEXT:   %p = arith.mulf %x, %y : f64
// CHECK-NEXT:   %d = arith.subf %x, %y : f64
// CHECK-NEXT:   %e = arith.subf %y, %x : f64
// CHECK-NEXT:   %u = arith.maximumf %x, %y : f64
// CHECK-NEXT:   %v = arith.maximumf %y, %x : f64
// CHECK-NEXT:   %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:   %r = arith.divf %x, %y : f64
// CHECK-NEXT:   %first = phi.fold
// CHECK:        %s = arith.addf %p, %p : f64
// CHECK-NEXT:   %t = arith.addf %u, %v : f64
// CHECK-NEXT:   func.return %s, %d, %e, %t, %first, %first : f64, f64, f64, f64, f64, f64
