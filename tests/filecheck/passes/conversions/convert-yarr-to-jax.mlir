// RUN: ein-opt %s -p convert-yarr-to-jax | filecheck %s
// RUN: ein-opt %s -p convert-yarr-to-jax -t python | filecheck %s --check-prefix=PYTHON
// RUN: ein-opt %s -p 'convert-yarr-to-jax{gpu=true}' -t python | filecheck %s --check-prefix=GPU
// RUN: xdsl-opt %s -p convert-yarr-to-jax -t python | filecheck %s --check-prefix=PYTHON

// Sizes are known when JAX traces a program: NumPy computes their operands.
// CHECK: func.func @sizes(%n: tensor<i64>, {{.*}}) -> {{.*}} attributes {emitpy.static_arguments = [array<i64: 0>, array<i64: 1, 1>]} {

func.func @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
  %x = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %y = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %c = yarr.elementwise { arith.mulf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %c : tensor<?x?xf64>
}
// PYTHON: def outer(a, b):
// PYTHON-NEXT:     return a[:, None] * b[None, :]

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
// PYTHON: def pairwise_l1(a):
// PYTHON-NEXT:     n = a.shape[0]
// PYTHON-NEXT:     zs = jnp.zeros((n, n))
// PYTHON-EMPTY:
// PYTHON-NEXT:     def step(k, acc):
// PYTHON-NEXT:         c = at(a, 1, k)
// PYTHON-NEXT:         return acc + jnp.abs(c[:, None] - c[None, :])
// PYTHON-EMPTY:
// PYTHON-NEXT:     return fold(a.shape[1], step, zs, 33, 64, 8, 43691)

// Steps are not combined if each accumulator would repeat the steps of another.

