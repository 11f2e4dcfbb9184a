// RUN: ein-opt %s --split-input-file -p hoist-reads | filecheck %s
// RUN: ein-opt %s --split-input-file -p hoist-reads{steps=true} | filecheck %s --check-prefix=STEPS

// Elements that steps read after an update of the array are read before it: both updates are in
// place.

func.func @exchange(%x: !phi.vec<f64>, %i: i64, %j: i64) -> !phi.vec<f64> {
  %a = phi.get %x[%j] : !phi.vec<f64>[i64]
  %y = phi.update %x[%i], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %one = arith.constant 1 : i64
  %p = arith.addi %i, %one : i64
  %b = phi.get %x[%p] : !phi.vec<f64>[i64]
  %c = math.sqrt %b : f64
  %z = phi.update %y[%j], %c : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  func.return %z : !phi.vec<f64>
}

// CHECK-LABEL: func.func @exchange(
// CHECK-NEXT:    %a = phi.get %x[%j]
// CHECK-NEXT:    %one = arith.constant 1 : i64
// CHECK-NEXT:    %p = arith.addi %i, %one : i64
// CHECK-NEXT:    %b = phi.get %x[%p]
// CHECK-NEXT:    %y = phi.update %x[%i], %a
// CHECK-NEXT:    %c = math.sqrt %b : f64
// CHECK-NEXT:    %z = phi.update %y[%j], %c
// STEPS-LABEL: func.func @exchange(
// STEPS:         phi.update %x[%i], %a
// STEPS:         phi.get %x[%p]

// -----

// Not at a position that depends on the update; rows share the memory of the array.

func.func @kept(%x: !phi.vec<!phi.vec<i64>>, %v: !phi.vec<i64>, %i: i64) -> tuple<i64, !phi.vec<i64>> {
  %y = phi.update %v[%i], %i : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
  %p = phi.get %y[%i] : !phi.vec<i64>[i64]
  %a = phi.get %v[%p] : !phi.vec<i64>[i64]
  %z = phi.update %x[%i], %y : (!phi.vec<!phi.vec<i64>>, i64, !phi.vec<i64>) -> !phi.vec<!phi.vec<i64>>
  %row = phi.get %x[%a] : !phi.vec<!phi.vec<i64>>[i64]
  %other = phi.get %z[%i] : !phi.vec<!phi.vec<i64>>[i64]
  %b = phi.get %other[%i] : !phi.vec<i64>[i64]
  %t = phi.tuple (%b, %row) : tuple<i64, !phi.vec<i64>>
  func.return %t : tuple<i64, !phi.vec<i64>>
}

// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    %y = phi.update %v[%i], %i
// CHECK-NEXT:    %p = phi.get %y[%i]
// CHECK-NEXT:    %a = phi.get %v[%p]
// CHECK-NEXT:    %z = phi.update %x[%i], %y
// CHECK-NEXT:    %row = phi.get %x[%a]

// -----

// So is a row that a comprehension computes from rows of both arrays, with what it needs.

