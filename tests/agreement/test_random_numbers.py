"""Random numbers: the bits of Threefry and of JAX, on every backend; distributions; messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, function, random, wrap
from ein_mlir.errors import EinTypeError
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS, in_64_bits

SEEDS = (0, 7, 2**40 + 3, -5)
TOLERANCE = {"float64": 1e-13}


def _of_key(draw: Callable[[Any], Any]) -> Any:
    return function(lambda seed: draw(random.key(seed)))


EXACT: dict[str, Callable[[Any], Any]] = {
    "bits": lambda key: random.bits(key, (3, 5)),
    "one": random.bits,
    "none": lambda key: random.bits(key, 0),
    "uniform": lambda key: random.uniform(key, 7),
    "randint": lambda key: random.randint(key, -100, 2**31 - 101, 20),
    "one value": lambda key: random.randint(key, 5, 6, 3),
    "equal bounds": lambda key: random.randint(key, 5, wrap(5), 3),
    "bernoulli": lambda key: random.bernoulli(key, 0.3, 50),
    "split": lambda key: tuple(random.bits(part) for part in random.split(key, 3)),
    "fold_in": lambda key: array(lambda i: random.bits(random.fold_in(key, i)), size=4),
}
ROUNDED: dict[str, Callable[[Any], Any]] = {
    "range": lambda key: random.uniform(key, 9, -2.0, 3.0),
    "normal": lambda key: random.normal(key, (2, 40)),
    "exponential": lambda key: random.exponential(key, 50),
}


def _reference(name: str, key: Any) -> Any:
    """The same by JAX."""
    import jax

    draws: dict[str, Callable[[], Any]] = {
        "bits": lambda: jax.random.bits(key, (3, 5), "uint64"),
        "one": lambda: jax.random.bits(key, (), "uint64"),
        "none": lambda: jax.random.bits(key, (0,), "uint64"),
        "uniform": lambda: jax.random.uniform(key, (7,)),
        "randint": lambda: jax.random.randint(key, (20,), -100, 2**31 - 101),
        "one value": lambda: jax.random.randint(key, (3,), 5, 6),
        "equal bounds": lambda: jax.random.randint(key, (3,), 5, 5),
        "bernoulli": lambda: jax.random.bernoulli(key, 0.3, (50,)),
        "split": lambda: [jax.random.bits(k, (), "uint64") for k in jax.random.split(key, 3)],
        "fold_in": lambda: [
            jax.random.bits(jax.random.fold_in(key, i), (), "uint64") for i in range(4)
        ],
        "range": lambda: jax.random.uniform(key, (9,), minval=-2.0, maxval=3.0),
        "normal": lambda: jax.random.normal(key, (2, 40)),
        "exponential": lambda: jax.random.exponential(key, (50,)),
    }
    return np.asarray(draws[name]())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["bits", "randint", "fold_in", "normal"])
def test_backends(name: str, backend: str) -> None:
    program = _of_key((EXACT | ROUNDED)[name])
    for seed in SEEDS[1:3]:
        assert_call_agrees(program, (seed,), backend, TOLERANCE if name in ROUNDED else {})


@pytest.mark.parametrize("name", [*EXACT, *ROUNDED])
def test_jax_has_the_same(name: str) -> None:
    jax = pytest.importorskip("jax")
    program = _of_key((EXACT | ROUNDED)[name])
    with in_64_bits("jax"):
        for seed in SEEDS:
            found = np.asarray(program(seed))
            expected = _reference(name, jax.random.PRNGKey(seed))
            if name in EXACT:
                np.testing.assert_array_equal(found, expected.astype(found.dtype))
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("place", "key", "expected"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((2**32 - 1, 2**32 - 1), (2**32 - 1, 2**32 - 1), (0x1CB996FC, 0xBB002BE7)),
        ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_vectors_of_the_authors(
    place: tuple[int, int], key: tuple[int, int], expected: tuple[int, int]
) -> None:
    number = int(np.uint64((place[0] << 32) | place[1]).astype(np.int64))
    words = random.threefry((wrap(key[0]), wrap(key[1])), number)
    assert tuple(int(word.eval()) for word in words) == expected


def test_distributions() -> None:
    """Moments of 100,000 numbers, each within five standard deviations."""
    n = 100_000
    draw = function(
        lambda seed: (
            random.normal(random.key(seed), n),
            random.exponential(random.key(seed), n),
            random.randint(random.key(seed), 1, 7, n),
        )
    )
    normal, exponential, dice = draw(1)
    assert abs(normal.mean()) < 5 / n**0.5
    assert abs(normal.var() - 1) < 5 * (2 / n) ** 0.5
    assert abs(exponential.mean() - 1) < 5 / n**0.5
    counts = np.bincount(dice, minlength=7)[1:]
    assert counts.sum() == n
    assert ((counts - n / 6) ** 2 / (n / 6)).sum() < 30


def test_permutation() -> None:
    draw = function(lambda seed, n: random.permutation(random.key(seed), n))
    for n in (0, 1, 2, 100):
        assert sorted(draw(3, n)) == list(range(n))
    assert list(draw(3, 100)) != list(draw(4, 100))


def test_sizes_are_values_of_the_program() -> None:
    program = function(
        lambda a: array(lambda i: a[i] + random.uniform(random.key(1), a.size(0))[i])
    )
    np.testing.assert_array_equal(
        program(np.zeros(5)), random.uniform(random.key(1), 5).eval(backend="naive")
    )


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: random.uniform(0, 3), r"expected a key, as random.key\(0\) makes, not 0"),  # pyright: ignore
        (lambda: random.key(1.5), r"random: the seed of a key: expected an int or an Int, not 1.5"),  # pyright: ignore
        (lambda: random.normal(random.key(1), 2.5), r"random: the size: expected an int or an Int"),  # pyright: ignore
        (lambda: random.bits((1, 2), 3), r"expected a key"),  # pyright: ignore
    ],
)
def test_messages(draw: Callable[[], Any], message: str) -> None:
    with pytest.raises(EinTypeError, match=message):
        draw()
