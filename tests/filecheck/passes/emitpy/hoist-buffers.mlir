// RUN: ein-opt %s -p hoist-buffers | filecheck %s
// RUN: ein-opt %s -p hoist-buffers -t python | filecheck %s --check-prefix=PYTHON

// A temporary of a step is allocated once. Two with disjoint live ranges are one.

func.func @temporaries(%a: tensor<?xf64>, %b: tensor<?xf32>, %n: !emitpy.object) -> tensor<f64> {
  %zero = emitpy.call "np.float64"() : () -> tensor<f64>
  %s = emitpy.for (%k < %n, %acc = %zero) : !emitpy.object -> tensor<f64> {
    %x = emitpy.binary %a "*" %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %t = emitpy.method %x "sum"() : (tensor<?xf64>) -> tensor<f64>
    %y = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
    %c = emitpy.binary %b "<" %k : (tensor<?xf32>, !emitpy.object) -> tensor<?xi1>
    %u = emitpy.method %y "sum"() : (tensor<?xf64>) -> tensor<f64>
    %v = emitpy.method %c "sum"() : (tensor<?xi1>) -> tensor<i64>
    %p = emitpy.binary %t "+" %u : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %q = emitpy.binary %p "+" %v : (tensor<f64>, tensor<i64>) -> tensor<f64>
    %r = emitpy.binary %acc "+" %q : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %r : tensor<f64>
  }
  func.return %s : tensor<f64>
}
// CHECK-LABEL: func.func @temporaries(
// CHECK:         %x = emitpy.call "np.empty"(%{{.*}}) : (!emitpy.object) -> tensor<?xf64>
// CHECK:         %c = emitpy.call "np.empty"(%{{.*}}, dtype = %{{.*}}) : (!emitpy.object, !emitpy.object) -> tensor<?xi1>
// CHECK:         emitpy.for
// CHECK:           emitpy.call_into %x "np.multiply"(%a, %k)
// CHECK:           emitpy.call_into %x "np.exp"(%a)
// CHECK:           emitpy.call_into %c "np.less"(%b, %k)
// PYTHON-LABEL: def temporaries(a, b, n):
// PYTHON:           x = np.empty(a.shape[0])
// PYTHON-NEXT:      c = np.empty(b.shape[0], dtype=np.bool)

// The new value of an accumulator is computed in a spare buffer; the two alternate. The argument
// is not overwritten.