func.func @rows(%x: !phi.vec<!phi.vec<f64>>, %y: !phi.vec<!phi.vec<f64>>, %n: i64, %i: i64) -> tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>> {
  %one = arith.constant 1 : i64
  %above = arith.subi %i, %one : i64
  %a = phi.array (%s < %n) -> !phi.vec<f64> {
    %p = phi.get %x[%above, %s] : !phi.vec<!phi.vec<f64>>[i64, index]
    phi.yield %p : f64
  }
  %u = phi.update %x[%i], %a : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
  %row = phi.get %x[%above] : !phi.vec<!phi.vec<f64>>[i64]
  %b = phi.array (%t < %n) -> !phi.vec<f64> {
    %q = phi.get %row[%t] : !phi.vec<f64>[index]
    %r = phi.get %y[%above, %t] : !phi.vec<!phi.vec<f64>>[i64, index]
    %sum = arith.addf %q, %r : f64
    phi.yield %sum : f64
  }
  %v = phi.update %y[%i], %b : (!phi.vec<!phi.vec<f64>>, i64, !phi.vec<f64>) -> !phi.vec<!phi.vec<f64>>
  %z = phi.tuple (%u, %v) : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
  func.return %z : tuple<!phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>>>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         %a = phi.array
// CHECK:         %row = phi.get %x[%above]
// CHECK-NEXT:    %b = phi.array
// CHECK:         %u = phi.update %x[%i], %a
// CHECK-NEXT:    %v = phi.update %y[%i], %b

// -----

// A comprehension that calls the host program, or reads the new array, stays.

func.func private @f(f64) -> f64

func.func @calls(%x: !phi.vec<f64>, %n: i64, %i: i64, %a: f64) -> tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>> {
  %y = phi.update %x[%i], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
  %b = phi.array (%s < %n) -> !phi.vec<f64> {
    %p = phi.get %x[%s] : !phi.vec<f64>[index]
    %q = phi.extern @f(%p) : (f64) -> f64
    phi.yield %q : f64
  }
  %c = phi.array (%t < %n) -> !phi.vec<f64> {
    %r = phi.get %x[%t] : !phi.vec<f64>[index]
    %u = phi.get %y[%t] : !phi.vec<f64>[index]
    %sum = arith.addf %r, %u : f64
    phi.yield %sum : f64
  }
  %z = phi.tuple (%y, %b, %c) : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>>
  func.return %z : tuple<!phi.vec<f64>, !phi.vec<f64>, !phi.vec<f64>>
}

// CHECK-LABEL: func.func @calls(
// CHECK-NEXT:    %y = phi.update %x[%i], %a

// -----

// A loop that starts from an array updates it, too: a loop over elements of the array is before it.

func.func @loops(%x: !phi.vec<f64>, %n: i64, %i: i64, %a: f64) -> tuple<tuple<i64, !phi.vec<f64>>, f64> {
  %s = phi.tuple (%i, %x) : tuple<i64, !phi.vec<f64>>
  %y = phi.fold (%k < %n, %c = %s) -> tuple<i64, !phi.vec<f64>> {
    %v = phi.proj %c, 1 : tuple<i64, !phi.vec<f64>> -> !phi.vec<f64>
    %u = phi.update %v[%k], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %t = phi.tuple (%k, %u) : tuple<i64, !phi.vec<f64>>
    phi.yield %t : tuple<i64, !phi.vec<f64>>
  }
  %start = phi.tuple (%i, %a) : tuple<i64, f64>
  %sum = phi.fold (%k < %n, %c = %start) -> tuple<i64, f64> {
    %e = phi.get %x[%k] : !phi.vec<f64>[i64]
    %f = phi.proj %c, 1 : tuple<i64, f64> -> f64
    %g = arith.addf %f, %e : f64
    %t = phi.tuple (%k, %g) : tuple<i64, f64>
    phi.yield %t : tuple<i64, f64>
  }
  %total = phi.proj %sum, 1 : tuple<i64, f64> -> f64
  %z = phi.tuple (%y, %total) : tuple<tuple<i64, !phi.vec<f64>>, f64>
  func.return %z : tuple<tuple<i64, !phi.vec<f64>>, f64>
}

// CHECK-LABEL: func.func @loops(
// CHECK:         %sum = phi.fold
// CHECK:         %y = phi.fold

// -----

// In a step, before a loop that starts from the array.

func.func @tree(%x: !phi.vec<i64>, %n: i64) -> tuple<!phi.vec<i64>, i64> {
  %zero = arith.constant 0 : i64
  %start = phi.tuple (%x, %zero) : tuple<!phi.vec<i64>, i64>
  %r = phi.fold (%i < %n, %s = %start) -> tuple<!phi.vec<i64>, i64> {
    %v = phi.proj %s, 0 : tuple<!phi.vec<i64>, i64> -> !phi.vec<i64>
    %w = phi.fold (%k < %i, %u = %v) -> !phi.vec<i64> {
      %a = phi.get %u[%k] : !phi.vec<i64>[i64]
      %b = phi.update %u[%i], %a : (!phi.vec<i64>, i64, i64) -> !phi.vec<i64>
      phi.yield %b : !phi.vec<i64>
    }
    %t = phi.fold (%l < %n, %c = %zero) -> i64 {
      %d = phi.get %v[%l] : !phi.vec<i64>[i64]
      %e = arith.xori %c, %d : i64
      phi.yield %e : i64
    }
    %next = phi.tuple (%w, %t) : tuple<!phi.vec<i64>, i64>
    phi.yield %next : tuple<!phi.vec<i64>, i64>
  }
  func.return %r : tuple<!phi.vec<i64>, i64>
}

// CHECK-LABEL: func.func @tree(
// CHECK:         %t = phi.fold
// CHECK:         %w = phi.fold
// STEPS-LABEL: func.func @tree(
// STEPS:         %t = phi.fold
// STEPS:         %w = phi.fold

// A column is replaced after an element: its sums over the rows before are computed first.

func.func @column(%x: !phi.vec<!phi.vec<f64>>, %j: i64, %zero: f64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %y = phi.update %x[%j, %j], %zero : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
  %z = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %y[%i] : !phi.vec<!phi.vec<f64>>[index]
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = arith.addf %acc, %a : f64
      phi.yield %b : f64
    }
    %t = phi.update %row[%j], %s : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %t : !phi.vec<f64>
  }
  func.return %z : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @column(
// CHECK:         %[[SUMS:.*]] = phi.array (%[[I:.*]] < %n) -> !phi.vec<f64> {
// CHECK-NEXT:      phi.fold
// CHECK:         %y = phi.update %x[%j, %j], %zero
// CHECK-NEXT:    %z = phi.array (%[[K:.*]] < %n)
// CHECK-NEXT:      %row = phi.get %y[%[[K]]]
// CHECK-NEXT:      %[[S:.*]] = phi.get %[[SUMS]][%[[K]]] : !phi.vec<f64>[index]
// CHECK-NEXT:      phi.update %row[%j], %[[S]]
// STEPS-LABEL: func.func @column(
// STEPS-NEXT:    %n = phi.size
// STEPS-NEXT:    %y = phi.update

// Not if the sums need what the update computes.

func.func @later(%x: !phi.vec<!phi.vec<f64>>, %j: i64, %zero: f64) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<!phi.vec<f64>>
  %y = phi.update %x[%j, %j], %zero : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
  %z = phi.array (%i < %n) -> !phi.vec<f64> {
    %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %a = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
      %b = phi.get %y[%k, %i] : !phi.vec<!phi.vec<f64>>[i64, index]
      %c = arith.mulf %a, %b : f64
      %d = arith.addf %acc, %c : f64
      phi.yield %d : f64
    }
    phi.yield %s : f64
  }
  func.return %z : !phi.vec<f64>
}

