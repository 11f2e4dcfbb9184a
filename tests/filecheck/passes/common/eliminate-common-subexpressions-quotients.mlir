// RUN: ein-opt %s -p eliminate-common-subexpressions{quotients=true} | filecheck %s

// With quotients, these and remainders become the first equal one, and all other operations stay.
func.func @quotients(%a: !phi.vec<f64>, %n: i64, %w: i64) -> !phi.vec<f64> {
  %two = arith.constant 2 : i64
  %h = arith.floordivsi %w, %two : i64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %g = arith.floordivsi %w, %two : i64
    %p = arith.addi %k, %h : i64
    %q = arith.addi %k, %g : i64
    %m = sigma.floormod %p, %n : i64
    %s = sigma.floormod %p, %n : i64
    %u = arith.addi %q, %m : i64
    %v = arith.addi %u, %s : i64
    %x = phi.get %a[%v] : !phi.vec<f64>[i64]
    phi.yield %x : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK:      func.func @quotients(%a: !phi.vec<f64>, %n: i64, %w: i64) -> !phi.vec<f64> {
// CHECK-NEXT:   %two = arith.constant 2 : i64
// CHECK-NEXT:   %h = arith.floordivsi %w, %two : i64
// CHECK-NEXT:   %r = phi.array (%i < %n) -> !phi.vec<f64> {
// CHECK-NEXT:     %k = arith.index_cast %i : index to i64
// CHECK-NEXT:     %p = arith.addi %k, %h : i64
// CHECK-NEXT:     %q = arith.addi %k, %h : i64
// CHECK-NEXT:     %m = sigma.floormod %p, %n : i64
// CHECK-NEXT:     %u = arith.addi %q, %m : i64
// CHECK-NEXT:     %v = arith.addi %u, %m : i64
// CHECK-NEXT:     %x = phi.get %a[%v] : !phi.vec<f64>[i64]
