// RUN: ein-opt %s --split-input-file -p simplify-arithmetic | filecheck %s

// A negation moves out of an odd function, through products and quotients, into a sum.
func.func @odd(%x: f64, %c: f64) -> f64 {
  %one = arith.constant 1.000000e+00 : f64
  %0 = arith.negf %x : f64
  %1 = arith.divf %0, %c : f64
  %2 = math.erf %1 : f64
  %3 = arith.addf %one, %2 : f64
  func.return %3 : f64
}

// CHECK:        func.func @odd(%x: f64, %c: f64) -> f64 {
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:     %0 = arith.divf %x, %c : f64
// CHECK-NEXT:     %1 = math.erf %0 : f64
// CHECK-NEXT:     %2 = arith.subf %one, %1 : f64
// CHECK-NEXT:     func.return %2 : f64
// CHECK-NEXT:   }

// -----

// It disappears in an even one, and in a difference.
func.func @even(%x: f64, %y: f64) -> f64 {
  %0 = arith.negf %x : f64
  %1 = math.cos %0 : f64
  %2 = arith.negf %y : f64
  %3 = arith.subf %1, %2 : f64
  func.return %3 : f64
}

// CHECK:        func.func @even(%x: f64, %y: f64) -> f64 {
// CHECK-NEXT:     %0 = math.cos %x : f64
// CHECK-NEXT:     %1 = arith.addf %0, %y : f64
// CHECK-NEXT:     func.return %1 : f64
// CHECK-NEXT:   }

// -----

// Powers and quotients that are products; factors of one.
func.func @products(%x: f32) -> f32 {
  %three = arith.constant 3 : i64
  %eight = arith.constant 8.000000e+00 : f32
  %one = arith.constant 1.000000e+00 : f32
  %0 = math.fpowi %x, %three : f32, i64
  %1 = arith.divf %0, %eight : f32
  %2 = arith.mulf %one, %1 : f32
  func.return %2 : f32
}

// CHECK:        func.func @products(%x: f32) -> f32 {
// CHECK-NEXT:     %0 = arith.mulf %x, %x : f32
// CHECK-NEXT:     %1 = arith.mulf %0, %x : f32
// CHECK-NEXT:     %2 = arith.constant 1.250000e-01 : f32
// CHECK-NEXT:     %3 = arith.mulf %1, %2 : f32
// CHECK-NEXT:     func.return %3 : f32
// CHECK-NEXT:   }

// -----

// Products of squares, up to 16; up to 4 in 16 bits, where each product is rounded.
func.func @larger_powers(%x: f64, %y: f16) -> (f64, f16) {
  %six = arith.constant 6 : i64
  %0 = math.fpowi %x, %six : f64, i64
  %1 = math.fpowi %y, %six : f16, i64
  func.return %0, %1 : f64, f16
}

// CHECK-LABEL:  func.func @larger_powers(
// CHECK:          %0 = arith.mulf %x, %x : f64
// CHECK-NEXT:     %1 = arith.mulf %0, %x : f64
// CHECK-NEXT:     %2 = arith.mulf %1, %1 : f64
// CHECK-NEXT:     %3 = math.fpowi %y, %six : f16, i64

// -----

// Nothing is multiplied for an exponent of 0; a negative one is a quotient, but not in 16 bits.
func.func @inverse_powers(%x: f32, %y: f16) -> (f32, f32, f16) {
  %minus_two = arith.constant -2 : i64
  %none = arith.constant 0 : i64
  %0 = math.fpowi %x, %minus_two : f32, i64
  %1 = math.fpowi %x, %none : f32, i64
  %2 = math.fpowi %y, %minus_two : f16, i64
  func.return %0, %1, %2 : f32, f32, f16
}

// CHECK-LABEL:  func.func @inverse_powers(
// CHECK:          %0 = arith.mulf %x, %x : f32
// CHECK-NEXT:     %1 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %2 = arith.divf %1, %0 : f32
// CHECK-NEXT:     %3 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %4 = math.fpowi %y, %minus_two : f16, i64
// CHECK-NEXT:     func.return %2, %3, %4 : f32, f32, f16
// CHECK-NEXT:   }

// -----

