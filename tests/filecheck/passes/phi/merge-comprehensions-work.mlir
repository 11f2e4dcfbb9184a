// RUN: ein-opt %s --split-input-file -p 'merge-comprehensions{work=true},outline' | filecheck %s

// Comprehensions whose folds compute the same function become one, and so do the folds, also those
// in their steps; one that computes another function stays apart.
func.func @gradients(%u: !phi.vec<f64>, %v: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %u, 0 : !phi.vec<f64>
  %m = phi.size %v, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %t = phi.fold (%l < %m, %inner = %zero) -> f64 {
        %y = phi.get %v[%k] : !phi.vec<f64>[i64]
        %z = phi.get %v[%l] : !phi.vec<f64>[i64]
        %d = arith.subf %y, %x : f64
        %p = arith.mulf %d, %z : f64
        %e = math.exp %p : f64
        %next = arith.addf %inner, %e : f64
        phi.yield %next : f64
      }
      %more = arith.addf %acc, %t : f64
      phi.yield %more : f64
    }
    phi.yield %s : f64
  }
  %b = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %t = phi.fold (%l < %m, %inner = %zero) -> f64 {
        %y = phi.get %v[%k] : !phi.vec<f64>[i64]
        %z = phi.get %v[%l] : !phi.vec<f64>[i64]
        %d = arith.subf %y, %x : f64
        %p = arith.mulf %d, %z : f64
        %e = math.exp %p : f64
        %w = arith.mulf %e, %z : f64
        %next = arith.subf %inner, %w : f64
        phi.yield %next : f64
      }
      %more = arith.addf %acc, %t : f64
      phi.yield %more : f64
    }
    phi.yield %s : f64
  }
  %c = phi.array (%i < %n) -> !phi.vec<f64> {
    %x = phi.get %u[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %v[%k] : !phi.vec<f64>[i64]
      %p = arith.mulf %x, %y : f64
      %e = math.sin %p : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %a, %b, %c : !phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @gradients(
// CHECK:         phi.array ({{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:           phi.fold ({{.*}}) -> tuple<f64, f64> {
// CHECK:             phi.fold ({{.*}}) -> tuple<f64, f64> {
// CHECK:               math.exp
// CHECK-NOT:         math.exp
// CHECK:         phi.array ({{.*}}) -> !phi.vec<f64> {
// CHECK:           math.sin
// CHECK-NOT:     phi.array

// -----

// Sums of products may be products of matrices each: they stay apart.
func.func @products(%a: !phi.vec<!phi.vec<f64>>, %u: !phi.vec<f64>, %v: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %m = phi.size %u, 0 : !phi.vec<f64>
  %x = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %z = phi.get %u[%k] : !phi.vec<f64>[i64]
      %p = arith.mulf %y, %z : f64
      %next = arith.addf %acc, %p : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %w = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
      %y = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %z = phi.get %v[%k] : !phi.vec<f64>[i64]
      %p = arith.mulf %y, %z : f64
      %next = arith.addf %acc, %p : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %x, %w : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @products(
// CHECK-COUNT-2: phi.array ({{.*}}) -> !phi.vec<f64> {

// -----

// A position may be an index or a cast index: both folds compute the same differences.
func.func @pairs(%x: !phi.vec<f64>, %w: !phi.vec<f64>) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %x, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = phi.get %x[%i] : !phi.vec<f64>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %q = phi.get %x[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %q, %p : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %b = phi.array (%j < %n) -> !phi.vec<f64> {
    %c = arith.index_cast %j : index to i64
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %p = phi.get %x[%c] : !phi.vec<f64>[i64]
      %q = phi.get %x[%k] : !phi.vec<f64>[i64]
      %d = arith.subf %q, %p : f64
      %e = math.exp %d : f64
      %v = phi.get %w[%c] : !phi.vec<f64>[i64]
      %t = arith.mulf %e, %v : f64
      %next = arith.addf %acc, %t : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @pairs(
// CHECK:         phi.array ({{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:           phi.fold ({{.*}}) -> tuple<f64, f64> {
// CHECK:             math.exp
// CHECK-NOT:         math.exp

// -----

// Two ends of one recurrence, which is no reduction, are one loop.
func.func @ends(%x: !phi.vec<f64>, %u: f64, %v: f64, %c: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = phi.get %x[%i] : !phi.vec<f64>[index]
    %init = phi.tuple (%p, %u) : tuple<f64, f64>
    %r = phi.fold (%k < %c, %acc = %init) -> tuple<f64, f64> {
      %s = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %t = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %d = arith.mulf %s, %t : f64
      %next = phi.tuple (%d, %s) : tuple<f64, f64>
      phi.yield %next : tuple<f64, f64>
    }
    %e = phi.proj %r, 0 : tuple<f64, f64> -> f64
    phi.yield %e : f64
  }
  %b = phi.array (%j < %n) -> !phi.vec<f64> {
    %p = phi.get %x[%j] : !phi.vec<f64>[index]
    %init = phi.tuple (%p, %u) : tuple<f64, f64>
    %r = phi.fold (%k < %c, %acc = %init) -> tuple<f64, f64> {
      %s = phi.proj %acc, 0 : tuple<f64, f64> -> f64
      %t = phi.proj %acc, 1 : tuple<f64, f64> -> f64
      %d = arith.mulf %s, %t : f64
      %next = phi.tuple (%d, %s) : tuple<f64, f64>
      phi.yield %next : tuple<f64, f64>
    }
    %e = phi.proj %r, 1 : tuple<f64, f64> -> f64
    phi.yield %e : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @ends(
// CHECK:         phi.array ({{.*}}) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
// CHECK:           phi.fold
// CHECK-NOT:       phi.fold
// CHECK:         func.return

// -----

// From another number, the loop is another one.
func.func @starts(%x: !phi.vec<f64>, %u: f64, %v: f64, %c: i64) -> (!phi.vec<f64>, !phi.vec<f64>) {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %a = phi.array (%i < %n) -> !phi.vec<f64> {
    %p = phi.get %x[%i] : !phi.vec<f64>[index]
    %r = phi.fold (%k < %c, %acc = %u) -> f64 {
      %d = arith.divf %acc, %p : f64
      %next = arith.addf %d, %p : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  %b = phi.array (%j < %n) -> !phi.vec<f64> {
    %p = phi.get %x[%j] : !phi.vec<f64>[index]
    %r = phi.fold (%k < %c, %acc = %v) -> f64 {
      %d = arith.divf %acc, %p : f64
      %next = arith.addf %d, %p : f64
      phi.yield %next : f64
    }
    phi.yield %r : f64
  }
  func.return %a, %b : !phi.vec<f64>, !phi.vec<f64>
}

// CHECK-LABEL: func.func @starts(
// CHECK:         phi.array ({{.*}}) -> !phi.vec<f64> {
// CHECK:         phi.array ({{.*}}) -> !phi.vec<f64> {