// CHECK-LABEL: func.func @later(
// CHECK-NEXT:    %n = phi.size
// CHECK-NEXT:    %y = phi.update

// -----

// Values of a second slice are computed before the first one is written.
func.func @slices(%x: !phi.vec<f64>, %v: !phi.vec<f64>, %n: i64, %one: i64, %two: i64) -> !phi.vec<f64> {
  %r = phi.fold (%k < %n, %acc = %x) -> !phi.vec<f64> {
    %y = phi.update_slice %acc[%one by %two], %v : !phi.vec<f64>
    %w = phi.array (%i < %n) -> !phi.vec<f64> {
      %a = phi.get %acc[%i] : !phi.vec<f64>[index]
      %b = math.sqrt %a : f64
      phi.yield %b : f64
    }
    %z = phi.update_slice %y[%two by %two], %w : !phi.vec<f64>
    phi.yield %z : !phi.vec<f64>
  }
  func.return %r : !phi.vec<f64>
}

// STEPS-LABEL: func.func @slices(
// STEPS:           %w = phi.array
// STEPS:           %y = phi.update_slice
// STEPS-NEXT:      %z = phi.update_slice

// -----

// A row is updated after reads of all rows.
func.func @row(%a: !phi.vec<!phi.vec<f64>>, %p: i64, %q: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %r = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
    %row = phi.get %a[%i] : !phi.vec<!phi.vec<f64>>[index]
    %x = phi.get %a[%i, %q] : !phi.vec<!phi.vec<f64>>[index, i64]
    %new = phi.update %row[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    %y = phi.get %a[%p, %q] : !phi.vec<!phi.vec<f64>>[i64, i64]
    %z = arith.addf %x, %y : f64
    %both = phi.update %new[%q], %z : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
    phi.yield %both : !phi.vec<f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL: func.func @row(
// CHECK:           %x = phi.get %a[%i, %q]
// CHECK-NEXT:      %y = phi.get %a[%p, %q]
// CHECK-NEXT:      %new = phi.update %row[%p], %x

// -----

// A column that a sum reads after a comprehension has updated each row is read before it.
func.func @updated_rows(%a: !phi.vec<!phi.vec<f64>>, %x: !phi.vec<f64>, %steps: i64) -> !phi.vec<!phi.vec<f64>> {
  %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
  %zero = arith.constant 0.0 : f64
  %r = phi.fold (%k < %steps, %b = %a) -> !phi.vec<!phi.vec<f64>> {
    %c = phi.array (%i < %n) -> !phi.vec<!phi.vec<f64>> {
      %row = phi.get %b[%i] : !phi.vec<!phi.vec<f64>>[index]
      %new = phi.update %row[%k], %zero : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
      phi.yield %new : !phi.vec<f64>
    }
    %s = phi.fold (%t < %n, %acc = %zero) -> f64 {
      %old = phi.get %b[%t, %k] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %y = phi.get %c[%t, %t] : !phi.vec<!phi.vec<f64>>[i64, i64]
      %z = arith.mulf %old, %y : f64
      %next = arith.addf %acc, %z : f64
      phi.yield %next : f64
    }
    %d = phi.update %c[%k, %k], %s : (!phi.vec<!phi.vec<f64>>, i64, i64, f64) -> !phi.vec<!phi.vec<f64>>
    phi.yield %d : !phi.vec<!phi.vec<f64>>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}

// CHECK-LABEL:  func.func @updated_rows(
// CHECK:          %[[OLD:.*]] = phi.array (%{{.*}} < %n) -> !phi.vec<f64> {
// CHECK-NEXT:       phi.get %b[%{{.*}}, %k]
// CHECK:          phi.update %row[%k], %zero
// CHECK:          phi.fold (%[[T:.*]] < %n, %acc
// CHECK-NEXT:       phi.get %[[OLD]][%[[T]]]
