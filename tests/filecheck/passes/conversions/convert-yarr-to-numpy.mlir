// RUN: ein-opt %s -p convert-yarr-to-numpy | filecheck %s
// RUN: ein-opt %s -p convert-yarr-to-numpy -t python | filecheck %s --check-prefix=PYTHON
// RUN: xdsl-opt %s -p convert-yarr-to-numpy -t python | filecheck %s --check-prefix=PYTHON

// The IR of one program; the others are checked as printed Python.

func.func @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
  %x = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %y = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %c = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %c : tensor<?x?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def outer(a, b):
// PYTHON-NEXT:     return a[:, None] * b[None, :]
// CHECK-LABEL: func.func @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> attributes {emitpy.decorators = [#emitpy.decorator<"np.errstate", {all = "ignore"}>]} {
// CHECK-NEXT:   %0 = emitpy.slice
// CHECK-NEXT:   %1 = emitpy.literal unit
// CHECK-NEXT:   %x = emitpy.subscript %a[%0, %1] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
// CHECK-NEXT:   %2 = emitpy.literal unit
// CHECK-NEXT:   %3 = emitpy.slice
// CHECK-NEXT:   %y = emitpy.subscript %b[%2, %3] : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<1x?xf64>
// CHECK-NEXT:   %c = emitpy.binary %x "*" %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   func.return %c : tensor<?x?xf64>
// CHECK-NEXT: }

