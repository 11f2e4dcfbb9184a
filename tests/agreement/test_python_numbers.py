"""Loops that compute with numbers of Python: the same bits as those of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import Float, Int, Vec, array, fold, fold_while, function, where
from tests.agreement.comparison import assert_agree

SPECIAL = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 1e308, 5e-324])


def quotients(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Divisions by zero, and products that overflow."""
    return fold(
        (1.0, 0.0),
        lambda k, s: (x[k] / (s[0] - x[k] * y[k]), (s[1] + s[0] / x[k]) * y[k] - s[0]),
        count=x.size(),
    )


def extremes(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Minima and maxima of numbers of which one may be NaN, or a zero of either sign."""

    def step(k: Any, s: Any) -> Any:
        low, high, out = s
        low = ein.max(ein.min(low, x[k] * y[k]), -5.0).min(0.0)
        high = abs(-ein.max(0.0, high - y[k] * 0.5)) + x[k]
        return low, high, array(lambda i: where(i == k, low - high, out[i]))

    return fold((0.0, -0.0, x), step, count=x.size())


def choices(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Truth values of comparisons and of elements, which Python combines."""

    def step(k: Any, s: Any) -> Any:
        at, count, seen = s
        chosen = (keep[k] & (x[k] * 2.0 > at)) | ~(y[k] + 1.0 <= at) | (keep[k] ^ seen)
        at = where(~chosen, at * 0.5 - x[k], at + y[k] * x[k])
        return at, count + where(chosen, 1, 0), chosen

    return fold((0.25, 0, False), step, count=x.size())


def positions(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Positions that are read, clipped at both ends, in a loop inside of a loop."""

    def step(k: Any, s: Any) -> Any:
        return fold(
            s + k.float(),
            lambda j, t: t * 0.75 + x[place[k] + j] - y[place[j]] * t.int().float(),
            count=place.size() - k,
        )

    return fold(0.5, step, count=x.size())


def functions(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Functions of the library between operations of Python."""

    def step(k: Any, s: Any) -> Any:
        moved = (s - x[k]) * 0.5 + y[k]
        return abs(moved * moved - s).sqrt() + moved.floor() - (x[k] * 0.25).exp() % 3.0

    return fold(1.0, step, count=x.size())


def functions_of_python(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Functions that Python has, too, where their results are infinite, or no numbers."""

    def step(k: Any, s: Any) -> Any:
        root, power, wave = s
        root = (x[k] * y[k] - root).sqrt() + (x[k] * 0.5).log().tanh()
        power = (x[k] * 3.0).exp() + x[k] ** (y[k] + 0.5) - 0.5 * power
        return root, power, (x[k] + wave).sin() + (y[k] - wave).cos()

    return fold((0.5, 1.0, 2.0), step, count=x.size())


def relaxed(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Distances that each edge may lower, and a row of a table that takes what is left."""
    n = x.size()

    def edge(e: Any, s: Any) -> Any:
        near, table = s
        new = ein.min(near[place[e]], near[e] + y[e] * 2.0)
        near = array(lambda v: where(v == place[e], new, near[v]))
        return near, array(
            lambda a, b: where(
                (a == e % 3) & (b == e - 1), ein.max(new - x[e], table[a, b]), table[a, b]
            )
        )

    start = (x, array(lambda a, b: y[b] * 0.5, size=(2, ein.min(n, 5))))
    return fold(start, lambda _, s: fold(s, edge, count=n), count=2)


def conversions(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Bools, Ints and Floats in sums and products, as factors of each other, and compared."""

    def step(k: Any, s: Any) -> Any:
        a, n, b = s
        c, p = keep[k].int() + (x[k] > a).int() - n * (y[k] < b).int(), place[k] + y[k].int()
        return p.float() * p.float() - a * keep[k].float(), c * -p, x[k] - b * (p * c).float()

    return fold((0.0, 1, -0.0), step, count=x.size())


def searches(x: Any, y: Any, keep: Any, place: Any) -> Any:
    """Searches by halves in arrays that steps write, in no order and among NaN, and near ones."""

    def step(k: Any, s: Any) -> Any:
        t, u, m, total = s

        def half(b: Any) -> Any:
            low, high = b
            middle = (low + high) // 2
            less = t[middle] < x[k]
            return where(less, middle + 1, low), where(less, high, middle)

        def swapped(b: Any) -> Any:
            high, low = b
            middle = (low + high) // 2
            less = u[middle] < place[k]
            return where(less, high, middle), where(less, middle + 1, low)

        def last(b: Any) -> Any:
            low, high = b
            middle = (low + high) // 2
            less = t[middle] <= y[k]
            return where(less, middle + 1, low), where(less, high, middle)

        total += ein.searchsorted(t, y[k])
        p, _ = fold_while((0, m), lambda b: b[0] < b[1], half)
        _, q = fold_while((m, 0), lambda b: b[1] < b[0], swapped)
        low, high = fold_while((m // 2, m // 3), lambda b: b[0] < b[1], half)
        r, _ = fold_while((0, m), lambda b: b[0] < b[1], last)
        below, _ = fold_while((-2, m), lambda b: b[0] < b[1], half)
        t = array(lambda i: where(i == p, x[k], t[i]))
        u = array(lambda i: where(i == q, place[k], u[i]))
        return t, u, ein.max(m, p + 1), (total * 3 + low * 2 + high) * 3 + r - below

    return fold((x, place, 0, 0), step, count=x.size())


EXACT = (quotients, extremes, choices, positions, relaxed, conversions, searches)


@pytest.mark.parametrize("program", [*EXACT, functions, functions_of_python])
def test_bits(program: Any) -> None:
    """Every step is exactly that of the interpreter, also for zeros, infinities and NaN."""
    rng, compiled = np.random.default_rng(0), function(program)
    for size in (0, 1, 2, 9, 30):
        x, y = (rng.choice(SPECIAL, size) * rng.choice([1.0, 0.5], size) for _ in range(2))
        plain = rng.normal(size=(2, size))
        keep, place = rng.random(size) > 0.5, rng.integers(-3, size + 3, size)
        for given in ((x, y), plain):
            actual = compiled.eval(*given, keep, place, backend="numpy")
            expected = compiled.eval(*given, keep, place, backend="naive")
            for found, wanted in zip(_leaves(actual), _leaves(expected), strict=True):
                assert found.dtype == wanted.dtype
                np.testing.assert_allclose(found, wanted, rtol=0 if program in EXACT else 1e-12)
                signs = (np.signbit(each) & ~np.isnan(each) for each in (found, wanted))
                np.testing.assert_array_equal(*signs)  # that of a NaN tells nothing


def test_searches_by_halves_are_calls() -> None:
    arguments = np.ones(3), np.ones(3), np.ones(3, bool), np.ones(3, np.int64)
    source = function(searches).source(*arguments, backend="numpy")
    assert source.count("place_by_halves(t") == 2
    assert source.count("place_before_nan(t") == 1


LARGE = np.array([0, 1, -1, 3, -7, 2**31, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1])


def hash_of_all(x: Any, y: Any) -> Any:
    """Products of which only the low bits count, and products that wrap."""

    def step(k: Any, s: Any) -> Any:
        low, high, mixed = s
        low = ((low ^ x[k]) * 16777619 - y[k]) & 0xFFFFFFFF
        return low, high * x[k] + y[k] - low, (mixed - x[k] * y[k] & y[k]) | (mixed ^ high)

    return fold((0x811C9DC5, 1, 0), step, count=x.size())


def divisions(x: Any, y: Any) -> Any:
    """Divisors that are zero or -1, of sums that wrap."""

    def step(k: Any, s: Any) -> Any:
        quotient, rest = s
        return (x[k] + rest) // y[k] - rest, (quotient - x[k]) % y[k] + x[k] // (y[k] + k)

    return fold((0, 0), step, count=x.size())


def negations(x: Any, y: Any) -> Any:
    """The least Int, whose negation and magnitude are itself, in extremes and comparisons."""

    def step(k: Any, s: Any) -> Any:
        low, high, below, total = s
        low, high = ein.min(low, -x[k]), ein.max(high, abs(y[k] + k))
        below = below ^ (low + high < x[k] - y[k])
        return low, high, below, total + where(below, -3, 5) * (x[k] >> 2) - (~x[k] << 5)

    return fold((3, -3, True, 0), step, count=x.size())


def counters(x: Any, y: Any) -> Any:
    """Sums of small numbers in loops in loops, conversions, and shifts by a counter."""

    def step(k: Any, s: Any) -> Any:
        total, bits, at = s
        total, bits = fold(
            (total, bits),
            lambda j, t: (t[0] + where(t[1] > 3, j, -2) - k, (t[1] * 3 + (x[k] >> j)) % 1001),
            count=20,
        )
        return total, bits, at * 0.5 + bits.float() + where(at > 2.0, total, bits).float()

    return fold((0, 0, 0.0), step, count=x.size())


def greatest_divisors(x: Any, y: Any) -> Any:
    """Loops with a condition on Ints, in a loop."""

    def step(k: Any, g: Any) -> Any:
        return ein.fold_while(
            (g, x[k] * y[k]), lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), limit=50
        )[0]

    return fold(0, step, count=x.size())


def cycles(x: Any, y: Any) -> Any:
    """Marks in a loop in a loop over them, which read elements that no step fills up."""
    size = x.size()

    def visit(i: Any, s: Any) -> Any:
        seen, count = s

        def follow(t: Any) -> Any:
            return array(lambda k: where(k == t[1], True, t[0][k])), (x[t[1]] + y[t[1]]) % size

        marked, _ = ein.fold_while((seen, i), lambda t: ~t[0][t[1]], follow, limit=size)
        return marked, count + where(seen[i], 0, 1)

    return fold((array(lambda i: False, size=size), 0), visit, count=size)[1]


def failures(x: Any, y: Any) -> Any:
    """Positions in an array that earlier steps have written, in a loop by a condition."""

    def step(j: Any, s: Any) -> Any:
        back, k = s
        k = ein.fold_while(k, lambda k: (k > 0) & (x[j + 1] != x[k]), lambda k: back[k - 1])
        k = where(x[j + 1] == x[k], k + 1, k)
        return array(lambda i: where(i == j + 1, k, back[i])), k

    return fold((x, 0), step, count=ein.max(x.size() - 1, 0))


def board(x: Any, y: Any) -> Any:
    """A table that is empty along one axis, whose elements are read from rows and written."""
    n, m = x.size(), (x.size() - 1).clip(0, 3)

    def step(k: Any, s: Any) -> Any:
        table, i, j = s
        free = table[(i + 1) % n, x[k]] == table[i, y[k] % 3]
        table = array(lambda a, b: where((a == i) & (b == j), x[k] - j, table[a, b]))
        return table, where(free, (i + 1) % n, i), where(free | (x[k] < 2), j, y[k] % (m + 1))

    return fold((array(lambda i, j: i - j, size=(n, m)), 0, 0), step, count=n)


def marks(x: Any, y: Any) -> Any:
    """Truth values that steps of inner loops write, and numbers made of them."""

    def step(k: Any, s: Any) -> Any:
        def inner(j: Any, t: Any) -> Any:
            seen, total = t
            hit = seen[x[j] % 5] ^ (y[k] > j)
            return array(lambda i: where(i == y[j] % 4, hit, seen[i])), total * 2 + hit.int()

        return fold(s, inner, count=ein.min(x.size(), 5))

    return fold((array(lambda i: x[i] > 0), 1), step, count=y.size())


def saturated(x: Any, y: Any) -> Any:
    """Sums that are clipped in each step."""

    def step(k: Any, s: Any) -> Any:
        low = ein.min(ein.max(s[0] + x[k] % 9 - 4, 0), 7)
        return low, where(low > s[1], s[1] * 3, s[1] - x[k])

    return fold((0, 1), step, count=x.size())


def started_again(x: Any, y: Any) -> Any:
    """Counts that steps set anew, also close to the largest Int, and switches beside them."""

    def step(k: Any, s: Any) -> Any:
        on, count, late, sum_, changes = s
        turn = where(x[k] > 3, True, where(x[k] < -3, False, on))
        count = where(turn & ~on, 0, count + 1) + where(turn == on, 2, -1)
        late = where(x[k] % 3 == 0, where(y[k] > 0, 2**63 - 3, 7), late) + 1
        sum_ = where(on != turn, y[k], where(on & turn, sum_ - 5, sum_ + y[k]))
        return turn, count, late, sum_, changes + where(on ^ turn, 1, 0)

    return fold((False, 0, 2**63 - 2, 1, 0), step, count=x.size())


@pytest.mark.parametrize(
    "program",
    [
        *(hash_of_all, divisions, negations, counters, greatest_divisors, cycles, saturated),
        *(failures, board, marks, started_again),
    ],
)
def test_ints(program: Any) -> None:
    """Ints wrap after each operation, as those of the interpreter."""
    rng, compiled = np.random.default_rng(1), function(program)
    for size in (0, 1, 2, 9, 30):
        for numbers in (LARGE, np.arange(-4, 9)):
            x, y = (rng.choice(numbers, size) for _ in range(2))
            actual = compiled.eval(x, y, backend="numpy")
            expected = compiled.eval(x, y, backend="naive")
            for found, wanted in zip(_leaves(actual), _leaves(expected), strict=True):
                assert found.dtype == wanted.dtype
                np.testing.assert_array_equal(found, wanted)


def _leaves(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("size", [0, 1, 5])
def test_arrays_that_are_not_aligned(size: int) -> None:
    """Python reads no elements at such addresses: the call copies the arrays."""

    def average(x: Any, record: Any) -> Any:
        y, _ = record
        return fold(0.0, lambda k, s: 0.5 * s + x[k] * y[k] - s * s, count=x.size())

    memory = np.zeros(8 * size + 1, np.uint8)
    odd = memory[1:].view(np.float64)
    odd[:] = np.arange(size) / 4
    assert not odd.flags.aligned or size == 0
    compiled = function(average)
    expected = compiled.eval(odd.copy(), (odd.copy(), 1), backend="naive")
    assert compiled(odd, (odd, 1)) == expected


@function
def tables(x: Vec[Int], keys: Vec[Int], y: Vec[Float]):
    """Vectors that are lists if they are short, of Ints, Floats and Bools."""

    def put(v: Any, p: Any, value: Any) -> Any:
        return array(lambda i: where(i == p, value, v[i]))

    def step(k: Any, s: Any):
        last, total, seen, out = s
        p = keys[k] + last[keys[k]] % 2
        new = (keys[k] > 1) & ~seen[p] | (x[p] == 3)
        total = put(total, p, total[p] * 0.5 + y[p])
        last = put(last, keys[k], where(new, k, last[p] - x[p]))
        return last, total, put(seen, p, new), put(out, k, last[p] + p)

    n = keys.size()
    seen = array(lambda i: False, size=x.size())
    return fold((x, y, seen, array(lambda k: 0, size=n)), step, count=n)


@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("steps", [0, 1, 4, 8, 28, 29])
def test_short_vectors(size: int, steps: int) -> None:
    rng = np.random.default_rng(steps)
    x, keys = rng.integers(-4, 5, size), rng.integers(-2, size + 2, steps)
    y = rng.standard_normal(size)
    given = x.copy(), y.copy()
    found, expected = tables(x, keys, y), tables.eval(x, keys, y, backend="naive")
    assert_agree(found, expected, {})
    assert_agree((x, y), given, {})
    assert "tolist() if " in tables.source(x, keys, y)


@function
def read_before_written(x: Vec[Int], keys: Vec[Int], y: Vec[Float]):
    """What a step writes to one vector depends on elements of another before the step."""

    def step(k: Any, s: Any):
        u, v = s
        p, q = keys[k], keys[keys.size() - 1 - k]
        moved = array(lambda i: where(i == p, v[q] + u[q], u[i]))
        return moved, array(lambda i: where(i == q, u[p] - 0.5 * v[p], v[i]))

    return fold((y, y), step, count=keys.size())


@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("steps", [1, 8, 28])
def test_vectors_that_are_read_before_they_are_written(size: int, steps: int) -> None:
    rng = np.random.default_rng(steps)
    x, keys = rng.integers(-4, 5, size), rng.integers(-2, size + 2, steps)
    arguments = x, keys, rng.standard_normal(size)
    expected = read_before_written.eval(*arguments, backend="naive")
    assert_agree(read_before_written(*arguments), expected, {})


@function
def beside_arrays(p: Vec[Int], x: Vec[Float], z: Vec[Int]):
    """Positions in arrays that change as a whole, sums that wrap, and operations on arrays."""

    def step(k: Any, s: Any):
        h, q, u, w = s
        a, b = p[k], q[k]
        h = h * 6364136223846793005 + a
        region = array(lambda i: where((a <= i) & (i < a + b), u[i] + (h % 7).float(), u[i - b]))
        odd = array(lambda i: w[i] // (a + 1) + where(i >= a, a << 2, b >> 1) % ein.max(b, 2))
        return h, array(lambda i: q[i] + a), region, odd

    return fold((1, z, x, z), step, count=p.size())


@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("seed", range(4))
def test_ints_beside_arrays_wrap(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    least = -(2**63)
    ints = np.array([0, 1, 2, 3, -1, -3, 2**62, -(2**62), 2**63 - 1, least, least + 1])
    p, z = rng.choice(ints, size), rng.choice(ints, size)
    arguments = p, rng.standard_normal(size), z
    expected = beside_arrays.eval(*arguments, backend="naive")
    assert_agree(beside_arrays(*arguments), expected, {})
    assert "p.data" in beside_arrays.source(*arguments)


@function
def read_whole(keys: Vec[Int], y: Vec[Int]):
    """What a step writes depends on the sum, an extreme or its position, and a part of a vector."""

    def step(k: Any, s: Any):
        u, v = s
        p = ein.fold_argmin(lambda i: u[i])
        later = ein.fold_sum(lambda i: v[i + 1], count=ein.max(v.size() - 1, 0))
        moved = array(lambda i: where(i == p, u[p] + keys[k], u[i]))
        return moved, array(lambda i: where(i == keys[k], v[keys[k]] + later % 5, v[i]))

    u, v = fold((y, y), step, count=keys.size())
    return u, v, ein.fold_max(lambda i: u[i])


@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("steps", [1, 8, 28])
def test_vectors_that_steps_read_as_a_whole(size: int, steps: int) -> None:
    rng = np.random.default_rng(steps)
    arguments = rng.integers(-2, size + 2, steps), rng.integers(0, 9, size)
    expected = read_whole.eval(*arguments, backend="naive")
    assert_agree(read_whole(*arguments), expected, {})


@function
def low_bits(keys: Vec[Int], y: Vec[Int]):
    """Remainders by powers of two, and by other numbers, of sums and products that wrap."""

    def step(k: Any, s: Any):
        a, b, c = s
        a = (a * 6364136223846793005 + keys[k] * y[k]) % 2**32
        b = (b - 3 * keys[k] - y[k]) % 2**62
        return a, b, (c * 10 + keys[k] - 48) % 1000003 + (7 * c) % -8 + (keys[k] * 5 + c) % 1

    return fold((1, 2, 3), step, count=keys.size())


@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("seed", range(3))
def test_remainders_of_ints_that_wrap(size: int, seed: int) -> None:
    ints = np.array([0, 1, -1, 48, 2**62, -(2**62), 2**63 - 1, -(2**63)])
    arguments = np.random.default_rng(seed).choice(ints, (2, size))
    expected = low_bits.eval(*arguments, backend="naive")
    assert_agree(low_bits(*arguments), expected, {})


@function
def short_elements(x: Any, y: Any):
    """Ints of fewer bits and their low bits, as numbers, factors and positions."""

    def step(k: Any, s: Any):
        a, b, out = s
        a = (a * 33) ^ x[k].int()
        b = where(y[x[k].int()].int() > b, y[k].int(), b + x[k].int() % 7)
        return a, b, array(lambda i: where(i == x[k].int(), b + y[i].int(), out[i]))

    return fold((5381, 0, array(lambda i: i, size=x.size())), step, count=x.size())


@pytest.mark.parametrize("size", [0, 1, 2, 9])
@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32], ids=str
)
def test_ints_of_few_bits(dtype: Any, size: int) -> None:
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(size)
    numbers = np.array([0, 1, 2, 3, limits.min, limits.max], dtype)
    x, y = rng.choice(numbers, (2, 2 * size))[:, ::2]
    expected = short_elements.eval(x, y, backend="naive")
    assert_agree(short_elements(x, y), expected, {})


def test_ints_of_few_bits_are_read_from_memory() -> None:
    bits = np.zeros(3, np.uint8)
    assert "astype" not in short_elements.source(bits, bits, backend="numpy")


@function
def short_floats(x: Any):
    def step(k: Any, s: Any):
        return where(s > 1.0, s / x[k].float("f64"), s * 0.5 + x[k].float("f64"))

    return fold(np.float64(0.25), step, count=x.size())


@pytest.mark.parametrize("size", [0, 1, 5])
def test_floats_of_few_bits(size: int) -> None:
    x = np.array([0.1, 3e38, -0.0, np.inf, np.nan], np.float32)[:size]
    assert_agree(short_floats(x), short_floats.eval(x, backend="naive"), {})


@function
def chosen_by_elements(v: Any, w: Any, x: Any, p: Any, s: Any):
    """Elements of a vector are tested where another one is read without clips."""

    def step(k: Any, state: Any):
        b, v = state
        at = w[p[k]]
        is_chosen = (v[at] < s) | (w[2 * k] == k)
        v = array(lambda i: where((i == at) & is_chosen, where(k <= s, v[i], b), v[i]))
        v = array(lambda i: where(i == v[k], 2, v[i]))

        def inner(t: Any, state: Any):
            b, v = state
            b = where(w[p[k]] <= x[k], b.min(v[t]), b)
            return b, array(lambda i: where((i == k) & (b == x[k]), v[k] - b, v[i]))

        return fold((b, v), inner, count=k)

    return fold((s, v), step, count=3)


@pytest.mark.parametrize("size", [0, 1, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_tested_elements_of_vectors_without_clips(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    v, w, x, p = rng.integers(0, max(size, 1), (4, size))
    arguments = v, w, x, p, np.int64(1)
    assert_agree(
        chosen_by_elements(*arguments), chosen_by_elements.eval(*arguments, backend="naive"), {}
    )
