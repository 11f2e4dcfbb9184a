"""Random numbers from keys: the same bits on every backend, and those of ``jax.random``.

A key determines its numbers; nothing else has a state. Use a key once, and `split` it for more:

>>> from ein_mlir import function, random
>>> @function
... def two_throws(seed):
...     first, second = random.split(random.key(seed))
...     return random.randint(first, 1, 7), random.uniform(second, 3)
>>> two_throws(0)
(np.int64(3), array([0.08062437, 0.92394884, 0.73395235]))

The generator is Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as
1, 2, 3", 2011): number ``i`` of a key is a function of the key and of ``i``, so that numbers are
elements of comprehensions like any others. Keys, bits and uniform numbers are those that JAX has
with 64 bits and ``jax_threefry_partitionable``.

A ``size`` of ``n`` makes a vector, one of ``(n, m)`` a matrix and so on, and ``()`` one number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias, cast, overload

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.combinators import array_named, where
from ein_mlir.frontend.elementary import log, sign, sqrt
from ein_mlir.frontend.signatures import names_its_arguments
from ein_mlir.frontend.sorting import argsort
from ein_mlir.frontend.values import Bool, Float, Int, Vec, encode, int_expr, written
from ein_mlir.host.arrays import as_int
from ein_mlir.host.locations import at

__all__ = [
    "Key",
    "bernoulli",
    "bits",
    "exponential",
    "fold_in",
    "key",
    "normal",
    "permutation",
    "randint",
    "split",
    "threefry",
    "uniform",
]

Key: TypeAlias = "tuple[Int, Int]"
"""Two numbers of 32 bits."""
Length: TypeAlias = "Int | int"
Number: TypeAlias = "Float | float"

_WORD = 32
_MASK = 2**_WORD - 1
_LOWEST = -1.0 + 2.0**-53
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_CENTRE = (
    (
        *(3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3),
        *(1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4),
        *(3.3430575583588128105e4, 2.5090809287301226727e3),
    ),
    (
        *(1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3),
        *(2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4),
        5.2264952788528545610e3,
    ),
)
_TAIL = (
    (
        *(1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550),
        *(3.64784832476320460504, 1.27045825245236838258, 2.41780725177450611770e-1),
        *(2.27238449892691845833e-2, 7.74545014278341407640e-4),
    ),
    (
        *(1.0, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1),
        *(1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4),
        1.05075007164441684324e-9,
    ),
)
_FAR_TAIL = (
    (
        *(6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580),
        *(2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3),
        *(2.71155556874348757815e-5, 2.01033439929228813265e-7),
    ),
    (
        *(1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2),
        *(7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7),
        2.04426310338993978564e-15,
    ),
)
"""Rational functions of AS 241: the coefficients above and below, the constants first."""


_INSTEAD = {
    "rand": "uniform(key, n)",
    "random": "uniform(key, n)",
    "random_sample": "uniform(key, n)",
    "randn": "normal(key, n)",
    "standard_normal": "normal(key, n)",
    "integers": "randint(key, low, high, n)",
    "seed": "key(seed)",
    "PRNGKey": "key(seed)",
    "default_rng": "key(seed)",
    "shuffle": "permutation(key, n), the positions in a new order",
    "choice": "randint(key, 0, n), a position",
}
"""Functions of NumPy and JAX -> those of this module."""


def __getattr__(name: str) -> NoReturn:
    hint = f": write {_INSTEAD[name]}" if name in _INSTEAD else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


@names_its_arguments
def key(seed: Int | int) -> Key:
    """The key of a seed."""
    number = _int(seed, "the seed of a key")
    return _high(number), number & _MASK


@names_its_arguments
def fold_in(key: Key, data: Int | int) -> Key:
    """A key for a key and a number of 32 bits: one for each index, for example.

    >>> from ein_mlir import array
    >>> array(lambda i: uniform(fold_in(key(7), i)), size=2).eval(backend="naive")
    array([0.63743254, 0.30129575])
    """
    return threefry(key, _int(data, "the number to fold in") & _MASK)


@names_its_arguments
def split(key: Key, count: int = 2) -> tuple[Key, ...]:
    """New keys, a fixed number of them.

    For a number that is a value of the program, see `fold_in`.
    """
    if (number := as_int(count)) is None or number < 1:
        raise EinValueError(
            f"random: the number of keys: expected a positive int, not {written(count)}{at()}"
        )
    return tuple(threefry(key, k) for k in range(number))


def threefry(key: Key, place: Int | int) -> Key:
    """The two words of a key at a place of 64 bits: Threefry-2x32-20."""
    first, second = _words(key)
    keys, start = (first, second, first ^ second ^ _PARITY), _int(place, "the place")
    x, y = (_high(start) + first) & _MASK, (start + second) & _MASK
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            x = (x + y) & _MASK
            y = x ^ (((y << rotation) | (y >> (_WORD - rotation))) & _MASK)
        x = (x + keys[(group + 1) % 3]) & _MASK
        y = (y + keys[(group + 2) % 3] + (group + 1)) & _MASK
    return x, y


@overload
def bits(key: Key, size: tuple[()] = ()) -> Int: ...
@overload
def bits(key: Key, size: Length) -> Vec[Int]: ...
@overload
def bits(key: Key, size: tuple[Length, ...]) -> Any: ...
@names_its_arguments
def bits(key: Key, size: Length | tuple[Length, ...] = ()) -> Any:
    """Ints of 64 random bits."""
    return _each(key, size, lambda word: (word[0] << _WORD) | word[1])


@overload
def uniform(key: Key, size: tuple[()] = (), low: Number = 0.0, high: Number = 1.0) -> Float: ...
@overload
def uniform(key: Key, size: Length, low: Number = 0.0, high: Number = 1.0) -> Vec[Float]: ...
@overload
def uniform(key: Key, size: tuple[Length, ...], low: Number = 0.0, high: Number = 1.0) -> Any: ...
@names_its_arguments
def uniform(
    key: Key, size: Length | tuple[Length, ...] = (), low: Number = 0.0, high: Number = 1.0
) -> Any:
    """Numbers from ``low`` on, and below ``high``; multiples of ``2**-52`` from 0 to 1.

    >>> uniform(key(0), (2, 2)).eval(backend="naive")
    array([[0.41845711, 0.21629545],
           [0.96532146, 0.57450053]])
    """

    def element(word: Key) -> Float:
        return _unit(word) * (high - low) + low

    return _each(key, size, element if (low, high) != (0.0, 1.0) else _unit)


@names_its_arguments
def bernoulli(key: Key, p: Number = 0.5, size: Length | tuple[Length, ...] = ()) -> Any:
    """Bools that are true with probability ``p``."""
    if isinstance(p, int | float) and not 0 <= p <= 1:
        raise EinValueError(
            f"random: p is a probability, not {p}; the number of Bools is size={p}{at()}"
        )

    def element(word: Key) -> Bool:
        return _unit(word) < p

    return _each(key, size, element)


@names_its_arguments
def exponential(key: Key, size: Length | tuple[Length, ...] = ()) -> Any:
    """Numbers with density ``exp(-x)``."""
    return _each(key, size, lambda word: -(-_unit(word)).log1p())


@names_its_arguments
def normal(key: Key, size: Length | tuple[Length, ...] = ()) -> Any:
    """Numbers with the standard normal distribution: quantiles of uniform ones.

    The quantile is that of Wichura's algorithm AS 241 (1988), with an error of about ``1e-16``.

    >>> normal(key(0), 2).eval(backend="naive").round(6)
    array([-0.205842, -0.784766])
    """
    return _each(
        key, size, lambda word: _normal_quantile((_unit(word) * 2.0 + _LOWEST).max(_LOWEST))
    )


@names_its_arguments
def randint(
    key: Key, low: Int | int, high: Int | int, size: Length | tuple[Length, ...] = ()
) -> Any:
    """Ints from ``low`` on, and below ``high``, which are at most ``2**31`` apart.

    They are remainders of 128 random bits.
    """
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise EinValueError(f"random: expected low < high, not {low} and {high}{at()}")
    low = low if isinstance(low, int) else _int(low, "the lower bound")
    keys = split(key)
    span = (_int(high, "the upper bound") - low).max(1)

    def element(place: Int) -> Int:
        rest = Int(encode(0))
        for word in (word for part in keys for word in threefry(part, place)):
            rest = ((rest << _WORD) | word) % span
        return rest + low

    return _each_place(size, element)


@names_its_arguments
def permutation(key: Key, size: Length) -> Vec[Int]:
    """The Ints below ``size`` in random order: the order of random bits."""
    return argsort(bits(key, size))


def _int(number: Int | int, name: str) -> Int:
    found = int_expr(number, f"random: {name}")
    return Int(encode(found) if isinstance(found, int) else found)


def _each(key: Key, size: Length | tuple[Length, ...], element: Callable[[Key], Any]) -> Any:
    """A function of two words of the key, at each place."""
    return _each_place(size, lambda place: element(threefry(key, place)))


def _each_place(size: Length | tuple[Length, ...], element: Callable[[Int], Any]) -> Any:
    """A function of the number of the place, at each place in row-major order."""
    given = size if isinstance(size, tuple) else (size,)
    if negative := [length for length in given if isinstance(length, int) and length < 0]:
        raise EinValueError(f"random: the size is negative: {negative[0]}{at()}")
    sizes = tuple(_int(length, "the size") for length in given)

    def at_place(*indices: Int) -> Any:
        place = Int(encode(0))
        for index, length in zip(indices, sizes, strict=True):
            place = place * length + index
        return element(place)

    if not sizes:
        return at_place()
    return array_named(at_place, tuple(f"i{axis}" for axis in range(len(sizes))), sizes)


def _high(number: Int) -> Int:
    """The upper 32 bits of 64."""
    return (number >> _WORD) & _MASK


def _words(key: Any) -> Key:
    if isinstance(key, tuple):
        match cast(tuple[object, ...], key):
            case (Int() as first, Int() as second):
                return first, second
            case _:
                pass
    raise EinTypeError(
        f"random: expected a key, as random.key(0) makes, not {key!r}; a key is two Ints{at()}"
    )


def _unit(word: Key) -> Float:
    """A number from 0 to 1 of the upper 52 bits."""
    return ((word[0] << 20) | (word[1] >> 12)).float() * 2.0**-52


def _normal_quantile(x: Float) -> Float:
    """The quantile of the standard normal distribution at ``(1 + x) / 2``, for x from -1 to 1."""
    half = x / 2
    centre = 0.180625 - half * half
    tail = sqrt(-log(0.5 - abs(half)))
    near = _ratio(tail - 1.6, _TAIL)
    far = _ratio(tail - 5.0, _FAR_TAIL)
    outer = where(tail <= 5.0, near, far) * sign(half)
    return where(abs(half) <= 0.425, half * _ratio(centre, _CENTRE), outer)


def _ratio(x: Float, coefficients: tuple[tuple[float, ...], tuple[float, ...]]) -> Float:
    above, below = (_polynomial(x, each) for each in coefficients)
    return above / below


def _polynomial(x: Float, coefficients: tuple[float, ...]) -> Float:
    """Horner's rule; the constant comes first."""
    *others, last = coefficients
    value = x * last
    for coefficient in reversed(others[1:]):
        value = (value + coefficient) * x
    return value + others[0]
