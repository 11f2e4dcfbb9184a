# RUN: python %s | filecheck %s
"""The emitted code of small programs is that of an expert."""

from ein_mlir import (
    array,
    exp,
    fold,
    fold_argmin,
    fold_max,
    fold_min,
    fold_sum,
    function,
    matrix_type,
    ndarray_type,
    vector_type,
    where,
)

VECTOR, MATRIX, IDS = vector_type(float), matrix_type(float), vector_type(int)
CUBE, FOUR = ndarray_type(3, float), ndarray_type(4, float)


def show(program, *types):
    """Print the emitted code, without the assertions on sizes."""
    lines = function(program).source(*types).splitlines()
    kept = [line for line in lines if "raise" not in line and not line.endswith(":")]
    print(program.__name__, *kept, sep="\n")


def outer_product(u, v):
    return array(lambda i, j: u[i] * v[j])


# CHECK-LABEL: outer_product
# CHECK: return u[:, None] * v[None, :]
show(outer_product, VECTOR, VECTOR)


def symmetric_part(a):
    return array(lambda i, j: (a[i, j] + a[j, i]) / 2)


# CHECK-LABEL: symmetric_part
# CHECK: return (a + a.T) * 0.5
show(symmetric_part, MATRIX)


def difference(a):
    return array(lambda i: a[i + 1] - a[i], size=a.size() - 1)


# CHECK-LABEL: difference
# CHECK: return a[1:] - a[:-1]
show(difference, VECTOR)


def smoothing(a):
    return array(lambda i: (a[i] + a[i + 1] + a[i + 2]) / 3, size=a.size() - 2)


# CHECK-LABEL: smoothing
# CHECK: t1 = a[:-2] + a[1:-1] + a[2:]
# CHECK-NEXT: t1 /= 3.0
# CHECK-NEXT: return t1
show(smoothing, VECTOR)


def batched_product(a, b):
    return array(lambda n, i, j: fold_sum(lambda k: a[n, i, k] * b[n, k, j]))


# CHECK-LABEL: batched_product
# CHECK: return a @ b
show(batched_product, CUBE, CUBE)


def attention_logits(s, t, e, g):
    return array(lambda b, h, u, v: s[b, u, h] + t[b, v, h] + e[b, u, v, h] + g[b, h])


# CHECK-LABEL: attention_logits
# CHECK: np.ascontiguousarray(s.transpose((0, 2, 1)))[:, :, :, None]
# CHECK: t0 + np.ascontiguousarray(t.transpose((0, 2, 1)))[:, :, None, :]
# CHECK: += e.transpose((0, 3, 1, 2))
# CHECK: += g[:, :, None, None]
show(attention_logits, CUBE, CUBE, FOUR, MATRIX)


def softmax_rows(a):
    def softmax(x):
        top = fold_max(lambda i: x[i])
        weights = array(lambda i: exp(x[i] - top))
        total = fold_sum(lambda i: weights[i])
        return array(lambda i: weights[i] / total)

    return array(lambda i: softmax(a[i]))


# CHECK-LABEL: softmax_rows
# CHECK: step = block_length(24 * a.shape[1])
# CHECK-NEXT: out = np.empty((a.shape[0], a.shape[1]))
# CHECK-NEXT: stop = start + step
# CHECK-NEXT: a_1 = a[start:stop]
# CHECK-NEXT: t0 = out[start:stop]
# CHECK-NEXT: np.subtract(a_1, reduce_rows(np.maximum, a_1, -np.inf)[:, None], out=t0)
# CHECK-NEXT: np.exp(t0, out=t0)
# CHECK-NEXT: np.divide(t0, reduce_rows(np.add, t0, 0.0)[:, None], out=t0)
# CHECK-NEXT: return out
show(softmax_rows, MATRIX)


def tropical_product(a, b):
    return array(lambda i, j: fold_min(lambda k: a[i, k] + b[k, j]))