func.func @rotate(%a: tensor<?xf64>, %b: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %s:2 = yarr.fold (%k < %n, %x = %a, %y = %b) -> tensor<?xf64>, tensor<?xf64> {
    %0 = yarr.elementwise { arith.subf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %1 = yarr.elementwise { arith.addf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0, %1 : tensor<?xf64>, tensor<?xf64>
  }
  func.return %s#0 : tensor<?xf64>
}
// PYTHON: def rotate(a, b, n):
// PYTHON:     s, {{.*}} = fold(n, step, (a, b), 64){{$}}

// A step that mixes elements stays a step, however few there are.

func.func @smooth(%a: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %one = arith.constant dense<1> : tensor<i64>
  %s = yarr.fold (%k < %n, %acc = %a) -> tensor<?xf64> {
    %m = yarr.size %acc, 0 : tensor<?xf64>
    %x = yarr.slice %acc, 0, %one, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// PYTHON: def smooth(a, n):
// PYTHON:     return fold(n, step, a){{$}}

// Windows of one vector, for which the vector is extended before the loop, are one pass over memory
// for several steps; those of a vector of the step are not.

func.func @lags(%a: tensor<?xf64>, %init: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %m = yarr.size %init, 0 : tensor<?xf64>
  %s = yarr.fold (%k < %n, %acc = %init) -> tensor<?xf64> {
    %x = yarr.slice %a, 0, %k, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// PYTHON: def lags(a, init, n):
// PYTHON: x = window_within(a, 0, k, m, 1, (0, n - 1))
// PYTHON: return fold(n, step, init, 64, 64, 8, 131072){{$}}

func.func @lags_of_a_step(%a: tensor<?xf64>, %init: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %m = yarr.size %init, 0 : tensor<?xf64>
  %s = yarr.fold (%k < %n, %acc = %init) -> tensor<?xf64> {
    %b = yarr.scan "add" %a, 0 : tensor<?xf64> -> tensor<?xf64>
    %x = yarr.slice %b, 0, %k, %m step 1 clip : tensor<?xf64> -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %s : tensor<?xf64>
}
// PYTHON: def lags_of_a_step(a, init, n):
// PYTHON: window_within({{.*}}, 0, k, m, 1, (0, n - 1))
// PYTHON: return fold(n, step, init, 0, 64){{$}}

func.func @axes(%a: tensor<?x?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %0 = yarr.transpose %a, [0, 2, 1] : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  %1 = yarr.reduce %0, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.transpose %1, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %3 = yarr.reduce %2, [1] by { arith.maximumf } : tensor<?x?xf64> -> tensor<?xf64>
  %4 = yarr.unsqueeze %3, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %5 = yarr.repeat %4, 0, %n : tensor<1x?xf64> -> tensor<?x?xf64>
  func.return %5 : tensor<?x?xf64>
}
// PYTHON: def axes(a, n):
// PYTHON-NEXT:     t0 = sum_rows(jnp.transpose(a, (0, 2, 1)), 1).T.max(axis=1, initial=-jnp.inf)
// PYTHON-NEXT:     t1 = t0[None, :]
// PYTHON-NEXT:     return jnp.broadcast_to(t1, (n, t1.shape[1]))

func.func @squeeze(%a: tensor<?x1xf64>) -> tensor<?xf64> {
  %0 = yarr.elementwise { math.exp } %a : (tensor<?x1xf64>) -> tensor<?x1xf64>
  %1 = yarr.squeeze %0, [1] : tensor<?x1xf64> -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON: def squeeze(a):
// PYTHON-NEXT:     return jnp.exp(a)[:, 0]

func.func @positions(%a: tensor<?x?xf64>, %p: tensor<?xi64>, %q: tensor<?xi64>, %k: tensor<i64>) -> (tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = yarr.take %a, 1, %p : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
  %1 = yarr.gather %a[%p, %q] : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf64>
  %2 = yarr.gather %a[%p, %q] in_bounds [0, 1] : (tensor<?x?xf64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf64>
  %3 = yarr.take %a, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  func.return %0, %1, %2, %3 : tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON: def positions(a, p, q, k):
// PYTHON-NEXT:     t0 = a[jnp.clip(p, 0, a.shape[0] - 1), jnp.clip(q, 0, a.shape[1] - 1)]
// PYTHON-NEXT:     t1 = at(a, 0, jnp.clip(k, 0, a.shape[0] - 1))
// PYTHON-NEXT:     return jnp.take(a, p, axis=1, mode="clip"), t0, a[p, q], t1

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
// PYTHON: def differences(a):
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
// PYTHON: def reversed_(a, b):
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
// PYTHON: def every_third_back(a, s, n):
// PYTHON-NEXT:     x = clipped_take(a, 0, s, n, -3)
// PYTHON-NEXT:     return jnp.sqrt(x)

func.func @extend(%a: tensor<?x?xf64>, %low: tensor<i64>) -> tensor<?x?xf64> {
  %two = arith.constant dense<2> : tensor<i64>
  %0 = yarr.fill_empty %a, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.pad %0, 1, %low, %two : tensor<?x?xf64> -> tensor<?x?xf64>
  %2 = yarr.concat %1, %0 axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %2 : tensor<?x?xf64>
}
// PYTHON: def extend(a, low):
// PYTHON-NEXT:     t0 = fill_empty(a, 1)
// PYTHON-NEXT:     return jnp.concatenate((jnp.pad(t0, ((0, 0), (low, 2)), mode="edge"), t0), axis=1)

// Arithmetic on parts of a joined array is computed apart from the array; a part that is known is not
// read from it. The GPU computes all of them in one kernel.

func.func @to_the_next(%a: tensor<?xf64>, %n: tensor<i64>, %m: tensor<i64>) -> tensor<?xf64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %0 = yarr.pad %a, 0, %zero, %one : tensor<?xf64> -> tensor<?xf64>
  %1 = yarr.slice %0, 0, %one, %n step 1 : tensor<?xf64> -> tensor<?xf64>
  %2 = yarr.elementwise { arith.subf } %1, %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %2 : tensor<?xf64>
}
// PYTHON: def to_the_next(a, n, m):
// PYTHON-NEXT:     return lax.optimization_barrier(jnp.pad(a, (0, 1), mode="edge"))[1 : n + 1] - a
// GPU-LABEL: def to_the_next(a, n, m):
// GPU-NEXT:     return jnp.pad(a

func.func @column(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %k: tensor<i64>) -> tensor<?xf64> {
  %0 = yarr.concat %a, %b axis 1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.take %0, 1, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %2 = yarr.elementwise { math.sqrt } %1 : (tensor<?xf64>) -> tensor<?xf64>
  func.return %2 : tensor<?xf64>
}
// PYTHON: def column(a, b, k):
// PYTHON-NEXT:     return jnp.sqrt(

func.func @contractions(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %t: tensor<?x?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<f32>) {
  %0 = yarr.einsum "ij,kj->ik" %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = yarr.einsum "ij,ij->ij" %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = yarr.einsum "bii->bi" %t : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  %3 = yarr.einsum "ibi->ib" %t : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  %4 = yarr.einsum "ii->i" %a : (tensor<?x?xf32>) -> tensor<?xf32>
  %5 = yarr.einsum "ii->" %a : (tensor<?x?xf32>) -> tensor<f32>
  func.return %0, %1, %2, %3, %4, %5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<f32>
}
// PYTHON: def contractions(a, b, t):
// PYTHON-NEXT:     t0 = jnp.einsum("ij,ij->ij", a, b, precision="highest")
// PYTHON-NEXT:     t1 = jnp.transpose(jnp.diagonal(t, 0, 0, 2), (1, 0))
// PYTHON-NEXT:     t2 = jnp.einsum("ii->", a, precision="highest")
// PYTHON-NEXT:     t3 = jnp.matmul(a, b.T, precision="highest")
// PYTHON-NEXT:     return t3, t0, jnp.diagonal(t, 0, 1, 2), t1, jnp.diagonal(a), t2

// NumPy computes a costly row, which depends on sizes alone, and that all rows of a table read.

func.func @waves(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xi64>) {
  %n = yarr.size %a, 1 : tensor<?x?xf64>
  %i = yarr.range %n : tensor<?xi64>
  %f = yarr.elementwise { arith.sitofp } %i : (tensor<?xi64>) -> tensor<?xf64>
  %s = yarr.elementwise { math.sin } %f : (tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.unsqueeze %s, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %0 = yarr.elementwise { arith.mulf } %a, %r : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %0, %i : tensor<?x?xf64>, tensor<?xi64>
}
// PYTHON: def waves(a):
// PYTHON-NEXT:     n = a.shape[1]
// PYTHON-NEXT:     i = np.arange(n)
// PYTHON-NEXT:     f = i.astype(np.float64)
// PYTHON-NEXT:     s = np.sin(f)
// PYTHON-NEXT:     return a * jnp.asarray(s)[None, :], jnp.arange(n)

// JAX would multiply in the other order, and move each element of the product.

func.func @heads(%w: tensor<?x?x?xf64>, %v: tensor<?x?x?xf64>) -> (tensor<?x?x?xf64>, tensor<?x?x?xf64>) {
  %0 = yarr.einsum "hij,jhk->ihk" %w, %v : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %1 = yarr.einsum "ihk,jhk->hij" %v, %v : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  func.return %0, %1 : tensor<?x?x?xf64>, tensor<?x?x?xf64>
}
// PYTHON: def heads(w, v):
// PYTHON-NEXT:     t0 = jnp.transpose(jnp.einsum("hij,jhk->hik", w, v), (1, 0, 2))
// PYTHON-NEXT:     return t0, jnp.einsum("ihk,jhk->hij", v, v)

func.func @tree(%a: tensor<?xf64>, %one: tensor<f64>) -> tensor<f64> {
  %r = yarr.tree_reduce %a identity %one : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
  ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
    %0 = yarr.elementwise { arith.mulf } %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %r : tensor<f64>
}
// PYTHON: def tree(a, one):
// PYTHON-NEXT:     r = a
// PYTHON-NEXT:     for _ in range(max(a.shape[0] - 1, 0).bit_length()):
// PYTHON-NEXT:         t0 = r.shape[0]
// PYTHON-NEXT:         r = jnp.concatenate((r[:-1:2] * r[1::2], r[t0 - t0 % 2 :]))
// PYTHON-NEXT:     return first_or(r, one)

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
// PYTHON: def logistic(x):
// PYTHON-NEXT:     return 1.0 / (1.0 + jnp.exp(-x))

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
// PYTHON: def mean(a):
// PYTHON-NEXT:     s = a.sum()
// PYTHON-NEXT:     return s / jnp.float64(a.shape[0] * a.shape[1])

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
// PYTHON: def guards(x, s):
// PYTHON-NEXT:     return jnp.where((x > 0.0) & (x < 10.0), x, 0.0), jnp.where(s > 0.0, s, 0.0)

func.func @gravity(%x: tensor<?xf64>) -> tensor<?xf64> {
  %r = yarr.elementwise (%v = %x) : (tensor<?xf64>) -> tensor<?xf64> {
    %y = arith.constant -1.5 : f64
    %0 = math.powf %v, %y : f64
    yarr.yield %0 : f64
  }
  func.return %r : tensor<?xf64>
}
// PYTHON: def gravity(x):
// PYTHON-NEXT:     return root_power(x, -1.5)

func.func @range(%n: tensor<i64>) -> tensor<?xi64> {
  %0 = yarr.range %n : tensor<?xi64>
  %1 = yarr.elementwise { math.ipowi } %0, %0 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  func.return %1 : tensor<?xi64>
}
// PYTHON: def range_(n):
// PYTHON-NEXT:     t0 = jnp.arange(n)
// PYTHON-NEXT:     return int_power(t0, t0)

func.func @own(%a: tensor<?x?xf64>, %s: tensor<f64>) -> (tensor<?x?xf64>, tensor<f64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.elementwise { math.absf } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.transpose %1, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  func.return %0, %s, %1, %2 : tensor<?x?xf64>, tensor<f64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON: def own(a, s):
// PYTHON-NEXT:     t0 = jnp.abs(a)
// PYTHON-NEXT:     return a.T, s, t0, t0.T

func.func @records(%t: tuple<tensor<?xf64>, tensor<i64>>) -> tuple<tensor<i64>, tensor<?xf64>> {
  %a = yarr.proj %t, 0 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<?xf64>
  %n = yarr.proj %t, 1 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<i64>
  %b = yarr.extern @sort(%a) batch 0 : (tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.tuple %n, %b : (tensor<i64>, tensor<?xf64>) -> tuple<tensor<i64>, tensor<?xf64>>
  func.return %r : tuple<tensor<i64>, tensor<?xf64>>
}
// PYTHON: def records(t):
// PYTHON-NEXT:     return (t[1], sort(t[0]))

func.func @sizes(%n: tensor<i64>, %r: tuple<tensor<f64>, tensor<i64>>, %a: tensor<?xf64>, %x: tensor<f64>) -> (tensor<?xi64>, tensor<f64>, tensor<?xf64>) {
  %m = yarr.proj %r, 1 : tuple<tensor<f64>, tensor<i64>> -> tensor<i64>
  %p = yarr.elementwise { arith.muli } %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %size = yarr.assert_size %p, "size of index i"
  %i = yarr.range %size : tensor<?xi64>
  %y = yarr.elementwise (%u = %n, %v = %x) : (tensor<i64>, tensor<f64>) -> tensor<f64> {
    %0 = arith.sitofp %u : i64 to f64
    %1 = arith.mulf %0, %v : f64
    yarr.yield %1 : f64
  }
  %k = yarr.elementwise { arith.fptosi } %x : (tensor<f64>) -> tensor<i64>
  %s = yarr.slice %a, 0, %k, %size step 1 clip : tensor<?xf64> -> tensor<?xf64>
  func.return %i, %y, %s : tensor<?xi64>, tensor<f64>, tensor<?xf64>
}
// PYTHON: def sizes(n, r, a, x):
// PYTHON-NEXT:     p = n * r[1]
// PYTHON-NEXT:     if p < 0:
// PYTHON-NEXT:         raise ValueError(f"size of index i is negative: {p}")
// PYTHON-NEXT:     if p > 17592186044416:
// PYTHON-NEXT:         raise ValueError(f"size of index i is too large: {p}")
// PYTHON-NEXT:     k = to_int(x, jnp.int64)
// PYTHON-NEXT:     y = jnp.asarray(n).astype(jnp.float64) * x
// PYTHON-NEXT:     return jnp.arange(p), y, clipped_take(a, 0, k, p, 1)

func.func @triangle(%a: tensor<?xf64>) -> tensor<f64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %s = yarr.fold (%k < %n, %acc = %zero) -> tensor<f64> {
    %start = arith.constant dense<0> : tensor<i64>
    %part = yarr.slice %a, 0, %start, %k step 1 : tensor<?xf64> -> tensor<?xf64>
    %0 = yarr.reduce %part, [0] by { arith.mulf } : tensor<?xf64> -> tensor<f64>
    %1 = yarr.elementwise { arith.addf } %acc, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    yarr.yield %1 : tensor<f64>
  }
  func.return %s : tensor<f64>
}
// PYTHON: def triangle(a):
// PYTHON-NEXT:     acc = jnp.float64(0.0)
// PYTHON-NEXT:     for k in range(a.shape[0]):
// PYTHON-NEXT:         acc = acc + a[:k].prod()
// PYTHON-NEXT:     return acc

// Elements are replaced in a copy; at a position out of bounds, none is.

func.func @updates(%a: tensor<?x?xf64>, %p: tensor<i64>, %x: tensor<f64>, %v: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %r = yarr.update %a[%p, %p] along [0, 1], %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<?x?xf64>
  %s = yarr.update %a[%p] along [1], %v : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def updates(a, p, x, v):
// PYTHON-NEXT:     return update(a, (0, 1), (p, p), x), update(a, (1,), (p,), v)

// The position of an update whose condition is false is -1.

func.func @conditional(%a: tensor<?xf64>, %p: tensor<i64>, %x: tensor<f64>, %c: tensor<i1>) -> (tensor<?xf64>, tensor<?xf64>) {
  %r = yarr.update %a[%p] along [0], %x if %c : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<i1>) -> tensor<?xf64>
  %s = yarr.update %a[%p] along [0], %x if %c in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>, tensor<i1>) -> tensor<?xf64>
  func.return %r, %s : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def conditional(a, p, x, c):
// PYTHON-NEXT:     r = update(a, (0,), (jnp.where(c, p, -1),), x)
// PYTHON-NEXT:     return r, update(a, (0,), (jnp.where(c, p, -1),), x)

// An update that adds to its elements, read along the same axes, is an addition. One that adds to
// others is not.

func.func @additions(%a: tensor<?x?xf64>, %p: tensor<i64>, %q: tensor<i64>, %x: tensor<f64>, %v: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %row = yarr.take %a, 1, %q : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
  %filled = yarr.fill_empty %row, 0 : tensor<?xf64> -> tensor<?xf64>
  %old = yarr.take %filled, 0, %p : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
  %sum = yarr.elementwise { arith.addf } %x, %old : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %r = yarr.update %a[%p, %q] along [0, 1], %sum : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<f64>) -> tensor<?x?xf64>
  %difference = yarr.elementwise { arith.subf } %row, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s = yarr.update %a[%q] along [1], %difference : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  %t = yarr.update %a[%p] along [1], %difference : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %r, %s, %t : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def additions(a, p, q, x, v):
// PYTHON: update(a, (0, 1), (p, q), x, "add")
// PYTHON: update(a, (1,), (q,), -v, "add")
// PYTHON: update(a, (1,), (p,)

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
// PYTHON-NEXT:      return accumulate_at("add", 0.0, x, (k,), (n,))

func.func @least_of_segments(%x: tensor<?xi64>, %p: tensor<?xi64>, %q: tensor<?xi64>) -> tensor<?x?xi64> {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "min" %x by %p, %q into %n, %n : tensor<?xi64> by tensor<?xi64>, tensor<?xi64> -> tensor<?x?xi64>
  func.return %0 : tensor<?x?xi64>
}
// PYTHON-LABEL: def least_of_segments(x, p, q):
// PYTHON-NEXT:      return accumulate_at("min", 9223372036854775807, x, (p, q), (3, 3))

func.func @any_of_segments(%x: tensor<?xi1>, %p: tensor<?xi64>) -> tensor<?xi1> {
  %n = arith.constant dense<3> : tensor<i64>
  %0 = yarr.accumulate "or" %x by %p into %n : tensor<?xi1> by tensor<?xi64> -> tensor<?xi1>
  func.return %0 : tensor<?xi1>
}
// PYTHON-LABEL: def any_of_segments(x, p):
// PYTHON-NEXT:      return accumulate_at("max", False, x, (p,), (3,))

// Extremes start with the array that their only user combines them with.

func.func @extremes_from(%x: tensor<?xf64>, %p: tensor<?xi64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %d, 0 : tensor<?xf64>
  %0 = yarr.accumulate "min" %x by %p into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.elementwise { arith.minimumf } %d, %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON-LABEL: def extremes_from(x, p, d):
// PYTHON-NEXT:      return accumulate_at("min", d, x, (p,), (d.shape[0],))

func.func @other_extremes(%x: tensor<?xf64>, %p: tensor<?xi64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %d, 0 : tensor<?xf64>
  %0 = yarr.accumulate "min" %x by %p into %n : tensor<?xf64> by tensor<?xi64> -> tensor<?xf64>
  %1 = yarr.elementwise { arith.maximumf } %d, %0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON-LABEL: def other_extremes(x, p, d):
// PYTHON-NEXT:      return jnp.maximum(d, accumulate_at("min", jnp.inf, x, (p,), (d.shape[0],)))

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
// PYTHON-NEXT:      v = accumulate_bits_at("bitwise_xor", 0, x, (p,), (3,))
// PYTHON-NEXT:      u = accumulate("bitwise_or", x, 0, False)
// PYTHON-NEXT:      r = jnp.bitwise_xor.reduce(a, (0, 1))
// PYTHON-NEXT:      return r, jnp.bitwise_and.reduce(a, 1), jnp.bitwise_xor.reduce(b, 0), u, v

func.func @sizes_of_segments(%p: tensor<?xi64>, %n: tensor<i64>) -> tensor<?xi32> {
  %x = arith.constant dense<1> : tensor<i32>
  %one = yarr.unsqueeze %x, [0] : tensor<i32> -> tensor<1xi32>
  %0 = yarr.accumulate "add" %one by %p into %n : tensor<1xi32> by tensor<?xi64> -> tensor<?xi32>
  func.return %0 : tensor<?xi32>
}
// PYTHON-LABEL: def sizes_of_segments(p, n):
// PYTHON-NEXT:      return accumulate_at("add", 0, jnp.ones(1, dtype=jnp.int32), (p,), (n,))

func.func @inclusive(%x: tensor<?x?xf64>, %y: tensor<?xi32>) -> (tensor<?x?xf64>, tensor<?xi32>) {
  %0 = yarr.scan "min" %x, 1 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.scan "add" %y, 0 suffixes inclusive : tensor<?xi32> -> tensor<?xi32>
  func.return %0, %1 : tensor<?x?xf64>, tensor<?xi32>
}
// PYTHON-LABEL: def inclusive(x, y):
// PYTHON-NEXT:      return accumulate("min", x, 1, False), accumulate("add", y, 0, True)

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
// PYTHON-NEXT:      return weighted_scan("max", -jnp.inf, x, w, 1), weighted_scan("add", 0.0, x, t, 0)

func.func @prefixes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = yarr.scan "add" %x, 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
// PYTHON-LABEL: def prefixes(x):
// PYTHON-NEXT:      return scan("add", 0.0, x, 1, False)

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
// PYTHON-NEXT:      t1 = x.sum(axis=1)
// PYTHON-NEXT:      t2 = propagate_nan(t1, x.T, 0, t1)
// PYTHON-NEXT:      return propagate_nan(x, y, 1, y), propagate_nan(t0, x, 0, t0), t2

// A sum over an axis that may be empty proves nothing about the matrix.

func.func @empty_sums(%x: tensor<?x?xf64>, %s: tensor<?x?xf64>) -> tensor<?xf64> {
  %0 = yarr.einsum "ik,ij->j" %s, %x : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %1 = yarr.propagate_nan %0 from %x, 0 : tensor<?xf64> from tensor<?x?xf64>
  func.return %1 : tensor<?xf64>
}
// PYTHON-LABEL: def empty_sums(x, s):
// PYTHON-NEXT:      return propagate_nan(jnp.einsum("ik,ij->j", s, x), x, 0, x)

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
// PYTHON-NEXT:      return scan("max", -jnp.inf, x, 0, True)

// yarr.tile: all of the axis is one block.

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
// PYTHON-NEXT:     return jnp.abs(jnp.exp(a))

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
// PYTHON-NEXT:     return strided(a, 1, 1, (a.shape[0], m), (m, 1)), flatten(a, 0), flatten(a.T, 0)

// A count that varies with a loop is traced; it has a bound. A position in bounds is written in place.

func.func @varying_count(%a: tensor<?xf64>) -> tensor<?xf64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %r = yarr.fold (%k < %n, %acc = %a) -> tensor<?xf64> {
    %least = yarr.elementwise { arith.minsi } %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %count = yarr.elementwise { arith.maxsi } %least, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = yarr.fold (%j < %count, %v = %acc) -> tensor<?xf64> {
      %x = yarr.take %v, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %u = yarr.update %v[%j] along [0], %x in_bounds : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
      yarr.yield %u : tensor<?xf64>
    }
    yarr.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def varying_count(a):
// PYTHON-NEXT:     n = a.shape[0]
// PYTHON-EMPTY:
// PYTHON-NEXT:     def step(k, acc):
// PYTHON-EMPTY:
// PYTHON-NEXT:         def step_1(j, v):
// PYTHON-NEXT:             x = at(v, 0, k)
// PYTHON-NEXT:             return update_inside(v, (0,), (j,), x)
// PYTHON-EMPTY:
// PYTHON-NEXT:         return fold_below(k, n, step_1, acc)
// PYTHON-EMPTY:
// PYTHON-NEXT:     return fold(n, step, a)

// Elements are read before an update of their array, and once: XLA would copy the array for others.

func.func @swapped(%a: tensor<?xf64>, %p: tensor<?xi64>) -> tensor<?xf64> {
  %n = yarr.size %p, 0 : tensor<?xi64>
  %r = yarr.fold (%k < %n, %v = %a) -> tensor<?xf64> {
    %j = yarr.take %p, 0, %k in_bounds : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
    %x = yarr.take %v, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %y = yarr.take %v, 0, %j in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = yarr.update %v[%k] along [0], %y in_bounds
      : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    %t = yarr.update %s[%j] along [0], %x
      : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %t : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def swapped(a, p):
// PYTHON-EMPTY:
// PYTHON-NEXT:     def step(k, v):
// PYTHON-NEXT:         j = at(p, 0, k)
// PYTHON-NEXT:         x = at(v, 0, k)
// PYTHON-NEXT:         x_1 = read_once(x, v, k)
// PYTHON-NEXT:         y = at(v, 0, j)
// PYTHON-NEXT:         s = update_inside(v, (0,), (k,), after_reads(y, v, k, x_1))
// PYTHON-NEXT:         return update(s, (0,), (j,), x_1)
// PYTHON-EMPTY:
// PYTHON-NEXT:     return fold(p.shape[0], step, a)

// Updates follow the reads of their arrays, also those of arrays that the step has updated.

func.func @updated_twice(%a: tensor<?xf64>, %p: tensor<?xi64>) -> tensor<?xf64> {
  %n = yarr.size %p, 0 : tensor<?xi64>
  %r = yarr.fold (%k < %n, %v = %a) -> tensor<?xf64> {
    %j = yarr.take %p, 0, %k in_bounds : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
    %x = yarr.take %v, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = yarr.update %v[%j] along [0], %x
      : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    %y = yarr.take %v, 0, %j in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %z = yarr.take %s, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %w = yarr.elementwise { arith.mulf } %y, %z : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %t = yarr.update %s[%k] along [0], %w in_bounds
      : (tensor<?xf64>, tensor<i64>, tensor<f64>) -> tensor<?xf64>
    yarr.yield %t : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def updated_twice(a, p):
// PYTHON-EMPTY:
// PYTHON-NEXT:     def step(k, v):
// PYTHON-NEXT:         j = at(p, 0, k)
// PYTHON-NEXT:         x = at(v, 0, k)
// PYTHON-NEXT:         y = at(v, 0, j)
// PYTHON-NEXT:         y_1 = read_once(y, v, j)
// PYTHON-NEXT:         s = update(v, (0,), (j,), after_reads(x, v, j, y_1))
// PYTHON-NEXT:         z = at(s, 0, k)
// PYTHON-NEXT:         z_1 = read_once(z, s, k)
// PYTHON-NEXT:         w = y_1 * z_1
// PYTHON-NEXT:         return update_inside(s, (0,), (k,), after_reads(w, s, k, z_1))
// PYTHON-EMPTY:
// PYTHON-NEXT:     return fold(p.shape[0], step, a)

// One element of a sorted vector: a few are exchanged.

func.func @middle(%a: tensor<?x9xf64>) -> tensor<?xf64> {
  %k = arith.constant dense<4> : tensor<i64>
  %s = yarr.sort %a, 1 : tensor<?x9xf64> -> tensor<?x9xf64>
  %r = yarr.take %s, 1, %k in_bounds : (tensor<?x9xf64>, tensor<i64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def middle(a):
// PYTHON-NEXT:     s = sort_elements(a, 1, 12)
// PYTHON-NEXT:     return s[:, 4]

// A window in bounds starts at a traced position.

func.func @moving_window(%a: tensor<?xf64>, %m: tensor<i64>) -> tensor<?xf64> {
  %n = yarr.size %a, 0 : tensor<?xf64>
  %z = yarr.range %m : tensor<?xi64>
  %init = yarr.slice %a, 0, %m, %m step 1 : tensor<?xf64> -> tensor<?xf64>
  %r = yarr.fold (%k < %n, %acc = %init) -> tensor<?xf64> {
    %x = yarr.slice %a, 0, %k, %m step 1 : tensor<?xf64> -> tensor<?xf64>
    %0 = yarr.elementwise { arith.addf } %acc, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    yarr.yield %0 : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def moving_window(a, m):
// PYTHON:     def step(k, acc):
// PYTHON-NEXT:         x = part(a, k, m, 0)
// PYTHON-NEXT:         return acc + x

// The ends of an accumulator are kept, and the middle is put in place; zeros around a part.

func.func @kept_end(%a: tensor<?x3xf64>, %t: tensor<i64>) -> tensor<?x3xf64> {
  %n = yarr.size %a, 0 : tensor<?x3xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %first = yarr.elementwise { arith.minsi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %less = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %middle = yarr.elementwise { arith.maxsi } %less, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = yarr.fold (%k < %t, %v = %a) -> tensor<?x3xf64> {
    %top = yarr.slice %v, 0, %zero, %first step 1 : tensor<?x3xf64> -> tensor<?x3xf64>
    %rest = yarr.slice %v, 0, %one, %middle step 1 : tensor<?x3xf64> -> tensor<?x3xf64>
    %new = yarr.elementwise { math.absf } %rest : (tensor<?x3xf64>) -> tensor<?x3xf64>
    %joined = yarr.concat %top, %new axis 0 of %n : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
    yarr.yield %joined : tensor<?x3xf64>
  }
  func.return %r : tensor<?x3xf64>
}
// PYTHON-LABEL: def kept_end(a, t):
// PYTHON-NEXT:     first = min(a.shape[0], 1)
// PYTHON-EMPTY:
// PYTHON-NEXT:     def step(k, v):
// PYTHON-NEXT:         new = jnp.abs(v[1:])
// PYTHON-NEXT:         return overwritten(v, new, (first, 0))

// A part that reads the accumulator in another place: XLA would copy that before.

func.func @shifted(%a: tensor<?x3xf64>, %t: tensor<i64>) -> tensor<?x3xf64> {
  %n = yarr.size %a, 0 : tensor<?x3xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %first = yarr.elementwise { arith.minsi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %less = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %middle = yarr.elementwise { arith.maxsi } %less, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = yarr.fold (%k < %t, %v = %a) -> tensor<?x3xf64> {
    %top = yarr.slice %v, 0, %zero, %first step 1 : tensor<?x3xf64> -> tensor<?x3xf64>
    %rest = yarr.slice %v, 0, %zero, %middle step 1 : tensor<?x3xf64> -> tensor<?x3xf64>
    %new = yarr.elementwise { math.absf } %rest : (tensor<?x3xf64>) -> tensor<?x3xf64>
    %joined = yarr.concat %top, %new axis 0 of %n : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
    yarr.yield %joined : tensor<?x3xf64>
  }
  func.return %r : tensor<?x3xf64>
}
// PYTHON-LABEL: def shifted(a, t):
// PYTHON:              return with_part(v, new, (first, 0))

// All parts are new: the one that reads the accumulator in its place is written first.

func.func @whole(%a: tensor<?x3xf64>, %t: tensor<i64>) -> tensor<?x3xf64> {
  %n = yarr.size %a, 0 : tensor<?x3xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %first = yarr.elementwise { arith.minsi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %less = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %middle = yarr.elementwise { arith.maxsi } %less, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = yarr.fold (%k < %t, %v = %a) -> tensor<?x3xf64> {
    %top = yarr.slice %a, 0, %zero, %first step 1 : tensor<?x3xf64> -> tensor<?x3xf64>
    %rest = yarr.slice %v, 0, %one, %middle step 1 : tensor<?x3xf64> -> tensor<?x3xf64>
    %high = yarr.elementwise { math.exp } %top : (tensor<?x3xf64>) -> tensor<?x3xf64>
    %new = yarr.elementwise { math.absf } %rest : (tensor<?x3xf64>) -> tensor<?x3xf64>
    %joined = yarr.concat %high, %new axis 0 of %n : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
    yarr.yield %joined : tensor<?x3xf64>
  }
  func.return %r : tensor<?x3xf64>
}
// PYTHON-LABEL: def whole(a, t):
// PYTHON:              return overwritten(overwritten(v, new, (first, 0)), high, (0, 0))

// Parts around an inner one are written one after the other: XLA joins parts along one axis alone
// in loops of their own. On a GPU, a concatenation is one kernel with its parts.

func.func @framed(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %fewer = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %rows = yarr.elementwise { arith.maxsi } %fewer, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %less = yarr.elementwise { arith.subi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %columns = yarr.elementwise { arith.maxsi } %less, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %first = yarr.elementwise { arith.minsi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %left = yarr.elementwise { arith.minsi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %top = yarr.slice %a, 0, %zero, %first step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %high = yarr.elementwise { math.exp } %top : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %rest = yarr.slice %a, 0, %one, %rows step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %side = yarr.slice %rest, 1, %zero, %left step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %low = yarr.elementwise { math.log } %side : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %inner = yarr.slice %rest, 1, %one, %columns step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %new = yarr.elementwise { math.absf } %inner : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %lower = yarr.concat %low, %new axis 1 of %m : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %joined = yarr.concat %high, %lower axis 0 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %joined : tensor<?x?xf64>
}
// PYTHON-LABEL: def framed(a):
// PYTHON:          t0 = ((0, 0), (first, 0), (first, left))
// PYTHON-NEXT:     return joined((n, a.shape[1]), (high, low, new), t0)
// GPU-LABEL:   def framed(a):
// GPU:             lower = jnp.concatenate((low, new), axis=1)
// GPU-NEXT:        return jnp.concatenate((high, lower))

// A part in place along several axes, with a known number around it, is padded. One that is computed
// has a derivative, which would be a difference of sums.

func.func @half_around(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %half = arith.constant dense<5.000000e-01> : tensor<f64>
  %fewer = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %rows = yarr.elementwise { arith.maxsi } %fewer, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %less = yarr.elementwise { arith.subi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %columns = yarr.elementwise { arith.maxsi } %less, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %first = yarr.elementwise { arith.minsi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %left = yarr.elementwise { arith.minsi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %row = yarr.unsqueeze %half, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %border = yarr.repeat %row, 0, %first : tensor<1x1xf64> -> tensor<?x1xf64>
  %top = yarr.repeat %border, 1, %m : tensor<?x1xf64> -> tensor<?x?xf64>
  %column = yarr.repeat %row, 0, %rows : tensor<1x1xf64> -> tensor<?x1xf64>
  %side = yarr.repeat %column, 1, %left : tensor<?x1xf64> -> tensor<?x?xf64>
  %rest = yarr.slice %a, 0, %one, %rows step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %inner = yarr.slice %rest, 1, %one, %columns step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %new = yarr.elementwise { math.absf } %inner : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %lower = yarr.concat %side, %new axis 1 of %m : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %joined = yarr.concat %top, %lower axis 0 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %joined : tensor<?x?xf64>
}
// PYTHON-LABEL: def half_around(a):
// PYTHON:          new = jnp.abs(a[1:, 1:])
// PYTHON-NEXT:     return surrounded(0.5, (n, m), new, (first, left))
// GPU-LABEL:   def half_around(a):
// GPU:             return surrounded(

func.func @x_around(%a: tensor<?x?xf64>, %x: tensor<f64>) -> tensor<?x?xf64> {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %m = yarr.size %a, 1 : tensor<?x?xf64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %fewer = yarr.elementwise { arith.subi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %rows = yarr.elementwise { arith.maxsi } %fewer, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %less = yarr.elementwise { arith.subi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %columns = yarr.elementwise { arith.maxsi } %less, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %first = yarr.elementwise { arith.minsi } %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %left = yarr.elementwise { arith.minsi } %m, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %row = yarr.unsqueeze %x, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %border = yarr.repeat %row, 0, %first : tensor<1x1xf64> -> tensor<?x1xf64>
  %top = yarr.repeat %border, 1, %m : tensor<?x1xf64> -> tensor<?x?xf64>
  %column = yarr.repeat %row, 0, %rows : tensor<1x1xf64> -> tensor<?x1xf64>
  %side = yarr.repeat %column, 1, %left : tensor<?x1xf64> -> tensor<?x?xf64>
  %rest = yarr.slice %a, 0, %one, %rows step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %inner = yarr.slice %rest, 1, %one, %columns step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
  %new = yarr.elementwise { math.absf } %inner : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %lower = yarr.concat %side, %new axis 1 of %m : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %joined = yarr.concat %top, %lower axis 0 of %n : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  func.return %joined : tensor<?x?xf64>
}
// PYTHON-LABEL: def x_around(a, x):
// PYTHON:          return with_part(jnp.full((n, m), x), new, (first, left))

// Every second column, from one on, is replaced; the value has one row for all.

func.func @every_second(%a: tensor<?x?xf64>, %p: tensor<i64>, %n: tensor<i64>, %x: tensor<1x?xf64>) -> tensor<?x?xf64> {
  %two = arith.constant dense<2> : tensor<i64>
  %r = yarr.update_slice %a[%p, %n by %two] along 1, %x : (tensor<?x?xf64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %r : tensor<?x?xf64>
}
// PYTHON:      def every_second(a, p, n, x):
// PYTHON-NEXT:     return update_slice(a, 1, p, n, 2, x)

// A product of arrays with zeros where one mask is false: the helper copies no matrix. Different
// masks, and arrays that others read, stay selections.

// LLVM takes long for a choice between two elements of one array by an order of counters.

func.func @symmetric(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %n = yarr.size %a, 0 : tensor<?x?xf64>
  %i = yarr.range %n : tensor<?xi64>
  %r = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %c = yarr.unsqueeze %i, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
  %s = yarr.elementwise (%x = %c, %y = %r, %u = %a, %v = %t) : (tensor<1x?xi64>, tensor<?x1xi64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64> {
    %below = arith.cmpi sle, %x, %y : i64
    %chosen = arith.select %below, %u, %v : f64
    yarr.yield %chosen : f64
  }
  %d = yarr.elementwise (%x = %c, %y = %r, %u = %a, %v = %t) : (tensor<1x?xi64>, tensor<?x1xi64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64> {
    %two = arith.constant 2 : i64
    %above = arith.cmpi sgt, %x, %y : i64
    %is_first = arith.cmpi slt, %x, %two : i64
    %both = arith.andi %above, %is_first : i1
    %chosen = arith.select %both, %v, %u : f64
    yarr.yield %chosen : f64
  }
  func.return %s, %d : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def symmetric(a):
// PYTHON: jnp.where(c - r <= 0, a, t)
// PYTHON: jnp.where((c - r > 0) & (c < 2), t, a)

// The same for Bools of them; other Bools are combined with the comparison.

func.func @either(%a: tensor<?x?xi1>) -> (tensor<?x?xi1>, tensor<?x?xi1>) {
  %n = yarr.size %a, 0 : tensor<?x?xi1>
  %i = yarr.range %n : tensor<?xi64>
  %r = yarr.unsqueeze %i, [1] : tensor<?xi64> -> tensor<?x1xi64>
  %c = yarr.unsqueeze %i, [0] : tensor<?xi64> -> tensor<1x?xi64>
  %t = yarr.transpose %a, [1, 0] : tensor<?x?xi1> -> tensor<?x?xi1>
  %s = yarr.elementwise (%x = %c, %y = %r, %u = %a, %v = %t) : (tensor<1x?xi64>, tensor<?x1xi64>, tensor<?x?xi1>, tensor<?x?xi1>) -> tensor<?x?xi1> {
    %differs = arith.cmpi ne, %x, %y : i64
    %any = arith.ori %u, %v : i1
    %edge = arith.andi %differs, %any : i1
    yarr.yield %edge : i1
  }
  %d = yarr.elementwise (%x = %c, %y = %r, %u = %a) : (tensor<1x?xi64>, tensor<?x1xi64>, tensor<?x?xi1>) -> tensor<?x?xi1> {
    %same = arith.cmpi eq, %x, %y : i64
    %kept = arith.ori %u, %same : i1
    yarr.yield %kept : i1
  }
  func.return %s, %d : tensor<?x?xi1>, tensor<?x?xi1>
}
// PYTHON-LABEL: def either(a):
// PYTHON: any_ = a | a.T
// PYTHON: same = c == r
// PYTHON: return (c - r != 0) & any_, a | same

func.func @masked(%a: tensor<?x?xf64>, %x: tensor<?xf64>, %m: tensor<?xi1>, %o: tensor<?xi1>)
    -> (tensor<?xf64>, tensor<?xf64>) {
  %c = arith.constant dense<0.0> : tensor<f64>
  %z = yarr.unsqueeze %c, [0] : tensor<f64> -> tensor<1xf64>
  %zz = yarr.unsqueeze %c, [0, 1] : tensor<f64> -> tensor<1x1xf64>
  %mm = yarr.unsqueeze %m, [0] : tensor<?xi1> -> tensor<1x?xi1>
  %p = yarr.elementwise { arith.select } %mm, %a, %zz : (tensor<1x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %q = yarr.elementwise { arith.select } %m, %x, %z : (tensor<?xi1>, tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %0 = yarr.einsum "ij,j->i" %p, %q : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %r = yarr.elementwise { arith.select } %mm, %a, %zz : (tensor<1x?xi1>, tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xf64>
  %s = yarr.elementwise { arith.select } %o, %x, %z : (tensor<?xi1>, tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %1 = yarr.einsum "ij,j->i" %r, %s : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def masked(a, x, m, o):
// PYTHON-NEXT:     mm = m[None, :]
// PYTHON-NEXT:     r = jnp.where(mm, a, 0.0)
// PYTHON-NEXT:     s = jnp.where(o, x, 0.0)
// PYTHON-NEXT:     return masked_einsum("ij,j->i", (mm, m), (a, x)), s @ r.T

// A yarr.while with a limit is a loop that may end early; the helper has a derivative.

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
// PYTHON-EMPTY:
// PYTHON-NEXT:      def step(k, carry):
// PYTHON-NEXT:          _, y = carry
// PYTHON-NEXT:          t0 = jnp.sqrt(y)
// PYTHON-NEXT:          return (t0 > one, t0)
// PYTHON-EMPTY:
// PYTHON-NEXT:      _, r = fold_while(limit, step, (more, x))
// PYTHON-NEXT:      return r
// PYTHON-LABEL: def unlimited(x, one, more):
// PYTHON-EMPTY:
// PYTHON-NEXT:      def step(k, carry):
// PYTHON-NEXT:          _, y = carry
// PYTHON-NEXT:          t0 = jnp.sqrt(y)
// PYTHON-NEXT:          return (t0 > one, t0)
// PYTHON-EMPTY:
// PYTHON-NEXT:      _, r = fold_while(17592186044416, step, (more, x))
// PYTHON-NEXT:      return r

// The order of yarr.argsort is stable.

func.func @orders(%a: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.argsort %a, 1 : tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %p : tensor<?x3xi64>
}
// PYTHON-LABEL: def orders(a):
// PYTHON-NEXT:      return argsort(a, 1)

// yarr.searchsorted is a search in each vector.

func.func @places(%a: tensor<?xf64>, %x: tensor<?x3xf64>) -> tensor<?x3xi64> {
  %p = yarr.searchsorted %a, %x right : tensor<?xf64>, tensor<?x3xf64> -> tensor<?x3xi64>
  func.return %p : tensor<?x3xi64>
}
// PYTHON-LABEL: def places(a, x):
// PYTHON-NEXT:      return place_in_order(a, x, "right")

// yarr.sort is a sort of elements alone.

func.func @sorts(%a: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %s = yarr.sort %a, 1 : tensor<?x3xf64> -> tensor<?x3xf64>
  func.return %s : tensor<?x3xf64>
}
// PYTHON-LABEL: def sorts(a):
// PYTHON-NEXT:      return sort_elements(a, 1)

// An array that only collects rows is stacked; %y is read, and updated.
func.func @collected(%n: tensor<i64>, %a: tensor<?x?xf64>, %x: tensor<?x?xf64>, %y: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %r:2 = yarr.fold (%k < %n, %b = %x, %c = %y) -> tensor<?x?xf64>, tensor<?x?xf64> {
    %p = yarr.take %c, 0, %k in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
    %back = yarr.elementwise { arith.subi } %n, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %d = yarr.update %b[%back] along [0], %p in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    %e = yarr.update %c[%back] along [0], %p in_bounds : (tensor<?x?xf64>, tensor<i64>, tensor<?xf64>) -> tensor<?x?xf64>
    yarr.yield %d, %e : tensor<?x?xf64>, tensor<?x?xf64>
  }
  func.return %r#0, %r#1 : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def collected(n, a, x, y):
// PYTHON:           def step(k, carry):
// PYTHON-NEXT:          _, c = carry
// PYTHON:               return (p, e)
// PYTHON:           fold_rows(n, step, (x, y), ((0, 0, n, -1),))

// XLA moves summed axes of the first operand: that is not the one that is computed. Nor does it
// store a matrix that is computed for one product with a vector.

func.func @computed_factors(%a: tensor<?x?x?xf64>, %b: tensor<?x?x?xf64>, %m: tensor<?x?xf64>, %v: tensor<?xf64>)
    -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %c = yarr.elementwise { arith.mulf } %a, %a : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  %0 = yarr.einsum "kli,klj->ij" %c, %b : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?xf64>
  %1 = yarr.einsum "kli,klj->ij" %a, %b : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?xf64>
  %s = yarr.elementwise { arith.mulf } %m, %m : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = yarr.einsum "ij,j->i" %s, %v : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = yarr.einsum "i,ji->j" %v, %m : (tensor<?xf64>, tensor<?x?xf64>) -> tensor<?xf64>
  %4 = yarr.einsum "ji,j->i" %m, %v : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %0, %1, %2, %3, %4 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def computed_factors(a, b, m, v):
// PYTHON-NEXT:     c = a * a
// PYTHON-NEXT:     s = m * m
// PYTHON-NEXT:     t0 = jnp.transpose(jnp.einsum("kli,klj->ji", c, b), (1, 0))
// PYTHON-NEXT:     return t0, jnp.einsum("kli,klj->ij", a, b), v @ s.T, m @ v, v @ m

// Arithmetic on a range and a number has the axes of the arrays that read it: XLA would make those
// of two equal ranges one vector. What NumPy computes, and vectors that are read as they are, stay.

func.func @grid(%n: tensor<i64>, %c: tensor<f64>) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %i = yarr.range %n : tensor<?xi64>
  %j = yarr.range %n : tensor<?xi64>
  %x = yarr.elementwise { arith.sitofp } %i : (tensor<?xi64>) -> tensor<?xf64>
  %y = yarr.elementwise { arith.sitofp } %j : (tensor<?xi64>) -> tensor<?xf64>
  %s = yarr.elementwise { math.sin } %y : (tensor<?xf64>) -> tensor<?xf64>
  %d = yarr.unsqueeze %c, [0] : tensor<f64> -> tensor<1xf64>
  %0 = yarr.elementwise { arith.mulf } %d, %x : (tensor<1xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = yarr.elementwise { arith.addf } %d, %y : (tensor<1xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = yarr.elementwise { arith.subf } %s, %d : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %rows = yarr.unsqueeze %0, [1] : tensor<?xf64> -> tensor<?x1xf64>
  %columns = yarr.unsqueeze %1, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %waves = yarr.unsqueeze %2, [0] : tensor<?xf64> -> tensor<1x?xf64>
  %3 = yarr.elementwise { arith.addf } %rows, %columns : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  %4 = yarr.elementwise { arith.mulf } %3, %waves : (tensor<?x?xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  func.return %4, %1 : tensor<?x?xf64>, tensor<?xf64>
}
// PYTHON-LABEL: def grid(n, c):
// PYTHON:          rows_1 = c * i[:, None].astype(jnp.float64)
// PYTHON-NEXT:     t0 = c + y
// PYTHON-NEXT:     return (rows_1 + t0[None, :]) * (s - c)[None, :], t0

// Values are stored at keys, of equal ones the last.

func.func @scatter_values(%a: tensor<?xf64>, %k: tensor<?xi64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = yarr.scatter %a[%k], %x : (tensor<?xf64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def scatter_values(a, k, x):
// PYTHON-NEXT:      return scattered(a, (k,), x)

// The condition of each element reads its next state, which is stored: XLA would compute the quotient twice.

func.func @roots(%n: tensor<i64>, %m: tensor<i1>, %s: tensor<?xi1>, %a: tensor<?xf64>) -> tensor<?xf64> {
  %0, %1, %2 = yarr.while (%k < %n, %more = %m, %x = %s, %y = %a) -> tensor<i1>, tensor<?xi1>, tensor<?xf64> {
    %new = yarr.elementwise { arith.divf } %a, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %above = yarr.elementwise (%u = %new, %v = %a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1> {
      %c = arith.cmpf ogt, %u, %v : f64
      yarr.yield %c : i1
    }
    %on = yarr.elementwise { arith.andi } %x, %above : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
    %next = yarr.elementwise { arith.select } %x, %new, %y : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %any = yarr.reduce %on, [0] by { arith.ori } : tensor<?xi1> -> tensor<i1>
    yarr.yield %any, %on, %next : tensor<i1>, tensor<?xi1>, tensor<?xf64>
  }
  func.return %2 : tensor<?xf64>
}
// PYTHON-LABEL: def roots(n, m, s, a):
// PYTHON:              new = a / y
// PYTHON-NEXT:         next_ = jnp.where(x, new, y)
// PYTHON-NEXT:         next__1 = lax.optimization_barrier(next_)
// PYTHON-NEXT:         c = next__1 > a
// PYTHON-NEXT:         on = x & c

// Long rows are added up by a product with ones; so an array is the second one that is summed along its first axis.

func.func @sums_of_rows(%a: tensor<?x?x?xf64>, %v: tensor<?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = yarr.reduce %a, [0] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>
  %1 = yarr.einsum "kij,k->ij" %a, %v : (tensor<?x?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  func.return %0, %1 : tensor<?x?xf64>, tensor<?x?xf64>
}
// PYTHON-LABEL: def sums_of_rows(a, v):
// PYTHON-NEXT:      return sum_rows(a, 1), jnp.einsum("k,kij->ij", v, a)
