// RUN: ein-opt %s --split-input-file -p raise-writes,canonicalize,dce | filecheck %s

// All steps read element p, which step p writes: up to it the old one, then the new one.
func.func @one(%v: !phi.vec<f64>, %i: i64) -> !phi.vec<f64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%p < %n, %t = %v) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %u = %t) -> !phi.vec<f64> {
      %x = phi.get %u[%k] : !phi.vec<f64>[i64]
      %y = phi.get %u[%p] : !phi.vec<f64>[i64]
      %z = arith.addf %x, %y : f64
      %w = phi.update %u[%k], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %w : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @one(
// CHECK:         %r = phi.fold (%p < %n, %t = %v) -> !phi.vec<f64> {
// CHECK-NEXT:      %x = phi.get %t[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %y = phi.get %t[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:      %z = arith.addf %x, %y : f64
// CHECK:           phi.array (%[[K:.*]] < %{{.*}}) -> !phi.vec<f64> {
// CHECK:             %[[OLD:.*]] = arith.cmpi sle, %{{.*}}, %p : i64
// CHECK:             %[[Y:.*]] = phi.get %t[%p] : !phi.vec<f64>[i64]
// CHECK-NEXT:        %[[CHOSEN:.*]] = arith.select %[[OLD]], %[[Y]], %z : f64
// CHECK-NEXT:        arith.addf %{{.*}}, %[[CHOSEN]] : f64

// -----

// Two elements, of which steps write one after the other: a loop.
func.func @two(%v: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %v, 0 : !phi.vec<f64>
  %r = phi.fold (%p < %n, %t = %v) -> !phi.vec<f64> {
    %s = phi.fold (%q < %n, %u = %t) -> !phi.vec<f64> {
      %d = phi.fold (%k < %n, %o = %u) -> !phi.vec<f64> {
        %x = phi.get %o[%p] : !phi.vec<f64>[i64]
        %y = phi.get %o[%q] : !phi.vec<f64>[i64]
        %z = arith.addf %x, %y : f64
        %w = phi.update %o[%k], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
        phi.yield %w : !phi.vec<f64>
      }
      phi.yield %d : !phi.vec<f64>
    }
    phi.yield %s : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// CHECK-LABEL: func.func @two(
// CHECK:         phi.fold (%k < %n, %o = %u)

// -----

// A value that a step writes and uses is read from the array by the other write.
func.func @used(%a: !phi.vec<!phi.vec<f64>>, %c: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %start = phi.array (%i < %n, %j < %two) -> !phi.vec<!phi.vec<f64>> {
    %e = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
    phi.yield %e : f64
  }
  %r = phi.fold (%k < %n, %v = %start) -> !phi.vec<!phi.vec<f64>> {
    %x = phi.get %v[%k, %zero] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %y = arith.mulf %x, %c : f64
    %w = phi.update %v[%k, %zero], %y : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
    %z = phi.get %w[%k, %one] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %d = arith.subf %z, %y : f64
    %u = phi.update %w[%k, %one], %d : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
    phi.yield %u : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @used(
// CHECK-NOT:     phi.fold
// CHECK:         func.return

// -----

// The sums read elements that no step has written: they need no array of the steps.
func.func @early(%a: !phi.vec<f64>, %b: !phi.vec<f64>) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<f64>
  %two = arith.constant 2.0 : f64
  %init = phi.tuple (%a, %b) : tuple<!phi.vec<f64>, !phi.vec<f64>>
  %r = phi.fold (%k < %n, %s = %init) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
    %v = phi.proj %s, 0 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %w = phi.proj %s, 1 : tuple<!phi.vec<f64>, !phi.vec<f64>> -> !phi.vec<f64>
    %x = phi.get %v[%k] : !phi.vec<f64>[i64]
    %y = arith.mulf %x, %two : f64
    %v_1 = phi.update %v[%k], %y : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %z = phi.get %w[%k] : !phi.vec<f64>[i64]
    %d = arith.addf %z, %x : f64
    %w_1 = phi.update %w[%k], %d : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %next = phi.tuple (%v_1, %w_1) : tuple<!phi.vec<f64>, !phi.vec<f64>>
    phi.yield %next : tuple<!phi.vec<f64>, !phi.vec<f64>>
  }
  func.return %r : tuple<!phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @early(
// CHECK-NOT:     phi.fold
// CHECK:         phi.get %a[
// CHECK:         arith.mulf
// CHECK:         phi.get %a[
// CHECK:         arith.addf
// CHECK-NOT:     phi.fold
// CHECK:         func.return