func.func @double_buffer(%a: tensor<?x?xf64>, %n: !emitpy.object) -> tensor<?x?xf64> {
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?x?xf64> {
    %t = emitpy.binary %acc "@" %acc : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %x = emitpy.binary %acc "+" %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %y = emitpy.augment %x "*" %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %y : tensor<?x?xf64>
  }
  %r = emitpy.method %s "copy"() : (tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// PYTHON-LABEL: def double_buffer(a, n):
// PYTHON-NEXT:     acc = a.copy()
// PYTHON-NEXT:     spare = np.empty((a.shape[0], a.shape[1]))
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         t = acc @ acc
// PYTHON-NEXT:         np.add(acc, k, out=spare)
// PYTHON-NEXT:         spare *= t
// PYTHON-NEXT:         acc, spare = spare, acc
// PYTHON-NEXT:     return acc

// Three buffers alternate if the old value is carried.

func.func @rotate(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %i = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %j = emitpy.call "np.sin"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %s, %t = emitpy.for (%k < %n, %now = %i, %before = %j) : !emitpy.object -> tensor<?xf64>, tensor<?xf64> {
    %x = emitpy.binary %now "-" %before : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %x, %now : tensor<?xf64>, tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// PYTHON-LABEL: def rotate(a, n):
// PYTHON-NEXT:     now = np.exp(a)
// PYTHON-NEXT:     before = np.sin(a)
// PYTHON-NEXT:     spare = np.empty(a.shape[0])
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         np.subtract(now, before, out=spare)
// PYTHON-NEXT:         now, before, spare = spare, now, before
// PYTHON-NEXT:     return now

// Before the outermost loop in which the sizes are known.

func.func @nested(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %i = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %x = %i) : !emitpy.object -> tensor<?xf64> {
    %s = emitpy.for (%l < %n, %y = %x) : !emitpy.object -> tensor<?xf64> {
      %t = emitpy.binary %a "*" %l : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %u = emitpy.augment %y "+" %t : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %u : tensor<?xf64>
    }
    emitpy.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def nested(a, n):
// PYTHON-NEXT:     t = np.empty(a.shape[0])
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         for l in range(n):
// PYTHON-NEXT:             np.multiply(a, l, out=t)
// PYTHON-NEXT:             x += t
// PYTHON-NEXT:     return x

// The sizes differ from step to step, or are not known before the loop.

func.func @unknown_sizes(%a: tensor<?xf64>, %p: tensor<?x?xi64>, %n: !emitpy.object) -> tensor<?xf64> {
  %s = emitpy.for (%k < %n, %acc = %a) : !emitpy.object -> tensor<?xf64> {
    %two = emitpy.tuple(%acc, %acc) : (tensor<?xf64>, tensor<?xf64>) -> !emitpy.object
    %x = emitpy.call "np.exp"(%acc) : (tensor<?xf64>) -> tensor<?xf64>
    %t = emitpy.method %x "sum"() : (tensor<?xf64>) -> tensor<f64>
    %y = emitpy.call "np.concatenate"(%two) : (!emitpy.object) -> tensor<?xf64>
    %z = emitpy.binary %y "*" %t : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %z : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// CHECK-LABEL: func.func @unknown_sizes(
// CHECK-NOT:     {{np.empty|call_into}}
// CHECK:         func.return

// A value is carried twice, or as a view.

func.func @handed_on(%a: tensor<?x?xf64>, %n: !emitpy.object) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %i = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %j = emitpy.call "np.sin"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %h = emitpy.call "np.cos"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s, %t, %u = emitpy.for (%k < %n, %x = %i, %y = %j, %z = %h) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64> {
    %c = emitpy.binary %x "+" %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %d = emitpy.binary %z "+" %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %e = emitpy.attr %d "T" : tensor<?x?xf64> -> tensor<?x?xf64>
    emitpy.yield %c, %c, %e : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %s, %t, %u : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @handed_on(
// CHECK-NOT:     {{np.empty|call_into}}
// CHECK:         func.return

// The old value is carried as a view, so its memory is no spare buffer.

func.func @view_of_old(%a: tensor<?x?xf64>, %n: !emitpy.object) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %s, %t = emitpy.for (%k < %n, %x = %a, %y = %a) : !emitpy.object -> tensor<?x?xf64>, tensor<?x?xf64> {
    %z = emitpy.binary %x "+" %y : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %v = emitpy.attr %x "T" : tensor<?x?xf64> -> tensor<?x?xf64>
    emitpy.yield %z, %v : tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %s, %t : tensor<?x?xf64>, tensor<?x?xf64>
}
// CHECK-LABEL: func.func @view_of_old(
// CHECK-NOT:     {{np.empty|call_into}}
// CHECK:         func.return

// An array that is written part by part has a spare buffer, too.

func.func @parts(%a: tensor<?xf64>, %n: !emitpy.object, %b: !emitpy.object) -> tensor<?xf64> {
  %s = emitpy.for (%k < %n, %x = %a) : !emitpy.object -> tensor<?xf64> {
    %shape = emitpy.attr %x "shape" : tensor<?xf64> -> !emitpy.object
    %zero = emitpy.literal 0 : i64
    %size = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %empty = emitpy.call "np.empty"(%size) : (!emitpy.object) -> tensor<?xf64>
    %out = emitpy.for (%start < %size step %b, %y = %empty) : !emitpy.object -> tensor<?xf64> {
      %stop = emitpy.binary %start "+" %b : (!emitpy.object, !emitpy.object) -> !emitpy.object
      %part = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
      %z = emitpy.subscript %x[%part] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
      %w = emitpy.call_into %y[%part : !emitpy.object] "np.exp"(%z) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      emitpy.yield %w : tensor<?xf64>
    }
    emitpy.yield %out : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// PYTHON-LABEL: def parts(a, n, b):
// PYTHON-NEXT:     x = a.copy()
// PYTHON-NEXT:     spare = np.empty(a.shape[0])
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         for start in range(0, x.shape[0], b):
// PYTHON-NEXT:             stop = start + b
// PYTHON-NEXT:             np.exp(x[start:stop], out=spare[start:stop])
// PYTHON-NEXT:         x, spare = spare, x
// PYTHON-NEXT:     return x

// Elements taken at clipped positions go into a buffer; unclipped, NumPy would make an array anyway.

func.func @taken(%a: tensor<?x?xf64>, %p: tensor<?xi64>, %n: !emitpy.object) -> tensor<?x?xf64> {
  %i = emitpy.call "np.exp"(%a) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %axis = emitpy.literal 1 : i64
  %clip = emitpy.literal "clip"
  %s = emitpy.for (%k < %n, %x = %i) : !emitpy.object -> tensor<?x?xf64> {
    %t = emitpy.call "np.take"(%x, %p, axis = %axis, mode = %clip) : (tensor<?x?xf64>, tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %u = emitpy.call "np.take"(%x, %p, axis = %axis) : (tensor<?x?xf64>, tensor<?xi64>, !emitpy.object) -> tensor<?x?xf64>
    %v = emitpy.binary %t "@" %u : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %y = emitpy.augment %x "+" %v : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    emitpy.yield %y : tensor<?x?xf64>
  }
  func.return %s : tensor<?x?xf64>
}
// PYTHON-LABEL: def taken(a, p, n):
// PYTHON-NEXT:     t = np.empty((a.shape[0], p.shape[0]))
// PYTHON-NEXT:     x = np.exp(a)
// PYTHON-NEXT:     for _ in range(n):
// PYTHON-NEXT:         x.take(p, out=t, axis=1, mode="clip")
// PYTHON-NEXT:         u = x.take(p, axis=1)
// PYTHON-NEXT:         v = t @ u
// PYTHON-NEXT:         x += v
// PYTHON-NEXT:     return x

// The sizes of a product of matrices are those of its operands.

func.func @product(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: !emitpy.object) -> tensor<f64> {
  %zero = emitpy.call "np.float64"() : () -> tensor<f64>
  %s = emitpy.for (%k < %n, %acc = %zero) : !emitpy.object -> tensor<f64> {
    %p = emitpy.binary %a "@" %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %t = emitpy.binary %p "*" %k : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %u = emitpy.method %t "sum"() : (tensor<?x?xf64>) -> tensor<f64>
    %r = emitpy.binary %acc "+" %u : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %r : tensor<f64>
  }
  func.return %s : tensor<f64>
}
// PYTHON-LABEL: def product(a, b, n):
// PYTHON-NEXT:     t = np.empty((a.shape[0], b.shape[1]))

// The memory of an array that is stored to is allocated before the loop, too, if a range is as
// long; not if the step carries it.

func.func @stored_to(%a: tensor<?xf64>, %n: !emitpy.object, %m: !emitpy.object) -> (tensor<f64>, tensor<?xf64>) {
  %i = emitpy.call "np.arange"(%m) : (!emitpy.object) -> tensor<?xi64>
  %zero = emitpy.literal 0 : i64
  %s = emitpy.subscript %a[%zero] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
  %r, %x = emitpy.for (%k < %n, %acc = %s, %last = %a) : !emitpy.object -> tensor<f64>, tensor<?xf64> {
    %all = emitpy.slice
    %e = emitpy.call "np.empty"(%m) : (!emitpy.object) -> tensor<?xf64>
    %f = emitpy.store %e[%all : !emitpy.object], %k : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %g = emitpy.call "np.empty"(%m) : (!emitpy.object) -> tensor<?xf64>
    %h = emitpy.store %g[%all : !emitpy.object], %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
    %t = emitpy.method %f "sum"() : (tensor<?xf64>) -> tensor<f64>
    %next = emitpy.binary %acc "+" %t : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %next, %h : tensor<f64>, tensor<?xf64>
  }
  func.return %r, %x : tensor<f64>, tensor<?xf64>
}
// PYTHON-LABEL: def stored_to(a, n, m):
// PYTHON-NEXT:     i = np.arange(m)
// PYTHON-NEXT:     e = np.empty(i.shape[0])
// PYTHON-NEXT:     acc = a[0]
// PYTHON-NEXT:     last = a
// PYTHON-NEXT:     for k in range(n):
// PYTHON-NEXT:         e[:] = k
// PYTHON-NEXT:         g = np.empty(m)
// PYTHON-NEXT:         g[:] = i
// PYTHON-NEXT:         t = e.sum()
// PYTHON-NEXT:         acc = acc + t
// PYTHON-NEXT:         last = g
// PYTHON-NEXT:     return acc, last
