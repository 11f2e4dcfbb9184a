// RUN: ein-opt %s -p use-python-numbers | filecheck %s
// RUN: ein-opt %s -p use-python-numbers -t python | filecheck %s --check-prefix=PYTHON

// A recurrence computes with the floats of Python. Its results are numbers of the library again, once.

func.func @smoothed(%x: tensor<?xf64>, %a: tensor<f64>, %n: !emitpy.object, %m: !emitpy.object) -> (tensor<f64>, tensor<f64>) {
  %zero = emitpy.literal 0.0 : f64
  %init = emitpy.call "np.float64"(%zero) : (!emitpy.object) -> tensor<f64>
  %r, %q = emitpy.for (%k < %n, %s = %init, %t = %a) : !emitpy.object -> tensor<f64>, tensor<f64> {
    %p = emitpy.call "min"(%k, %m) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %e = emitpy.subscript %x[%p] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %y = emitpy.call "np.abs"(%e) : (tensor<f64>) -> tensor<f64>
    %c = emitpy.binary %y ">" %s : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %d = emitpy.unary "~" %c : (tensor<i1>) -> tensor<i1>
    %u = emitpy.binary %a "*" %y : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %v = emitpy.conditional %d, %u, %s : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %w = emitpy.helper "np.float_max"(%v, %zero) : (tensor<f64>, !emitpy.object) -> tensor<f64>
    emitpy.yield %w, %v : tensor<f64>, tensor<f64>
  }
  %z = emitpy.call "np.exp"(%r) : (tensor<f64>) -> tensor<f64>
  %o = emitpy.binary %z "+" %r : (tensor<f64>, tensor<f64>) -> tensor<f64>
  func.return %o, %q : tensor<f64>, tensor<f64>
}
// CHECK-LABEL: func.func @smoothed(
// CHECK:           emitpy.attr %x "data" : tensor<?xf64> -> !emitpy.object
// CHECK:           emitpy.for (%k < %n, %s = %zero, %t = {{.*}}) : !emitpy.object -> !emitpy.object, !emitpy.object {
// PYTHON-LABEL: def smoothed(x, a, n, m):
// PYTHON-NEXT:      t0 = float(a)
// PYTHON-NEXT:      t1 = x.data
// PYTHON-NEXT:      s = 0.0
// PYTHON-NEXT:      t = t0
// PYTHON-NEXT:      for k in range(n):
// PYTHON-NEXT:          p = min(k, m)
// PYTHON-NEXT:          y = abs(t1[p])
// PYTHON-NEXT:          c = y > s
// PYTHON-NEXT:          d = not c
// PYTHON-NEXT:          u = t0 * y
// PYTHON-NEXT:          t = u if d else s
// PYTHON-NEXT:          s = 0.0 if t <= 0.0 else t
// PYTHON-NEXT:      t2 = np.float64(s)
// PYTHON-NEXT:      z = np.exp(t2)
// PYTHON-NEXT:      return z + t2, np.float64(t)

// Python raises an error for a division by zero, functions of the library return its numbers, and other
// users in the loop take these.

