// RUN: ein-opt %s -p emitpy-cse | filecheck %s
// RUN: ein-opt %s -p emitpy-cse -t python | filecheck %s --check-prefix=PYTHON

// Positions that are clipped to the same bounds are clipped once, although the literals are written
// out twice.

func.func @positions(%a: tensor<?xf64>, %b: tensor<?xf64>, %i: tensor<?xi64>, %n: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %p = emitpy.call "np.clip"(%i, %zero, %n) : (tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xi64>
  %x = emitpy.subscript %a[%p] : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %nought = emitpy.literal 0 : i64
  %q = emitpy.call "np.clip"(%i, %nought, %n) : (tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?xi64>
  %y = emitpy.subscript %b[%q] : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %z = emitpy.binary %x "+" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func @positions(
// CHECK:         %p = emitpy.call "np.clip"(%i, %zero, %n)
// CHECK-NEXT:    %x = emitpy.subscript %a[%p]
// CHECK-NOT:     np.clip
// CHECK:         %y = emitpy.subscript %b[%p]
// PYTHON-LABEL: def positions(a, b, i, n):
// PYTHON-NEXT:     p = np.clip(i, 0, n)
// PYTHON-NEXT:     return a[p] + b[p]

// A loop shares values computed before it; values computed in it stay in it.

func.func @loop(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %acc = %x) : !emitpy.object -> tensor<?xf64> {
    %y = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %z = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %0 = emitpy.binary %y "*" %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %1 = emitpy.binary %acc "+" %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %1 : tensor<?xf64>
  }
  %s = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %t = emitpy.binary %s "+" %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r, %t : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def loop(a, n):
// PYTHON-NEXT:     acc = np.exp(a)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         y = np.sin(a)
// PYTHON-NEXT:         acc = acc + y * y
// PYTHON-NEXT:     s = np.sin(a)
// PYTHON-NEXT:     return acc, s + s

// Arrays that are written to, returned, or carried stay separate.

func.func @apart(%n: !emitpy.object, %x: tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %all = emitpy.slice
  %a = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
  %b = emitpy.call "np.empty"(%n) : (!emitpy.object) -> tensor<?xf64>
  %c = emitpy.store %a[%all : !emitpy.object], %x : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %d = emitpy.store %b[%all : !emitpy.object], %x : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %e = emitpy.call "np.zeros"(%n) : (!emitpy.object) -> tensor<?xf64>
  %f = emitpy.call "np.zeros"(%n) : (!emitpy.object) -> tensor<?xf64>
  func.return %c, %d, %e, %f : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def apart(n, x):
// PYTHON-NEXT:     a = np.empty(n)
// PYTHON-NEXT:     b = np.empty(n)
// PYTHON-NEXT:     a[:] = x
// PYTHON-NEXT:     b[:] = x
// PYTHON-NEXT:     return a, b, np.zeros(n), np.zeros(n)

func.func @accumulators(%n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %zero = emitpy.literal 0 : i64
  %a = emitpy.call "np.zeros"(%n) : (!emitpy.object) -> tensor<?xf64>
  %b = emitpy.call "np.zeros"(%n) : (!emitpy.object) -> tensor<?xf64>
  %r, %s = emitpy.for (%k < %n, %x = %a, %y = %b) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %v = emitpy.store %x[%k : !emitpy.object], %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %w = emitpy.store %y[%zero : !emitpy.object], %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %v, %w : tensor<?xf64>, tensor<?xf64>
  }
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def accumulators(n):
// PYTHON-NEXT:     x = np.zeros(n)
// PYTHON-NEXT:     y = np.zeros(n)
// PYTHON-NEXT:     for k in range(n):

// Other attributes or types are other values.

func.func @different(%a: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %x = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %y = emitpy.call "np.log"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %0 = emitpy.binary %x "+" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = emitpy.binary %x "-" %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def different(a):
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     y = np.log(a)
// PYTHON-NEXT:     return x + y, x - y

// A second check of a condition is removed. Sums of numbers are shared in a loop, and repeated
// elsewhere.

func.func @checks(%a: tensor<?xf64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xf64>) {
  %one = emitpy.literal 1 : i64
  %zero = emitpy.literal 0 : i64
  %0 = emitpy.binary %n "<" %zero : (!emitpy.object, !emitpy.object) -> !emitpy.object
  emitpy.raise_if %0, "ValueError", "no rows"() : !emitpy.object
  %1 = emitpy.binary %n "+" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %x = emitpy.subscript %a[%1] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %2 = emitpy.binary %n "+" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %y = emitpy.call "np.full"(%2) : (!emitpy.object) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %acc = %y) : !emitpy.object -> tensor<?xf64> {
    %3 = emitpy.binary %n "<" %zero : (!emitpy.object, !emitpy.object) -> !emitpy.object
    emitpy.raise_if %3, "ValueError", "no columns"() : !emitpy.object
    %i = emitpy.binary %n "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %4 = emitpy.call "np.take"(%acc, %i) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %j = emitpy.binary %n "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %5 = emitpy.call "np.take"(%4, %j) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %5 : tensor<?xf64>
  }
  func.return %r, %x : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def checks(a, n):
// PYTHON-NEXT:     if n < 0:
// PYTHON-NEXT:         raise ValueError("no rows")
// PYTHON-NEXT:     acc = np.full(n + 1)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         i = n - 1
// PYTHON-NEXT:         acc = acc.take(i).take(i)
// PYTHON-NEXT:     return acc, a[n + 1]
