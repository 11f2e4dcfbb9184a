// RUN: ein-opt %s -p "share-elements{folds=true},simplify" | filecheck %s
// RUN: ein-opt %s -p "share-elements{folds=true differentiable=true},simplify" | filecheck %s --check-prefix=GRAD
// RUN: ein-opt %s -p "share-elements{folds=true differentiable=true static=true},simplify" | filecheck %s --check-prefix=STATIC

// Differences of neighbours in a row at a computed position: one for each row and column.
func.func @difference(%a: !phi.vec<!phi.vec<f64>>, %n: i64, %m: i64) -> !phi.vec<!phi.vec<f64>> {
  %half = arith.constant 5.0e-01 : f64
  %one = arith.constant 1 : i64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f64
    %g = arith.mulf %f, %half : f64
    %p = arith.fptosi %g : f64 to i64
    %l = arith.index_cast %j : index to i64
    %q = arith.addi %l, %one : i64
    %x = phi.get %a[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
    %y = phi.get %a[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %d = arith.subf %x, %y : f64
    %z = arith.mulf %d, %g : f64
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @difference(
// CHECK:         [[TABLE:%\d+]] = phi.array (%{{.+}} < %{{.+}}, %{{.+}} < %m)
// CHECK:           arith.subf
// CHECK:         phi.array (
// CHECK:           %p = arith.fptosi
// CHECK:           phi.get [[TABLE]][%p, %{{.+}}]
// CHECK-NEXT:      arith.mulf
// CHECK:         phi.concat
// GRAD-LABEL:  func.func @difference(
// GRAD-NOT:      phi.fold
// GRAD:          phi.concat
// STATIC-LABEL: func.func @difference(
// STATIC:         phi.concat

// A product of matrices at positions that are looked up: of all rows. Where derivatives are recorded,
// if all elements are finite.
func.func @messages(%h: !phi.vec<!phi.vec<f64>>, %s: !phi.vec<i64>, %w: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %zero = arith.constant 0.0 : f64
  %n = phi.size %s, 0 : !phi.vec<i64>
  %m = phi.size %w, 1 : !phi.vec<!phi.vec<f64>>
  %d = phi.size %w, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%e < %n, %o < %m) -> !phi.vec<!phi.vec<f64>> {
    %p = phi.get %s[%e] : !phi.vec<i64>[index]
    %sum = phi.fold (%k < %d, %acc = %zero) -> f64 {
      %x = phi.get %h[%p, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %w[%k, %o] : !phi.vec<!phi.vec<f64>>[i64, index]
      %z = arith.mulf %x, %y : f64
      %t = arith.addf %acc, %z : f64
      phi.yield %t : f64
    }
    phi.yield %sum : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @messages(
// CHECK-NOT:     math.absf
// CHECK:         [[TABLE:%\d+]] = phi.array (%{{.+}} < %{{.+}}, %{{.+}} < %m)
// CHECK:           phi.fold
// CHECK:         phi.array (
// CHECK-NEXT:      %p = phi.get %s
// CHECK-NEXT:      phi.get [[TABLE]][%p, %{{.+}}]
// CHECK:         phi.concat
// GRAD-LABEL:  func.func @messages(
// GRAD:          math.absf
// GRAD:          phi.concat
// STATIC-LABEL: func.func @messages(
// STATIC-NOT:     phi.concat

// Not if another factor varies with the index, or if the position itself is a number: it may be out
// of bounds.
func.func @not(%a: !phi.vec<!phi.vec<f64>>, %s: !phi.vec<i64>, %b: !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %s, 0 : !phi.vec<i64>
  %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
  %one = arith.constant 1 : i64
  %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
    %p = phi.get %s[%i] : !phi.vec<i64>[index]
    %f = arith.sitofp %p : i64 to f64
    %l = arith.index_cast %j : index to i64
    %q = arith.addi %l, %one : i64
    %u = phi.get %b[%i] : !phi.vec<f64>[index]
    %x = phi.get %a[%p, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
    %y = phi.get %a[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %v = arith.mulf %x, %u : f64
    %w = arith.mulf %y, %f : f64
    %z = arith.addf %v, %w : f64
    phi.yield %z : f64
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @not(
// CHECK-NOT:     phi.concat

// A product with the row at the distance of two indices of equal sizes is one with each row, if there are at most
// twice as many.
func.func @distance(%q: !phi.vec<!phi.vec<f64>>, %r: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %q, 0 : !phi.vec<!phi.vec<f64>>
  %d = phi.size %q, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %t = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %a = arith.addi %n, %l : i64
    %p = arith.subi %a, %k : i64
    %s = phi.fold (%e < %d, %acc = %zero) -> f64 {
      %x = phi.get %q[%i, %e] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %r[%p, %e] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %t : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @distance(
// CHECK:         [[TABLE:%\d+]] = phi.array (%{{.+}} < %{{.+}}, %{{.+}} < %{{.+}})
// CHECK-NEXT:      phi.fold
// CHECK:         phi.array (
// CHECK:           phi.get [[TABLE]][%p, %i]
// CHECK:         phi.concat
// GRAD-LABEL:  func.func @distance(
// GRAD:          math.absf
// GRAD:          phi.concat
// STATIC-LABEL: func.func @distance(
// STATIC-NOT:     phi.concat

// Not in a window, whose positions are few, nor with another index of the other factor: that makes products of
// matrices of the windows.
func.func @no_distance(%q: !phi.vec<!phi.vec<f64>>, %r: !phi.vec<!phi.vec<f64>>, %w: i64) -> (!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<!phi.vec<f64>>>) {
  %n = phi.size %q, 0 : !phi.vec<!phi.vec<f64>>
  %d = phi.size %q, 1 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %t = phi.array (%i < %n, %j < %w) -> !phi.vec<!phi.vec<f64>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %p = arith.addi %l, %k : i64
    %s = phi.fold (%e < %d, %acc = %zero) -> f64 {
      %x = phi.get %q[%i, %e] : !phi.vec<!phi.vec<f64>>[index, i64]
      %y = phi.get %r[%p, %e] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.mulf %x, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  %u = phi.array (%h < %w, %i < %n, %j < %n) -> !phi.vec<!phi.vec<!phi.vec<f64>>> {
    %k = arith.index_cast %i : index to i64
    %l = arith.index_cast %j : index to i64
    %p = arith.addi %l, %k : i64
    %s = phi.fold (%e < %d, %acc = %zero) -> f64 {
      %x = phi.get %q[%i, %e] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = phi.get %q[%h, %e] : !phi.vec<!phi.vec<f64>>[index, i64]
      %c = arith.addf %x, %b : f64
      %y = phi.get %r[%p, %e] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.mulf %c, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    phi.yield %s : f64
  }
  func.return %t, %u : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @no_distance(
// CHECK-NOT:     phi.concat
