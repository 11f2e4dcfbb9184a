// RUN: ein-opt %s -p delay-carried-operands | filecheck %s

// The least of a value and itself has no operand that the condition may leave out.

func.func @equal(%c: i1, %n: index) -> (i64, i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 1 : i64
  %r, %s = scf.for %i = %zero to %n step %one iter_args(%acc = %start, %b = %start) -> (i64, i64) {
    %least = arith.minsi %acc, %acc : i64
    %next = arith.select %c, %least, %acc : i64
    %most = arith.maxsi %b, %b : i64
    %after = arith.select %c, %most, %b : i64
    scf.yield %next, %after : i64, i64
  }
  func.return %r, %s : i64, i64
}
// CHECK-LABEL: func.func @equal
// CHECK-NOT:     arith.constant 9223372036854775807
// CHECK-NOT:     arith.constant -9223372036854775808
// CHECK:         func.return
