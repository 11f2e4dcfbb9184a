// RUN: ein-opt %s -p inline-helpers | filecheck %s
// RUN: ein-opt %s -p inline-helpers -t python | filecheck %s --check-prefix=PYTHON

// The first elements of an axis, and those from a position, are slices if there are as many.

func.func @slices(%a: tensor<?x?xf64>, %n: !emitpy.object, %p: tensor<i64>) -> tensor<?x?xf64> {
  %none = emitpy.literal 0 : i64
  %axis = emitpy.literal 1 : i64
  %r = emitpy.for (%j < %n, %x = %a) : !emitpy.object -> tensor<?x?xf64> {
    %y = emitpy.helper "np.clipped_slice"(%x, %axis, %none, %j, %axis) : (tensor<?x?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %z = emitpy.helper "np.clipped_slice"(%y, %none, %p, %j, %axis) : (tensor<?x?xf64>, !emitpy.object, tensor<i64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    emitpy.yield %z : tensor<?x?xf64>
  }
  func.return %r : tensor<?x?xf64>
}
// CHECK-LABEL: func.func @slices(
// CHECK:           emitpy.helper "np.clipped_slice"
// CHECK-NEXT:      %y = emitpy.conditional
// PYTHON-LABEL: def slices(a, n, p):
// PYTHON-NEXT:      x = a
// PYTHON-NEXT:      for j in range(n):
// PYTHON-NEXT:          y = x[:, :j] if j <= x.shape[1] else clipped_slice(x, 1, 0, j, 1)
// PYTHON-NEXT:          x = y[p : p + j] if 0 <= p and p <= y.shape[0] - j else clipped_slice(y, 0, p, j, 1)
// PYTHON-NEXT:      return x

// An axis is seldom empty; a slice of a column is one subscript; an extreme of two numbers is a choice.

func.func @columns(%a: tensor<?x?xf64>, %n: !emitpy.object, %m: !emitpy.object) -> tensor<?xf64> {
  %axis = emitpy.literal 1 : i64
  %nothing = emitpy.literal unit
  %all = emitpy.slice
  %first = emitpy.subscript %a[%all, %axis] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
  %r = emitpy.for (%j < %n, %x = %first) : !emitpy.object -> tensor<?xf64> {
    %f = emitpy.helper "np.fill_empty"(%a, %axis) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    %p = emitpy.call "min"(%j, %m) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    %c = emitpy.subscript %f[%all, %p] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %s = emitpy.slice(%j, %nothing : !emitpy.object, !emitpy.object)
    %y = emitpy.subscript %c[%s] : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %y : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def columns(a, n, m):
// PYTHON:           f = a if a.shape[1] else fill_empty(a, 1)
// PYTHON-NEXT:          p = m if j > m else j
// PYTHON-NEXT:          x = f[j:, p]

// Helpers stay outside of loops, and in loops over blocks.

func.func @blocks(%a: tensor<?xf64>, %n: !emitpy.object, %step: !emitpy.object) -> tensor<?xf64> {
  %axis = emitpy.literal 0 : i64
  %b = emitpy.helper "np.fill_empty"(%a, %axis) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
  %r = emitpy.for (%j < %n step %step, %x = %b) : !emitpy.object -> tensor<?xf64> {
    %f = emitpy.helper "np.fill_empty"(%x, %axis) : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %f : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def blocks(a, n, step):
// PYTHON-NOT:       if

// The position is a number: a part of the condition holds, or none does.

func.func @parts(%a: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %one = emitpy.literal 1 : i64
  %size = emitpy.literal 16 : i64
  %before = emitpy.literal -1 : i64
  %r = emitpy.for (%j < %n, %x = %a) : !emitpy.object -> tensor<?xf64> {
    %p = emitpy.helper "np.clipped_slice"(%x, %zero, %size, %size, %one) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %q = emitpy.helper "np.clipped_slice"(%p, %zero, %one, %j, %one) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    %s = emitpy.helper "np.clipped_slice"(%q, %zero, %before, %j, %one) : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    emitpy.yield %s : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}
// PYTHON-LABEL: def parts(a, n):
// PYTHON:           p = x[16:32] if 32 <= x.shape[0] else clipped_slice(x, 0, 16, 16, 1)
// PYTHON-NEXT:          q = p[1 : 1 + j] if 1 <= p.shape[0] - j else clipped_slice(p, 0, 1, j, 1)
// PYTHON-NEXT:          x = clipped_slice(q, 0, -1, j, 1)

// Products of vectors and matrices are calls of a method, which take less time than the operator;
// not stacks of matrices, windows or parts of the rows of a matrix, and not outside of loops.

func.func @products(%a: tensor<?x?xf64>, %b: tensor<?x?x?xf64>, %k: tensor<?xi64>, %x: tensor<?xf64>, %n: !emitpy.object) -> tensor<?xf64> {
  %zero = emitpy.literal 0 : i64
  %shape = emitpy.tuple(%n, %n) : (!emitpy.object, !emitpy.object) -> !emitpy.object
  %steps = emitpy.literal array<i64: 1, 1>
  %windows = emitpy.helper "np.strided"(%x, %zero, %zero, %shape, %steps) view : (tensor<?xf64>, !emitpy.object, !emitpy.object, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
  %r = emitpy.for (%j < %n, %y = %x) : !emitpy.object -> tensor<?xf64> {
    %z = emitpy.binary %a "@" %y : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %s = emitpy.binary %b "@" %z : (tensor<?x?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
    %c = emitpy.binary %k "@" %k : (tensor<?xi64>, tensor<?xi64>) -> tensor<i64>
    %t = emitpy.binary %s "@" %z : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %u = emitpy.binary %t "*" %c : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
    %v = emitpy.binary %windows "@" %u : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %cut = emitpy.slice (%j, %n : !emitpy.object, !emitpy.object)
    %all = emitpy.slice
    %part = emitpy.subscript %a[%all, %cut] : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    %w = emitpy.binary %part "@" %v : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    emitpy.yield %w : tensor<?xf64>
  }
  %once = emitpy.binary %a "@" %r : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
  func.return %once : tensor<?xf64>
}
// PYTHON-LABEL: def products(a, b, k, x, n):
// PYTHON:           for j in range(n):
// PYTHON-NEXT:          z = a.dot(y)
// PYTHON-NEXT:          s = b @ z
// PYTHON-NEXT:          c = k @ k
// PYTHON-NEXT:          t = s.dot(z)
// PYTHON-NEXT:          u = t * c
// PYTHON-NEXT:          v = windows @ u
// PYTHON-NEXT:          y = a[:, j:n] @ v
// PYTHON-NEXT:      return a @ y
