# RUN: python %s | filecheck %s

# ruff: noqa: E501
# Errors state the given form, the expected form, and the source location.

import numpy as np

from ein_mlir import EinError, array, fold, where, wrap

a, n = wrap(np.ones((2, 3)), "a"), wrap(np.arange(3), "n")


def show(mistake):
    try:
        mistake()
    except EinError as error:
        print(type(error).__name__, error, sep=": ")


show(lambda: a[0, 0] + n[0])
# CHECK: EinTypeError: Float + Int: operands must have one type; write `n[0].float()` (at {{.*}}errors.py:{{[0-9]+}})

show(lambda: array(lambda i: n[i] if n[i] > 0 else 0))
# CHECK: EinTypeError: `if` needs a concrete value, and this Bool is staged: write where(n[i] > 0, n[i], 0) (at {{.*}}errors.py:{{[0-9]+}})

show(lambda: array(lambda i, j: a[i, j + 1]))
# CHECK: SizeInferenceError: cannot infer the size of index j: no array is indexed by j itself, as in a[j]; it was only seen in: a along axis 1, at a computed position ({{.*}}errors.py:{{[0-9]+}}); give the size: array(lambda j: ..., size=n)

show(lambda: array(lambda i: array(lambda j: n[j], size=i), size=3))
# CHECK: EinValueError: size of index j depends on the index i, and arrays are rectangular: take the largest one

show(lambda: fold({"best": 0, "at": 0}, lambda k, s: {"best": a[0, k], "at": a[0, k] > s["best"]}))
# CHECK: EinTypeError: fold: the accumulator s['at'] changes its type: Int before a step, Bool after it

show(lambda: a[0, 0, 0])
# CHECK: EinTypeError: 3 positions are too many for a, which has rank 2 (Vec[Vec[Float]])

show(lambda: where(a[0, 0] > 0, a[0], 1))
# CHECK: EinTypeError: where: the branches have different types: Vec[Float] and Int