// Unchanged, to preserve values: exp is neither odd nor even, a quotient by 3 is rounded in
// another way, -0.0 + 0.0 is no -0.0, a large power has another error; a product that is used
// otherwise is not computed twice.
func.func @kept(%x: f64, %y: f64) -> (f64, f64, f64, f64, f64, f64) {
  %three = arith.constant 3.000000e+00 : f64
  %zero = arith.constant 0.000000e+00 : f64
  %many = arith.constant 17 : i64
  %0 = arith.negf %x : f64
  %1 = math.exp %0 : f64
  %2 = arith.divf %x, %three : f64
  %3 = arith.addf %x, %zero : f64
  %4 = math.fpowi %x, %many : f64, i64
  %5 = arith.mulf %0, %y : f64
  %6 = math.sin %5 : f64
  func.return %1, %2, %3, %4, %5, %6 : f64, f64, f64, f64, f64, f64
}

// CHECK:        func.func @kept(%x: f64, %y: f64) -> (f64, f64, f64, f64, f64, f64) {
// CHECK-NEXT:     %three = arith.constant 3.000000e+00 : f64
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %many = arith.constant 17 : i64
// CHECK-NEXT:     %0 = arith.negf %x : f64
// CHECK-NEXT:     %1 = math.exp %0 : f64
// CHECK-NEXT:     %2 = arith.divf %x, %three : f64
// CHECK-NEXT:     %3 = arith.addf %x, %zero : f64
// CHECK-NEXT:     %4 = math.fpowi %x, %many : f64, i64
// CHECK-NEXT:     %5 = arith.mulf %0, %y : f64
// CHECK-NEXT:     %6 = math.sin %5 : f64
// CHECK-NEXT:     func.return %1, %2, %3, %4, %5, %6 : f64, f64, f64, f64, f64, f64
// CHECK-NEXT:   }

// -----

// Neutral elements are removed; 0 is none of sums, as -0 + 0 is 0, nor 1 of quotients on the left.
func.func @neutral(%x: f64) -> (f64, f64, f64, f64, f64) {
  %one = arith.constant 1.000000e+00 : f64
  %zero = arith.constant 0.000000e+00 : f64
  %negative_zero = arith.constant -0.000000e+00 : f64
  %0 = arith.subf %x, %zero : f64
  %1 = arith.addf %negative_zero, %x : f64
  %2 = arith.addf %x, %zero : f64
  %3 = arith.subf %x, %negative_zero : f64
  %4 = arith.divf %one, %x : f64
  func.return %0, %1, %2, %3, %4 : f64, f64, f64, f64, f64
}

// CHECK:        func.func @neutral(%x: f64) -> (f64, f64, f64, f64, f64) {
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %negative_zero = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:     %0 = arith.addf %x, %zero : f64
// CHECK-NEXT:     %1 = arith.subf %x, %negative_zero : f64
// CHECK-NEXT:     %2 = arith.divf %one, %x : f64
// CHECK-NEXT:     func.return %x, %x, %0, %1, %2 : f64, f64, f64, f64, f64
// CHECK-NEXT:   }

// -----

// Two negations cancel, and so does a round trip through a wider type, but not a narrower one.
func.func @back(%x: f32, %y: f64, %n: i32) -> (f32, f32, f64, i32) {
  %0 = arith.negf %x : f32
  %1 = arith.negf %0 : f32
  %2 = arith.extf %x : f32 to f64
  %3 = arith.truncf %2 : f64 to f32
  %4 = arith.truncf %y : f64 to f32
  %5 = arith.extf %4 : f32 to f64
  %6 = arith.extsi %n : i32 to i64
  %7 = arith.trunci %6 : i64 to i32
  func.return %1, %3, %5, %7 : f32, f32, f64, i32
}

// CHECK:        func.func @back(%x: f32, %y: f64, %n: i32) -> (f32, f32, f64, i32) {
// CHECK-NEXT:     %0 = arith.truncf %y : f64 to f32
// CHECK-NEXT:     %1 = arith.extf %0 : f32 to f64
// CHECK-NEXT:     %2 = arith.extsi %n : i32 to i64
// CHECK-NEXT:     func.return %x, %x, %1, %n : f32, f32, f64, i32
// CHECK-NEXT:   }

// -----

// One minus a mask is the opposite comparison as a number, if the mask has no other user.
func.func @elsewhere(%a: i64, %b: i64) -> (i64, f64, i64, i1, f64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant 0.0 : f64
  %y = arith.constant -0.0 : f64
  %z = arith.constant 1.0 : f64
  %0 = arith.cmpi eq, %a, %b : i64
  %1 = arith.select %0, %zero, %one : i64
  %2 = arith.cmpi slt, %a, %b : i64
  %3 = arith.select %2, %x, %z : f64
  %4 = arith.cmpi sle, %a, %b : i64
  %5 = arith.select %4, %zero, %one : i64
  %6 = arith.cmpi ne, %a, %b : i64
  %7 = arith.select %6, %y, %z : f64
  func.return %1, %3, %5, %4, %7 : i64, f64, i64, i1, f64
}

