// RUN: ein-opt %s -p convert-phi-to-loops | filecheck %s

// Powers of two whose exponents are counters: quotients and remainders by them are shifts and masks.
// A power of a number that may be beyond the width is chosen.

func.func @bits(%x: i64, %n: i64) -> (i64, i64) {
  %four = arith.constant 4 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %twenty = arith.constant 20 : i64
  %s = phi.fold (%k < %twenty, %acc = %zero) -> i64 {
    %p = arith.shli %one, %k : i64
    %q = arith.floordivsi %x, %p : i64
    %r = sigma.floormod %x, %p : i64
    %f = math.ipowi %four, %k : i64
    %0 = arith.xori %q, %r : i64
    %1 = arith.xori %0, %f : i64
    %2 = arith.xori %acc, %1 : i64
    phi.yield %2 : i64
  }
  %p = math.ipowi %four, %n : i64
  func.return %s, %p : i64, i64
}

// CHECK-LABEL: func.func @bits(
// CHECK:           %p = arith.shli %one, %k : i64
// CHECK-NEXT:      %q = arith.shrsi %x, %k : i64
// CHECK-NEXT:      [[MASK:%.*]] = arith.subi %p, %one : i64
// CHECK-NEXT:      %r = arith.andi %x, [[MASK]] : i64
// CHECK-NEXT:      [[TWICE:%.*]] = arith.muli %k, {{%.*}} : i64
// CHECK-NEXT:      %f = arith.shli %one, [[TWICE]] : i64
// CHECK:         [[FITS:%.*]] = arith.cmpi ult, %n, {{%.*}} : i64
// CHECK-NEXT:    [[N:%.*]] = arith.select [[FITS]], %n, %zero : i64
// CHECK-NEXT:    [[E:%.*]] = arith.muli [[N]], {{%.*}} : i64
// CHECK-NEXT:    [[POWER:%.*]] = arith.shli %one, [[E]] : i64
// CHECK-NEXT:    %p_1 = arith.select [[FITS]], [[POWER]], %zero : i64

// A quotient by a power with any exponent is no shift: the power may be 0, or the least Int.

func.func @any_exponent(%x: i64, %n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %p = arith.shli %one, %n : i64
  %q = arith.floordivsi %x, %p : i64
  func.return %q : i64
}

// CHECK-LABEL: func.func @any_exponent(
// CHECK-NOT:     arith.shrsi
// CHECK:         arith.divsi
