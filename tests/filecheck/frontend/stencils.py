# RUN: python %s | filecheck %s

# Choices by intervals of an index: what an expert would write, the boundary apart from the inside.

from ein_mlir import array, function, matrix_type, vector_type, where


def show(f, *types):
    source = function(f).source(*types)
    print(source[source.index("@np.errstate") :])


VECTOR, MATRIX = vector_type(float), matrix_type(float)


def smoothing(a):
    n = a.size()
    return array(
        lambda i: where((i > 0) & (i < n - 1), (a[i - 1] + a[i] + a[i + 1]) / 3, a[i]), size=n
    )


# CHECK-LABEL: def smoothing(a):
# CHECK-NEXT:    size0_a = a.shape[0]
# CHECK-NEXT:    out = np.empty(size0_a)
# CHECK-NEXT:    out[:1] = a[:1]
# CHECK-NEXT:    t0 = a[:-2] + a[1:-1] + a[2:]
# CHECK-NEXT:    t0 /= 3.0
# CHECK-NEXT:    out[1:-1] = t0
# CHECK:         out[t1:] = a[t1:]
# CHECK-NEXT:    return out
show(smoothing, VECTOR)


def jacobi(a):
    n, m = a.size(0), a.size(1)

    def point(i, j):
        inside = (i > 0) & (i < n - 1) & (j >= 1) & (j + 1 < m)
        return where(inside, (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4, a[i, j])

    return array(point)


# CHECK-LABEL: def jacobi(a):
# CHECK:         out = np.empty((size0_a, a.shape[1]))
# CHECK-NEXT:    out[:1] = a[:1]
# CHECK:         out[1:-1, :1] = a[1:-1, :1]
# CHECK-NEXT:    t1 = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2]
# CHECK-NEXT:    t1 += a[1:-1, 2:]
# CHECK-NEXT:    t1 *= 0.25
# CHECK-NEXT:    out[1:-1, 1:-1] = t1
# CHECK:         out[1:-1, t0:] = a[1:-1, t0:]
# CHECK-NEXT:    t2 = max(1, size0_a - 1)
# CHECK-NEXT:    out[t2:] = a[t2:]
# CHECK-NEXT:    return out
show(jacobi, MATRIX)


def border(a):
    n = a.size()
    return array(lambda i: where(i == 0, 0.0, where(i == n - 1, 1.0, a[i + 1] - a[i - 1])), size=n)


# CHECK-LABEL: def border(a):
# CHECK:         out[:1] = {{.*}}
# CHECK:         out[1:-1] = a[2:] - a[:-2]
# CHECK:         out[{{.*}}:] = 1.0
show(border, VECTOR)
