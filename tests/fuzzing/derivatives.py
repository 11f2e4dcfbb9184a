"""Random differentiable programs: folds, windows, gathers, guards, accumulations and records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

import numpy as np

from ein_mlir import accumulate, array, exp, fold, fold_max, fold_sum, sin, sqrt, tanh, where

Scalar: TypeAlias = Any
Place: TypeAlias = Callable[[Sequence[Any]], Any]
"""A value at some indices; the same choices are made for all indices."""

DEEPEST = 3


class Program:
    """A random function of a matrix ``a``, vectors ``v`` and ``w``, and positions ``p``.

    ``a`` has the sizes of ``v`` and ``w``. A program is a function of its seed.
    """

    def __init__(self, seed: int):
        self._seed = seed
        self.__name__ = f"program_{seed}"

    def __call__(self, a: Any, v: Any, w: Any, p: Any) -> Any:
        return _Builder(Random(self._seed), a, v, w, p).result()


def arguments(seed: int, n: int, m: int) -> tuple[Any, ...]:
    """Arguments of a program; some positions are out of bounds."""
    rng = np.random.default_rng(seed)
    positions = rng.integers(-1, m + 2, size=n)
    return rng.normal(size=(n, m)), rng.normal(size=n), rng.normal(size=m), positions


class _Builder:
    def __init__(self, random: Random, a: Any, v: Any, w: Any, p: Any):
        self._random, self._a, self._p = random, a, p
        self._n, self._m = a.shape
        self._vectors: list[tuple[Any, Any]] = [(v, self._n), (w, self._m)]

    def result(self) -> Any:
        """Some arrays that depend on each other, and the sum of an expression of them."""
        for _ in range(self._random.randint(1, 3)):
            self._vectors.append(self._vector())
        total = self._place(2, DEEPEST)
        n, m = self._n, self._m
        return fold_sum(lambda i, j: total([i, j]), count=(n, m))

    def _vector(self) -> tuple[Any, Any]:
        kind, size = self._random.randrange(4), self._random.choice([self._n, self._m])
        element = self._place(1, DEEPEST - 1)
        if kind == 0:
            return accumulate(lambda i: (self._p[i], element([i])), size=size, count=self._n), size
        if kind == 1:
            step = self._place(1, DEEPEST - 2)
            first, position = element, self._position(1)

            def next_(k: Any, row: Any) -> Any:
                return array(lambda i: tanh(row[position([i])] * step([i]) + row[i]), size=size)

            return fold(array(lambda i: first([i]), size=size), next_, count=3), size
        return array(lambda i: element([i]), size=size), size

    def _position(self, rank: int) -> Place:
        """A position for some indices: often beyond the ends."""
        number, other = self._random.randrange(rank), self._random.randrange(rank)
        shift, n = self._random.randint(-2, 2), self._n
        return self._random.choice(
            [
                lambda x: x[number],
                lambda x: x[number] + shift,
                lambda x: n - 1 - x[number],
                lambda x: x[number] + x[other],
                lambda x: x[number] - x[other] + shift,
                lambda x: self._p[x[number]],
                lambda x: shift,
            ]
        )

    def _leaf(self, rank: int) -> Place:
        if self._random.random() < 0.4:
            row, column = self._position(rank), self._position(rank)
            return lambda x: self._a[row(x), column(x)]
        vector, position = self._random.choice(self._vectors)[0], self._position(rank)
        return lambda x: vector[position(x)]

    def _place(self, rank: int, depth: int) -> Place:
        if depth == 0 or self._random.random() < 0.1:
            return self._leaf(rank)
        forms = [self._unary, self._binary, self._binary, self._choice, self._sum, self._loop]
        return self._random.choice(forms)(rank, depth - 1)

    def _unary(self, rank: int, depth: int) -> Place:
        e = self._place(rank, depth)
        functions: list[Callable[[Scalar], Scalar]] = [
            sin,
            tanh,
            lambda x: sqrt(1.0 + x * x),
            lambda x: exp(-x * x),
            lambda x: 0.5 * x * x,
        ]
        function = self._random.choice(functions)
        return lambda x: function(e(x))

    def _binary(self, rank: int, depth: int) -> Place:
        e, f = self._place(rank, depth), self._place(rank, depth)
        functions: list[Callable[[Scalar, Scalar], Scalar]] = [
            lambda x, y: x + y,
            lambda x, y: x * y,
            lambda x, y: x - y,
            lambda x, y: x / (1.0 + y * y),
            lambda x, y: x.max(0.3 * y + 0.1),
        ]
        function = self._random.choice(functions)
        return lambda x: function(e(x), f(x))

    def _choice(self, rank: int, depth: int) -> Place:
        e, f = self._place(rank, depth), self._place(rank, depth)
        number, shift = self._random.randrange(rank), self._random.randint(0, 2)
        if self._random.random() < 0.5:
            return lambda x: where(x[number] > shift, e(x), f(x))
        if self._random.random() < 0.5:
            return lambda x: where(self._p[x[number]] == x[-1], e(x), 0.0)
        return lambda x: where(e(x) > 0.1, sqrt(e(x).max(0.01)), f(x))

    def _sum(self, rank: int, depth: int) -> Place:
        e = self._place(rank + 1, depth)
        size: Any = self._random.choice([self._n, self._m, 3])
        if self._random.random() < 0.2:
            return lambda x: fold_max(lambda k: e([*x, k]), count=3)
        return lambda x: fold_sum(lambda k: 0.5 * e([*x, k]), count=size)

    def _loop(self, rank: int, depth: int) -> Place:
        """A recurrence, of a number or of a record."""
        e, f = self._place(rank + 1, depth), self._place(rank, depth)
        kind = self._random.randrange(4)
        if kind < 2:
            return lambda x: fold(f(x), lambda k, y: tanh(y * e([*x, k])), count=3)

        def exchanged(k: Any, record: Any, x: Sequence[Any]) -> Any:
            old, new = record
            return new, 0.5 * old + sin(new) * e([*x, k])

        def summed(k: Any, record: Any, x: Sequence[Any]) -> Any:
            total, sums = record
            after = total + e([*x, k])
            return after, sums + 0.5 * sin(after) * total

        step = exchanged if kind == 2 else summed
        return lambda x: fold((f(x), 0.5), lambda k, record: step(k, record, x), count=3)[1]
