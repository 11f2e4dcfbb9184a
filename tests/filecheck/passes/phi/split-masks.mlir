// RUN: ein-opt %s --split-input-file -p split-masks,simplify | filecheck %s

// The conditions vary with i and k, and with j and k: each is a factor.

func.func @common(%a: !phi.vec<!phi.vec<i1>>) -> !phi.vec<!phi.vec<i64>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<i64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> i64 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.andi %p, %q : i1
      %x = arith.select %c, %one, %zero : i64
      %next = arith.addi %acc, %x : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  func.return %r : !phi.vec<!phi.vec<i64>>
}
// CHECK-LABEL: func.func @common(
// CHECK:           phi.fold (%k < %m, %acc = %zero) -> i64 {
// CHECK-NEXT:        %p = phi.get %a[%i, %k]
// CHECK-NEXT:        %q = phi.get %a[%j, %k]
// CHECK:             %[[U:.*]] = arith.select %p, %one, %{{.*}} : i64
// CHECK-NEXT:        %[[V:.*]] = arith.select %q, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:        %[[X:.*]] = arith.muli %[[U]], %[[V]] : i64
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %acc, %[[X]] : i64
// CHECK-NEXT:        phi.yield %[[NEXT]] : i64

// -----

// A step that keeps the sum, with a negated condition, and a literal that is another number.

func.func @kept(%a: !phi.vec<!phi.vec<i1>>, %b: !phi.vec<!phi.vec<i1>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %true = arith.constant true
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %b[%k, %j] : !phi.vec<!phi.vec<i1>>[i64, index]
      %not = arith.xori %q, %true : i1
      %c = arith.andi %p, %not : i1
      %sum = arith.addf %acc, %half : f64
      %next = arith.select %c, %sum, %acc : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @kept(
// CHECK:           phi.fold (%k < %m, %acc = %zero) -> f64 {
// CHECK:             %[[U:.*]] = arith.select %p, %{{.*}}, %{{.*}} : f64
// CHECK:             %[[V:.*]] = arith.select %q, %{{.*}}, %{{.*}} : f64
// CHECK-NEXT:        %[[X:.*]] = arith.mulf %[[U]], %[[V]] : f64
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addf %acc, %[[X]] : f64
// CHECK-NEXT:        phi.yield %[[NEXT]] : f64

// -----

// Left alone: a condition that varies with all variables of the other, a Float that may be infinite,
// and a maximum.

func.func @others(%a: !phi.vec<!phi.vec<i1>>, %x: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%k, %k] : !phi.vec<!phi.vec<i1>>[i64, i64]
      %c = arith.andi %p, %q : i1
      %y = arith.select %c, %one, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %t = phi.fold (%k < %m, %acc = %s) -> f64 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.andi %p, %q : i1
      %z = phi.get %x[%k] : !phi.vec<f64>[i64]
      %y = arith.select %c, %z, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    %u = phi.fold (%k < %m, %acc = %t) -> f64 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.andi %p, %q : i1
      %best = arith.maximumf %acc, %one : f64
      %next = arith.select %c, %best, %acc : f64
      phi.yield %next : f64
    }
    phi.yield %u : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     arith.mulf
// CHECK:         func.return
