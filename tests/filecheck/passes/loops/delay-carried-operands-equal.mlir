// RUN: ein-opt %s -p delay-carried-operands | filecheck %s

// Unchanged: the least of a value and itself has no operand that the condition may leave out.

func.func @equal(%c: i1, %n: index) -> i64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 1 : i64
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (i64) {
    %k = arith.index_cast %i : index to i64
    %least = arith.minsi %k, %k : i64
    %next = arith.select %c, %least, %k : i64
    scf.yield %next : i64
  }
  func.return %r : i64
}
// CHECK-LABEL: func.func @equal
// CHECK:         %least = arith.minsi %k, %k : i64
// CHECK-NEXT:    %next = arith.select %c, %least, %k : i64