// CHECK:        func.func @elsewhere(
// CHECK:          %0 = arith.cmpi ne, %a, %b : i64
// CHECK-NEXT:     %1 = arith.select %0, %one, %zero : i64
// CHECK-NEXT:     %2 = arith.cmpi sge, %a, %b : i64
// CHECK-NEXT:     %3 = arith.select %2, %z, %x : f64
// CHECK-NEXT:     %4 = arith.cmpi sle, %a, %b : i64
// CHECK-NEXT:     %5 = arith.select %4, %zero, %one : i64
// CHECK-NEXT:     %6 = arith.cmpi ne, %a, %b : i64
// CHECK-NEXT:     %7 = arith.select %6, %y, %z : f64
// CHECK-NEXT:     func.return %1, %3, %5, %4, %7 : i64, f64, i64, i1, f64

// -----

// Laws that only a program with flags permits: of an operation, or of a function.
func.func @permitted(%x: f64) -> (f64, f64, f64, f64, f64, f64) {
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3.0 : f64
  %half = arith.constant 0.5 : f64
  %0 = arith.addf %x, %zero fastmath<nsz> : f64
  %1 = arith.divf %x, %three fastmath<arcp> : f64
  %2 = math.powf %x, %half fastmath<afn> : f64
  %3 = arith.addf %x, %zero : f64
  %4 = arith.divf %x, %three : f64
  %5 = math.powf %x, %half : f64
  func.return %0, %1, %2, %3, %4, %5 : f64, f64, f64, f64, f64, f64
}
// CHECK-LABEL: func.func @permitted(
// CHECK:         %0 = arith.constant 0.33333333333333331 : f64
// CHECK-NEXT:    %1 = arith.mulf %x, %0 : f64
// CHECK-NEXT:    %2 = math.sqrt %x : f64
// CHECK-NEXT:    %3 = arith.addf %x, %zero : f64
// CHECK-NEXT:    %4 = arith.divf %x, %three : f64
// CHECK-NEXT:    %5 = math.powf %x, %half : f64
// CHECK-NEXT:    func.return %x, %1, %2, %3, %4, %5 : f64, f64, f64, f64, f64, f64

// -----

// A power of 2 is a shift; a power of another number stays.
func.func @powers_of_ints(%n: i64) -> (i64, i64) {
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %0 = math.ipowi %two, %n : i64
  %1 = math.ipowi %three, %n : i64
  func.return %0, %1 : i64, i64
}

// CHECK-LABEL:  func.func @powers_of_ints(%n: i64) -> (i64, i64) {
// CHECK:          %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:     arith.shli %[[ONE]], %n : i64
// CHECK-NEXT:     math.ipowi %three, %n : i64

