// RUN: ein-opt %s --split-input-file -p raise-scans,dce | filecheck %s

// The fold takes another number of steps in each step of the loop around it: at all of them it is a
// scan in an array, before the loop.
func.func @behind(%h: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %low = arith.constant 0xfff0000000000000 : f64
  %n = phi.size %h, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %s = %zero) -> f64 {
    %c = arith.subi %n, %i : i64
    %m = phi.fold (%j < %c, %acc = %low) -> f64 {
      %p = arith.addi %i, %j : i64
      %x = phi.get %h[%p] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %x : f64
      phi.yield %next : f64
    }
    %t = arith.addf %s, %m : f64
    phi.yield %t : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: @behind
// CHECK:         %[[T:.*]] = phi.array (%{{.*}} < %{{.*}}) -> !phi.vec<f64> {
// CHECK:           %m = phi.scan "max" %{{.*}} suffixes : !phi.vec<f64>
// CHECK:         %r = phi.fold (%{{.*}} < %n, %s = %zero) -> f64 {
// CHECK-NEXT:      %[[M:.*]] = phi.get %[[T]][%{{.*}}] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %t = arith.addf %s, %[[M]] : f64

// -----

// The elements are those of the accumulator: each step has others.
func.func @carried(%h: !phi.vec<f64>) -> !phi.vec<f64> {
  %low = arith.constant 0xfff0000000000000 : f64
  %n = phi.size %h, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %v = %h) -> !phi.vec<f64> {
    %c = arith.subi %n, %i : i64
    %m = phi.fold (%j < %c, %acc = %low) -> f64 {
      %p = arith.addi %i, %j : i64
      %x = phi.get %v[%p] : !phi.vec<f64>[i64]
      %next = arith.maximumf %acc, %x : f64
      phi.yield %next : f64
    }
    %w = phi.array (%k < %n) -> !phi.vec<f64> {
      %x = phi.get %v[%k] : !phi.vec<f64>[index]
      %y = arith.subf %x, %m : f64
      phi.yield %y : f64
    }
    phi.yield %w : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: @carried
// CHECK-NOT:     phi.scan
// CHECK:         phi.fold (%i < %n, %v = %h)
// CHECK:           phi.fold (%j < %c, %acc = %low)
