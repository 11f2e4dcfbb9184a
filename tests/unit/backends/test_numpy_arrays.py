"""Each operation of yarr, emitted for NumPy, against the interpreter of yarr."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from ein_mlir import pipelines
from ein_mlir.backends.numpy import prelude as numpy_prelude
from ein_mlir.dialects import yarr
from ein_mlir.interpreters.yarr import run_yarr

INT, V, M, T = "tensor<i64>", "tensor<?xf64>", "tensor<?x?xf64>", "tensor<?x?x?xf64>"
T4 = "tensor<?x?x?x?xf64>"
VI, MI, V32, VB, MB = (
    "tensor<?xi64>",
    "tensor<?x?xi64>",
    "tensor<?xf32>",
    "tensor<?xi1>",
    "tensor<?x?xi1>",
)
N = np.int64


def f64(*shape: int) -> np.ndarray:
    return np.arange(float(np.prod(shape))).reshape(shape)


def not_finite(shape: tuple[int, ...], *places: tuple[int, ...]) -> np.ndarray:
    """Numbers, with infinities at some places."""
    array = f64(*shape)
    for place in places:
        array[place] = np.inf
    return array


def i64(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


Case = tuple[str, Sequence[str], str, Sequence[Sequence[Any]]]

CASES: dict[str, Case] = {
    "range": ("yarr.range %a", [INT], VI, [(N(4),), (N(0),)]),
    "size": ("yarr.size %a, 1", [M], INT, [(f64(2, 3),), (f64(0, 4),)]),
    "transpose": ("yarr.transpose %a, [1, 0]", [M], M, [(f64(2, 3),), (f64(0, 3),)]),
    "transpose-3": ("yarr.transpose %a, [1, 2, 0]", [T], T, [(f64(2, 3, 4),)]),
    "transpose-reversed": ("yarr.transpose %a, [2, 1, 0]", [T], T, [(f64(2, 3, 4),)]),
    "squeeze": ("yarr.squeeze %a, [1]", [M], V, [(f64(3, 1),), (f64(0, 1),)]),
    "squeeze-all": ("yarr.squeeze %a, [0, 1]", [M], "tensor<f64>", [(f64(1, 1),)]),
    "unsqueeze": ("yarr.unsqueeze %a, [0, 2]", [V], "tensor<1x?x1xf64>", [(f64(3),), (f64(0),)]),
    "unsqueeze-scalar": ("yarr.unsqueeze %a, [0, 1]", ["tensor<f64>"], "tensor<1x1xf64>", [(2.0,)]),
    "repeat": ("yarr.repeat %a, 0, %b", ["tensor<1x?xf64>", INT], M, [(f64(1, 3), N(2))]),
    "repeat-last": ("yarr.repeat %a, 1, %b", ["tensor<?x1xf64>", INT], M, [(f64(3, 1), N(0))]),
    "gather": ("yarr.gather %a[%b]", [V, VI], V, [(f64(3), i64(2, -1, 7)), (f64(3), i64())]),
    "gather-2": (
        "yarr.gather %a[%b, %c]",
        [T, "tensor<?x1xi64>", "tensor<1x?xi64>"],
        T,
        [
            (f64(3, 4, 2), i64(0, 9).reshape(2, 1), i64(3, -4, 1).reshape(1, 3)),
            (f64(30, 40, 2), i64(50).reshape(1, 1), i64(-4, 1).reshape(1, 2)),  # most is not read
            (f64(0, 4, 2), i64().reshape(0, 1), i64(3).reshape(1, 1)),
        ],
    ),
    "gather-pairs": (
        "yarr.gather %a[%b, %c]",
        [T, VI, VI],
        M,
        [
            (f64(3, 4, 2), i64(0, 9, 2, -(2**63)), i64(3, -4, 2**63 - 1, 1)),
            (f64(2, 4, 3).T, i64(0, 9, 2), i64(3, -4, 1)),  # not contiguous
            (f64(3, 4, 2), np.arange(-3, 9999), np.arange(10002) % 4),  # many positions
            (f64(3, 4, 2), np.arange(10000) % 3, np.arange(10000) % 4),
            (f64(0, 4, 2), i64(), i64()),
        ],
    ),
    "gather-transposed": (
        "yarr.gather %a[%b, %c]",
        [T, "tensor<1x?xi64>", "tensor<?x1xi64>"],
        T,
        [(f64(3, 4, 2), i64(0, 9).reshape(1, 2), i64(3, -4, 1).reshape(3, 1))],
    ),
    "gather-scalars": (
        "yarr.gather %a[%b, %c]",
        [M, INT, INT],
        "tensor<f64>",
        [(f64(2, 3), N(9), N(-1))],
    ),
    "gather-in-bounds": (
        "yarr.gather %a[%b, %b] in_bounds [0, 1]",
        [M, VI],
        V,
        [(f64(3, 3), i64(0, 2))],
    ),
    "take": (
        "yarr.take %a, 1, %b",
        [M, VI],
        M,
        [(f64(2, 3), i64(2, -1, 7, 1)), (f64(0, 3), i64(9))],
    ),
    "take-matrix": (
        "yarr.take %a, 0, %b",
        [M, MI],
        T,
        [(f64(2, 3), i64(1, 0, 5, -5).reshape(2, 2))],
    ),
    "take-scalar": ("yarr.take %a, 1, %b", [M, INT], V, [(f64(2, 3), N(k)) for k in (-4, 0, 2, 9)]),
    "take-element": ("yarr.take %a, 0, %b", [V, INT], "tensor<f64>", [(f64(2), N(7))]),
    "take-in-bounds": ("yarr.take %a, 1, %b in_bounds", [M, INT], V, [(f64(2, 3), N(2))]),
    "take-many-in-bounds": ("yarr.take %a, 0, %b in_bounds", [M, VI], M, [(f64(2, 3), i64(1, 1))]),
    "slice": (
        "yarr.slice %a, 0, %b, %c step 1",
        [V, INT, INT],
        V,
        [(f64(5), N(1), N(3)), (f64(5), N(0), N(5)), (f64(5), N(5), N(0)), (f64(0), N(0), N(0))],
    ),
    "slice-by-2": (
        "yarr.slice %a, 1, %b, %c step 2",
        [M, INT, INT],
        M,
        [(f64(2, 5), N(0), N(3)), (f64(2, 6), N(1), N(3)), (f64(2, 6), N(3), N(0))],
    ),
    "slice-back": (
        "yarr.slice %a, 0, %b, %c step -1",
        [V, INT, INT],
        V,
        [
            (f64(5), N(4), N(5)),
            (f64(5), N(2), N(3)),
            (f64(5), N(3), N(2)),
            (f64(5), N(-1), N(0)),
            (f64(0), N(-1), N(0)),
        ],
    ),
    "slice-back-by-3": (
        "yarr.slice %a, 0, %b, %c step -3",
        [V, INT, INT],
        V,
        [(f64(7), N(6), N(3)), (f64(7), N(5), N(2)), (f64(7), N(-2), N(0))],
    ),
    "strided": (
        "yarr.strided %a, 0, %b, sizes(%c, %c), steps(%c, %b)",
        [V, INT, INT],
        M,
        [(f64(n), N(s), N(k)) for n in (0, 1, 9) for s in (-1, 0, 1, 2) for k in (0, 1, 2, 3)],
    ),
    "flatten": (
        "yarr.flatten %a, 0",
        [T],
        M,
        [(f64(2, 3, 4),), (f64(0, 3, 2),), (f64(1, 1, 1),)],
    ),
    "in-order": (
        'yarr.in_order "ik->i" %a of %b if finite %a',
        [V, M],
        V,
        [(np.array([first, 5.0]), f64(2, 2)) for first in (1.0, np.inf, np.nan)],
    ),
    "slice-clipped": (
        "yarr.slice %a, 0, %b, %c step 1 clip",
        [V, INT, INT],
        V,
        [(f64(n), N(s), N(k)) for n in (0, 1, 4) for s in (-6, -1, 0, 2, 9) for k in (0, 1, 5)],
    ),
    "slice-clipped-by-2": (
        "yarr.slice %a, 1, %b, %c step 2 clip",
        [M, INT, INT],
        M,
        [(f64(2, 4), N(s), N(k)) for s in (-5, 0, 1, 7) for k in (0, 2, 4)],
    ),
    "slice-clipped-back": (
        "yarr.slice %a, 0, %b, %c step -1 clip",
        [V, INT, INT],
        V,
        [(f64(4), N(s), N(k)) for s in (-3, 0, 3, 9) for k in (0, 2, 6)],
    ),
    "update-element": (
        "yarr.update %a[%b] along [0], %c",
        [V, INT, "tensor<f64>"],
        V,
        [(f64(n), N(p), np.float64(7)) for n in (0, 1, 3) for p in (-4, -1, 0, 2, 3)],
    ),
    "update-column": (
        "yarr.update %a[%b] along [1], %c",
        [M, INT, V],
        M,
        [(f64(2, 3), N(p), f64(2)) for p in (-1, 1, 3)] + [(f64(0, 2), N(1), f64(0))],
    ),
    "update_slice": (
        "yarr.update_slice %a[%b, %c by %d] along 1, %e",
        [M, INT, INT, INT, M],
        M,
        [
            (f64(2, 7), N(1), N(3), N(2), -f64(2, 3)),
            (f64(2, 7), N(6), N(1), N(9), -f64(2, 1)),
            (f64(0, 4), N(0), N(2), N(3), f64(0, 2)),
            (f64(2, 0), N(0), N(0), N(1), f64(2, 0)),
        ],
    ),
    "scatter": (
        "yarr.scatter %a[%b], %c",
        [V, VI, V],
        V,
        [
            (f64(4), np.array([2, 0, 2]), -f64(3)),
            (f64(4), np.array([-1, 4, 1, -(2**63)]), -f64(4)),
            (f64(0), np.array([0, 1]), f64(2)),
            (f64(3), np.array([], np.int64), f64(0)),
        ],
    ),
    "scatter-rows": (
        "yarr.scatter %a[%b], %c",
        [M, VI, M],
        M,
        [
            (f64(3, 2), np.array([2, 2, 0]), -f64(3, 2)),
            (f64(3, 2), np.array([5, -1, 1]), -f64(3, 2)),
            (f64(3, 0), np.array([1]), f64(1, 0)),
        ],
    ),
    "scatter-by-keys": (
        "yarr.scatter %a[%b, %c], %d",
        [M, VI, VI, "tensor<1xf64>"],
        M,
        [
            (f64(2, 3), np.array([0, 1]), np.array([2, 0]), -f64(1)),
            (f64(2, 3), np.array([0, 2, 1]), np.array([3, 0, 1]), -f64(1)),
        ],
    ),
    "update-of-axes": (
        "yarr.update %a[%b, %b] along [0, 2], %c",
        [T, INT, "tensor<1xf64>"],
        T,
        [(f64(2, 3, 4), N(p), f64(1)) for p in (-1, 0, 1, 2)],
    ),
    "argreduce": (
        'yarr.argreduce %a, 1 by "<"',
        [M],
        VI,
        [(f64(2, 3),), (f64(0, 3),), (f64(2, 0),), (np.array([[np.nan, 1.0, 1.0]]),)],
    ),
    "argreduce-last": (
        'yarr.argreduce %a, 0 by ">="',
        [V],
        INT,
        [(np.array([1.0, 3.0, 3.0, np.nan]),), (f64(0),)],
    ),
    "sort": (
        "yarr.sort %a, 1",
        [M],
        "tensor<?x?xf64>",
        [(f64(2, 3),), (f64(0, 3),), (f64(2, 0),), (np.array([[1.0, np.nan, 1.0, -1.0]]),)],
    ),
    "argsort": (
        "yarr.argsort %a, 1",
        [M],
        "tensor<?x?xi64>",
        [(f64(2, 3),), (f64(0, 3),), (f64(2, 0),), (np.array([[1.0, np.nan, 1.0, -1.0]]),)],
    ),
    "searchsorted": (
        "yarr.searchsorted %a, %b",
        [V, M],
        "tensor<?x?xi64>",
        [
            (
                np.array([-1.0, 0.5, 0.5, 2.0, np.nan]),
                np.array([[0.5, np.nan, -np.inf], [2.0] * 3]),
            ),
            (f64(0), f64(2, 3)),
            (np.arange(3.0), f64(0, 3)),
        ],
    ),
    "searchsorted-rows": (
        "yarr.searchsorted %a, %b right",
        [M, M],
        "tensor<?x?xi64>",
        [
            (
                np.array([[0.5, 0.5, 2.0], [-1.0, 0.0, np.nan]]),
                np.array([[0.5, 3.0], [np.nan, 0.0]]),
            ),
            (f64(2, 0), f64(2, 3)),
            (f64(0, 3), f64(0, 2)),
        ],
    ),
    "top-k": (
        'yarr.top_k %a, 1, %b by "<"',
        [M, INT],
        "tensor<?x?xi64>",
        [
            (f64(2, 3), N(2)),
            (f64(2, 3), N(5)),
            (f64(0, 3), N(1)),
            (f64(2, 0), N(2)),
            (f64(2, 3), N(0)),
            (np.array([[np.nan, 1.0, 1.0, np.inf]]), N(4)),
        ],
    ),
    "top-k-largest": (
        'yarr.top_k %a, 0, %b by ">"',
        [VI, INT],
        VI,
        [(i64(3, -(2**63), 5, 5), N(5)), (i64(), N(2))],
    ),
    "segment-sum": (
        'yarr.accumulate "add" %a by %b into %c',
        [V, VI, INT],
        V,
        [(f64(4), i64(2, -1, 0, 7), N(3)), (f64(0), i64(), N(2)), (f64(2), i64(0, 0), N(0))],
    ),
    "segment-min": (
        'yarr.accumulate "min" %a by %b into %c',
        [M, VI, INT],
        M,
        [(f64(3, 2), i64(1, 1, 5), N(2)), (f64(0, 2), i64(), N(1))],
    ),
    "correlate-strides": (
        "yarr.correlate %a, %b into %c by [2]",
        [T, T, INT],
        T,
        [
            (f64(2, 3, 7), f64(4, 3, 2), N(3)),
            (f64(1, 1, 70001), f64(2, 1, 3), N(35000)),
            (f64(2, 3, 2), f64(4, 3, 2), N(1)),
            (f64(2, 3, 0), f64(4, 3, 2), N(0)),
        ],
    ),
    "correlate": (
        "yarr.correlate %a, %b into %c",
        [T, T, INT],
        T,
        [
            (f64(2, 3, 6), f64(4, 3, 2), N(5)),
            (f64(2, 3, 6), f64(4, 3, 2), N(3)),
            (f64(1, 1, 70000), f64(2, 1, 3), N(69998)),
            (f64(3, 1, 90000), f64(1, 1, 3), N(89998)),
            (f64(300, 1, 502), f64(1, 1, 3), N(500)),
            (f64(2, 3, 2), f64(4, 3, 0), N(3)),
            (f64(2, 0, 4), f64(4, 0, 2), N(3)),
            (f64(0, 3, 4), f64(4, 3, 2), N(3)),
            (f64(2, 3, 4), f64(4, 3, 5), N(0)),
        ],
    ),
    "propagate_nan": (
        "yarr.propagate_nan %a from %b, 1",
        [M, T],
        M,
        [
            (f64(2, 3), f64(2, 2, 3)),
            (f64(2, 3), not_finite((2, 2, 3), (0, 1, 2))),
            (f64(2, 3), not_finite((2, 2, 3), (1, 0, 0), (1, 1, 0))),
            (f64(2, 3), not_finite((2, 2, 3), (1, 0, 0), (0, 1, 1))),
            (f64(2, 3), not_finite((4, 1, 3), (1, 0, 0))),
            (f64(2, 1), not_finite((2, 2, 1), (0, 1, 0))),
            (f64(2, 0), f64(3, 2, 0)),
            (f64(0, 3), f64(3, 0, 3)),
        ],
    ),
    "weighted_scan": (
        'yarr.weighted_scan "max" %a by %b, 1',
        [M, M],
        M,
        [(f64(2, n), f64(2, n)) for n in (0, 1, 2, 5, 70, 9000)],
    ),
    "scan": ('yarr.scan "add" %a, 1', [M], M, [(f64(2, 3),), (f64(2, 0),), (f64(0, 3),)]),
    "scan-suffixes": ('yarr.scan "max" %a, 0 suffixes', [V], V, [(f64(3),), (f64(0),)]),
    "scan-inclusive": ('yarr.scan "min" %a, 1 inclusive', [M], M, [(f64(2, 3),), (f64(2, 0),)]),
    "scan-suffixes-inclusive": (
        'yarr.scan "add" %a, 0 suffixes inclusive',
        [V],
        V,
        [(f64(3),), (f64(0),)],
    ),
    "pad": (
        "yarr.pad %a, 0, %b, %c",
        [V, INT, INT],
        V,
        [(f64(3), N(1), N(2)), (f64(3), N(0), N(0)), (f64(0), N(0), N(0))],
    ),
    "pad-inner": ("yarr.pad %a, 1, %b, %c", [T, INT, INT], T, [(f64(2, 3, 2), N(2), N(0))]),
    "fill_empty": ("yarr.fill_empty %a, 0", [M], M, [(f64(0, 3),), (f64(2, 3),), (f64(0, 0),)]),
    "concat": ("yarr.concat %a, %b axis 0", [V, V], V, [(f64(2), f64(3)), (f64(0), f64(0))]),
    "concat-inner": ("yarr.concat %a, %b, %a axis 1", [M, M], M, [(f64(2, 1), f64(2, 0))]),
    "sum": ("yarr.reduce %a, [1] by { arith.addf }", [M], V, [(f64(2, 3),), (f64(2, 0),)]),
    "sum-f32": (
        "yarr.reduce %a, [0] by { arith.addf }",
        [V32],
        "tensor<f32>",
        [(np.ones(3, np.float32),)],
    ),
    "sum-int": (
        "yarr.reduce %a, [0] by { arith.addi }",
        [VI],
        INT,
        [(i64(1, 2**62, 2**62),), (i64(),)],
    ),
    "sum-i32": (
        "yarr.reduce %a, [0] by { arith.addi }",
        ["tensor<?xi32>"],
        "tensor<i32>",
        [(np.array([2**30] * 2, np.int32),), (np.zeros(0, np.int32),)],
    ),
    "prod": ("yarr.reduce %a, [0] by { arith.mulf }", [M], V, [(f64(2, 3),), (f64(0, 3),)]),
    "prod-i32": (
        "yarr.reduce %a, [0] by { arith.muli }",
        ["tensor<?xi32>"],
        "tensor<i32>",
        [(np.array([2**20] * 2, np.int32),), (np.zeros(0, np.int32),)],
    ),
    "min": (
        "yarr.reduce %a, [0] by { arith.minimumf }",
        [M],
        V,
        [(f64(2, 3),), (f64(0, 3),), (np.array([[1.0], [np.nan]]),)],
    ),
    "max": ("yarr.reduce %a, [1] by { arith.maximumf }", [M], V, [(f64(2, 3),), (f64(2, 0),)]),
    "max-f32": (
        "yarr.reduce %a, [0] by { arith.maximumf }",
        [V32],
        "tensor<f32>",
        [(np.ones(3, np.float32),), (np.ones(0, np.float32),)],
    ),
    "min-int": ("yarr.reduce %a, [0] by { arith.minsi }", [VI], INT, [(i64(3, -1),), (i64(),)]),
    "max-i32": (
        "yarr.reduce %a, [0] by { arith.maxsi }",
        ["tensor<?xi32>"],
        "tensor<i32>",
        [(np.array([3, -1], np.int32),), (np.zeros(0, np.int32),)],
    ),
    "all": (
        "yarr.reduce %a, [1] by { arith.andi }",
        [MB],
        VB,
        [(f64(2, 3) > 0,), (f64(2, 0) > 0,)],
    ),
    "any": (
        "yarr.reduce %a, [0, 1] by { arith.ori }",
        [MB],
        "tensor<i1>",
        [(f64(2, 3) > 0,), (f64(0, 0) > 0,)],
    ),
    "sum-axes": ("yarr.reduce %a, [0, 2] by { arith.addf }", [T], V, [(f64(2, 3, 4),)]),
    "matmul": (
        'yarr.einsum "ij,jk->ik" %a, %b',
        [M, M],
        M,
        [(f64(2, 3), f64(3, 4)), (f64(2, 0), f64(0, 4))],
    ),
    "matmul-transposed": ('yarr.einsum "ji,kj->ik" %a, %b', [M, M], M, [(f64(3, 2), f64(4, 3))]),
    "dot": (
        'yarr.einsum "i,i->" %a, %b',
        [V, V],
        "tensor<f64>",
        [(f64(3), f64(3)), (f64(0), f64(0))],
    ),
    "matvec": ('yarr.einsum "ij,j->i" %a, %b', [M, V], V, [(f64(2, 3), f64(3))]),
    "vecmat": ('yarr.einsum "i,ij->j" %a, %b', [V, M], V, [(f64(2), f64(2, 3))]),
    "batched": ('yarr.einsum "bij,bjk->bik" %a, %b', [T, T], T, [(f64(2, 3, 4), f64(2, 4, 2))]),
    "batched-transposed": (
        'yarr.einsum "bji,bkj->bik" %a, %b',
        [T, T],
        T,
        [(f64(2, 4, 3), f64(2, 5, 4))],
    ),
    "grouped": (
        'yarr.einsum "bchw,oc->bohw" %a, %b',
        [T4, M],
        T4,
        [(f64(2, 3, 4, 5), f64(6, 3)), (f64(2, 0, 4, 5), f64(6, 0)), (f64(2, 3, 0, 5), f64(0, 3))],
    ),
    "grouped-transposed": (
        'yarr.einsum "co,chw->ohw" %a, %b',
        [M, T],
        T,
        [(f64(3, 2), f64(3, 4, 5))],
    ),
    "grouped-sum": (
        'yarr.einsum "bijk,bjkl->bil" %a, %b',
        [T4, T4],
        T,
        [(f64(2, 3, 4, 5), f64(2, 4, 5, 6)), (f64(2, 3, 0, 5), f64(2, 0, 5, 6))],
    ),
    "grouped-rows": (
        'yarr.einsum "abj,jk->abk" %a, %b',
        [T, M],
        T,
        [(f64(2, 3, 4), f64(4, 5))],
    ),
    "batched-dot": ('yarr.einsum "bi,bi->b" %a, %b', [M, M], V, [(f64(2, 3), f64(2, 3))]),
    "three": (
        'yarr.einsum "i,ij,j->" %a, %b, %c',
        [V, M, V],
        "tensor<f64>",
        [(f64(2), f64(2, 3), f64(3))],
    ),
    "trace": ('yarr.einsum "ii->" %a', [M], "tensor<f64>", [(f64(3, 3),)]),
    "diagonal": ('yarr.einsum "ii->i" %a', [M], V, [(f64(3, 3),)]),
    "einsum-int": ('yarr.einsum "i,i->" %a, %b', [VI, VI], INT, [(i64(2**62, 1), i64(4, 3))]),
    "elementwise": ("yarr.elementwise { arith.addf } %a, %b", [V, V], V, [(f64(3), f64(3))]),
    "outer": (
        "yarr.elementwise { arith.mulf } %a, %b",
        ["tensor<?x1xf64>", "tensor<1x?xf64>"],
        M,
        [(f64(3, 1), f64(1, 2)), (f64(0, 1), f64(1, 2))],
    ),
    "assert_size": (
        'yarr.assert_size %a, "size of index i"',
        [INT],
        INT,
        [(N(3),), (N(0),)],
    ),
    "assert_eq": ('yarr.assert_eq %a, %b, "sizes"', [INT, INT], INT, [(N(3), N(3))]),
}

PLAIN = ("size", "assert_size", "assert_eq")
UNARY_FORMAT = ("transpose", "squeeze", "unsqueeze", "repeat", "slice", "pad", "fill_empty")


def type_signature(line: str, operands: Sequence[str], result: str) -> str:
    """The types after the colon of an operation."""
    op = line.split()[0].removeprefix("yarr.")
    if op.startswith("assert"):
        return ""
    if op == "size":
        return f": {operands[0]}"
    if op == "range":
        return f": {result}"
    if op in UNARY_FORMAT or op in ("argreduce", "argsort", "flatten", "reduce", "scan", "strided"):
        return f": {operands[0]} -> {result}"
    if op == "in_order":
        return f": {operands[0]} of {operands[1]} if finite {operands[0]}"
    if op in ("correlate", "searchsorted"):
        return f": {operands[0]}, {operands[1]} -> {result}"
    if op in ("sort", "top_k"):
        return f": {operands[0]} -> {result}"
    if op == "weighted_scan":
        return f": {operands[0]} by {operands[1]}"
    if op == "propagate_nan":
        return f": {operands[0]} from {operands[1]}"
    if op == "accumulate":
        return f": {operands[0]} by {operands[1]} -> {result}"
    used = [operands["abcde".index(name)] for name in _names(line)]
    return f": ({', '.join(used)}) -> {result}"


def _names(line: str) -> str:
    return "".join(letter for k, letter in enumerate(line) if line[k - 1] == "%")


def program(case: Case) -> str:
    line, operands, result, _ = case
    named = zip("abcde", operands, strict=False)
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in named)
    return f"""
      func.func @f({arguments}) -> {result} {{
        %r = {line} {type_signature(line, operands, result)}
        func.return %r : {result}
      }}"""


def interpret(text: str, *args: object) -> Any:
    ctx = Context()
    pipelines.register(ctx)
    return run_yarr(Parser(ctx, text).parse_module(), "f", args, {})


def assert_own(result: Any, args: Sequence[Any]) -> None:
    """An array that the caller can change, and no argument changes with it."""
    if isinstance(result, np.ndarray):
        assert result.flags.writeable
        assert not any(np.shares_memory(result, arg) for arg in args)


def assert_same(text: str, function: Callable[..., Any], *args: Any) -> None:
    expected, found = interpret(text, *args), function(*args)
    several = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(found if isinstance(found, tuple) else (found,), several, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-12, strict=isinstance(other, np.ndarray))
        assert np.shape(one) == np.shape(other)
        assert_own(one, args)


@pytest.mark.parametrize("name", CASES)
def test_operation(build: Any, name: str):
    text = program(CASES[name])
    function = build(text)
    for args in CASES[name][3]:
        assert_same(text, function, *args)


def test_every_operation_is_covered():
    covered = {line.split()[0] for line, *_ in CASES.values()}
    covered |= {
        "yarr.fold",
        "yarr.while",
        "yarr.tile",
        "yarr.tree_reduce",
        "yarr.tuple",
        "yarr.proj",
        "yarr.extern",
        "yarr.yield",
    }
    assert covered == {op.name for op in yarr.Yarr.operations}


# Programs -------------------------------------------------------------------------------------


FIBONACCI = """
  func.func @f(%n: tensor<i64>) -> tensor<i64> {
    %zero = arith.constant dense<0> : tensor<i64>
    %one = arith.constant dense<1> : tensor<i64>
    %r:2 = yarr.fold (%k < %n, %a = %zero, %b = %one) -> tensor<i64>, tensor<i64> {
      %c = yarr.elementwise { arith.addi } %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
      yarr.yield %b, %c : tensor<i64>, tensor<i64>
    }
    func.return %r#0 : tensor<i64>
  }"""

NESTED = """
  func.func @f(%a: tensor<?x?xf64>, %s: tensor<f64>) -> tensor<f64> {
    %n = yarr.size %a, 0 : tensor<?x?xf64>
    %m = yarr.size %a, 1 : tensor<?x?xf64>
    %r = yarr.fold (%i < %n, %x = %s) -> tensor<f64> {
      %row = yarr.take %a, 0, %i in_bounds : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %t = yarr.fold (%j < %m, %y = %x) -> tensor<f64> {
        %e = yarr.take %row, 0, %j in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %z = yarr.elementwise (%p = %y, %q = %e, %w = %x)
          : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64> {
          %0 = arith.mulf %p, %q : f64
          %1 = arith.subf %0, %w : f64
          yarr.yield %1 : f64
        }
        yarr.yield %z : tensor<f64>
      }
      yarr.yield %t : tensor<f64>
    }
    func.return %r : tensor<f64>
  }"""

ACCUMULATE = """
  func.func @f(%a: tensor<?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<?xf64>) {
    %r:2 = yarr.fold (%k < %n, %x = %a, %y = %a) -> tensor<?xf64>, tensor<?xf64> {
      %z = yarr.elementwise { arith.addf } %x, %y
        : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %w = yarr.elementwise { arith.mulf } %z, %x
        : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %v = yarr.elementwise { arith.addf } %z, %w
        : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      yarr.yield %z, %v : tensor<?xf64>, tensor<?xf64>
    }
    func.return %r#0, %r#1 : tensor<?xf64>, tensor<?xf64>
  }"""

MATRIX_TREE = """
  func.func @f(%a: tensor<?x?xf64>, %e: tensor<?xf64>) -> tensor<?xf64> {
    %r = yarr.tree_reduce %a identity %e
      : tensor<?x?xf64> identity tensor<?xf64> -> tensor<?xf64> {
    ^bb0(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>):
      %0 = yarr.elementwise (%p = %x, %q = %y)
        : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64> {
        %two = arith.constant 2.0 : f64
        %3 = arith.mulf %p, %two : f64
        %4 = arith.addf %3, %q : f64
        yarr.yield %4 : f64
      }
      yarr.yield %0 : tensor<?x?xf64>
    }
    func.return %r : tensor<?xf64>
  }"""

TREE_OF_RECORDS = """
  func.func @f(%a: tensor<?xf64>, %b: tensor<?xi64>) -> (tensor<f64>, tensor<i64>) {
    %e = arith.constant dense<1.0e30> : tensor<f64>
    %z = arith.constant dense<0> : tensor<i64>
    %r:2 = yarr.tree_reduce %a, %b identity %e, %z : tensor<?xf64>, tensor<?xi64>
      identity tensor<f64>, tensor<i64> -> tensor<f64>, tensor<i64> {
    ^bb0(%x: tensor<?xf64>, %i: tensor<?xi64>, %y: tensor<?xf64>, %j: tensor<?xi64>):
      %c = yarr.elementwise (%p = %x, %q = %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1> {
        %0 = arith.cmpf ole, %p, %q : f64
        yarr.yield %0 : i1
      }
      %m = yarr.elementwise { arith.select } %c, %x, %y
        : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
      %k = yarr.elementwise { arith.select } %c, %i, %j
        : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
      yarr.yield %m, %k : tensor<?xf64>, tensor<?xi64>
    }
    func.return %r#0, %r#1 : tensor<f64>, tensor<i64>
  }"""

CONSTANTS = """
  func.func @f(%a: tensor<?xf64>) -> (tensor<2x2xi64>, tensor<3xf32>, tensor<2xi1>, tensor<?xf64>) {
    %0 = arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi64>
    %1 = arith.constant dense<0.1> : tensor<3xf32>
    %2 = arith.constant dense<[true, false]> : tensor<2xi1>
    %3 = yarr.elementwise (%x = %a) : (tensor<?xf64>) -> tensor<?xf64> {
      %4 = arith.constant 0x7FF0000000000000 : f64
      yarr.yield %4 : f64
    }
    func.return %0, %1, %2, %3 : tensor<2x2xi64>, tensor<3xf32>, tensor<2xi1>, tensor<?xf64>
  }"""

IGNORED_OPERAND = """
  func.func @f(%a: tensor<?x1xf64>, %b: tensor<1x?xf64>) -> tensor<?x?xf64> {
    %0 = yarr.elementwise (%x = %a, %y = %b)
      : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64> {
      yarr.yield %x : f64
    }
    func.return %0 : tensor<?x?xf64>
  }"""

SPREAD_SIZES = """
  func.func @f(%a: tensor<?x?xf64>) -> (tensor<?x?xi64>, tensor<?x?xf32>) {
    %n = yarr.size %a, 0 : tensor<?x?xf64>
    %m = yarr.size %a, 1 : tensor<?x?xf64>
    %nu = yarr.unsqueeze %n, [0, 1] : tensor<i64> -> tensor<1x1xi64>
    %mu = yarr.unsqueeze %m, [0, 1] : tensor<i64> -> tensor<1x1xi64>
    %p = yarr.elementwise { arith.muli } %nu, %mu
      : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi64>
    %r = yarr.repeat %p, 0, %n : tensor<1x1xi64> -> tensor<?x1xi64>
    %s = yarr.repeat %r, 1, %m : tensor<?x1xi64> -> tensor<?x?xi64>
    %f = yarr.elementwise (%x = %s, %y = %nu)
      : (tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xf32> {
      %c = arith.constant 0.25 : f32
      %0 = arith.sitofp %x : i64 to f32
      %1 = arith.sitofp %y : i64 to f32
      %2 = arith.mulf %1, %c : f32
      %3 = arith.addf %0, %2 : f32
      yarr.yield %3 : f32
    }
    func.return %s, %f : tensor<?x?xi64>, tensor<?x?xf32>
  }"""

RECORDS = """
  func.func @f(%t: tuple<tensor<?xf64>, tensor<i64>>) -> tuple<tensor<i64>, tensor<?xf64>> {
    %a = yarr.proj %t, 0 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<?xf64>
    %b = yarr.proj %t, 1 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<i64>
    %r = yarr.tuple %b, %a : (tensor<i64>, tensor<?xf64>) -> tuple<tensor<i64>, tensor<?xf64>>
    func.return %r : tuple<tensor<i64>, tensor<?xf64>>
  }"""

PROGRAMS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "fibonacci": (FIBONACCI, [(N(n),) for n in (0, 1, 10, 100)]),
    "nested": (NESTED, [(f64(*shape), np.float64(0.5)) for shape in ((2, 3), (0, 3), (3, 0))]),
    "accumulate": (ACCUMULATE, [(f64(3), N(n)) for n in (0, 1, 3)]),
    "tree": (MATRIX_TREE, [(f64(n, 2), f64(2)) for n in (*range(10), 33)]),
    "tree-of-records": (
        TREE_OF_RECORDS,
        [(np.cos(f64(n)), np.arange(n)) for n in (0, 1, 2, 5, 8, 31)],
    ),
    "constants": (CONSTANTS, [(f64(2),), (f64(0),)]),
    "ignored-operand": (IGNORED_OPERAND, [(f64(2, 1), f64(1, 3)), (f64(2, 1), f64(1, 0))]),
    "spread-sizes": (SPREAD_SIZES, [(f64(2, 3),), (f64(0, 3),)]),
    "records": (RECORDS, [((f64(3), N(2)),)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(build: Any, name: str):
    text, arguments = PROGRAMS[name]
    function = build(text)
    for args in arguments:
        flat = [part for arg in args for part in (arg if isinstance(arg, tuple) else (arg,))]
        expected, found = interpret(text, *args), function(*args)
        several = expected if isinstance(expected, tuple) else (expected,)
        for one, other in zip(
            found if isinstance(found, tuple) else (found,), several, strict=True
        ):
            assert (np.shape(one), one.dtype) == (np.shape(other), other.dtype)
            np.testing.assert_allclose(one, other, rtol=1e-12)
            assert_own(one, flat)


def test_results_share_no_memory(build: Any):
    text = """
      func.func @f(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
        %0 = yarr.elementwise { math.absf } %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
        %1 = yarr.transpose %0, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
        func.return %0, %1, %0 : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
      }"""
    first, second, third = build(text)(f64(2, 3))
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, third)
    assert not np.shares_memory(second, third)


def test_messages(build: Any):
    text = """
      func.func @f(%n: tensor<i64>, %m: tensor<i64>) -> tensor<i64> {
        %0 = yarr.assert_eq %n, %m, "index {i}: \\22a\\22 and 'b'"
        %1 = yarr.assert_size %0, "size of index i"
        func.return %1 : tensor<i64>
      }"""
    function = build(text)
    assert function(N(2), N(2)) == 2
    with pytest.raises(ValueError, match=r"^index \{i\}: \"a\" and 'b': 2 != 3$"):
        function(N(2), N(3))
    with pytest.raises(ValueError, match=r"^size of index i is negative: -1$"):
        function(N(-1), N(-1))


def test_negative_repeats_are_errors(build: Any):
    for type_ in ("f64", "i1"):
        text = f"""
          func.func @f(%a: tensor<1x{type_}>, %n: tensor<i64>) -> tensor<?x{type_}> {{
            %0 = yarr.repeat %a, 0, %n : tensor<1x{type_}> -> tensor<?x{type_}>
            func.return %0 : tensor<?x{type_}>
          }}"""
        with pytest.raises(ValueError, match="negative"):
            build(text)(np.ones(1), N(-1))


def test_extern_calls_a_global(build: Any):
    text = """
      func.func @f(%a: tensor<?xf64>) -> tensor<?xf64> {
        %0 = yarr.extern @sort(%a) batch 0 : (tensor<?xf64>) -> tensor<?xf64>
        func.return %0 : tensor<?xf64>
      }"""
    values = np.array([3.0, 1.0])
    np.testing.assert_array_equal(build(text, sort=np.sort)(values), [1.0, 3.0])
    same = build(text, sort=lambda array: array)(values)
    assert not np.shares_memory(same, values)


def test_what_has_no_lowering_is_told(build: Any):
    text = """
      func.func @f(%a: tensor<?xi64>) -> tensor<?xi64> {
        %0 = yarr.elementwise { math.cttz } %a : (tensor<?xi64>) -> tensor<?xi64>
        func.return %0 : tensor<?xi64>
      }"""
    message = (
        r"^convert-yarr-to-numpy has no lowering for 'math\.cttz'; "
        "to reproduce, run: ein-opt -p convert-yarr-to-numpy FILE$"
    )
    with pytest.raises(PassFailedException, match=message):
        build(text)


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 3)])
@pytest.mark.parametrize("widths", [((0, 0), (2, 1)), ((1, 3), (0, 0)), ((2, 0), (1, 1))])
def test_padded_edges(shape: tuple[int, int], widths: tuple[tuple[int, int], ...]) -> None:
    array = np.arange(1.0, 1 + shape[0] * shape[1]).reshape(shape)
    padded = numpy_prelude.pad_edges(array, widths)
    if array.size:
        np.testing.assert_array_equal(padded, np.pad(array, widths, mode="edge"))
    else:
        assert padded.shape[1] == shape[1] + sum(widths[1])
        assert not padded.any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
def test_window_products_leave_out_zeros(dtype: type) -> None:
    """Those at the ends of an array; it is clipped."""
    rng = np.random.default_rng(1)
    for n, m, size, start, step, zeros in itertools.product(
        (1, 2, 9), (0, 1, 3, 20), (0, 1, 30), (-40, -3, 0, 2, 50), (1, -1), range(4)
    ):
        array = rng.integers(-5, 5, n).astype(dtype)
        weights = rng.integers(-5, 5, m).astype(dtype)
        array[: n // 2 * (zeros & 1)] = 0
        array[n - n // 3 * (zeros >> 1) :] = 0
        places = (start + np.arange(size)[:, None] + step * np.arange(m)).clip(0, n - 1)
        expected = (array[places] * weights).sum(1, dtype=dtype)
        result = numpy_prelude.window_product(weights, array, start, size, step)
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, expected)


def test_window_products_of_zeros_and_infinite_weights() -> None:
    weights, array = np.array([1.0, np.inf]), np.zeros(3)
    with np.errstate(all="ignore"):
        assert np.isnan(numpy_prelude.window_product(weights, array, 0, 2, 1)).all()


@pytest.mark.parametrize("size", [4095, 5000])
def test_searches_for_many_values_are_in_order(size: int) -> None:
    rng = np.random.default_rng(size)
    array, values = np.sort(rng.integers(0, 900, 5000)), rng.integers(-9, 999, (1, size))
    order = numpy_prelude.order_of_search(array, values)
    assert (order is None) == (size < 4096)
    for side in ("left", "right"):
        places = numpy_prelude.place_in_order(array, values, side, order)
        np.testing.assert_array_equal(places, np.searchsorted(array, values, side))


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_first_positions_of_bools(count: int) -> None:
    array = np.array([True, False, False, True, False, True])
    found = numpy_prelude.first_positions(array, 0, count)[:count]
    np.testing.assert_array_equal(found, np.argsort(array, kind="stable")[:count])


@pytest.mark.parametrize("shape", [(0,), (1,), (64,), (300,), (3, 300), (300, 3)])
def test_elements_at_positions_are_in_order(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).normal(size=shape)
    array[array > 1.5] = np.nan
    axis = int(np.argmax(shape))
    size = shape[axis]
    expected = np.sort(array, axis)
    for positions in (
        (size // 2,),
        (0, size - 1),
        (size // 2, size // 2 - 1, size // 2),
        (-3, 999),
    ):
        found = numpy_prelude.sort_at(array, axis, *positions)
        for place in np.clip(positions, 0, max(size - 1, 0)) if size else ():
            np.testing.assert_array_equal(found.take(place, axis), expected.take(place, axis))