// A choice between a truth value and a Bool is a disjunction, or a conjunction.
func.func @choices(%c: i1, %x: i1) -> (i1, i1, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.select %c, %true, %x : i1
  %1 = arith.select %c, %x, %false : i1
  %2 = arith.select %c, %x, %true : i1
  func.return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @choices(
// CHECK:         %0 = arith.ori %c, %x : i1
// CHECK-NEXT:    %1 = arith.andi %c, %x : i1
// CHECK-NEXT:    %2 = arith.select %c, %x, %true : i1

// A choice in a branch of one by the same condition is its own branch.
func.func @nested(%c: i1, %d: i1, %x: f64, %y: f64, %z: f64) -> (f64, f64, f64) {
  %0 = arith.select %c, %y, %z : f64
  %1 = arith.select %c, %x, %0 : f64
  %2 = arith.select %c, %0, %x : f64
  %3 = arith.select %d, %x, %0 : f64
  func.return %1, %2, %3 : f64, f64, f64
}

// CHECK-LABEL: func.func @nested(
// CHECK-NEXT:    %0 = arith.select %c, %y, %z : f64
// CHECK-NEXT:    %1 = arith.select %c, %x, %z : f64
// CHECK-NEXT:    %2 = arith.select %c, %y, %x : f64
// CHECK-NEXT:    %3 = arith.select %d, %x, %0 : f64

// A sum that a fold carries is set back to 0 by a factor of 0 or 1; another product stays.
func.func @streaks(%x: !phi.vec<i1>, %y: !phi.vec<i64>, %zero: i64) -> tuple<i64, i64> {
  %n = phi.size %x, 0 : !phi.vec<i1>
  %init = phi.tuple (%zero, %zero) : tuple<i64, i64>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<i64, i64> {
    %run = phi.proj %s, 0 : tuple<i64, i64> -> i64
    %sum = phi.proj %s, 1 : tuple<i64, i64> -> i64
    %c = phi.get %x[%k] : !phi.vec<i1>[i64]
    %v = phi.get %y[%k] : !phi.vec<i64>[i64]
    %m = arith.extui %c : i1 to i64
    %more = arith.addi %run, %v : i64
    %new = arith.muli %more, %m : i64
    %term = arith.muli %v, %m : i64
    %total = arith.addi %sum, %term : i64
    %next = phi.tuple (%new, %total) : tuple<i64, i64>
    phi.yield %next : tuple<i64, i64>
  }
  func.return %r : tuple<i64, i64>
}

// CHECK-LABEL: func.func @streaks(
// CHECK:           %more = arith.addi %run, %v : i64
// CHECK-NEXT:      %new = arith.constant 0 : i64
// CHECK-NEXT:      %new_1 = arith.select %c, %more, %new : i64
// CHECK-NEXT:      %term = arith.muli %v, %m : i64

// A choice between results of one operation that share an operand is that of a choice of the other.
func.func @common(%c: i1, %x: f64, %y: f64, %z: f64) -> (f64, f64, f64, f64) {
  %0 = arith.mulf %x, %y : f64
  %1 = arith.mulf %y, %z : f64
  %2 = arith.select %c, %0, %1 : f64
  %3 = arith.divf %x, %y : f64
  %4 = arith.divf %z, %y : f64
  %5 = arith.select %c, %3, %4 : f64
  %6 = arith.divf %y, %z : f64
  %7 = arith.divf %x, %y : f64
  %8 = arith.select %c, %6, %7 : f64
  %9 = math.exp %x : f64
  %10 = math.exp %y : f64
  %11 = arith.select %c, %9, %10 : f64
  func.return %2, %5, %8, %11 : f64, f64, f64, f64
}

// CHECK-LABEL: func.func @common(
// CHECK-NEXT:    %0 = arith.select %c, %x, %z : f64
// CHECK-NEXT:    %1 = arith.mulf %0, %y : f64
// CHECK-NEXT:    %2 = arith.select %c, %x, %z : f64
// CHECK-NEXT:    %3 = arith.divf %2, %y : f64
// CHECK-NEXT:    %4 = arith.divf %y, %z : f64
// CHECK-NEXT:    %5 = arith.divf %x, %y : f64
// CHECK-NEXT:    %6 = arith.select %c, %4, %5 : f64
// CHECK-NEXT:    %7 = arith.select %c, %x, %y : f64
// CHECK-NEXT:    %8 = math.exp %7 : f64

// In a fold, a term that is chosen between products and 0 is one product under one condition.
func.func @terms(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %y: !phi.vec<f64>, %i: i64) -> f64 {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %n, %s = %zero) -> f64 {
    %p = phi.get %a[%k] : !phi.vec<f64>[i64]
    %q = phi.get %b[%k] : !phi.vec<f64>[i64]
    %f = phi.get %y[%k] : !phi.vec<f64>[i64]
    %before = arith.cmpi slt, %k, %i : i64
    %after = arith.cmpi sgt, %k, %i : i64
    %0 = arith.mulf %p, %f : f64
    %1 = arith.mulf %q, %f : f64
    %2 = arith.select %after, %1, %zero : f64
    %3 = arith.select %before, %0, %2 : f64
    %4 = arith.addf %s, %3 : f64
    phi.yield %4 : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @terms(
// CHECK:           %before = arith.cmpi slt, %k, %i : i64
// CHECK-NEXT:      %after = arith.cmpi sgt, %k, %i : i64
// CHECK-NEXT:      %0 = arith.select %before, %p, %q : f64
// CHECK-NEXT:      %1 = arith.mulf %0, %f : f64
// CHECK-NEXT:      %2 = arith.ori %before, %after : i1
// CHECK-NEXT:      %3 = arith.select %2, %1, %zero : f64
// CHECK-NEXT:      %4 = arith.addf %s, %3 : f64

// A narrow Int is converted to a float at once.
func.func @extended(%x: i8, %b: i1, %y: i16) -> (f64, f64, f32, f64) {
  %0 = arith.extui %x : i8 to i64
  %1 = arith.sitofp %0 : i64 to f64
  %2 = arith.extui %b : i1 to i64
  %3 = arith.sitofp %2 : i64 to f64
  %4 = arith.extsi %y : i16 to i64
  %5 = arith.sitofp %4 : i64 to f32
  %6 = arith.extsi %y : i16 to i64
  %7 = arith.uitofp %6 : i64 to f64
  func.return %1, %3, %5, %7 : f64, f64, f32, f64
}

// CHECK-LABEL: func.func @extended(
// CHECK-NEXT:    %0 = arith.uitofp %x : i8 to f64
// CHECK-NEXT:    %1 = arith.uitofp %b : i1 to f64
// CHECK:         %{{.*}} = arith.sitofp %y : i16 to f32
// CHECK:         %{{.*}} = arith.uitofp %{{.*}} : i64 to f64

// -----

// Quotients of multiples of the divisor are sums, where no sum wraps around.
func.func @multiples(%n: i64) -> (!phi.vec<i64>, i64) {
  %two = arith.constant 2 : i64
  %four = arith.constant 4 : i64
  %minus = arith.constant -3 : i64
  %r = phi.array (%i < %n) -> !phi.vec<i64> {
    %k = arith.index_cast %i : index to i64
    %0 = arith.muli %k, %four : i64
    %1 = arith.addi %0, %minus : i64
    %2 = arith.floordivsi %1, %two : i64
    phi.yield %2 : i64
  }
  %3 = arith.muli %n, %two : i64
  %4 = arith.floordivsi %3, %two : i64
  func.return %r, %4 : !phi.vec<i64>, i64
}

// CHECK-LABEL: func.func @multiples(%n: i64) -> (!phi.vec<i64>, i64) {
// CHECK-NEXT:       %two = arith.constant 2 : i64
// CHECK-NEXT:       %r = phi.array (%i < %n) -> !phi.vec<i64> {
// CHECK-NEXT:         %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:         %1 = arith.constant 2 : i64
// CHECK-NEXT:         %2 = arith.muli %1, %0 : i64
// CHECK-NEXT:         %3 = arith.constant 2 : i64
// CHECK-NEXT:         %4 = arith.subi %2, %3 : i64
// CHECK-NEXT:         phi.yield %4 : i64
// CHECK-NEXT:       }
// CHECK-NEXT:       %5 = arith.muli %n, %two : i64
// CHECK-NEXT:       %6 = arith.floordivsi %5, %two : i64
// CHECK-NEXT:       func.return %r, %6 : !phi.vec<i64>, i64
// CHECK-NEXT:     }

// -----

// A choice between an Int and a number that it is compared with is an extreme.
func.func @clamped(%t: i64, %j: i64, %y: i64) -> (i64, i64, i64, i64) {
  %zero = arith.constant 0 : i64
  %nine = arith.constant 9 : i64
  %0 = arith.subi %t, %j : i64
  %1 = arith.cmpi slt, %0, %zero : i64
  %2 = arith.subi %t, %j : i64
  %3 = arith.select %1, %zero, %2 : i64
  %4 = arith.cmpi sge, %t, %nine : i64
  %5 = arith.select %4, %nine, %t : i64
  %6 = arith.cmpi slt, %t, %j : i64
  %7 = arith.select %6, %t, %j : i64
  %8 = arith.select %1, %zero, %y : i64
  func.return %3, %5, %7, %8 : i64, i64, i64, i64
}

// CHECK-LABEL: func.func @clamped(%t: i64, %j: i64, %y: i64) -> (i64, i64, i64, i64) {
// CHECK-NEXT:       %zero = arith.constant 0 : i64
// CHECK-NEXT:       %nine = arith.constant 9 : i64
// CHECK-NEXT:       %0 = arith.subi %t, %j : i64
// CHECK-NEXT:       %1 = arith.cmpi slt, %0, %zero : i64
// CHECK-NEXT:       %2 = arith.maxsi %zero, %0 : i64
// CHECK-NEXT:       %3 = arith.minsi %nine, %t : i64
// CHECK-NEXT:       %4 = arith.cmpi slt, %t, %j : i64
// CHECK-NEXT:       %5 = arith.select %4, %t, %j : i64
// CHECK-NEXT:       %6 = arith.select %1, %zero, %y : i64
// CHECK-NEXT:       func.return %2, %3, %5, %6 : i64, i64, i64, i64
// CHECK-NEXT:     }
