// RUN: ein-opt %s -p outline | filecheck %s
// RUN: ein-opt %s -p share-elements | filecheck %s

// A branch is a fold of one step or none: what it computes is wanted only where it is taken.

func.func @in_branch(%a: !phi.vec<f64>, %b: !phi.vec<f64>, %c: i1) -> !phi.vec<f64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %steps = arith.select %c, %one, %zero : i64
  %r = phi.fold (%k < %steps, %acc = %a) -> !phi.vec<f64> {
    %d = phi.array (%i < %n) -> !phi.vec<f64> {
      %0 = arith.constant 0.0 : f64
      %s = phi.fold (%j < %n, %sum = %0) -> f64 {
        %x = phi.get %b[%j] : !phi.vec<f64>[i64]
        %i1 = arith.index_cast %i : index to i64
        %y = phi.get %a[%i1] : !phi.vec<f64>[i64]
        %e = math.exp %x : f64
        %z = arith.mulf %e, %y : f64
        %t = arith.addf %sum, %z : f64
        phi.yield %t : f64
      }
      phi.yield %s : f64
    }
    phi.yield %d : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @in_branch(
// CHECK-NOT:   phi.array
// CHECK:       %r = phi.fold
// CHECK-NOT:   return
// CHECK:       %d = phi.array
// CHECK:       phi.yield %d

// In a loop, it leaves the branch with the loop.

func.func @in_loop(%a: !phi.vec<f64>, %c: !phi.vec<i1>) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %0 = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %c, 0 : !phi.vec<i1>
  %r = phi.fold (%l < %m, %u = %0) -> f64 {
    %test = phi.get %c[%l] : !phi.vec<i1>[i64]
    %steps = arith.select %test, %one, %zero : i64
    %v = phi.fold (%k < %steps, %acc = %u) -> f64 {
      %s = phi.fold (%j < %n, %sum = %0) -> f64 {
        %x = phi.get %a[%j] : !phi.vec<f64>[i64]
        %e = math.exp %x : f64
        %t = arith.addf %sum, %e : f64
        phi.yield %t : f64
      }
      %w = arith.divf %acc, %s : f64
      phi.yield %w : f64
    }
    phi.yield %v : f64
  }
  func.return %r : f64
}

// CHECK-LABEL: func.func @in_loop(
// CHECK:       %s = phi.fold (%j < %n
// CHECK:       %r = phi.fold (%l < %m
// CHECK-NEXT:    %test = phi.get

func.func @number_in_branch(%a: !phi.vec<f64>, %u: f64, %c: i1) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %0 = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %steps = arith.select %c, %one, %zero : i64
  %v = phi.fold (%k < %steps, %acc = %u) -> f64 {
    %s = phi.fold (%j < %n, %sum = %0) -> f64 {
      %x = phi.get %a[%j] : !phi.vec<f64>[i64]
      %e = math.exp %x : f64
      %t = arith.addf %sum, %e : f64
      phi.yield %t : f64
    }
    %w = arith.divf %acc, %s : f64
    phi.yield %w : f64
  }
  func.return %v : f64
}

// CHECK-LABEL: func.func @number_in_branch(
// CHECK-NOT:   phi.array
// CHECK:       %v = phi.fold
// CHECK:       %s = phi.fold
// CHECK:       func.return %v