func.func @pairwise_l1(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %zr = yarr.repeat %z, 0, %n : tensor<1x1xf64> -> tensor<?x1xf64>
  %zs = yarr.repeat %zr, 1, %n : tensor<?x1xf64> -> tensor<?x?xf64>
  %d = yarr.fold (%k < %m, %acc = %zs) -> tensor<?x?xf64> {
    %c = yarr.take %a, 1, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %x = yarr.unsqueeze %c, [1] : tensor<?xf64> -> tensor<?x1xf64>
    %y = yarr.unsqueeze %c, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %0 = yarr.elementwise { arith.subf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %1 = yarr.elementwise { math.absf } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %2 = yarr.elementwise { arith.addf } %acc, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %2 : tensor<?x?xf64>
  }
  func.return %d : tensor<?x?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def pairwise_l1(a):
// PYTHON-NEXT:     n = a.shape[0]
// PYTHON-NEXT:     acc = np.zeros((n, n))
// PYTHON-NEXT:     for k in range(a.shape[1]):
// PYTHON-NEXT:         c = a[:, k]
// PYTHON-NEXT:         acc = acc + np.abs(c[:, None] - np.ascontiguousarray(c)[None, :])
// PYTHON-NEXT:     return acc

func.func @axes(%a: tensor<?x?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %0 = yarr.transpose %a, [0, 2, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %1 = yarr.reduce %0, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.transpose %1, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.reduce %2, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  %4 = yarr.unsqueeze %3, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %5 = yarr.repeat %4, 0, %n : tensor<1x?xf64> -> tensor<?x?xf64>
  func.return %5 : tensor<?x?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def axes(a, n):
// PYTHON-NEXT:     t0 = reduce_rows(np.maximum, a.transpose((0, 2, 1)).sum(axis=0).T, -np.inf)
// PYTHON-NEXT:     t1 = t0[None, :]
// PYTHON-NEXT:     return np.broadcast_to(t1, (n, t1.shape[1])).copy()

func.func @squeeze(%a: tensor<?x1xf64>) -> tensor<?xf64> {
  %0 = yarr.elementwise { math.exp } %a : (tensor<?x1xf64>) -> tensor<?x1xf64>
  %1 = yarr.squeeze %0, [1] : tensor<?x1xf64> -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def squeeze(a):
// PYTHON-NEXT:     return np.exp(a)[:, 0]

func.func @positions(%a: tensor<?x?xf64>, %p: tensor<?xi64>, %q: tensor<?xi64>, %k: tensor<i64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.take %a, 1, %p : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  %1 = yarr.gather %a[%p, %q] : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf64>
  %2 = yarr.gather %a[%p, %q] in_bounds [0, 1] : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf64>
  %3 = yarr.take %a, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  func.return %0, %1, %2, %3 : tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def positions(a, p, q, k):
// PYTHON-NEXT:     t0 = a[min(max(k, 0), a.shape[0] - 1)].copy()
// PYTHON-NEXT:     return a.take(p, axis=1, mode="clip"), gathered(a, p, q), a[p, q], t0

// One position that may be out of bounds is enough for the helper.

func.func @some_in_bounds(%a: tensor<?x?xf64>, %p: tensor<?x?xi64>, %q: tensor<?x?xi64>) -> tensor<?x?xf64> {
  %0 = yarr.gather %a[%p, %q] in_bounds [1] : (tensor<?x?xf64>, tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xf64>
  func.return %0 : tensor<?x?xf64>
}
// PYTHON-LABEL: def some_in_bounds(a, p, q):
// PYTHON-NEXT:     return gathered(a, p, q)

// Positions that vary along different axes: one axis is taken at a time.

func.func @grids(%a: tensor<?x?x?xf64>, %p: tensor<?x1xi64>, %q: tensor<1x?xi64>) -> (tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.gather %a[%p, %q] : (tensor<?x?x?xf64>, tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?x?xf64>
  %1 = yarr.gather %a[%q, %p] in_bounds [0, 1] : (tensor<?x?x?xf64>, tensor<1x?xi64>, tensor<?x1xi64>) -> tensor<?x?x?xf64>
  %2 = yarr.gather %a[%q, %p, %p] in_bounds [0, 1, 2] : (tensor<?x?x?xf64>, tensor<1x?xi64>, tensor<?x1xi64>, tensor<?x1xi64>) -> tensor<?x?xf64>
  func.return %0, %1, %2 : tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def grids(a, p, q):
// PYTHON-NEXT:     return take_grid(a, p, q), take_grid(a.transpose((1, 0, 2)), p, q), a[q, p, p]

func.func @differences(%a: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %m = yarr.assert_size %0, "size of index i"
  %x = yarr.slice %a, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %y = yarr.slice %a, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.elementwise { arith.subf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def differences(a):
// PYTHON-NEXT:     t0 = a.shape[0] - 1
// PYTHON-NEXT:     if t0 < 0:
// PYTHON-NEXT:         raise ValueError(f"size of index i is negative: {t0}")
// PYTHON-NEXT:     return a[1:] - a[:-1]

func.func @reversed(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %n0 = yarr.size %a, 0 : tensor<?xf64>
  %n1 = yarr.size %b, 0 : tensor<?xf64>
  %n = yarr.assert_eq %n0, %n1, "index i: sizes of a and b"
  %one = arith.constant dense<1> : tensor<i64>
  %last = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %x = yarr.slice %b, 0, %last, %n step -1 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.elementwise { arith.addf } %a, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def reversed_(a, b):
// PYTHON-NEXT:     n0 = a.shape[0]
// PYTHON-NEXT:     n1 = b.shape[0]
// PYTHON-NEXT:     if n0 != n1:
// PYTHON-NEXT:         raise ValueError(f"index i: sizes of a and b: {n0} != {n1}")
// PYTHON-NEXT:     return a + b[::-1]

func.func @every_third_back(%a: tensor<?xf64>, %s: tensor<i64>, %n: tensor<i64>) -> tensor<?xf64> {
  %x = yarr.slice %a, 0, %s, %n step -3 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.elementwise { math.sqrt } %x : (tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def every_third_back(a, s, n):
// PYTHON-NEXT:     return np.sqrt(a[s - 3 * n + 3 : s + 3 : 3][::-1])

func.func @extend(%a: tensor<?x?xf64>, %low: tensor<i64>) -> tensor<?x?xf64> {
  %two = arith.constant dense<2> : tensor<i64>
  %0 = yarr.fill_empty %a, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.pad %0, 1, %low, %two : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.concat %1, %0 axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %2 : tensor<?x?xf64>
}
// PYTHON-LABEL: def extend(a, low):
// PYTHON-NEXT:     t0 = (pad_edges(a, ((0, 0), (low, 2))), fill_empty(a, 1))
// PYTHON-NEXT:     return np.concatenate(t0, axis=1)

func.func @contractions(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %t: tensor<?x?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = yarr.einsum "ij,kj->ik" %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = yarr.einsum "ij,ij->ij" %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = yarr.einsum "bii->bi" %t : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  func.return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def contractions(a, b, t):
// PYTHON-NEXT:     return a @ b.T, np.einsum("ij,ij->ij", a, b), np.einsum("bii->bi", t).copy()

func.func @inner(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<f32> {
  %0 = yarr.einsum "ij,ij->" %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}
// PYTHON-LABEL: def inner(a, b):
// PYTHON-NEXT:     return inner_product(a, b)

// Stacked matrices whose axes are in another order: views are multiplied, unless no axis of the
// matrices is contiguous.
func.func @stacks(%q: tensor<?x?x?x?xf64>, %k: tensor<?x?x?x?xf64>) -> (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) {
  %0 = yarr.einsum "ikjm,iljm->ijkl" %q, %k : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  %1 = yarr.einsum "ikmj,ilmj->ijkl" %q, %k : (tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  func.return %0, %1 : tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def stacks(q, k):
// PYTHON-NEXT:     t0 = q.transpose((0, 2, 1, 3)) @ k.transpose((0, 2, 3, 1))
// PYTHON-NEXT:     return t0, np.einsum("ikmj,ilmj->ijkl", q, k, optimize=True)

// The products of weights and windows, in the order of the window and against it.
func.func @weighed(%u: tensor<?xf64>, %a: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>, %p: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %one = arith.constant dense<1> : tensor<i64>
  %back = arith.constant dense<-1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %0 = yarr.strided %a, 0, %p, sizes(%m, %n), steps(%one, %one) : tensor<?xf64> -> tensor<?x?xf64>
  %1 = yarr.einsum "j,ji->i" %u, %0 : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %2 = yarr.strided %a, 0, %p, sizes(%n, %m), steps(%one, %back) : tensor<?xf64> -> tensor<?x?xf64>
  %3 = yarr.einsum "ij,j->i" %2, %u : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %4 = yarr.strided %a, 0, %p, sizes(%n, %m), steps(%two, %one) : tensor<?xf64> -> tensor<?x?xf64>
  %5 = yarr.einsum "ij,j->i" %4, %u : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1, %3, %5 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def weighed(u, a, n, m, p):
// PYTHON-NEXT:     t0 = strided(a, 0, p, (n, m), (2, 1)) @ u
// PYTHON-NEXT:     return window_product(u, a, p, n, 1), window_product(u, a, p, n, -1), t0

func.func @tree(%a: tensor<?xf64>, %one: tensor<f64>) -> tensor<f64> {
  %r = yarr.tree_reduce %a identity %one : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    %0 = yarr.elementwise { arith.mulf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %r : tensor<f64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def tree(a, one):
// PYTHON-NEXT:     r = a
// PYTHON-NEXT:     for _ in range(max(a.shape[0] - 1, 0).bit_length()):
// PYTHON-NEXT:         t0 = r.shape[0]
// PYTHON-NEXT:         r = np.concatenate((r[:-1:2] * r[1::2], r[t0 - t0 % 2 :]))
// PYTHON-NEXT:     return np.float64(first_or(r, one))

// Scalars: literals stay bare next to an f32, sizes are Python ints.

func.func @logistic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = yarr.elementwise (%v = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %one = arith.constant 1.0 : f32
    %0 = arith.negf %v : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %one, %1 : f32
    %3 = arith.divf %one, %2 : f32
    yarr.yield %3 : f32
  }
  func.return %r : tensor<?xf32>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def logistic(x):
// PYTHON-NEXT:     return 1.0 / (1.0 + np.exp(-x))

func.func @mean(%a: tensor<?x?xf64>) -> tensor<f64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %s = yarr.reduce %a, [0, 1] by { arith.addf } : tensor<?x?xf64> -> tensor<f64>
  %r = yarr.elementwise (%v = %s, %p = %n, %q = %m) : (tensor<f64>, tensor<i64>, tensor<i64>) -> tensor<f64> {
    %0 = arith.muli %p, %q : i64
    %1 = arith.sitofp %0 : i64 to f64
    %2 = arith.divf %v, %1 : f64
    yarr.yield %2 : f64
  }
  func.return %r : tensor<f64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def mean(a):
// PYTHON-NEXT:     s = a.sum()
// PYTHON-NEXT:     return s / np.float64(a.shape[0] * a.shape[1])

func.func @guards(%x: tensor<?xf64>, %s: tensor<f64>) -> (tensor<?xf64>, tensor<f64>) {
  %r = yarr.elementwise (%v = %x) : (tensor<?xf64>) -> tensor<?xf64> {
    %zero = arith.constant 0.0 : f64
    %ten = arith.constant 10.0 : f64
    %0 = arith.cmpf ogt, %v, %zero : f64
    %1 = arith.cmpf olt, %v, %ten : f64
    %2 = arith.andi %0, %1 : i1
    %3 = arith.select %2, %v, %zero : f64
    yarr.yield %3 : f64
  }
  %t = yarr.elementwise (%v = %s) : (tensor<f64>) -> tensor<f64> {
    %zero = arith.constant 0.0 : f64
    %0 = arith.cmpf ogt, %v, %zero : f64
    %1 = arith.select %0, %v, %zero : f64
    yarr.yield %1 : f64
  }
  func.return %r, %t : tensor<?xf64>, tensor<f64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def guards(x, s):
// PYTHON-NEXT:     t = s if s > 0.0 else np.float64(0.0)
// PYTHON-NEXT:     return np.where((x > 0.0) & (x < 10.0), x, 0.0), np.float64(t)

func.func @whole_choice(%m: tensor<?x?xf64>, %c: tensor<i1>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = yarr.unsqueeze %c, [0, 1] : tensor<i1> -> tensor<1x1xi1>
  %1 = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %2 = yarr.elementwise { arith.select } %0, %1, %m : (tensor<1x1xi1>, tensor<1x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %2 : tensor<?x?xf64>
}
// PYTHON: def whole_choice(m, c):
// PYTHON-NEXT:     return (np.full_like(m, 0.0) if c else m).copy()

func.func @range(%n: tensor<i64>) -> tensor<?xi64> {
  %0 = yarr.range %n : tensor<?xi64>
  %1 = yarr.elementwise { math.ipowi } %0, %0 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  func.return %1 : tensor<?xi64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def range_(n):
// PYTHON-NEXT:     t0 = np.arange(n)
// PYTHON-NEXT:     return int_power(t0, t0)

// A result shares no memory with an argument, nor with another result.

func.func @own(%a: tensor<?x?xf64>, %s: tensor<f64>) -> (tensor<?x?xf64>, tensor<f64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.elementwise { math.absf } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.transpose %1, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %0, %s, %1, %2 : tensor<?x?xf64>, tensor<f64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON: @np.errstate(all="ignore")
// PYTHON-NEXT: def own(a, s):
// PYTHON-NEXT:     t0 = np.abs(a)
// PYTHON-NEXT:     return a.T.copy(), np.float64(s), t0, t0.T.copy()

func.func @records(%t: tuple<tensor<?xf64>, tensor<i64>>) -> tuple<tensor<i64>, tensor<?xf64>> {
  %a = yarr.proj %t, 0 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<?xf64>
  %n = yarr.proj %t, 1 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<i64>
  %b = yarr.extern @sort(%a) batch 0 : (tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.tuple %n, %b : (tensor<i64>, tensor<?xf64>) -> tuple<tensor<i64>, tensor<?xf64>>
  func.return %r : tuple<tensor<i64>, tensor<?xf64>>
}
// PYTHON-LABEL: def records(t):
// PYTHON-NEXT:     return (np.int64(t[1]), sort(t[0]).copy())

// Elements are replaced in a copy; at a position out of bounds, none is.

func.func @updates(%a: tensor<?x?xf64>, %p: tensor<i64>, %x: tensor<f64>, %v: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %r = yarr.update %a[%p, %p] along [0, 1], %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<?x?xf64>
  %s = yarr.update %a[%p] along [1], %v : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def updates(a, p, x, v):
// PYTHON-NEXT:     t0 = a.copy()
// PYTHON-NEXT:     if 0 <= p and p < a.shape[0] and p < a.shape[1]:
// PYTHON-NEXT:         t0[p, p] = x
// PYTHON-NEXT:     t1 = a.copy()
// PYTHON-NEXT:     if 0 <= p and p < a.shape[1]:
// PYTHON-NEXT:         t1[:, p] = v
// PYTHON-NEXT:     return t0, t1

// An update with a condition has no other test if its position is in bounds.

func.func @conditional(%a: tensor<?xf64>, %p: tensor<i64>, %x: tensor<f64>, %c: tensor<i1>) -> (tensor<?xf64>, tensor<?xf64>) {
  %r = yarr.update %a[%p] along [0], %x if %c : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<i1>) -> tensor<?xf64>
  %s = yarr.update %a[%p] along [0], %x if %c in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<i1>) -> tensor<?xf64>
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def conditional(a, p, x, c):
// PYTHON-NEXT:     t0 = a.copy()
// PYTHON-NEXT:     if c and 0 <= p and p < a.shape[0]:
// PYTHON-NEXT:         t0[p] = x
// PYTHON-NEXT:     t1 = a.copy()
// PYTHON-NEXT:     if c:
// PYTHON-NEXT:         t1[p] = x
// PYTHON-NEXT:     return t0, t1

// A search by each comparison is a helper.

func.func @searches(%a: tensor<?x?xf64>, %k: tensor<?xi32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<i64>, tensor<i64>) {
  %0 = yarr.argreduce %a, 1 by "<" : tensor<?x?xf64> -> tensor<?xi64>
  %1 = yarr.argreduce %a, 0 by ">" : tensor<?x?xf64> -> tensor<?xi64>
  %2 = yarr.argreduce %k, 0 by "<=" : tensor<?xi32> -> tensor<i64>
  %3 = yarr.argreduce %k, 0 by ">=" : tensor<?xi32> -> tensor<i64>
  func.return %0, %1, %2, %3 : tensor<?xi64>, tensor<?xi64>, tensor<i64>, tensor<i64>
}
// PYTHON-LABEL: def searches(a, k):
// PYTHON-NEXT:      return argmin(a, 1), argmax(a, 0), last_argmin(k, 0), last_argmax(k, 0)

func.func @segments(%x: tensor<?x?xf32>, %k: tensor<?xi64>, %n: tensor<i64>) -> tensor<?x?xf32> {
  %0 = yarr.accumulate "add" %x by %k into %n : tensor<?x?xf32> by tensor<?xi64> -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
// PYTHON-LABEL: def segments(x, k, n):
// PYTHON-NEXT:      return accumulate_at(np.add, 0.0, x, segment_numbers((k,), (n,)), (n,))

func.func @least_of_segments(%x: tensor<?xi64>, %p: tensor<?xi64>, %q: tensor<?xi64>) -> tensor<?x?xi64> {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "min" %x by %p, %q into %n, %n : tensor<?xi64> by tensor<?xi64>, tensor<?xi64> -> tensor<?x?xi64>
  func.return %0 : tensor<?x?xi64>
}
// PYTHON-LABEL: def least_of_segments(x, p, q):
// PYTHON-NEXT:      t0 = segment_numbers((p, q), (3, 3))
// PYTHON-NEXT:      return accumulate_at(np.minimum, 9223372036854775807, x, t0, (3, 3))

func.func @any_of_segments(%x: tensor<?xi1>, %p: tensor<?xi64>) -> tensor<?xi1> {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "or" %x by %p into %n : tensor<?xi1> by tensor<?xi64> -> tensor<?xi1>
  func.return %0 : tensor<?xi1>
}
// PYTHON-LABEL: def any_of_segments(x, p):
// PYTHON-NEXT:      return accumulate_at(np.bitwise_or, False, x, segment_numbers((p,), (3,)), (3,))

// Bits of Ints are combined by functions of bits, and so are Bools by exclusive or.

func.func @bits(%a: tensor<?x?xi64>, %b: tensor<?xi1>, %p: tensor<?xi64>, %x: tensor<?xi64>) -> (tensor<i64>, tensor<?xi64>, tensor<i1>, tensor<?xi64>, tensor<?xi64>) {
  %r = yarr.reduce %a, [0, 1] by { arith.xori } : tensor<?x?xi64> -> tensor<i64>
  %s = yarr.reduce %a, [1] by { arith.andi } : tensor<?x?xi64> -> tensor<?xi64>
  %t = yarr.reduce %b, [0] by { arith.xori } : tensor<?xi1> -> tensor<i1>
  %u = yarr.scan "or" %x, 0 inclusive : tensor<?xi64> -> tensor<?xi64>
  %n = arith.constant dense<3> : tensor<i64>
  %v = yarr.accumulate "xor" %x by %p into %n : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
  func.return %r, %s, %t, %u, %v : tensor<i64>, tensor<?xi64>, tensor<i1>, tensor<?xi64>, tensor<?xi64>
}
// PYTHON-LABEL: def bits(a, b, p, x):
// PYTHON-NEXT:      v = accumulate_at(np.bitwise_xor, 0, x, segment_numbers((p,), (3,)), (3,))
// PYTHON-NEXT:      r = np.bitwise_xor.reduce(a, (0, 1))
// PYTHON-NEXT:      u = np.bitwise_or.accumulate(x, 0)
// PYTHON-NEXT:      return r, np.bitwise_and.reduce(a, 1), np.bitwise_xor.reduce(b, 0), u, v

func.func @sizes_of_segments(%p: tensor<?xi64>, %n: tensor<i64>) -> tensor<?xi32> {
  %x = arith.constant dense<1> : tensor<i32>
  %one = yarr.unsqueeze %x, [0] : tensor<i32> -> tensor<1xi32>
  %0 = yarr.accumulate "add" %one by %p into %n : tensor<1xi32> by tensor<?xi64> -> tensor<?xi32>
  func.return %0 : tensor<?xi32>
}
// PYTHON-LABEL: def sizes_of_segments(p, n):
// PYTHON-NEXT:      return segment_count(segment_numbers((p,), (n,)), (n,), np.int32)

// Reductions by one key find its segments once.
func.func @two_by_one_key(%x: tensor<?xf64>, %k: tensor<?xi64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "add" %x by %k into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.accumulate "min" %x by %k into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def two_by_one_key(x, k):
// PYTHON-NEXT:      t0 = segment_numbers((k,), (3,))
// PYTHON-NEXT:      t1 = accumulate_at(np.minimum, np.inf, x, t0, (3,))
// PYTHON-NEXT:      return accumulate_at(np.add, 0.0, x, t0, (3,)), t1

func.func @inclusive(%x: tensor<?x?xf64>, %y: tensor<?xi32>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xi32>) {
  %0 = yarr.scan "min" %x, 1 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.scan "add" %x, 0 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.scan "add" %y, 0 suffixes inclusive : tensor<?xi32> -> tensor<?xi32>
  func.return %0, %1, %2 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xi32>
}
// PYTHON-LABEL: def inclusive(x, y):
// PYTHON-NEXT:      t0 = np.add.accumulate(y[::-1], 0, np.int32)[::-1]
// PYTHON-NEXT:      return np.minimum.accumulate(x, 1), np.add.accumulate(x, 0), t0

func.func @windows(%a: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %n: tensor<i64>) -> tensor<?x?x?x?xf32> {
  %m = yarr.size %a, 3 : tensor<?x?x?x?xf32>
  %0 = yarr.correlate %a, %w into %n, %m : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  func.return %0 : tensor<?x?x?x?xf32>
}
// PYTHON-LABEL: def windows(a, w, n):
// PYTHON-NEXT:      return correlate(a, w, (n, a.shape[3]))

func.func @strided_windows(%a: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %n: tensor<i64>) -> tensor<?x?x?x?xf32> {
  %m = yarr.size %a, 3 : tensor<?x?x?x?xf32>
  %0 = yarr.correlate %a, %w into %n, %m by [2, 3] : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  func.return %0 : tensor<?x?x?x?xf32>
}
// PYTHON-LABEL: def strided_windows(a, w, n):
// PYTHON-NEXT:      return correlate(a, w, (n, a.shape[3]), (2, 3))

func.func @weighted(%x: tensor<?x?xf32>, %w: tensor<1x?xf32>, %t: tensor<?x?xi1>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = yarr.weighted_scan "max" %x by %w, 1 : tensor<?x?xf32> by tensor<1x?xf32>
  %1 = yarr.weighted_scan "add" %x by %t, 0 : tensor<?x?xf32> by tensor<?x?xi1>
  func.return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}
// PYTHON-LABEL: def weighted(x, w, t):
// PYTHON-NEXT:      t0 = weighted_scan(np.maximum, -np.inf, x, w, 1)
// PYTHON-NEXT:      return t0, weighted_scan(np.add, 0.0, x, t, 0)

func.func @prefixes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = yarr.scan "add" %x, 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
// PYTHON-LABEL: def prefixes(x):
// PYTHON-NEXT:      return scan(np.add, 0.0, x, 1, False)

// A sum of products is finite only if all factors are: it is tested in the place of a matrix.

func.func @others(%x: tensor<?x?xf64>, %y: tensor<1x?xf32>, %s: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.propagate_nan %x from %y, 1 : tensor<?x?xf64> from tensor<1x?xf32>
  %1 = yarr.einsum "i,ij->j" %s, %x : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %2 = yarr.propagate_nan %1 from %x, 0 : tensor<?xf64> from tensor<?x?xf64>
  %3 = yarr.transpose %x, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %4 = yarr.reduce %x, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %5 = yarr.propagate_nan %4 from %3, 0 : tensor<?xf64> from tensor<?x?xf64>
  func.return %0, %2, %5 : tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def others(x, y, s):
// PYTHON-NEXT:      t0 = s @ x
// PYTHON-NEXT:      t1 = reduce_rows(np.add, x, 0.0)
// PYTHON-NEXT:      t2 = propagate_nan(x, y, 1, y).copy()
// PYTHON-NEXT:      return t2, propagate_nan(t0, x, 0, t0), propagate_nan(t1, x.T, 0, t1)

// A sum over an axis that may be empty proves nothing about the matrix.

func.func @empty_sums(%x: tensor<?x?xf64>, %s: tensor<?x?xf64>) -> tensor<?xf64> {
  %0 = yarr.einsum "ik,ij->j" %s, %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %1 = yarr.propagate_nan %0 from %x, 0 : tensor<?xf64> from tensor<?x?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON-LABEL: def empty_sums(x, s):
// PYTHON-NEXT:      return propagate_nan(np.einsum("ik,ij->j", s, x, optimize=True), x, 0, x)

func.func @ranks(%x: tensor<?x?xf64>, %n: tensor<i64>) -> (tensor<?x?xi64>, tensor<?x?xi64>) {
  %0 = yarr.top_k %x, 0, %n by "<" : tensor<?x?xf64> -> tensor<?x?xi64>
  %1 = yarr.top_k %x, 1, %n by ">" : tensor<?x?xf64> -> tensor<?x?xi64>
  func.return %0, %1 : tensor<?x?xi64>, tensor<?x?xi64>
}
// PYTHON-LABEL: def ranks(x, n):
// PYTHON-NEXT:      return top_k(x, 0, n, False), top_k(x, 1, n, True)

func.func @suffixes(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = yarr.scan "max" %x, 0 suffixes : tensor<?xf64> -> tensor<?xf64>
  func.return %0 : tensor<?xf64>
}
// PYTHON-LABEL: def suffixes(x):
// PYTHON-NEXT:      return scan(np.maximum, -np.inf, x, 0, True)

// A joined array of known size is allocated first, and its parts are written to their places, also
// those of parts along another axis.

func.func @parts(%a: tensor<?x?xf32>, %k: tensor<i64>) -> tensor<?x?xf32> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %x = arith.constant dense<1.0> : tensor<1x1xf32>
  %n = yarr.size %a, 0 : tensor<?x?xf32>
  %m = yarr.size %a, 1 : tensor<?x?xf32>
  %p = yarr.elementwise { arith.maxsi } %k, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %l = yarr.elementwise { arith.minsi } %p, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %low = yarr.slice %a, 0, %zero, %l step 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  %d = yarr.elementwise { arith.subi } %n, %l : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %h = yarr.elementwise { arith.maxsi } %d, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %high = yarr.slice %a, 0, %l, %h step 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  %c = yarr.elementwise { arith.subi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %w = yarr.elementwise { arith.maxsi } %c, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %left = yarr.slice %high, 1, %zero, %w step 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  %root = yarr.elementwise { math.sqrt } %left : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = yarr.elementwise { arith.subi } %m, %w : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %e = yarr.elementwise { arith.maxsi } %r, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %xs = yarr.repeat %x, 0, %h : tensor<1x1xf32> -> tensor<?x1xf32>
  %right = yarr.repeat %xs, 1, %e : tensor<?x1xf32> -> tensor<?x?xf32>
  %below = yarr.concat %root, %right axis 1 of %m : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = yarr.concat %low, %below axis 0 of %n : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return %s : tensor<?x?xf32>
}
// PYTHON-LABEL: def parts(a, k):
// PYTHON-NEXT:     x = np.ones((1, 1), dtype=np.float32)
// PYTHON-NEXT:     n = a.shape[0]
// PYTHON-NEXT:     p = max(k, np.int64(0))
// PYTHON-NEXT:     l = min(p, np.int64(n))
// PYTHON-NEXT:     s = np.empty((n, a.shape[1]), dtype=np.float32)
// PYTHON-NEXT:     s[:p] = a[:p]
// PYTHON-NEXT:     c = a.shape[1] - 1
// PYTHON-NEXT:     w = max(c, 0)
// PYTHON-NEXT:     root = np.sqrt(a[l:, :-1])
// PYTHON-NEXT:     s[l:, :-1] = root
// PYTHON-NEXT:     s[l:, w:] = x
// PYTHON-NEXT:     return s

// Parts of static size, and blocks of arrays that are computed in place.

func.func @first_and_others(%x: tensor<?xf64>, %first: tensor<1xf64>) -> tensor<?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %m = yarr.size %x, 0 : tensor<?xf64>
  %n = yarr.elementwise { arith.addi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %others = yarr.tile (%start, %length of %m, %y = %x along 0) : (tensor<?xf64>) -> (tensor<?xf64> along 0) {
    %0 = yarr.elementwise { math.exp } %y : (tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  %r = yarr.concat %first, %others axis 0 of %n : (tensor<1xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def first_and_others(x, first):
// PYTHON-NEXT:     m = x.shape[0]
// PYTHON-NEXT:     n = m + 1
// PYTHON-NEXT:     r = np.empty(n)
// PYTHON-NEXT:     step = block_length(16)
// PYTHON-NEXT:     others_1 = r[1:]
// PYTHON-NEXT:     for start in range(0, m, step):
// PYTHON-NEXT:         stop = start + step
// PYTHON-NEXT:         others_1[start:stop] = np.exp(x[start:stop])
// PYTHON-NEXT:     r[:1] = first
// PYTHON-NEXT:     return r

// A step with parts of an accumulator at their own places replaces the others. Their computation
// reads the accumulator at the places that it writes; smaller parts elsewhere are copied before.

func.func @replaced(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %acc = %a) -> tensor<?x?xf64> {
    %k1 = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %least = yarr.elementwise { arith.minsi } %n, %k1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = yarr.elementwise { arith.maxsi } %least, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = yarr.elementwise { arith.subi } %n, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %e = yarr.elementwise { arith.subi } %d, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l = yarr.elementwise { arith.maxsi } %e, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %above = yarr.slice %acc, 0, %zero, %h step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %row = yarr.take %acc, 0, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %row2 = yarr.unsqueeze %row, [0] : tensor<?xf64> -> tensor<1x?xf64>
    %below = yarr.slice %acc, 0, %k1, %l step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %new = yarr.elementwise { arith.subf } %below, %row2 : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %next = yarr.concat %above, %new axis 0 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %next : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// PYTHON-LABEL: def replaced(a):
// PYTHON-NEXT:     acc = a
// PYTHON-NEXT:     for k in range(a.shape[0]):
// PYTHON-NEXT:         next_ = acc.copy()
// PYTHON-NEXT:         new = next_[k + 1 :] - acc[k][None, :].copy()
// PYTHON-NEXT:         next_[k + 1 :] = new
// PYTHON-NEXT:         acc = next_
// PYTHON-NEXT:     return acc.copy()

// Blocks are read from where they are written to, too.

func.func @replaced_in_blocks(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %acc = %a) -> tensor<?x?xf64> {
    %k1 = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %least = yarr.elementwise { arith.minsi } %n, %k1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = yarr.elementwise { arith.maxsi } %least, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = yarr.elementwise { arith.subi } %n, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %e = yarr.elementwise { arith.subi } %d, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l = yarr.elementwise { arith.maxsi } %e, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %above = yarr.slice %acc, 0, %zero, %h step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %below = yarr.slice %acc, 0, %k1, %l step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %new = yarr.tile sizes(%m) (%start, %length of %l, %x = %below along 0) : (tensor<?x?xf64>) -> (tensor<?x?xf64> along 0) {
      %0 = yarr.elementwise { math.exp } %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
      %1 = yarr.elementwise { arith.subf } %x, %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
      yarr.yield %1 : tensor<?x?xf64>
    }
    %next = yarr.concat %above, %new axis 0 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %next : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// PYTHON-LABEL: def replaced_in_blocks(a):
// PYTHON:              next_ = acc.copy()
// PYTHON-NEXT:         step = block_length(24 * acc.shape[1])
// PYTHON-NEXT:         new = next_[k + 1 :]
// PYTHON-NEXT:         for start in range(0, max(e, 0), step):
// PYTHON-NEXT:             stop = start + step
// PYTHON-NEXT:             x = new[start:stop]
// PYTHON-NEXT:             new[start:stop] = x - np.exp(x)
// PYTHON-NEXT:         acc = next_

// A part that reads as many elements elsewhere is computed first: then all parts are new.

func.func @shifted(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r = yarr.fold (%k < %n, %acc = %a) -> tensor<?x?xf64> {
    %k1 = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %least = yarr.elementwise { arith.minsi } %n, %k1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = yarr.elementwise { arith.maxsi } %least, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = yarr.elementwise { arith.subi } %n, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %e = yarr.elementwise { arith.subi } %d, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l = yarr.elementwise { arith.maxsi } %e, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %above = yarr.slice %acc, 0, %zero, %h step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %below = yarr.slice %acc, 0, %k1, %l step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %shifted = yarr.slice %acc, 0, %k, %l step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %new = yarr.elementwise { arith.subf } %below, %shifted : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %next = yarr.concat %above, %new axis 0 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %next : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// PYTHON-LABEL: def shifted(a):
// PYTHON:              new = acc[k + 1 :] - acc[k:-1]
// PYTHON-NEXT:         next_ = np.empty((n, acc.shape[1]))
// PYTHON-NEXT:         next_[k + 1 :] = new
// PYTHON-NEXT:         next_[: k + 1] = acc[: k + 1]

// An accumulator that the loop also carries elsewhere is not replaced.

func.func @handed_on(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r, %s = yarr.fold (%k < %n, %acc = %a, %last = %a) -> tensor<?x?xf64>, tensor<?x?xf64> {
    %k1 = yarr.elementwise { arith.addi } %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %least = yarr.elementwise { arith.minsi } %n, %k1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %h = yarr.elementwise { arith.maxsi } %least, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = yarr.elementwise { arith.subi } %n, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %e = yarr.elementwise { arith.subi } %d, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l = yarr.elementwise { arith.maxsi } %e, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %above = yarr.slice %acc, 0, %zero, %h step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %below = yarr.slice %acc, 0, %k1, %l step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %new = yarr.elementwise { math.exp } %below : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %next = yarr.concat %above, %new axis 0 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %next, %acc : tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def handed_on(a):
// PYTHON:              next_ = np.empty((n, acc.shape[1]))
// PYTHON-NEXT:         next_[: k + 1] = acc[: k + 1]
// PYTHON-NEXT:         new = np.exp(acc[k + 1 :])
// PYTHON-NEXT:         next_[k + 1 :] = new
// PYTHON-NEXT:         last = acc
// PYTHON-NEXT:         acc = next_

// yarr.tile: a loop over blocks that stay in the cache, which are views.

func.func @tile(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r = yarr.tile sizes(%n) (%start, %length of %m, %x = %a along 1) : (tensor<?x?xf64>) -> (tensor<?x?xf64> along 1) {
    %0 = yarr.elementwise (%y = %x) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
      %1 = math.exp %y : f64
      %2 = math.absf %1 : f64
      yarr.yield %2 : f64
    }
    yarr.yield %0 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// PYTHON-LABEL: def tile(a):
// PYTHON-NEXT:     m = a.shape[1]
// PYTHON-NEXT:     step = block_length(16 * a.shape[0], 128)
// PYTHON-NEXT:     r = np.empty((a.shape[0], m))
// PYTHON-NEXT:     for start in range(0, m, step):
// PYTHON-NEXT:         stop = start + step
// PYTHON-NEXT:         r[:, start:stop] = np.abs(np.exp(a[:, start:stop]))
// PYTHON-NEXT:     return r

// Blocks of columns have the same fewest neighbours where each is reduced to a number.

func.func @tile_columns(%a: tensor<?x?xf64>) -> tensor<?xf64> {
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %r = yarr.tile (%start, %length of %m, %x = %a along 1) : (tensor<?x?xf64>) -> (tensor<?xf64> along 0) {
    %0 = yarr.elementwise { math.exp } %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
    %1 = yarr.reduce %0, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
    yarr.yield %1 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def tile_columns(a):
// PYTHON-NEXT:     m = a.shape[1]
// PYTHON-NEXT:     step = block_length(16 * a.shape[0], 128)

// Blocks whose rows are equally long, as those of slices along the columns, are counted together.

func.func @tile_slices(%a: tensor<?x?xf64>, %i: tensor<i64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %m = yarr.size %a, 0 : tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %p = yarr.slice %a, 1, %zero, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %q = yarr.slice %a, 1, %i, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %r = yarr.tile sizes(%n) (%start, %length of %m, %x = %p along 0, %y = %q along 0) : (tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<?x?xf64> along 0) {
    %0 = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %1 = yarr.elementwise { math.exp } %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    yarr.yield %1 : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// PYTHON-LABEL: def tile_slices(a, i, n):
// PYTHON-NEXT:     m = a.shape[0]
// PYTHON-NEXT:     p = a[:, :n]
// PYTHON-NEXT:     q = a[:, i : i + n]
// PYTHON-NEXT:     step = block_length(24 * n)
// PYTHON-NEXT:     r = np.empty((m, n))
// PYTHON-NEXT:     for start in range(0, m, step):
// PYTHON-NEXT:         stop = start + step
// PYTHON-NEXT:         r[start:stop] = np.exp(p[start:stop] * q[start:stop])
// PYTHON-NEXT:     return r

// A strided operand that is read for each row of a result is copied first. One that is
// contiguous, or is read for each column, is not.

func.func @gaps(%a: tensor<?x?xf64>, %k: tensor<i64>) -> (tensor<?x?x?xf64>, tensor<?x?xf64>) {
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %0 = yarr.unsqueeze %t, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
  %1 = yarr.unsqueeze %a, [2] : tensor<?x?xf64> -> tensor<?x?x1xf64>
  %2 = yarr.elementwise { arith.subf } %0, %1 : (tensor<?x1x?xf64>, tensor<?x?x1xf64>) -> tensor<?x?x?xf64>
  %3 = yarr.take %a, 0, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %4 = yarr.unsqueeze %3, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %5 = yarr.elementwise { arith.addf } %a, %4 : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %2, %5 : tensor<?x?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def gaps(a, k):
// PYTHON-NEXT:     return np.ascontiguousarray(a.T)[:, None, :] - a[:, :, None], a + a[k][None, :]

// A sum of products in another order, with its tests.
func.func @in_order(%a: tensor<?x?xf64>, %b: tensor<?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = yarr.in_order "(ik,/k->i),i->i" %x of %a, %b, %x if finite %x and normal %b
    : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64> if finite tensor<?xf64> and normal tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def in_order_1(a, b, x):
// PYTHON:      in_order(x, (x,), (b,), ("i", ("i", ("ik", a), ("/k", b)), ("i", x)))

// Rows and windows of an axis are views where they are in bounds; two axes become one.

func.func @rows(%a: tensor<?x?xf64>, %m: tensor<i64>) -> (tensor<?x?x?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.strided %a, 1, %one, sizes(%n, %m), steps(%m, %one) : tensor<?x?xf64> -> tensor<?x?x?xf64>
  %1 = yarr.flatten %a, 0 : tensor<?x?xf64> -> tensor<?xf64>
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.flatten %t, 0 : tensor<?x?xf64> -> tensor<?xf64>
  func.return %0, %1, %2 : tensor<?x?x?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def rows(a, m):
// PYTHON-NEXT:     t0 = strided(a, 1, 1, (a.shape[0], m), (m, 1)).copy()
// PYTHON-NEXT:     return t0, flatten(a, 0).copy(), flat_copy(a.T, 0)

// Every second column, from one on, is replaced; the value has one row for all.

func.func @every_second(%a: tensor<?x?xf64>, %p: tensor<i64>, %n: tensor<i64>, %x: tensor<1x?xf64>) -> tensor<?x?xf64> {
  %two = arith.constant dense<2> : tensor<i64>
  %r = yarr.update_slice %a[%p, %n by %two] along 1, %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// PYTHON:      def every_second(a, p, n, x):
// PYTHON-NEXT:     t0 = a.copy()
// PYTHON-NEXT:     t0[:, p : p + n * 2 : 2] = x
// PYTHON-NEXT:     return t0

// Values are stored at keys, in a copy of an array that is an argument.

func.func @scattered(%a: tensor<?x?xf64>, %k: tensor<?xi64>, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %r = yarr.scatter %a[%k, %k], %x : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// PYTHON:      def scattered(a, k, x):
// PYTHON-NEXT:     t0, t1, t2 = placed_values((k, k), (a.shape[0], a.shape[1]), x)
// PYTHON-NEXT:     t3 = a.copy()
// PYTHON-NEXT:     t3[t0, t1] = t2
// PYTHON-NEXT:     return t3

// Rows that a mask leaves out are not read. A mask of the last axis stays one: rows are contiguous.

func.func @masked_rows(%a: tensor<?x?xf64>, %b: tensor<?x?xi1>, %m: tensor<?xi1>) -> (tensor<?xf64>, tensor<?xi1>, tensor<?xf64>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %1 = yarr.unsqueeze %m, [1] : tensor<?xi1> -> tensor<?x1xi1>
  %2 = yarr.elementwise { arith.select } %1, %a, %0 : (tensor<?x1xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %2, [0] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  %3 = yarr.elementwise { arith.ori } %b, %1 : (tensor<?x?xi1>, tensor<?x1xi1>) -> tensor<?x?xi1>
  %t = yarr.reduce %3, [0] by { arith.andi } : tensor<?x?xi1> -> tensor<?xi1>
  %4 = yarr.unsqueeze %m, [0] : tensor<?xi1> -> tensor<1x?xi1>
  %5 = yarr.elementwise { arith.select } %4, %a, %0 : (tensor<1x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %u = yarr.reduce %5, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s, %t, %u : tensor<?xf64>, tensor<?xi1>, tensor<?xf64>
}
// PYTHON:      def masked_rows(a, b, m):
// PYTHON-NEXT:     u = reduce_rows(np.add, np.where(m[None, :], a, 0.0), 0.0)
// PYTHON-NEXT:     return a[m].sum(axis=0), b[~m].all(axis=0), u

// Steps of products that a mask leaves out are not taken, if few are left.

func.func @masked_steps(%a: tensor<?x?xf64>, %x: tensor<?xf64>, %m: tensor<?xi1>) -> (tensor<?xf64>, tensor<?xf64>) {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %0 = yarr.unsqueeze %zero, [0] : tensor<f64> -> tensor<1xf64>
  %1 = yarr.elementwise { arith.select } %m, %x, %0 : (tensor<?xi1>, tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %s = yarr.einsum "i,ij->j" %1, %a : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %t = yarr.einsum "i,ij->i" %1, %a : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  func.return %s, %t : tensor<?xf64>, tensor<?xf64>
}
// PYTHON:      def masked_steps(a, x, m):
// PYTHON-NEXT:     t0 = np.where(m, x, 0.0)
// PYTHON-NEXT:     t1 = kept_steps(m, True, a)
// PYTHON-NEXT:     return at_steps(t0, t1, 0) @ at_steps(a, t1, 0), np.einsum("i,ij->i", t0, a)

// Quotients and remainders of arrays by powers of two are bits; those by other numbers and those of one
// number are divisions.

func.func @powers_of_two(%a: tensor<?xi64>, %b: tensor<?xi32>, %x: tensor<i64>) -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi64>, tensor<i64>) {
  %eight = arith.constant dense<8> : tensor<i64>
  %0 = yarr.unsqueeze %eight, [0] : tensor<i64> -> tensor<1xi64>
  %q = yarr.elementwise { arith.floordivsi } %a, %0 : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %two = arith.constant dense<2> : tensor<i32>
  %1 = yarr.unsqueeze %two, [0] : tensor<i32> -> tensor<1xi32>
  %r = yarr.elementwise { sigma.floormod } %b, %1 : (tensor<?xi32>, tensor<1xi32>) -> tensor<?xi32>
  %six = arith.constant dense<6> : tensor<i64>
  %2 = yarr.unsqueeze %six, [0] : tensor<i64> -> tensor<1xi64>
  %s = yarr.elementwise { sigma.floormod } %a, %2 : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %t = yarr.elementwise { sigma.floormod } %x, %eight : (tensor<i64>, tensor<i64>) -> tensor<i64>
  func.return %q, %r, %s, %t : tensor<?xi64>, tensor<?xi32>, tensor<?xi64>, tensor<i64>
}
// PYTHON:      def powers_of_two(a, b, x):
// PYTHON-NEXT:     return a >> 3, b & 1, a % 6, x % 8

// Quotients by powers of two are shifts, where these are Ints: that by 2 ** 63 is not.
func.func @powers(%x: tensor<?x1xi64>) -> (tensor<?x?xi64>, tensor<?x?xi64>) {
  %few = arith.constant dense<63> : tensor<i64>
  %many = arith.constant dense<64> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = yarr.unsqueeze %one, [0] : tensor<i64> -> tensor<1xi64>
  %k = yarr.range %few : tensor<?xi64>
  %m = yarr.range %many : tensor<?xi64>
  %p = yarr.elementwise { arith.shli } %two, %k : (tensor<1xi64>, tensor<?xi64>) -> tensor<?xi64>
  %q = yarr.elementwise { arith.shli } %two, %m : (tensor<1xi64>, tensor<?xi64>) -> tensor<?xi64>
  %u = yarr.unsqueeze %p, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %v = yarr.unsqueeze %q, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %r = yarr.elementwise { arith.floordivsi } %x, %u
      : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  %s = yarr.elementwise { arith.floordivsi } %x, %v
      : (tensor<?x1xi64>, tensor<1x?xi64>) -> tensor<?x?xi64>
  func.return %r, %s : tensor<?x?xi64>, tensor<?x?xi64>
}
// PYTHON:      def powers(x):
// PYTHON-NEXT:     k = np.arange(63)
// PYTHON-NEXT:     m = np.arange(64)
// PYTHON-NEXT:     q = 1 << m
// PYTHON-NEXT:     return x >> k[None, :], x // q[None, :]

// A yarr.while with a limit is a loop that may end early; without one it is `while`.

func.func @rooted(%x: tensor<f64>, %one: tensor<f64>, %more: tensor<i1>, %limit: tensor<i64>) -> tensor<f64> {
  %on, %r = yarr.while (%k < %limit, %m = %more, %y = %x) -> tensor<i1>, tensor<f64> {
    %0 = yarr.elementwise { math.sqrt } %y : (tensor<f64>) -> tensor<f64>
    %1 = yarr.elementwise (%p = %0, %q = %one) : (tensor<f64>, tensor<f64>) -> tensor<i1> {
      %2 = arith.cmpf ogt, %p, %q : f64
      yarr.yield %2 : i1
    }
    yarr.yield %1, %0 : tensor<i1>, tensor<f64>
  }
  func.return %r : tensor<f64>
}

func.func @unlimited(%x: tensor<f64>, %one: tensor<f64>, %more: tensor<i1>) -> tensor<f64> {
  %limit = arith.constant dense<17592186044416> : tensor<i64>
  %on, %r = yarr.while (%k < %limit, %m = %more, %y = %x) -> tensor<i1>, tensor<f64> {
    %0 = yarr.elementwise { math.sqrt } %y : (tensor<f64>) -> tensor<f64>
    %1 = yarr.elementwise (%p = %0, %q = %one) : (tensor<f64>, tensor<f64>) -> tensor<i1> {
      %2 = arith.cmpf ogt, %p, %q : f64
      yarr.yield %2 : i1
    }
    yarr.yield %1, %0 : tensor<i1>, tensor<f64>
  }
  func.return %r : tensor<f64>
}
// PYTHON-LABEL: def rooted(x, one, more, limit):
// PYTHON-NEXT:      m = more
// PYTHON-NEXT:      y = x
// PYTHON-NEXT:      for _ in range(limit):
// PYTHON-NEXT:          if not m:
// PYTHON-NEXT:              break
// PYTHON-NEXT:          y = np.sqrt(y)
// PYTHON-NEXT:          m = y > one
// PYTHON-NEXT:      return np.float64(y)
// PYTHON-LABEL: def unlimited(x, one, more):
// PYTHON-NEXT:      m = more
// PYTHON-NEXT:      y = x
// PYTHON-NEXT:      while m:
// PYTHON-NEXT:          y = np.sqrt(y)
// PYTHON-NEXT:          m = y > one
// PYTHON-NEXT:      return np.float64(y)

// The order of yarr.argsort is stable.

func.func @orders(%a: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.argsort %a, 1 : tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %p : tensor<?x3xi64>
}
// PYTHON-LABEL: def orders(a):
// PYTHON-NEXT:      return argsort(a, 1)

// The first positions in order are found without the others.

func.func @first_orders(%a: tensor<?x?xf64>, %k: tensor<i64>) -> tensor<?x?xi64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %p = yarr.argsort %a, 1 : tensor<?x?xf64> -> tensor<?x?xi64>
  %q = yarr.slice %p, 1, %zero, %k step 1 : tensor<?x?xi64> -> tensor<?x?xi64>
  func.return %q : tensor<?x?xi64>
}
// PYTHON-LABEL: def first_orders(a, k):
// PYTHON: first_positions(a, 1,

// A sum of ones where a condition holds is a count.

func.func @count(%c: tensor<?x?xi1>) -> tensor<f64> {
  %one = arith.constant dense<1.0> : tensor<f64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %ones = yarr.unsqueeze %one, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %zeros = yarr.unsqueeze %zero, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %x = yarr.elementwise { arith.select } %c, %ones, %zeros : (tensor<?x?xi1>, tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %s = yarr.reduce %x, [0, 1] by { arith.addf } : tensor<?x?xf64> -> tensor<f64>
  func.return %s : tensor<f64>
}
// PYTHON-LABEL: def count(c):
// PYTHON-NEXT:      return np.float64(np.count_nonzero(c))

func.func @count_rows(%c: tensor<?x?xi1>) -> tensor<?xf64> {
  %x = yarr.elementwise { arith.uitofp } %c : (tensor<?x?xi1>) -> tensor<?x?xf64>
  %s = yarr.reduce %x, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
  func.return %s : tensor<?xf64>
}
// PYTHON-LABEL: def count_rows(c):
// PYTHON-NEXT:      return count_true(c, 1, np.float64)

// The least or the greatest position where a condition holds is a search for it.

func.func @first_of_rows(%c: tensor<?x?xi1>) -> tensor<?xi64> {
  %n = yarr.size %c, 1 : tensor<?x?xi1>
  %i = yarr.range %n : tensor<?xi64>
  %p = yarr.unsqueeze %i, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %none = yarr.unsqueeze %n, [0, 1] : tensor<i64> -> tensor<1x1xi64>
  %x = yarr.elementwise { arith.select } %c, %p, %none : (tensor<?x?xi1>, tensor<1x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %s = yarr.reduce %x, [1] by { arith.minsi } : tensor<?x?xi64> -> tensor<?xi64>
  func.return %s : tensor<?xi64>
}
// PYTHON-LABEL: def first_of_rows(c):
// PYTHON:           return true_position(c, 1, c.shape[1], False)

func.func @last_place(%c: tensor<?xi1>) -> tensor<i64> {
  %n = yarr.size %c, 0 : tensor<?xi1>
  %i = yarr.range %n : tensor<?xi64>
  %minus = arith.constant dense<-1> : tensor<i64>
  %none = yarr.unsqueeze %minus, [0] : tensor<i64> -> tensor<1xi64>
  %x = yarr.elementwise { arith.select } %c, %i, %none : (tensor<?xi1>, tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %s = yarr.reduce %x, [0] by { arith.maxsi } : tensor<?xi64> -> tensor<i64>
  func.return %s : tensor<i64>
}
// PYTHON-LABEL: def last_place(c):
// PYTHON:           return true_position(c, 0, -1, True)

// Not so if the number instead may be one of the positions, or the array has another use.

func.func @between(%c: tensor<?xi1>, %m: tensor<i64>) -> tensor<i64> {
  %n = yarr.size %c, 0 : tensor<?xi1>
  %i = yarr.range %n : tensor<?xi64>
  %none = yarr.unsqueeze %m, [0] : tensor<i64> -> tensor<1xi64>
  %x = yarr.elementwise { arith.select } %c, %i, %none : (tensor<?xi1>, tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %s = yarr.reduce %x, [0] by { arith.minsi } : tensor<?xi64> -> tensor<i64>
  func.return %s : tensor<i64>
}
// PYTHON-LABEL: def between(c, m):
// PYTHON-NOT:       true_position

// yarr.searchsorted is a search in each vector.

func.func @places(%a: tensor<?xf64>, %x: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.searchsorted %a, %x right : tensor<?xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %p : tensor<?x3xi64>
}
// PYTHON-LABEL: def places(a, x):
// PYTHON-NEXT:      return place_in_order(a, x, "right", order_of_search(a, x))

// yarr.sort is a sort of elements alone.

func.func @sorts(%a: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %s = yarr.sort %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
  func.return %s : tensor<?x3xf64>
}
// PYTHON-LABEL: def sorts(a):
// PYTHON-NEXT:      return sort_elements(a, 1)

// Where single elements are read of it, only these are in order.

func.func @middle(%a: tensor<?xf64>, %p: tensor<i64>) -> tensor<f64> {
  %s = yarr.sort %a, 0 : tensor<?xf64> -> tensor<?xf64>
  %t = yarr.fill_empty %s, 0 : tensor<?xf64> -> tensor<?xf64>
  %x = yarr.take %t, 0, %p : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
  %one = arith.constant dense<1> : tensor<i64>
  %q = yarr.elementwise { arith.addi } %p, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %y = yarr.take %t, 0, %q : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
  %r = yarr.elementwise { arith.addf } %x, %y : (tensor<f64>, tensor<f64>) -> tensor<f64>
  func.return %r : tensor<f64>
}
// PYTHON-LABEL: def middle(a, p):
// PYTHON-NEXT:      q = p + 1
// PYTHON-NEXT:      s = sort_at(a, 0, q, p)

// Not if a position is an element of it.

func.func @chain(%a: tensor<?xi64>, %p: tensor<i64>) -> tensor<i64> {
  %s = yarr.sort %a, 0 : tensor<?xi64> -> tensor<?xi64>
  %t = yarr.fill_empty %s, 0 : tensor<?xi64> -> tensor<?xi64>
  %x = yarr.take %t, 0, %p : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
  %y = yarr.take %t, 0, %x : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
  func.return %y : tensor<i64>
}
// PYTHON-LABEL: def chain(a, p):
// PYTHON:           sort_elements(a, 0)

// Positions that go around the ends of axes: their elements are copied in two parts along each.
// Other positions gather.

func.func @around(%a: tensor<?x?xf64>, %m: tensor<i64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %n = yarr.size %a, 1 : tensor<?x?xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %i = yarr.range %n : tensor<?xi64>
  %s = yarr.unsqueeze %one, [0] : tensor<i64> -> tensor<1xi64>
  %u = yarr.unsqueeze %n, [0] : tensor<i64> -> tensor<1xi64>
  %v = yarr.unsqueeze %m, [0] : tensor<i64> -> tensor<1xi64>
  %0 = yarr.elementwise { arith.subi } %i, %s : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %1 = yarr.elementwise { arith.addi } %v, %0 : (tensor<1xi64>, tensor<?xi64>) -> tensor<?xi64>
  %2 = yarr.elementwise { sigma.floormod } %1, %u : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %f = yarr.fill_empty %a, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %x = yarr.take %f, 1, %2 : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  %p = yarr.unsqueeze %2, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %3 = yarr.elementwise { sigma.floormod } %i, %u : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %q = yarr.unsqueeze %3, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %y = yarr.gather %f[%p, %q] : (tensor<?x?xf64>, tensor<1x?xi64>, tensor<?x1xi64>) -> tensor<?x?xf64>
  %4 = yarr.elementwise { arith.subi } %s, %i : (tensor<1xi64>, tensor<?xi64>) -> tensor<?xi64>
  %5 = yarr.elementwise { sigma.floormod } %4, %u : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %z = yarr.take %a, 0, %5 : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  func.return %x, %y, %z : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def around(a, m):
// PYTHON-NEXT:      n = a.shape[1]
// PYTHON-NEXT:      i = np.arange(n)
// PYTHON-NEXT:      y = rotated(a, (0, n, n, m, -1), (1, n, n)).transpose((1, 0))
// PYTHON-NEXT:      return rotated(a, (1, n, n, m, -1)), y, a.take((1 - i) % n, axis=0, mode="clip")

// A row whose first part is an array of another size is joined before it is written.
func.func @joined_row(%a: tensor<?x?xf64>, %x: tensor<?xf64>, %p: tensor<i64>, %k: tensor<i64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %row = yarr.take %a, 0, %p in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %rest = yarr.slice %row, 0, %k, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %new = yarr.concat %x, %rest axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.update %a[%p] along [0], %new in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}

// PYTHON-LABEL:  def joined_row(a, x, p, k, n):
// PYTHON-NEXT:       new = np.concatenate((x, a[p][k : k + n]))

// A choice of two Ints is arithmetic, without a branch for each element; that of Floats is none, nor
// is one whose difference is no Int.

func.func @numbers(%c: tensor<?xi1>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>) {
  %n0 = arith.constant dense<1> : tensor<i64>
  %0 = yarr.unsqueeze %n0, [0] : tensor<i64> -> tensor<1xi64>
  %n1 = arith.constant dense<-1> : tensor<i64>
  %1 = yarr.unsqueeze %n1, [0] : tensor<i64> -> tensor<1xi64>
  %n2 = arith.constant dense<2> : tensor<i64>
  %2 = yarr.unsqueeze %n2, [0] : tensor<i64> -> tensor<1xi64>
  %n3 = arith.constant dense<3> : tensor<i64>
  %3 = yarr.unsqueeze %n3, [0] : tensor<i64> -> tensor<1xi64>
  %n4 = arith.constant dense<9223372036854775807> : tensor<i64>
  %4 = yarr.unsqueeze %n4, [0] : tensor<i64> -> tensor<1xi64>
  %n5 = arith.constant dense<1.5> : tensor<f64>
  %5 = yarr.unsqueeze %n5, [0] : tensor<f64> -> tensor<1xf64>
  %n6 = arith.constant dense<-1.5> : tensor<f64>
  %6 = yarr.unsqueeze %n6, [0] : tensor<f64> -> tensor<1xf64>
  %r = yarr.elementwise { arith.select } %c, %0, %1 : (tensor<?xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %s = yarr.elementwise { arith.select } %c, %2, %3 : (tensor<?xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %t = yarr.elementwise { arith.select } %c, %3, %2 : (tensor<?xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %u = yarr.elementwise { arith.select } %c, %4, %1 : (tensor<?xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>
  %v = yarr.elementwise { arith.select } %c, %5, %6 : (tensor<?xi1>, tensor<1xf64>, tensor<1xf64>) -> tensor<?xf64>
  func.return %r, %s, %t, %u, %v : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xf64>
}
// PYTHON-LABEL: def numbers(c):
// PYTHON-NEXT:      u = np.where(c, 9223372036854775807, -1)
// PYTHON-NEXT:      return c * 2 - 1, 3 - c, c + 2, u, np.where(c, 1.5, -1.5)

// One search finds the largest elements, and their positions.

func.func @largest_of_rows(%a: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xi64>) {
  %m = yarr.reduce %a, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  %p = yarr.argreduce %a, 1 by ">" : tensor<?x?xf64> -> tensor<?xi64>
  func.return %m, %p : tensor<?xf64>, tensor<?xi64>
}
// PYTHON:      def largest_of_rows(a):
// PYTHON-NEXT:     m, p = largest(a, 1)
// PYTHON-NEXT:     return m, p

// Matrices that one side alone has several of are broadcast; those with a vector each are multiplied
// element by element.

func.func @broadcast_stacks(%a: tensor<?x?x?xf64>, %v: tensor<?xf64>, %b: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.einsum "k,ikj->ij" %v, %a : (tensor<?xf64>, tensor<?x?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.einsum "lk,ikj->ilj" %b, %a : (tensor<?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %2 = yarr.einsum "ik,ikj->ij" %b, %a : (tensor<?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?xf64>
  func.return %0, %1, %2 : tensor<?x?xf64>, tensor<?x?x?xf64>, tensor<?x?xf64>
}
// PYTHON:      def broadcast_stacks(a, v, b):
// PYTHON-NEXT:     return v @ a, grouped_matmul(b, a, 1, 1, 1), np.einsum("ik,ikj->ij", b, a)

// Extremes start with the array that their only user combines them with.

func.func @extremes_from(%x: tensor<?xf64>, %p: tensor<?xi64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %d, 0 : tensor<?xf64>
  %0 = yarr.accumulate "min" %x by %p into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.elementwise { arith.minimumf } %d, %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON-LABEL: def extremes_from(x, p, d):
// PYTHON:           return accumulate_at(np.minimum, d, x,

func.func @other_extremes(%x: tensor<?xf64>, %p: tensor<?xi64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %d, 0 : tensor<?xf64>
  %0 = yarr.accumulate "min" %x by %p into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.elementwise { arith.maximumf } %d, %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON-LABEL: def other_extremes(x, p, d):
// PYTHON:           accumulate_at(np.minimum, np.inf, x,
