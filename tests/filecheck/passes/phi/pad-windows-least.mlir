// RUN: ein-opt %s --split-input-file -p pad-windows{least=4},simplify | filecheck %s

// Three steps are fewer than four: the guards stay.
func.func @few(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %three, %acc = %zero) -> f64 {
      %next = arith.addi %j, %k : i64
      %p = arith.subi %next, %one : i64
      %c = arith.cmpi sge, %p, %none : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %sum = arith.addf %acc, %y : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @few(
// CHECK:          %r = phi.array
// CHECK-NEXT:       %j = arith.index_cast
// CHECK-NEXT:       phi.fold
// CHECK:              %c = arith.cmpi sge
// CHECK:              arith.select %c

// -----

// A count that is not known may be larger.
func.func @many(%a: !phi.vec<f64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : i64
  %w = phi.size %a, 0 : !phi.vec<f64>
  %none = arith.constant 0 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %j = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %w, %acc = %zero) -> f64 {
      %next = arith.addi %j, %k : i64
      %p = arith.subi %next, %one : i64
      %c = arith.cmpi sge, %p, %none : i64
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %c, %x, %zero : f64
      %sum = arith.addf %acc, %y : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @many(
// CHECK:          %[[PADDED:.*]] = phi.array
// CHECK:            arith.select
// CHECK:          %r = phi.array
// CHECK:              phi.get %[[PADDED]]
// CHECK-NOT:          arith.select
// CHECK:          func.return
