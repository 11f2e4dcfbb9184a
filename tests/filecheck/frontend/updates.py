# RUN: python %s | filecheck %s

# Folds that change one element, or one row, of their accumulator: the code of an expert.

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where


@function
def prefix(a):
    def step(k, v):
        return array(lambda i: where(i == k, v[k - 1] * a[k] + 0.5, v[i]))

    return fold(a, step, count=a.size())


print(prefix.source(np.zeros(3)))
# CHECK-LABEL: def prefix(a):
# CHECK-NEXT:     v = a.copy()
# CHECK-NEXT:     t0 = v.data
# CHECK-NEXT:     t1 = a.data
# CHECK-NEXT:     v_1 = v
# CHECK-NEXT:     for k in range(a.shape[0]):
# CHECK-NEXT:         t2 = k - 1
# CHECK-NEXT:         t0[k] = t0[0 if t2 < 0 else t2] * t1[k] + 0.5
# CHECK-NEXT:     return v_1


@function
def edit_distance(a, b):
    def row(i, previous):
        def cell(j, current):
            moved = previous[j + 1].min(current[j]) + 1
            best = moved.min(previous[j] + where(a[i] == b[j], 0, 1))
            return array(lambda c: where(c == j + 1, best, current[c]))

        return fold(array(lambda c: i + 1, size=b.size() + 1), cell, count=b.size())

    return fold(array(lambda c: c, size=b.size() + 1), row, count=a.size())


print(edit_distance.source(np.zeros(3, int), np.zeros(3, int)))
# CHECK-LABEL: def edit_distance(a, b):
# CHECK:         if [[LONG:.*]]:
# CHECK:             for i in range([[ROWS:.*]]):
# CHECK-NOT:           for j
# CHECK:               previous{{.*}} = np.minimum.accumulate({{.*}}, 0) + {{.*}}
# CHECK:         if not [[LONG]]:
# CHECK:             for i{{.*}} in range([[ROWS]]):
# CHECK:                 for j in range(
# CHECK:         return previous


@function
def swept(a, b):
    """The array that is carried has its own size, not the equal one of the rows of a matrix."""
    n = b.size()

    def step(i, x):
        total = fold_sum(lambda j: where(j != i, a[i, j] * x[j], 0.0))
        return array(lambda r: where(r == i, b[i] - total, x[r]))

    return fold(array(lambda i: 0.0, size=n), lambda t, x: fold(x, step, count=n), count=5)


print(swept.source(np.zeros((3, 3)), np.zeros(3)))
# CHECK-LABEL: def swept(a, b):
# CHECK:         x = np.zeros(size0_b)
# CHECK-NOT:     copy
# CHECK:                 t1[i] = t0[i] - {{.*}}
# CHECK-NEXT:    return x


@function
def below(a):
    def step(k, m):
        return array(lambda i, j: where(i == k, m[k - 1, j] * m[k, j], m[i, j]))

    return fold(a, step, count=a.size(0))


print(below.source(np.zeros((3, 3))))
# CHECK-LABEL: def below(a):
# CHECK-NEXT:     t0 = np.concatenate((fill_empty(a, 0)[0][None, :], a))
# CHECK-NEXT:     return np.multiply.accumulate(t0, 0)[1:]


@function
def normalised(a):
    """Rows that do not depend on each other need no loop."""

    def step(k, m):
        return array(lambda i, j: where(i == k, m[k, j] / 2, m[i, j]))

    return fold(a, step, count=a.size(0))


print(normalised.source(np.zeros((3, 3))))
# CHECK-LABEL: def normalised(a):
# CHECK-NEXT:     return a * 0.5


@function
def removed(a, p):
    """Elements are read before they are overwritten, for all orders in the program."""

    def step(k, state):
        left, found = state
        return (
            array(lambda i: where(i == p[k], 0.0, left[i])),
            array(lambda i: where(i == k, left[k] + 1, found[i])),
        )

    return fold((a, array(lambda i: a[i] * 2)), step, count=a.size())[1]


print(removed.source(np.zeros(3), np.arange(3)))
# CHECK-LABEL: def removed(a, p):
# CHECK-NEXT:      size0_a = a.shape[0]
# CHECK-NEXT:      if size0_a != p.shape[0]:
# CHECK-NEXT:          raise ValueError(f"this version takes equal sizes: {{.*}}
# CHECK-NEXT:      state = a * 2.0
# CHECK-NEXT:      state_1 = a.copy()
# CHECK-NEXT:      size = state_1.shape[0]
# CHECK-NEXT:      t0 = p.data
# CHECK-NEXT:      t1 = state_1.data
# CHECK-NEXT:      t2 = state.data
# CHECK-NEXT:      state_2 = state_1
# CHECK-NEXT:      state_3 = state
# CHECK-NEXT:      for k in range(size0_a):
# CHECK-NEXT:          t3 = t0[k]
# CHECK-NEXT:          t4 = t1[k] + 1.0
# CHECK-NEXT:          if 0 <= t3 and t3 < size:
# CHECK-NEXT:              t1[t3] = 0.0
# CHECK-NEXT:          t2[k] = t4
# CHECK-NEXT:      return state_3
