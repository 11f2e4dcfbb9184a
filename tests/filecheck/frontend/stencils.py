# RUN: python %s | filecheck %s

# Choices by intervals of an index: the code of an expert, with a separate boundary.

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
# CHECK-NEXT:    np.divide(a[:-2] + a[1:-1] + a[2:], 3.0, out=out[1:-1])
# CHECK:         out[t0:] = a[t0:]
# CHECK-NEXT:    return out
show(smoothing, VECTOR)


def jacobi(a):
    n, m = a.size(0), a.size(1)

    def point(i, j):
        inside = (i > 0) & (i < n - 1) & (j >= 1) & (j + 1 < m)
        return where(inside, (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4, a[i, j])

    return array(point)


# CHECK-LABEL: def jacobi(a):
# CHECK:         out = np.empty((size0_a, size1_a))
# CHECK-NEXT:    out[:1] = a[:1]
# CHECK:         out[1:-1, :1] = a[1:-1, :1]
# CHECK:         step = block_length
# CHECK-NEXT:    out_1 = out[1:-1, 1:-1]
# CHECK-NEXT:    for start in range(0, max(size0_a - 2, 0), step):
# CHECK-NEXT:        stop = start + step
# CHECK-NEXT:        t5 = t1[start:stop] + t2[start:stop] + t3[start:stop]
# CHECK-NEXT:        t5 += t4[start:stop]
# CHECK-NEXT:        np.multiply(t5, 0.25, out=out_1[start:stop])
# CHECK-NEXT:        del t5
# CHECK-NEXT:    out[1:-1, t0:] = a[1:-1, t0:]
# CHECK-NEXT:    t6 = max(1, size0_a - 1)
# CHECK-NEXT:    out[t6:] = a[t6:]
# CHECK-NEXT:    return out
show(jacobi, MATRIX)


def border(a):
    n = a.size()
    return array(lambda i: where(i == 0, 0.0, where(i == n - 1, 1.0, a[i + 1] - a[i - 1])), size=n)


# CHECK-LABEL: def border(a):
# CHECK:         out[:1] = {{.*}}
# CHECK:         np.subtract(a[2:], a[:-2], out=out[1:-1])
# CHECK:         out[{{.*}}:] = 1.0
show(border, VECTOR)


def hotspot(a, power):
    n = a.size(0)

    def point(i, j):
        here = a[i, j]
        up, down = where(i > 0, a[i - 1, j], here), where(i < n - 1, a[i + 1, j], here)
        return power[i, j] + up + down + a[i, j - 1] + a[i, j + 1] - 4 * here

    return array(point)


# CHECK-LABEL: def hotspot(a, power):
# CHECK:         t0 = pad_edges(a, ((1, 1), (1, 1)))
# CHECK-NEXT:    t1 = t0[:size0_a, 1 : size1_a + 1]
# CHECK-NEXT:    t2 = t0[2 : size0_a + 2, 1 : size1_a + 1]
# CHECK-NEXT:    t3 = t0[1 : size0_a + 1, :size1_a]
# CHECK-NEXT:    t4 = t0[1 : size0_a + 1, 2 : size1_a + 2]
# CHECK:             np.add(power[start:stop], t1[start:stop], out=t5)
# CHECK-NEXT:        t5 += t2[start:stop]
show(hotspot, MATRIX, MATRIX)
