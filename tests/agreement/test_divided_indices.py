"""Indices that are divided: axes that are joined or split, elements that depend on a parity."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    cos,
    fold,
    fold_max,
    fold_sum,
    function,
    sin,
    where,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import needs, on
from tests.selection import combinations, sizes_on


@function
def shuffled(x: Vec[Vec[Vec[Float]]], r: Int):
    """Channels that become pixels: two indices with one divisor."""
    c, h, w = x.shape
    return array(
        lambda o, i, j: x[o * r * r + (i % r) * r + j % r, i // r, j // r],
        size=(c // (r * r), h * r, w * r),
    )


@function
def enlarged(a: Vec[Vec[Float]], p: Int, q: Int):
    """Pixels that become blocks, the last ones incomplete: a divisor for each index."""
    h, w = a.shape
    return array(lambda i, j: a[i // p, j // q], size=(3 * h + 1, 2 * w + 1))


@function
def rotated(x: Vec[Vec[Float]]):
    """Pairs of neighbours: each parity is a case, and both have the angle of the pair."""

    def element(t: Any, d: Any):
        angle = (d // 2).float() * t.float()
        first = x[t, d] * cos(angle) - x[t, d + 1] * sin(angle)
        return where(d % 2 == 0, first, x[t, d - 1] * sin(angle) + x[t, d] * cos(angle))

    return array(element)


@function
def grouped(x: Vec[Vec[Float]], w: Vec[Vec[Vec[Float]]], groups: Int):
    """A convolution in groups of channels: each step computes the divisor of its output."""
    outputs, channels, taps = w.shape
    return array(
        lambda f, i: fold_sum(
            lambda d, p: x[f // (outputs // groups) * channels + d, i + p] * w[f, d, p],
            count=(channels, taps),
        ),
        size=(outputs, x.size(1)),
    )


@function
def around(x: Vec[Vec[Float]]):
    """Neighbours around the ends, by a multiple of the size and without, and a function of both."""
    n, m = x.shape

    def slope(i: Any, j: Any):
        return x[i % n, j] * x[(i + 1) % n, j] - x[(i + 2 * n - 1) % n, (2 - j + 3 * m) % m]

    return array(lambda i, j: slope(i, j) - slope(i + n - 1, j) + x[(i - n) % n, j], size=(n, m))


@function
def around_twice(x: Vec[Float], k: Int, m: Int):
    """Neighbours of neighbours, by numbers, an argument that may be anything, and a divisor."""
    n = x.size()

    def bend(i: Any):
        return x[(i + n - 1) % n] - 2.0 * x[i] + x[(i + 1) % n]

    def element(i: Any):
        moved = x[((i + k) % n + 1) % n] - x[((i - k) % n - 2) % n] + x[((i + 1) % m + 2) % m]
        return bend((i + 1) % n) - bend((i + n - 3) % n) + moved * bend(((i + 1) % n) * 2 % n)

    return array(element, size=n)


@function
def mosaic(a: Vec[Vec[Float]]):
    """Cases of both indices, and of channels."""
    h, w = a.shape

    def pixel(y: Any, x: Any, c: Any):
        across, down = (a[y, x - 1] + a[y, x + 1]) / 2, (a[y - 1, x] + a[y + 1, x]) / 2
        red = where(y % 2 == 0, where(x % 2 == 0, a[y, x], across), down)
        return where(c == 0, red, where((y % 3 == 1) & (c == 1), a[y, x], across))

    return array(pixel, size=(h, w, 3))


@function
def butterflies(x: Vec[Float], stages: Int):
    """A divisor of each step, and the parity of a quotient."""

    def stage(s: Any, v: Any):
        h = 1 << s
        return array(
            lambda i: where((i // h) % 2 == 0, v[i] + v[i + h], v[i - h] - v[i]), size=v.size()
        )

    return fold(x, stage, count=stages)


@function
def relaxed(x: Vec[Float], steps: Int):
    """The elements of one parity are those of the step before."""

    def half(s: Any, v: Any):
        even = array(lambda i: where(i % 2 == 0, (v[i - 1] + v[i + 1]) / 2, v[i]))
        return array(lambda i: where(i % 2 == 1, (even[i - 1] + even[i + 1]) / 2, even[i]))

    return fold(x, half, count=steps)


@function
def records(x: Vec[Float]):
    """A record for each index, and a sum in each case."""

    def of(i: Any):
        total = fold_sum(lambda k: where(i % 2 == 0, x[k] * x[i], x[k]))
        return where(i % 3 == 2, (total, i), (x[i], 2 * i))

    return array(of, size=x.size())


@function
def digits(x: Vec[Float], m: Int, k: Int, size: Int):
    """A remainder that is divided again, by an Int that need not divide the first."""

    def element(p: Any):
        row, rest = p // m, p % m
        angle = (row * k).float()
        return x[row * k + rest % k] * cos(angle) + where(rest // k == 0, 1.0, x[p])

    return array(element, size=size)


@function
def tiled(x: Vec[Vec[Float]], m: Int, size: Int):
    """Quotients and remainders of one index of two, by its last divisor."""
    return array(lambda i, p: x[p // m, p % m] - x[i, (p // m) % m], size=(2, size))


@function
def turned(x: Vec[Vec[Float]], theta: Vec[Float]):
    """Two halves of each row, with the angles of the first one: ranges, and remainders."""
    n, d = x.shape
    half = d // 2

    def element(t: Any, k: Any):
        angle = t.float() * theta[k % half]
        first = x[t, k] * cos(angle) - x[t, k + half] * sin(angle)
        return where(k < half, first, x[t, k] * cos(angle) + x[t, k - half] * sin(angle))

    return array(element, size=(n, d))


@function
def patches(x: Vec[Vec[Vec[Float]]], w: Vec[Vec[Float]]):
    """Products of weights with the pixels of patches, which are a row of them."""
    rows, columns, _ = x.shape
    return array(
        lambda i, j, e: fold_sum(
            lambda p, q, c: w[e, (p * 3 + q) * 2 + c] * x[2 * i + p, 3 * j + q, c],
            count=(2, 3, 2),
        ),
        size=(rows // 2, columns // 3, w.size(0)),
    )


@function
def pooled(x: Vec[Vec[Float]]):
    """Extremes and sums of few elements of each block."""
    rows, columns = x.shape

    def block(f: Any):
        return array(
            lambda i, j: f(lambda p, q: x[2 * i + p, 3 * j + q], count=(2, 3)),
            size=(rows // 2, columns // 3),
        )

    return block(fold_max), block(fold_sum)


def inputs(name: str, size: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    matrix = rng.standard_normal((size, size + 1)).astype(dtype)
    return {
        "shuffled": (rng.standard_normal((9, size, size + 1)).astype(dtype), 1 + size % 3),
        "enlarged": (matrix, 3, 2),
        "rotated": (matrix,),
        "grouped": (matrix, rng.standard_normal((size, 2, 2)).astype(dtype), 1 + size % 3),
        "around": (matrix,),
        "around_twice": (matrix[0] if size else np.zeros(0, dtype), 5 * size - 9, size - 2),
        "mosaic": (matrix,),
        "butterflies": (matrix[0] if size else np.zeros(0, dtype), 3),
        "relaxed": (matrix[:, 0], 3),
        "records": (matrix[:, 0],),
        "turned": (matrix, rng.standard_normal(1 + size // 3).astype(dtype)),
        "patches": (np.stack([matrix, -matrix], 2), rng.standard_normal((4, 12)).astype(dtype)),
        "pooled": (matrix,),
    }[name]


TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (
        shuffled,
        enlarged,
        rotated,
        grouped,
        around,
        around_twice,
        mosaic,
        butterflies,
        relaxed,
        records,
        turned,
        patches,
        pooled,
    )
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 5, 8), name):
        arguments = inputs(name, size, dtype)
        assert_call_agrees(PROGRAMS[name], arguments, backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
@pytest.mark.parametrize("divisors", [(0, 2), (-1, 2), (2, -3), (2**62, 1), (-(2**63), 2)])
def test_any_divisors(divisors: tuple[int, int], backend: str) -> None:
    """Quotients by zero and by negative Ints are those of the interpreter."""
    a = np.arange(6.0).reshape(2, 3)
    assert_call_agrees(enlarged, (a, *divisors), backend, TOLERANCE)


DIVISORS = [-(2**63), -8, -1, 0, 1, 2, 4, 5, 8, 16, 2**62, 2**63 - 1]


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("m", DIVISORS)
def test_digits_by_any_divisors(m: int, backend: str) -> None:
    """The loops over quotients and remainders are those over the index, if sizes are multiples."""
    x = np.arange(24.0)
    for k in DIVISORS:
        for size in (0, 1, 16, 40):
            assert_call_agrees(digits, (x, m, k, size), backend, TOLERANCE)
    for size in (0, 1, 16, 40):
        assert_call_agrees(tiled, (x.reshape(3, 8), m, size), backend, TOLERANCE)


@function
def pairs_in_blocks(x: Vec[Float], m: Int, parts: Int):
    """Remainders by an Int and by multiples of it, as in the stages of a Fourier transform."""

    def element(p: Any):
        block, rest = p % (2 * m), p % m
        low = x[p - block + rest] * cos(rest.float())
        both = where(block < m, low + x[p - block + rest + m], low - x[p])
        part = (p % (3 * m)) // m
        return both + where(part >= 1, x[p % (3 * m)], x[part + p // (3 * m)]) * parts.float()

    first = array(element, size=x.size())
    return array(lambda p: where(p % (2 * m) >= m, first[p - m], first[p]), size=x.size())


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("m", [*DIVISORS, 3, 2**61, 2**62 // 3, -(2**62)])
def test_remainders_by_multiples(m: int, backend: str) -> None:
    for size in (0, 1, 6, 12, 16, 24):
        x = np.cos(np.arange(size))
        assert_call_agrees(pairs_in_blocks, (x, m, size % 5), backend, TOLERANCE)


@function
def neighbours_in_rows(x: Vec[Float], m: Int):
    """Elements of the rows above and below, clipped at the ends and not."""
    n = x.size()

    def element(i: Int):
        below = x[i + m] + x[(i + m).min(n - 1)] + x[m + i] * x[(i + m).min(2)]
        above = x[i - m] - x[(i - m).max(0)] * x[(i - m).max(1).min(3)] + x[m - i]
        return where((i // m) % 2 == 0, below, above) + (i + m).float() * 1e-20

    return array(element, size=n)


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
@pytest.mark.parametrize("m", [*DIVISORS, 2**58, 2**58 + 1])
def test_neighbours_in_rows_of_any_width(m: int, backend: str) -> None:
    for size in (0, 1, 7, 12):
        assert_call_agrees(neighbours_in_rows, (np.cos(np.arange(size)), m), backend, TOLERANCE)


@function
def rotary(x: Vec[Vec[Float]], m: Int):
    """Halves of rows, by comparisons with the ends of blocks and inside of them."""
    sizes, half = (x.size(0), x.size(1)), x.size(1) // 2

    def turned(t: Any, d: Any) -> Any:
        angle, k = (t + d % 4).float(), d % 4
        first = x[t, k] * cos(angle) - x[t, k + 4] * sin(angle)
        return where(d < 4, first, x[t, k] * sin(angle) + x[t, k + 4] * cos(angle))

    def parts(t: Any, d: Any) -> Any:
        low, high = sin(x[t, d % 4]), cos(x[t, d // 4])
        inside = where(d <= 5, low, high) + where(d > -1, high, low) * 2
        return where(d <= 7, low, inside) + where(d > 3, high, 3.0) + where(d < 8, inside, high)

    def any_half(t: Any, d: Any) -> Any:
        return where(d < m, x[t, d % m] * cos(x[t, d]), x[t, d // m] * 2)

    return (
        array(turned, size=sizes),
        array(parts, size=sizes),
        array(any_half, size=sizes),
        array(lambda t, d: where(d < half, sin(x[t, d // half]), x[t, d % half]), size=sizes),
    )


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_comparisons_with_ends_of_rows(backend: str) -> None:
    for size, m in product((0, 1, 2, 4, 7, 8, 9, 13), (-3, 0, 1, 4)):
        x = np.cos(np.arange(2 * size)).reshape(2, size)
        assert_call_agrees(rotary, (x, m), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch"))
def test_negative_sizes_are_errors(backend: str) -> None:
    with pytest.raises(ValueError, match="size of index i is negative: -4"):
        shuffled.eval(np.zeros((9, 2, 3)), -2, backend=backend)


def test_cases_are_slices() -> None:
    """No case computes the elements of another, and none is selected."""
    for program in (rotated, mosaic):
        source = program.source()
        assert "np.where" not in source
        assert "copyto" not in source
    assert "take" not in shuffled.source().split("def shuffled")[1].split("out[")[0]


@needs("torch", "jax")
def test_blocks_of_factors_are_axes() -> None:
    """On JAX those of other reductions are, too."""
    arguments = inputs("patches", 5, "float64")
    for backend in ("numpy", "torch", "jax"):
        found = patches.ir("yarr", *arguments, backend=backend)
        assert found.count("yarr.einsum") == 1
        assert "yarr.fold" not in found
    assert pooled.ir("yarr", arguments[1], backend="jax").count("yarr.reduce") == 2
    assert "sigma.floormod" in turned.ir("yarr", *inputs("turned", 5, "float64"), backend="jax")


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
@pytest.mark.parametrize("stages", [0, 4, 62, 63, 65])
def test_any_number_of_stages(stages: int, backend: str) -> None:
    """Stages after those of powers of two, which are written out on JAX, are steps of a loop."""
    for size in sizes_on(backend, (0, 1, 7, 16)):
        x = np.zeros(size) + 0.5**stages
        assert_call_agrees(butterflies, (x, stages), backend, TOLERANCE)


@function
def hadamard(x: Vec[Float]):
    """Stages by number: constants decide that no element is beyond the last block."""

    def stage(k: Any, v: Any):
        h = 1 << k
        return array(
            lambda i: where(i // h % 2 == 0, v[i] + v[i + h], v[i - h] - v[i]), size=x.size(0)
        )

    return fold(x, stage, count=4)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("size", [0, 1, 2, 7, 16, 48])
def test_stages_by_number(size: int, backend: str) -> None:
    x = np.random.default_rng(size).normal(size=size)
    assert_call_agrees(hadamard, (x,), backend, TOLERANCE)


def test_stages_by_number_have_no_empty_parts() -> None:
    for backend in ("numpy", "torch", "jax"):
        source = hadamard.source(backend=backend)
        assert "arange(0)" not in source
        assert "[:0]" not in source


@needs("jax")
def test_stages_have_views_on_jax() -> None:
    """The number of operations is that of at most 62 stages."""
    import jax

    def trace(stages: int) -> str:
        f = jax.make_jaxpr(butterflies.jax, static_argnums=1)
        return str(f(np.ones(16, "float32"), stages))

    few, many, more = map(trace, (4, 100, 1000))
    assert "while" not in few
    assert "scan" not in few
    assert "gather" not in few
    assert len(more.splitlines()) == len(many.splitlines())


@needs("torch")
def test_gradients() -> None:
    import torch

    x = torch.tensor(np.arange(12.0).reshape(3, 4), requires_grad=True)
    assert torch.autograd.gradcheck(rotated.torch, [x])
    assert torch.autograd.gradcheck(lambda x: mosaic.torch(x).sin(), [x])


@function
def gate(x: Vec[Float], g: Vec[Vec[Float]], q: Int):
    """A gate of a qubit: the amplitudes of states that differ in one bit."""

    def element(i: Any):
        bit = (i >> q) & 1
        return g[bit, 0] * x[i] + g[bit, 1] * x[i ^ (1 << q)]

    return array(element)


@function
def halves_exchanged(x: Vec[Float], q: Int):
    """Tests, offsets and neighbours by one power of two."""
    power = 1 << q

    def element(i: Any):
        return where((i & power) == 0, x[i ^ power], x[i & (power - 1)] + x[i])

    return array(element)


@function
def low_bits(x: Vec[Vec[Float]]):
    """Bits that are known: every other element, pairs exchanged, and blocks."""

    def element(i: Any, j: Any):
        pair = where(i & 1 == 0, x[i, j ^ 1], x[i >> 1, j & 3])
        return pair + where(j & 4 != 0, 1.0, 2.0)

    return array(element, size=(x.size(0), x.size(1)))


BITS = [-1, 0, 1, 2, 3, 4, 5, 10, 58, 59, 62, 63, 64, 2**40]


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
@pytest.mark.parametrize("bit", BITS)
def test_bits_of_indices(bit: int, backend: str) -> None:
    rng = np.random.default_rng(bit + 1)
    for size in (0, 2, 21, 50):
        x, g = rng.normal(size=size), rng.normal(size=(2, 2))
        assert_call_agrees(gate, (x, g, bit), backend, TOLERANCE)
        assert_call_agrees(halves_exchanged, (x, bit), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_known_bits_of_indices(backend: str) -> None:
    for shape in sizes_on(backend, ((0, 3), (1, 1), (2, 5), (7, 12))):
        x = np.random.default_rng(sum(shape)).normal(size=shape)
        assert_call_agrees(low_bits, (x,), backend, TOLERANCE)


def test_bits_of_indices_are_views() -> None:
    """The blocks of states are read without positions, unless they are short."""
    blocks, _, others = gate.source(backend="numpy").partition("if not")
    assert "strided(x, 0, 0," in blocks
    assert "take(" not in blocks.partition("def gate")[2]
    assert "take(" in others