# CHECK-LABEL: tropical_product
# CHECK: step = block_length(8 * size1_a + 8 * t2 * size1_b)
# CHECK: a_1 = a[start:stop]
# CHECK-NEXT: t6 = np.empty((a_1.shape[0], b.shape[1]))
# CHECK-NEXT: acc = np.full((min(stop, size0_a) - start, size1_b), np.inf)
# CHECK-NEXT: np.add(a_1[:, k, None], b[k, None, :], out=t6)
# CHECK-NEXT: np.minimum(acc, t6, out=acc)
# CHECK: t10 = np.ascontiguousarray(a[start:stop, t7 : t7 + length].T)[:, :, None]
# CHECK-NEXT: t11 = (t10 + b[t7 : t7 + t2][:, None, :]).min(axis=0, initial=np.inf)
# CHECK-NEXT: np.minimum(acc_1, t11, out=acc_1)
# CHECK: out[start:stop] = acc_1
# CHECK: return out
show(tropical_product, MATRIX, MATRIX)


def odd_positions(a):
    return array(lambda i: a[2 * i + 1], size=a.size() // 2)


# CHECK-LABEL: odd_positions
# CHECK: return a[1 : 2 * (a.shape[0] // 2) + 1 : 2].copy()
show(odd_positions, VECTOR)


def reverse(a):
    return array(lambda i: a[a.size() - 1 - i], size=a.size())


# CHECK-LABEL: reverse
# CHECK: return a[::-1].copy()
show(reverse, VECTOR)


def diagonal(a):
    return array(lambda i: a[i, i])


# CHECK-LABEL: diagonal
# CHECK: return np.einsum("aa->a", a).copy()
show(diagonal, MATRIX)


def embedding_lookup(table, ids):
    return array(lambda i, j: table[ids[i], j])


# CHECK-LABEL: embedding_lookup
# CHECK: return fill_empty(table, 0).take(ids, axis=0, mode="clip")
show(embedding_lookup, MATRIX, IDS)


def nearest(a):
    return array(lambda i: fold_argmin(lambda k: a[i, k]))


# CHECK-LABEL: nearest
# CHECK: return first_best(array, axis, np.ndarray.argmin, np.inf)
# CHECK: return argmin(a, 1)
show(nearest, MATRIX)


def last_largest(a):
    def better(best, k):
        return where(a[k] >= best["value"], {"value": a[k], "place": k}, best)

    return fold({"value": a[0], "place": 0}, lambda k, best: better(best, k), count=a.size())


# CHECK-LABEL: last_largest
# CHECK: = last_argmax(a, 0)
# CHECK-NOT: for k
show(last_largest, VECTOR)


def complex_product(a, b):
    def step(acc, x, y):
        return (acc[0] + x[0] * y[0] - x[1] * y[1], acc[1] + x[0] * y[1] + x[1] * y[0])

    return array(
        lambda i, j: fold(
            (0.0, 0.0), lambda k, acc: step(acc, (a[0, i, k], a[1, i, k]), (b[0, k, j], b[1, k, j]))
        )
    )


# CHECK-LABEL: complex_product
# CHECK: return ([[A:.*]] @ [[C:.*]] - [[B:.*]] @ [[D:.*]], [[A]] @ [[D]] + [[B]] @ [[C]])
show(complex_product, CUBE, CUBE)


def chain(a, b, c):
    return array(lambda i, m: fold_sum(lambda j: fold_sum(lambda k: a[i, j] * b[j, k] * c[k, m])))


# CHECK-LABEL: chain
# CHECK: t0 = a @ b @ c
# CHECK: return in_order(t0, (t0,), (), ("ij", ("ik", a), ("kl", b), ("lj", c)))
show(chain, MATRIX, MATRIX, MATRIX)


def separable(u, v):
    return array(lambda i: fold_sum(lambda k: u[i] * v[k]))


# CHECK-LABEL: separable
# CHECK: t0 = v.sum()
# CHECK: return in_order(u * t0, (u, t0), (), ("i", ("i", u), ("j", v)))
show(separable, VECTOR, VECTOR)
