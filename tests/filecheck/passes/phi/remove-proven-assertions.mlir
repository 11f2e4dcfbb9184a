// RUN: ein-opt %s --split-input-file -p remove-proven-assertions | filecheck %s

// An assertion that an earlier one proves is removed; the earlier one stays.
func.func @square(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %p = phi.assert_eq %n, %m, "index i"
  %q = phi.assert_eq %m, %n, "index j"
  %r = phi.array (%i < %p, %j < %q) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK:        func.func @square(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:     %p = phi.assert_eq %n, %m, "index i"
// CHECK-NEXT:     %r = phi.array (%i < %p, %j < %m) -> !phi.vec<!phi.vec<f64>> {
// CHECK-NEXT:       %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
// CHECK-NEXT:       phi.yield %x : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %r : !phi.vec<!phi.vec<f64>>
// CHECK-NEXT:   }

// -----

// The size of a comprehension is known.
func.func @known(%n: i64) -> i64 {
  %a = phi.array (%i < %n) -> !phi.vec<i64> {
    phi.yield %n : i64
  }
  %m = phi.size %a, 0 : !phi.vec<i64>
  %p = phi.assert_eq %m, %n, "size of a"
  func.return %p : i64
}

// CHECK:        func.func @known(%n: i64) -> i64 {
// CHECK-NEXT:     %a = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:       phi.yield %n : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %m = phi.size %a, 0 : !phi.vec<i64>
// CHECK-NEXT:     func.return %m : i64
// CHECK-NEXT:   }

// -----

// An assertion in a loop proves nothing after it: the loop may run zero times.
func.func @loop(%n: i64, %m: i64, %c: i64) -> i64 {
  %s = phi.fold (%k < %c, %acc = %n) -> i64 {
    %p = phi.assert_eq %n, %m, "in the loop"
    phi.yield %p : i64
  }
  %q = phi.assert_eq %n, %m, "behind the loop"
  %t = arith.addi %s, %q : i64
  func.return %t : i64
}

// CHECK:        func.func @loop(%n: i64, %m: i64, %c: i64) -> i64 {
// CHECK-NEXT:     %s = phi.fold (%k < %c, %acc = %n) -> i64 {
// CHECK-NEXT:       %p = phi.assert_eq %n, %m, "in the loop"
// CHECK-NEXT:       phi.yield %p : i64
// CHECK-NEXT:     }
// CHECK-NEXT:     %q = phi.assert_eq %n, %m, "behind the loop"
// CHECK-NEXT:     %t = arith.addi %s, %q : i64
// CHECK-NEXT:     func.return %t : i64
// CHECK-NEXT:   }

// -----

// In a loop, an assertion proves the size of an accumulator that steps keep, and users of its
// result; all others stay.
func.func @accumulator(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %c: i64) -> !phi.vec<f64> {
  %m = phi.size %b, 0 : !phi.vec<f64>
  %n = phi.size %a, 0 : !phi.vec<f64>
  %s = phi.fold (%k < %c, %acc = %a) -> !phi.vec<f64> {
    %p = phi.assert_eq %m, %n, "b, a"
    %l = phi.size %acc, 0 : !phi.vec<f64>
    %q = phi.assert_eq %p, %l, "b, accumulator"
    %next = phi.array (%i < %q) -> !phi.vec<f64> {
      %x = phi.get %acc[%i] : !phi.vec<f64>[index]
      %y = phi.get %b[%i] : !phi.vec<f64>[index]
      %z = arith.addf %x, %y : f64
      phi.yield %z : f64
    }
    %r = phi.assert_eq %l, %m, "the result of no assertion"
    %none = phi.array (%i < %r) -> !phi.vec<i64> {
      phi.yield %r : i64
    }
    phi.yield %next : !phi.vec<f64>
  }
  %t = phi.assert_eq %m, %n, "behind the loop"
  %o = phi.array (%i < %t) -> !phi.vec<f64> {
    %x = phi.get %s[%i] : !phi.vec<f64>[index]
    phi.yield %x : f64
  }
  func.return %o : !phi.vec<f64>
}

// CHECK:        func.func @accumulator(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %c: i64) -> !phi.vec<f64> {
// CHECK-NEXT:     %m = phi.size %b, 0 : !phi.vec<f64>
// CHECK-NEXT:     %n = phi.size %a, 0 : !phi.vec<f64>
// CHECK-NEXT:     %s = phi.fold (%k < %c, %acc = %a) -> !phi.vec<f64> {
// CHECK-NEXT:       %p = phi.assert_eq %m, %n, "b, a"
// CHECK-NEXT:       %l = phi.size %acc, 0 : !phi.vec<f64>
// CHECK-NEXT:       %next = phi.array (%i < %p) -> !phi.vec<f64> {
// CHECK-NEXT:         %x = phi.get %acc[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %y = phi.get %b[%i] : !phi.vec<f64>[index]
// CHECK-NEXT:         %z = arith.addf %x, %y : f64
// CHECK-NEXT:         phi.yield %z : f64
// CHECK-NEXT:       }
// CHECK-NEXT:       %r = phi.assert_eq %l, %m, "the result of no assertion"
// CHECK-NEXT:       %none = phi.array (%i_1 < %r) -> !phi.vec<i64> {
// CHECK-NEXT:         phi.yield %r : i64
// CHECK-NEXT:       }
// CHECK-NEXT:       phi.yield %next : !phi.vec<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:     %t = phi.assert_eq %m, %n, "behind the loop"
// CHECK-NEXT:     %o = phi.array (%i_2 < %t) -> !phi.vec<f64> {
// CHECK-NEXT:       %x_1 = phi.get %s[%i_2] : !phi.vec<f64>[index]
// CHECK-NEXT:       phi.yield %x_1 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %o : !phi.vec<f64>
// CHECK-NEXT:   }

// -----

// A size is that of %x with or without a step of a loop, which another assertion is about: both are
// equal, but the second assertion is the only user of the first.

func.func @loop_without_steps(%x: !phi.vec<f64>, %y: !phi.vec<f64>, %steps: i1) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %m = phi.size %y, 0 : !phi.vec<f64>
  %l = arith.select %steps, %m, %n : i64
  %p = phi.assert_eq %n, %l, "index i: size of x along axis 0 and size of y along axis 0"
  %q = arith.select %steps, %p, %n : i64
  %r = phi.assert_eq %n, %q, "index j: size of x along axis 0 and size of y along axis 0"
  %v = phi.array (%i < %r) -> !phi.vec<f64> {
    %e = phi.get %x[%i] : !phi.vec<f64>[index]
    phi.yield %e : f64
  }
  func.return %v : !phi.vec<f64>
}

// CHECK:      func.func @loop_without_steps(
// CHECK:        %p = phi.assert_eq %n, %l, "index i
// CHECK-NEXT:   %q = arith.select %steps, %p, %n : i64
// CHECK-NEXT:   %r = phi.assert_eq %n, %q, "index j
// CHECK-NEXT:   %v = phi.array (%i < %r)

// -----

// One in a derivative that compares what an earlier one compares is that: the program may compute
// the same value before.
func.func @value(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %ct: f64) -> (f64, tuple<f64, tuple<!phi.vec<f64>>>) {
  %zero = arith.constant 0.0 : f64
  %m = phi.size %b, 0 : !phi.vec<f64>
  %n = phi.size %a, 0 : !phi.vec<f64>
  %p = phi.assert_eq %n, %m, "a and b"
  %s = phi.fold (%k < %p, %acc = %zero) -> f64 {
    %x = phi.get %a[%k] : !phi.vec<f64>[i64]
    %y = phi.get %b[%k] : !phi.vec<f64>[i64]
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %acc, %0 : f64
    phi.yield %1 : f64
  }
  %t = phi.tuple (%a) : tuple<!phi.vec<f64>>
  %g = phi.vjp (%v = %t by %ct) : tuple<!phi.vec<f64>> by f64 -> tuple<f64, tuple<!phi.vec<f64>>> {
    %c = phi.proj %v, 0 : tuple<!phi.vec<f64>> -> !phi.vec<f64>
    %n_1 = phi.size %c, 0 : !phi.vec<f64>
    %q = phi.assert_eq %n_1, %m, "c and b"
    %s_1 = phi.fold (%k < %q, %acc = %zero) -> f64 {
      %x = phi.get %c[%k] : !phi.vec<f64>[i64]
      %y = phi.get %b[%k] : !phi.vec<f64>[i64]
      %0 = arith.mulf %x, %y : f64
      %1 = arith.addf %acc, %0 : f64
      phi.yield %1 : f64
    }
    phi.yield %s_1 : f64
  }
  func.return %s, %g : f64, tuple<f64, tuple<!phi.vec<f64>>>
}

// CHECK-LABEL:  func.func @value
// CHECK:          %p = phi.assert_eq %n, %m, "a and b"
// CHECK:          phi.fold (%k < %p, %acc = %zero) -> f64 {
// CHECK:          phi.vjp
// CHECK-NOT:      phi.assert_eq
// CHECK:          phi.fold (%{{.*}} < %p, %{{.*}} = %zero) -> f64 {