func.func @functions(%x: tensor<?xf64>, %n: !emitpy.object) -> tensor<i64> {
  %one = emitpy.literal 1.0 : f64
  %init = emitpy.call "np.float64"(%one) : (!emitpy.object) -> tensor<f64>
  %zero = emitpy.literal 0 : i64
  %count = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
  %dtype = emitpy.name "np.int64"
  %r, %q = emitpy.for (%k < %n, %s = %init, %t = %count) : !emitpy.object -> tensor<f64>, tensor<i64> {
    %e = emitpy.subscript %x[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %a = emitpy.call "np.exp"(%e) : (tensor<f64>) -> tensor<f64>
    %b = emitpy.binary %a "/" %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = emitpy.binary %b "*" %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %d = emitpy.binary %c "+" %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %f = emitpy.binary %d "-" %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %g = emitpy.unary "-" %f : (tensor<f64>) -> tensor<f64>
    %h = emitpy.binary %g "/" %one : (tensor<f64>, !emitpy.object) -> tensor<f64>
    %i = emitpy.binary %h "-" %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %j = emitpy.binary %i "*" %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %l = emitpy.method %j "astype"(%dtype) : (tensor<f64>, !emitpy.object) -> tensor<i64>
    emitpy.yield %j, %l : tensor<f64>, tensor<i64>
  }
  func.return %q : tensor<i64>
}
// PYTHON-LABEL: def functions(x, n):
// PYTHON:               e = t0[k]
// PYTHON-NEXT:          a = float_exp(e)
// PYTHON-NEXT:          b = a / e if e else quotient(a, e)
// PYTHON-NEXT:          c = b * b
// PYTHON:               g = -f
// PYTHON-NEXT:          h = g / 1.0
// PYTHON-NEXT:          i = h - c
// PYTHON-NEXT:          s = i * c
// PYTHON-NEXT:          t = float_to_int(s)

// A literal is itself, but not what a function makes of it.

func.func @literals(%x: tensor<?xf64>, %n: !emitpy.object) -> tensor<f64> {
  %two = emitpy.literal -2.0 : f64
  %init = emitpy.call "np.abs"(%two) : (!emitpy.object) -> tensor<f64>
  %r = emitpy.for (%k < %n, %s = %init) : !emitpy.object -> tensor<f64> {
    %e = emitpy.subscript %x[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %a = emitpy.call "np.abs"(%two) : (!emitpy.object) -> tensor<f64>
    %t = emitpy.call "np.float64"(%two) : (!emitpy.object) -> tensor<f64>
    %b = emitpy.binary %a "*" %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = emitpy.binary %b "*" %t : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %d = emitpy.binary %c "+" %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %d : tensor<f64>
  }
  func.return %r : tensor<f64>
}
// PYTHON-LABEL: def literals(x, n):
// PYTHON-NEXT:      init = np.abs(-2.0)
// PYTHON-NEXT:      t0 = x.data
// PYTHON-NEXT:      s = float(init)
// PYTHON-NEXT:      for k in range(n):
// PYTHON-NEXT:          a = abs(-2.0)
// PYTHON-NEXT:          b = a * t0[k]
// PYTHON-NEXT:          c = b * -2.0

// Elements of an array that the loop overwrites are read and written in its memory.

func.func @overwritten(%x: tensor<?xf64>, %a: tensor<f64>, %n: !emitpy.object) -> tensor<?xf64> {
  %y = emitpy.method %x "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %s = %y) : !emitpy.object -> tensor<?xf64> {
    %e = emitpy.subscript %s[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %f = emitpy.subscript %y[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %b = emitpy.binary %e "*" %f : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %g = emitpy.binary %b "+" %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %h = emitpy.binary %g "*" %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %i = emitpy.binary %h "*" %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %j = emitpy.binary %i "*" %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = emitpy.binary %j "+" %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %d = emitpy.store %s[%k : !emitpy.object], %c : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %d : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def overwritten(x, a, n):
// PYTHON-NEXT:      y = x.copy()
// PYTHON-NEXT:      t0 = float(a)
// PYTHON-NEXT:      t1 = y.data
// PYTHON:           for k in range(n):
// PYTHON-NEXT:          b = t1[k] * t1[k]
// PYTHON-NEXT:          g = b + t0
// PYTHON:               c = j + t0
// PYTHON-NEXT:          t1[k] = c

// A short vector is a list, if the loop has some steps for each of its elements.

func.func @counted(%x: tensor<?xi64>, %a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %y = emitpy.method %a "copy"() : (tensor<?xf64>) -> tensor<?xf64>
  %r = emitpy.for (%k < %n, %s = %y) : !emitpy.object -> tensor<?xf64> {
    %p = emitpy.subscript %x[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %e = emitpy.subscript %s[%p] : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %b = emitpy.binary %e "*" %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = emitpy.binary %b "+" %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %d = emitpy.binary %c "-" %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %t = emitpy.store %s[%p : tensor<i64>], %d : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %t : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def counted(x, a, n):
// PYTHON-NEXT:      y = a.copy()
// PYTHON-NEXT:      t0 = x.data
// PYTHON-NEXT:      few_1 = 4 * y.shape[0] <= n
// PYTHON-NEXT:      t1 = y.tolist() if few_1 else y.data
// PYTHON:           for k in range(n):
// PYTHON:               e = t1[p]
// PYTHON:               t1[p] = d
// PYTHON-NEXT:      if few_1:
// PYTHON-NEXT:          s[:] = t1

// Each step computes an array: its elements are not in the memory of the first one.

func.func @exchanged(%x: tensor<?xf64>, %y: tensor<?xf64>, %n: !emitpy.object) -> tensor<f64> {
  %zero = emitpy.literal 0.0 : f64
  %init = emitpy.call "np.float64"(%zero) : (!emitpy.object) -> tensor<f64>
  %r:3 = emitpy.for (%k < %n, %s = %x, %t = %y, %u = %init) : !emitpy.object -> tensor<?xf64>, tensor<?xf64>, tensor<f64> {
    %e = emitpy.subscript %s[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %b = emitpy.binary %e "*" %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = emitpy.binary %b "+" %u : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %d = emitpy.binary %c "-" %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %f = emitpy.binary %d "*" %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %t, %s, %f : tensor<?xf64>, tensor<?xf64>, tensor<f64>
  }
  func.return %r#2 : tensor<f64>
}
// PYTHON-LABEL: def exchanged(x, y, n):
// PYTHON:               t0 = float(s[k])
// PYTHON-NEXT:          b = t0 * t0

// Elements of rows are read by positions along all axes, and sizes before the loop. A truth value of the
// library that is made of a comparison is the comparison.

func.func @rows(%x: tensor<?x?xi64>, %n: !emitpy.object, %p: tensor<i64>) -> (tensor<?x?xi64>, tensor<i64>) {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %y = emitpy.method %x "copy"() : (tensor<?x?xi64>) -> tensor<?x?xi64>
  %r:2 = emitpy.for (%k < %n, %s = %y, %q = %p) : !emitpy.object -> tensor<?x?xi64>, tensor<i64> {
    %a = emitpy.helper "np.fill_empty"(%s, %zero) view : (tensor<?x?xi64>, !emitpy.object) -> tensor<?x?xi64>
    %b = emitpy.subscript %a[%k] : (tensor<?x?xi64>, !emitpy.object) -> tensor<?xi64>
    %c = emitpy.helper "np.fill_empty"(%b, %zero) view : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
    %shape = emitpy.attr %c "shape" : tensor<?xi64> -> !emitpy.object
    %m = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %last = emitpy.binary %m "-" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %e = emitpy.subscript %c[%last] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %f = emitpy.binary %e "^" %q : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = emitpy.binary %k "<" %last : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %h = emitpy.call "np.bool"(%g) : (!emitpy.object) -> tensor<i1>
    %i = emitpy.binary %f "<" %m : (tensor<i64>, !emitpy.object) -> tensor<i1>
    %j = emitpy.binary %h "&" %i : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %l = emitpy.conditional %j, %f, %e : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %inside = emitpy.binary %k "<" %m : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %t = emitpy.store %s[%zero, %k : !emitpy.object, !emitpy.object], %l if %inside : !emitpy.object : (tensor<?x?xi64>, tensor<i64>) -> tensor<?x?xi64>
    emitpy.yield %t, %l : tensor<?x?xi64>, tensor<i64>
  }
  func.return %r#0, %r#1 : tensor<?x?xi64>, tensor<i64>
}
// PYTHON-LABEL: def rows(x, n, p):
// PYTHON-NEXT:      y = x.copy()
// PYTHON-NEXT:      c = fill_empty(fill_empty(y, 0), 1)
// PYTHON-NEXT:      m = c.shape[1]
// PYTHON-NEXT:      last = m - 1
// PYTHON-NEXT:      t0 = c.data
// PYTHON-NEXT:      t1 = y.data
// PYTHON:           for k in range(n):
// PYTHON-NEXT:          e = t0[k, last]
// PYTHON-NEXT:          f = e ^ q
// PYTHON-NEXT:          g = k < last
// PYTHON-NEXT:          i = f < m
// PYTHON-NEXT:          j = g and i
// PYTHON-NEXT:          q = f if j else e
// PYTHON-NEXT:          inside = k < m
// PYTHON-NEXT:          if inside:
// PYTHON-NEXT:              t1[0, k] = q
// PYTHON-NEXT:      return s, np.int64(q)

// A loop with few operations on floats stays, and so does one that computes arrays and reads no Ints.

func.func @few(%x: tensor<?xf64>, %a: tensor<f64>, %n: !emitpy.object) -> tensor<f64> {
  %q = emitpy.for (%k < %n, %t = %a) : !emitpy.object -> tensor<f64> {
    %e = emitpy.subscript %x[%k] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %b = emitpy.binary %t "*" %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %b : tensor<f64>
  }
  func.return %q : tensor<f64>
}
// CHECK-LABEL: func.func @few(
// CHECK-NOT:       emitpy.attr
// CHECK-NOT:       emitpy.call "float"

func.func @arrays(%x: tensor<?xf64>, %a: tensor<f64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<f64>) {
  %r, %q = emitpy.for (%k < %n, %s = %x, %t = %a) : !emitpy.object -> tensor<?xf64>, tensor<f64> {
    %b = emitpy.binary %t "*" %t : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = emitpy.binary %b "+" %t : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %d = emitpy.binary %c "-" %t : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %e = emitpy.binary %s "*" %d : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    emitpy.yield %e, %d : tensor<?xf64>, tensor<f64>
  }
  func.return %r, %q : tensor<?xf64>, tensor<f64>
}
// CHECK-LABEL: func.func @arrays(
// CHECK-NOT:       emitpy.call "float"

// Beside arrays, Ints that steps read are numbers of Python, as positions and in comparisons; floats are not, and
// operations on arrays take Ints of the library.

func.func @sparse_rows(%p: tensor<?xi64>, %x: tensor<?xf64>, %k: tensor<?xi64>, %n: !emitpy.object) -> (tensor<?xf64>, tensor<?xi64>) {
  %r, %q = emitpy.for (%i < %n, %s = %x, %t = %k) : !emitpy.object -> tensor<?xf64>, tensor<?xi64> {
    %one = emitpy.literal 1 : i64
    %j = emitpy.binary %i "+" %one : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %a = emitpy.subscript %p[%i] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %b = emitpy.subscript %p[%j] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %c = emitpy.binary %b "-" %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = emitpy.binary %c "+" %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %zero = emitpy.literal 0 : i64
    %bad = emitpy.binary %c "<" %zero : (tensor<i64>, !emitpy.object) -> !emitpy.object
    emitpy.raise_if %bad, "ValueError", "size {}"(%c) : !emitpy.object, tensor<i64>
    %slice = emitpy.slice(%a, %d : tensor<i64>, tensor<i64>)
    %row = emitpy.subscript %s[%slice] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    %e = emitpy.binary %row "*" %row : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %f = emitpy.binary %t "+" %c : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
    emitpy.yield %e, %f : tensor<?xf64>, tensor<?xi64>
  }
  func.return %r, %q : tensor<?xf64>, tensor<?xi64>
}
// PYTHON:      def sparse_rows(p, x, k, n):
// PYTHON-NEXT:     t0 = p.data
// PYTHON-NEXT:     s = x
// PYTHON-NEXT:     t = k
// PYTHON-NEXT:     for i in range(n):
// PYTHON-NEXT:         j = i + 1
// PYTHON-NEXT:         a = t0[i]
// PYTHON-NEXT:         c = t0[j] - a
// PYTHON-NEXT:         t1 = (c if c <= 9223372036854775807 else wrapped(c)) if c >= -9223372036854775808 else wrapped(c)
// PYTHON-NEXT:         d = t1 + a
// PYTHON-NEXT:         bad = t1 < 0
// PYTHON-NEXT:         if bad:
// PYTHON-NEXT:             raise ValueError(f"size {t1}")
// PYTHON-NEXT:         t2 = (d if d <= 9223372036854775807 else wrapped(d)) if d >= -9223372036854775808 else wrapped(d)
// PYTHON-NEXT:         row = s[a:t2]
// PYTHON-NEXT:         s = row * row
// PYTHON-NEXT:         t = t + np.int64(t1)
// PYTHON-NEXT:     return s, t

// Ints are compared with the bounds of 64 bits that they may exceed: a sum of small numbers, or one whose low
// bits alone count, is not. A divisor that may be zero is one instead.

func.func @ints(%x: tensor<?xi64>, %a: tensor<i64>, %n: !emitpy.object) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %mask = emitpy.literal 65535 : i64
  %init = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
  %r:3 = emitpy.for (%k < %n, %s = %init, %t = %init, %u = %init) : !emitpy.object -> tensor<i64>, tensor<i64>, tensor<i64> {
    %e = emitpy.subscript %x[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %b = emitpy.binary %s "*" %e : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = emitpy.binary %b "&" %mask : (tensor<i64>, !emitpy.object) -> tensor<i64>
    %d = emitpy.binary %c "&" %one : (tensor<i64>, !emitpy.object) -> tensor<i64>
    %f = emitpy.binary %t "+" %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %g = emitpy.binary %k "-" %e : (!emitpy.object, tensor<i64>) -> tensor<i64>
    %h = emitpy.binary %g "//" %a : (tensor<i64>, tensor<i64>) -> tensor<i64>
    emitpy.yield %c, %f, %h : tensor<i64>, tensor<i64>, tensor<i64>
  }
  func.return %r#0, %r#1, %r#2 : tensor<i64>, tensor<i64>, tensor<i64>
}
// PYTHON-LABEL: def ints(x, a, n):
// PYTHON-NEXT:      t0 = int(a)
// PYTHON-NEXT:      t1 = x.data
// PYTHON-NEXT:      s = 0
// PYTHON:           for k in range(n):
// PYTHON-NEXT:          e = t1[k]
// PYTHON-NEXT:          b = s * e
// PYTHON-NEXT:          s = b & 65535
// PYTHON-NEXT:          d = s & 1
// PYTHON-NEXT:          g = k - e
// PYTHON-NEXT:          h = ((g if g <= 9223372036854775807 else wrapped(g)) if t0 else 0) // (t0 or 1)
// PYTHON-NEXT:          t = t + d
// PYTHON-NEXT:          u = h if h <= 9223372036854775807 else wrapped(h)
// PYTHON-NEXT:      return np.int64(s), np.int64(t), np.int64(u)

// A loop over the elements of an array runs only if there are some; another loop may run anyway. `not` makes
// a truth value of Python of one of the library.

func.func @filled(%x: tensor<?xi64>, %y: tensor<?xi64>, %m: tensor<i64>) -> tensor<i64> {
  %zero = emitpy.literal 0 : i64
  %shape = emitpy.attr %x "shape" : tensor<?xi64> -> !emitpy.object
  %n = emitpy.subscript %shape[%zero] : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %r = emitpy.for (%k < %n, %s = %m) : !emitpy.object -> tensor<i64> {
    %a = emitpy.helper "np.fill_empty"(%x, %zero) view : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
    %b = emitpy.helper "np.fill_empty"(%y, %zero) view : (tensor<?xi64>, !emitpy.object) -> tensor<?xi64>
    %e = emitpy.subscript %a[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %f = emitpy.subscript %b[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %g = emitpy.binary %e "^" %f : (tensor<i64>, tensor<i64>) -> tensor<i64>
    emitpy.yield %g : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// PYTHON-LABEL: def filled(x, y, m):
// PYTHON:           t0 = x.data
// PYTHON-NEXT:      t1 = fill_empty(y, 0).data
// PYTHON:           for k in range({{.*}}):
// PYTHON-NEXT:          s = t0[k] ^ t1[k]

func.func @not_of_library(%x: tensor<?xi64>, %c: tensor<i1>, %n: !emitpy.object) -> (tensor<i64>, tensor<i1>) {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %init = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
  %r:2 = emitpy.for (%k < %n, %s = %init, %t = %c) : !emitpy.object -> tensor<i64>, tensor<i1> {
    %i = emitpy.call "np.int64"(%k) : (!emitpy.object) -> tensor<i64>
    %e = emitpy.subscript %x[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %g = emitpy.binary %e "^" %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = emitpy.binary %g "^" %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = emitpy.unary "~" %c : (tensor<i1>) -> tensor<i1>
    emitpy.yield %h, %d : tensor<i64>, tensor<i1>
  }
  func.return %r#0, %r#1 : tensor<i64>, tensor<i1>
}
// PYTHON-LABEL: def not_of_library(x, c, n):
// PYTHON:           for k in range(n):
// PYTHON-NEXT:          g = t0[k] ^ k
// PYTHON-NEXT:          s = g ^ s
// PYTHON-NEXT:          t = not c

// An error of a step is raised by a truth value of Python, and its message has a number of Python.

func.func @checked(%x: tensor<?xi64>, %n: !emitpy.object) -> tensor<i64> {
  %zero = emitpy.literal 0 : i64
  %init = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
  %r = emitpy.for (%k < %n, %s = %init) : !emitpy.object -> tensor<i64> {
    %e = emitpy.subscript %x[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %g = emitpy.binary %s "^" %e : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = emitpy.binary %g "<" %zero : (tensor<i64>, !emitpy.object) -> !emitpy.object
    emitpy.raise_if %c, "ValueError", "negative: {}"(%g) : !emitpy.object, tensor<i64>
    emitpy.yield %g : tensor<i64>
  }
  func.return %r : tensor<i64>
}
// PYTHON-LABEL: def checked(x, n):
// PYTHON:           for k in range(n):
// PYTHON-NEXT:          s = s ^ t0[k]
// PYTHON-NEXT:          c = s < 0
// PYTHON-NEXT:          if c:
// PYTHON-NEXT:              raise ValueError(f"negative: {s}")

// A switch is a Bool that steps choose. A count that starts again is at most the number of steps.

func.func @switched(%x: tensor<?xi64>, %n: !emitpy.object) -> (tensor<i1>, tensor<i64>) {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %two = emitpy.literal 2 : i64
  %no = emitpy.literal false
  %init = emitpy.call "np.int64"(%zero) : (!emitpy.object) -> tensor<i64>
  %off = emitpy.call "np.bool"(%no) : (!emitpy.object) -> tensor<i1>
  %r:2 = emitpy.for (%k < %n, %on = %off, %count = %init) : !emitpy.object -> tensor<i1>, tensor<i64> {
    %e = emitpy.subscript %x[%k] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %f = emitpy.binary %e "^" %count : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = emitpy.binary %f ">" %two : (tensor<i64>, !emitpy.object) -> tensor<i1>
    %d = emitpy.binary %f "<" %zero : (tensor<i64>, !emitpy.object) -> tensor<i1>
    %g = emitpy.conditional %d, %off, %on : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
    %h = emitpy.binary %c "|" %g : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %is = emitpy.binary %h "!=" %on : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %more = emitpy.binary %count "+" %one : (tensor<i64>, !emitpy.object) -> tensor<i64>
    %next = emitpy.conditional %is, %init, %more : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    emitpy.yield %h, %next : tensor<i1>, tensor<i64>
  }
  func.return %r#0, %r#1 : tensor<i1>, tensor<i64>
}
// PYTHON-LABEL: def switched(x, n):
// PYTHON:           on = False
// PYTHON:           for k in range(n):
// PYTHON:               g = False if d else on
// PYTHON-NEXT:          h = c or g
// PYTHON-NEXT:          is_ = h != on
// PYTHON-NEXT:          more = count + 1
// PYTHON-NEXT:          on = h
// PYTHON-NEXT:          count = 0 if is_ else more
// PYTHON-NEXT:      return np.bool(on), np.int64(count)

// Sums and products convert Bools and Ints themselves; a product of two converted ones and a comparison do not.

func.func @converted(%x: tensor<?xf64>, %k: tensor<?xi64>, %n: !emitpy.object, %f64: !emitpy.object, %i64: !emitpy.object) -> (tensor<f64>, tensor<i64>) {
  %a0 = emitpy.literal 0.0 : f64
  %a = emitpy.call "np.float64"(%a0) : (!emitpy.object) -> tensor<f64>
  %b0 = emitpy.literal 0 : i64
  %b = emitpy.call "np.int64"(%b0) : (!emitpy.object) -> tensor<i64>
  %r, %q = emitpy.for (%i < %n, %s = %a, %t = %b) : !emitpy.object -> tensor<f64>, tensor<i64> {
    %e = emitpy.subscript %x[%i] : (tensor<?xf64>, !emitpy.object) -> tensor<f64>
    %m = emitpy.subscript %k[%i] : (tensor<?xi64>, !emitpy.object) -> tensor<i64>
    %o = emitpy.binary %e ">" %s : (tensor<f64>, tensor<f64>) -> !emitpy.object
    %c = emitpy.call "np.bool"(%o) : (!emitpy.object) -> tensor<i1>
    %d = emitpy.method %c "astype"(%i64) : (tensor<i1>, !emitpy.object) -> tensor<i64>
    %u = emitpy.binary %t "+" %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f = emitpy.method %m "astype"(%f64) : (tensor<i64>, !emitpy.object) -> tensor<f64>
    %v = emitpy.binary %e "*" %f : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %g = emitpy.method %u "astype"(%f64) : (tensor<i64>, !emitpy.object) -> tensor<f64>
    %w = emitpy.binary %g "*" %g : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %z = emitpy.binary %v "-" %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %z, %u : tensor<f64>, tensor<i64>
  }
  func.return %r, %q : tensor<f64>, tensor<i64>
}
// CHECK-LABEL: func.func @converted(
// PYTHON:      def converted(x, k, n, f64, i64):
// PYTHON-NEXT:     t0 = x.data
// PYTHON-NEXT:     t1 = k.data
// PYTHON-NEXT:     s = 0.0
// PYTHON-NEXT:     t = 0
// PYTHON-NEXT:     for i in range(n):
// PYTHON-NEXT:         e = t0[i]
// PYTHON-NEXT:         o = e > s
// PYTHON-NEXT:         t = t + o
// PYTHON-NEXT:         v = e * t1[i]
// PYTHON-NEXT:         g = float(t)
// PYTHON-NEXT:         w = g * g
// PYTHON-NEXT:         s = v - w
// PYTHON-NEXT:     return np.float64(s), np.int64(t)

// Elements of fewer bits are read from memory as numbers of Python, also without their signs.

func.func @bytes(%x: tensor<?xi8>, %f: tensor<?xf32>, %n: !emitpy.object) -> (tensor<i64>, tensor<f64>) {
  %f64 = emitpy.name "np.float64"
  %i64 = emitpy.name "np.int64"
  %u8 = emitpy.name "np.uint8"
  %c = emitpy.literal 33 : i64
  %h0 = emitpy.call "np.int64"(%c) : (!emitpy.object) -> tensor<i64>
  %zero = emitpy.literal 0.0 : f64
  %s0 = emitpy.call "np.float64"(%zero) : (!emitpy.object) -> tensor<f64>
  %r, %q = emitpy.for (%i < %n, %h = %h0, %s = %s0) : !emitpy.object -> tensor<i64>, tensor<f64> {
    %0 = emitpy.subscript %x[%i] : (tensor<?xi8>, !emitpy.object) -> tensor<i8>
    %1 = emitpy.method %0 "view"(%u8) view : (tensor<i8>, !emitpy.object) -> tensor<ui8>
    %2 = emitpy.method %1 "astype"(%i64) : (tensor<ui8>, !emitpy.object) -> tensor<i64>
    %3 = emitpy.method %0 "astype"(%i64) : (tensor<i8>, !emitpy.object) -> tensor<i64>
    %4 = emitpy.binary %2 "*" %3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %5 = emitpy.binary %h "^" %4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %6 = emitpy.subscript %f[%i] : (tensor<?xf32>, !emitpy.object) -> tensor<f32>
    %7 = emitpy.method %6 "astype"(%f64) : (tensor<f32>, !emitpy.object) -> tensor<f64>
    %8 = emitpy.binary %s "+" %7 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %5, %8 : tensor<i64>, tensor<f64>
  }
  func.return %r, %q : tensor<i64>, tensor<f64>
}
// CHECK-LABEL: func.func @bytes(
// PYTHON:      def bytes_(x, f, n):
// PYTHON-NEXT:     t0 = x.view(np.uint8).data
// PYTHON-NEXT:     t1 = x.data
// PYTHON-NEXT:     t2 = f.data
// PYTHON-NEXT:     h = 33
// PYTHON-NEXT:     s = 0.0
// PYTHON-NEXT:     for i in range(n):
// PYTHON-NEXT:         h = h ^ t0[i] * t1[i]
// PYTHON-NEXT:         s = s + t2[i]
// PYTHON-NEXT:     return np.int64(h), np.float64(s)

// Elements of fewer bits as floats are numbers of Python, which products convert.

func.func @weights(%x: tensor<?xi8>, %n: !emitpy.object) -> tensor<f64> {
  %half = emitpy.literal 0.5 : f64
  %f64 = emitpy.name "np.float64"
  %s0 = emitpy.call "np.float64"(%half) : (!emitpy.object) -> tensor<f64>
  %r = emitpy.for (%i < %n, %s = %s0) : !emitpy.object -> tensor<f64> {
    %0 = emitpy.subscript %x[%i] : (tensor<?xi8>, !emitpy.object) -> tensor<i8>
    %1 = emitpy.method %0 "astype"(%f64) : (tensor<i8>, !emitpy.object) -> tensor<f64>
    %2 = emitpy.binary %1 "*" %half : (tensor<f64>, !emitpy.object) -> tensor<f64>
    %3 = emitpy.binary %s "*" %2 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %4 = emitpy.method %0 "astype"(%f64) : (tensor<i8>, !emitpy.object) -> tensor<f64>
    %5 = emitpy.binary %4 "/" %half : (tensor<f64>, !emitpy.object) -> tensor<f64>
    %6 = emitpy.binary %3 "+" %5 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    emitpy.yield %6 : tensor<f64>
  }
  func.return %r : tensor<f64>
}
// CHECK-LABEL: func.func @weights(
// PYTHON:      def weights(x, n):
// PYTHON-NEXT:     t0 = x.data
// PYTHON-NEXT:     s = 0.5
// PYTHON-NEXT:     for i in range(n):
// PYTHON-NEXT:         s = s * (t0[i] * 0.5) + float(t0[i]) / 0.5
// PYTHON-NEXT:     return np.float64(s)
