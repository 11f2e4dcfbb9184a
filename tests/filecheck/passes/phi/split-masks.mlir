// RUN: ein-opt %s --split-input-file -p split-masks,simplify | filecheck %s
// RUN: ein-opt %s --split-input-file -p split-masks{conjunctions=true},simplify | filecheck %s --check-prefix=CONJUNCTIONS

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

// -----

// Sums over disjunctions of Ints: the total without the steps in which both parts fail.

func.func @conditions(%a: !phi.vec<!phi.vec<i1>>) -> (!phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>) {
  %none = arith.constant 0 : i64
  %some = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<i64>> {
    %s = phi.fold (%k < %m, %acc = %none) -> i64 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.ori %p, %q : i1
      %x = arith.select %c, %some, %none : i64
      %next = arith.addi %acc, %x : i64
      phi.yield %next : i64
    }
    phi.yield %s : i64
  }
  %t = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f32>> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f32 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.ori %p, %q : i1
      %x = arith.select %c, %half, %zero : f32
      %next = arith.addf %acc, %x : f32
      phi.yield %next : f32
    }
    phi.yield %s : f32
  }
  func.return %r, %t : !phi.vec<!phi.vec<i64>>, !phi.vec<!phi.vec<f32>>
}
// CHECK-LABEL: func.func @conditions(
// CHECK:           phi.fold (%k < %m, %acc = %{{.*}}) -> i64 {
// CHECK:             %[[U:.*]] = arith.select %p, %[[ZERO:.*]], %some : i64
// CHECK-NEXT:        %[[V:.*]] = arith.select %q, %[[ZERO]], %{{.*}} : i64
// CHECK-NEXT:        %[[UV:.*]] = arith.muli %[[U]], %[[V]] : i64
// CHECK-NEXT:        %[[X:.*]] = arith.subi %some, %[[UV]] : i64
// CHECK-NEXT:        arith.addi %acc, %[[X]] : i64
// CHECK:           phi.fold (%k_1 < %m, %acc_1 = %zero) -> f32 {
// CHECK-NOT:         arith.mulf
// CHECK:           func.return

// -----

// Tests of any and all steps: one of them begins with another value.

func.func @tests(%a: !phi.vec<!phi.vec<i1>>, %b: i1) -> !phi.vec<!phi.vec<i1>> {
  %false = arith.constant false
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<i1>> {
    %s = phi.fold (%k < %m, %acc = %false) -> i1 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.andi %p, %q : i1
      %next = arith.ori %acc, %c : i1
      phi.yield %next : i1
    }
    %t = phi.fold (%k < %m, %acc = %b) -> i1 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.ori %p, %q : i1
      %next = arith.andi %acc, %c : i1
      phi.yield %next : i1
    }
    %u = arith.xori %s, %t : i1
    phi.yield %u : i1
  }
  func.return %r : !phi.vec<!phi.vec<i1>>
}
// CHECK-LABEL: func.func @tests(
// CHECK:           phi.fold (%k < %m, %acc = %{{.*}}) -> f32 {
// CHECK:             arith.mulf
// CHECK:           %s = arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK:           phi.fold (%k_1 < %m, %acc_1 = %{{.*}}) -> f32 {
// CHECK:             arith.select %p_1, %[[NONE:.*]], %{{.*}} : f32
// CHECK-NEXT:        arith.select %q_1, %[[NONE]], %{{.*}} : f32
// CHECK-NEXT:        arith.mulf
// CHECK:           %[[NEVER:.*]] = arith.cmpf oeq, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:      %t = arith.andi %b, %[[NEVER]] : i1

// -----

// Left alone: tests of which one part stays the same in all steps, and a part that varies with all
// variables.

func.func @whole(%a: !phi.vec<!phi.vec<i1>>) -> !phi.vec<!phi.vec<i1>> {
  %false = arith.constant false
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<i1>> {
    %s = phi.fold (%k < %m, %acc = %false) -> i1 {
      %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%i, %j] : !phi.vec<!phi.vec<i1>>[index, index]
      %c = arith.andi %p, %q : i1
      %next = arith.ori %acc, %c : i1
      phi.yield %next : i1
    }
    %t = phi.fold (%k < %m, %acc = %s) -> i1 {
      %j_1 = arith.index_cast %j : index to i64
      %at = arith.addi %j_1, %k : i64
      %p = phi.get %a[%i, %at] : !phi.vec<!phi.vec<i1>>[index, i64]
      %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
      %c = arith.andi %p, %q : i1
      %next = arith.ori %acc, %c : i1
      phi.yield %next : i1
    }
    phi.yield %t : i1
  }
  func.return %r : !phi.vec<!phi.vec<i1>>
}
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     f32
// CHECK:         func.return

// The steps of a loop that carries an array follow one another: the array varies with k alone.

func.func @carried(%a: !phi.vec<!phi.vec<i1>>, %start: !phi.vec<i64>, %rounds: i64) -> !phi.vec<i64> {
  %false = arith.constant false
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<i1>>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<i1>>
  %r = phi.fold (%t < %rounds, %level = %start) -> !phi.vec<i64> {
    %next = phi.array (%j < %m) -> !phi.vec<i64> {
      %s = phi.fold (%k < %n, %acc = %false) -> i1 {
        %l = phi.get %level[%k] : !phi.vec<i64>[i64]
        %p = arith.cmpi eq, %l, %t : i64
        %q = phi.get %a[%k, %j] : !phi.vec<!phi.vec<i1>>[i64, index]
        %c = arith.andi %p, %q : i1
        %any = arith.ori %acc, %c : i1
        phi.yield %any : i1
      }
      %l_1 = phi.get %level[%j] : !phi.vec<i64>[index]
      %x = arith.select %s, %t, %l_1 : i64
      phi.yield %x : i64
    }
    phi.yield %next : !phi.vec<i64>
  }
  func.return %r : !phi.vec<i64>
}
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     f32
// CHECK:         func.return

// With `conjunctions` sums over conjunctions are products, and nothing else.

// CONJUNCTIONS-LABEL: func.func @common(
// CONJUNCTIONS:         arith.muli
// CONJUNCTIONS-LABEL: func.func @conditions(
// CONJUNCTIONS-NOT:     arith.mul
// CONJUNCTIONS:         func.return
// CONJUNCTIONS-LABEL: func.func @tests(
// CONJUNCTIONS-NOT:     f32
