// RUN: ein-opt %s --split-input-file -p 'narrow-folds{uniform=false aligned=true},simplify' | filecheck %s

// Sums of the elements from p[i] to q[i]: all take their steps together.
func.func @sums(%a: !phi.vec<f64>, %ps: !phi.vec<i64>, %qs: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %ps, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = phi.get %ps[%i] : !phi.vec<i64>[index]
    %q = phi.get %qs[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %behind = arith.cmpi sge, %k, %p : i64
      %before = arith.cmpi slt, %k, %q : i64
      %is_in = arith.andi %behind, %before : i1
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %is_in, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @sums(
// CHECK:          %p = phi.get %ps[%i] : !phi.vec<i64>[index]
// CHECK:          [[LENGTHS:%.*]] = phi.array ([[I:%.*]] < %m) -> !phi.vec<i64> {
// CHECK:            [[P:%.*]] = phi.get %ps{{\[}}[[I]]] : !phi.vec<i64>[index]
// CHECK:            [[LOW:%.*]] = arith.maxsi [[P]], %{{.*}} : i64
// CHECK-NEXT:       [[START:%.*]] = arith.minsi [[LOW]], %n : i64
// CHECK:            [[LENGTH:%.*]] = arith.subi %{{.*}}, [[START]] : i64
// CHECK:            [[STEPS:%.*]] = arith.maxsi [[LENGTH]], %{{.*}} : i64
// CHECK-NEXT:       phi.yield [[STEPS]] : i64
// CHECK:          [[LARGEST:%.*]] = phi.reduce [[LENGTHS]] identity %{{.*}} by { arith.maxsi } -> i64
// CHECK-NEXT:     [[MOST:%.*]] = arith.minsi [[LARGEST]], %n : i64
// CHECK:          [[COUNT:%.*]] = arith.maxsi [[MOST]], %{{.*}} : i64
// CHECK:          [[OWN:%.*]] = arith.maxsi %p, %{{.*}} : i64
// CHECK-NEXT:     [[S:%.*]] = arith.minsi [[OWN]], %n : i64
// CHECK:          [[D:%.*]] = arith.subi %{{.*}}, [[S]] : i64
// CHECK:          [[L:%.*]] = arith.maxsi [[D]], %{{.*}} : i64
// CHECK:          phi.fold ([[STEP:%.*]] < [[COUNT]], %acc = %zero) -> f64 {
// CHECK-DAG:        [[K:%.*]] = arith.addi [[S]], [[STEP]] : i64
// CHECK-DAG:        [[IN:%.*]] = arith.cmpi slt, [[STEP]], [[L]] : i64
// CHECK:            %x = phi.get %a{{\[}}[[K]]] : !phi.vec<f64>[i64]
// CHECK:            arith.select [[IN]], %x, %zero : f64

// -----

// One end is the same for all elements: the longest range may be all of the axis.
func.func @half(%a: !phi.vec<f64>, %ps: !phi.vec<i64>, %q: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %ps, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = phi.get %ps[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %behind = arith.cmpi sge, %k, %p : i64
      %before = arith.cmpi slt, %k, %q : i64
      %is_in = arith.andi %behind, %before : i1
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %y = arith.select %is_in, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @half(
// CHECK:          phi.fold (%k < %n,

// -----

// The array that is read has both axes: the steps of all elements are as many as its elements.
func.func @table(%a: !phi.vec<!phi.vec<f64>>, %ps: !phi.vec<i64>, %qs: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %ps, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = phi.get %ps[%i] : !phi.vec<i64>[index]
    %q = phi.get %qs[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %behind = arith.cmpi sge, %k, %p : i64
      %before = arith.cmpi slt, %k, %q : i64
      %is_in = arith.andi %behind, %before : i1
      %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = arith.select %is_in, %x, %zero : f64
      %next = arith.addf %acc, %y : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @table(
// CHECK:          phi.fold (%k < %n,

// -----

// A bound that varies with a step of a loop around the fold: each step has a longest range.
func.func @inside(%a: !phi.vec<f64>, %ps: !phi.vec<i64>, %qs: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %ps, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = phi.get %ps[%i] : !phi.vec<i64>[index]
    %t = phi.fold (%l < %m, %all = %zero) -> f64 {
      %q = phi.get %qs[%i] : !phi.vec<i64>[index]
      %end = arith.addi %q, %l : i64
      %s = phi.fold (%k < %n, %acc = %all) -> f64 {
        %behind = arith.cmpi sge, %k, %p : i64
        %before = arith.cmpi slt, %k, %end : i64
        %is_in = arith.andi %behind, %before : i1
        %x = phi.get %a[%k] : !phi.vec<f64>[i64]
        %y = arith.select %is_in, %x, %zero : f64
        %next = arith.addf %acc, %y : f64
        phi.yield %next : f64
      }
      phi.yield %s : f64
    }
    phi.yield %t : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @inside(
// CHECK:          phi.fold (%l < %m, %all = %zero) -> f64 {
// CHECK:            [[LENGTHS:%.*]] = phi.array ([[I:%.*]] < %m) -> !phi.vec<i64> {
// CHECK:              [[Q:%.*]] = phi.get %qs{{\[}}[[I]]] : !phi.vec<i64>[index]
// CHECK:              arith.addi [[Q]], %l : i64
// CHECK:            phi.reduce [[LENGTHS]] identity %{{.*}} by { arith.maxsi } -> i64

// -----

// Offsets that are cut at the ends of an array are no ranges of their own.
func.func @offsets(%a: !phi.vec<f64>, %m: i64) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %i_1 = arith.index_cast %i : index to i64
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %next = arith.addi %i_1, %k : i64
      %p = arith.subi %next, %one : i64
      %behind = arith.cmpi sge, %p, %none : i64
      %before = arith.cmpi slt, %p, %n : i64
      %is_in = arith.andi %behind, %before : i1
      %x = phi.get %a[%p] : !phi.vec<f64>[i64]
      %y = arith.select %is_in, %x, %zero : f64
      %sum = arith.addf %acc, %y : f64
      phi.yield %sum : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @offsets(
// CHECK:          phi.fold (%k < %m,

// -----

// Sums over the pairs k < i are one operation: the rows are as long as the longest.
func.func @pairs(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %total = %zero) -> f64 {
    %x = phi.get %a[%i] : !phi.vec<f64>[i64]
    %s = phi.fold (%k < %i, %acc = %zero) -> f64 {
      %y = phi.get %a[%k] : !phi.vec<f64>[i64]
      %xy = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %xy : f64
      phi.yield %next : f64
    }
    %after = arith.addf %total, %s : f64
    phi.yield %after : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:  func.func @pairs(
// CHECK:          phi.fold (%i < %n,
// CHECK:            phi.fold (%k < %n,
// CHECK:              [[IN:%.*]] = arith.cmpi slt, %k, %i : i64
// CHECK:              arith.select [[IN]]

// -----

// The rows of a loop that is no reduction keep their lengths.
func.func @rows(%a: !phi.vec<f64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %r = phi.fold (%i < %n, %x = %zero) -> f64 {
    %s = phi.fold (%k < %i, %acc = %zero) -> f64 {
      %y = phi.get %a[%k] : !phi.vec<f64>[i64]
      %xy = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %xy : f64
      phi.yield %next : f64
    }
    %after = math.sin %s : f64
    phi.yield %after : f64
  }
  func.return %r : f64
}

// CHECK-LABEL:  func.func @rows(
// CHECK:            phi.fold (%k < %i,

// -----

// A count in steps is the counter: in steps from p[i] on it would vary with the index.
func.func @counts(%a: !phi.vec<f64>, %ps: !phi.vec<i64>, %qs: !phi.vec<i64>) -> !phi.vec<f64> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<f64>
  %m = phi.size %ps, 0 : !phi.vec<i64>
  %r = phi.array (%i < %m) -> !phi.vec<f64> {
    %p = phi.get %ps[%i] : !phi.vec<i64>[index]
    %q = phi.get %qs[%i] : !phi.vec<i64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %behind = arith.cmpi sge, %k, %p : i64
      %before = arith.cmpi slt, %k, %q : i64
      %is_in = arith.andi %behind, %before : i1
      %x = phi.fold (%t < %k, %u = %acc) -> f64 {
        %v = phi.get %a[%t] : !phi.vec<f64>[i64]
        %w = arith.subf %v, %u : f64
        phi.yield %w : f64
      }
      %next = arith.select %is_in, %x, %acc : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL:  func.func @counts(
// CHECK:          phi.fold (%k < %n, %acc = %zero) -> f64 {
// CHECK:            phi.fold (%t < %k, %u = %acc) -> f64 {
