"""A recurrent layer of long short-term memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, exp, fold, fold_sum, function, tanh
from tests.agreement.cases.case import Case, prange

ZERO: Any = 0.0
"""A number as a Float of either width."""


@dataclass(frozen=True)
class State:
    """The state of a layer: by sequence and unit."""

    hidden: Vec[Vec[Float]]
    cell: Vec[Vec[Float]]


def sigmoid(x: Float) -> Float:
    return 1.0 / (1.0 + exp(-x))


@function
def lstm(
    x: Vec[Vec[Vec[Float]]], w: Vec[Vec[Vec[Float]]], u: Vec[Vec[Vec[Float]]], b: Vec[Vec[Float]]
) -> State:
    """``x`` by time, sequence and feature; ``w`` and ``u`` by gate, feature or unit, and unit."""

    def step(t: Int, state: State) -> State:
        def gate(g: int, s: Int, k: Int) -> Float:
            fed = fold_sum(lambda f: x[t, s, f] * w[g, f, k])
            return fed + fold_sum(lambda r: state.hidden[s, r] * u[g, r, k]) + b[g, k]

        def unit(s: Int, k: Int) -> tuple[Float, Float]:
            kept = sigmoid(gate(0, s, k)) * state.cell[s, k]
            cell = kept + sigmoid(gate(1, s, k)) * tanh(gate(2, s, k))
            return sigmoid(gate(3, s, k)) * tanh(cell), cell

        units = array(unit)
        return State(
            hidden=array(lambda s, k: units[s, k][0]), cell=array(lambda s, k: units[s, k][1])
        )

    nothing = array(lambda s, k: ZERO, size=(x.size(1), b.size(1)))
    return fold(State(nothing, nothing), step)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    sequences, features, units = min(n, 16), min(n, 64), min(2 * n, 128)
    shapes = ((n, sequences, features), (4, features, units), (4, units, units), (4, units))
    return tuple(rng.normal(scale=0.1, size=shape).astype(dtype) for shape in shapes)


def oracle(x: Any, w: Any, u: Any, b: Any) -> tuple[NDArray[Any], ...]:
    times, sequences, features = x.shape
    units = b.shape[1]
    hidden, cell = np.zeros((2, sequences, units), x.dtype)
    for t in range(times):
        before = hidden.copy()
        for s, k in np.ndindex(sequences, units):
            gates = [
                sum(x[t, s, f] * w[g, f, k] for f in range(features))
                + sum(before[s, r] * u[g, r, k] for r in range(units))
                + b[g, k]
                for g in range(4)
            ]
            forget, write, read = (1 / (1 + np.exp(-gates[g])) for g in (0, 1, 3))
            cell[s, k] = forget * cell[s, k] + write * np.tanh(gates[2])
            hidden[s, k] = read * np.tanh(cell[s, k])
    return hidden, cell


def idiomatic(x: Any, w: Any, u: Any, b: Any) -> tuple[NDArray[Any], ...]:
    def sigmoid(y: NDArray[Any]) -> NDArray[Any]:
        return 1 / (1 + np.exp(-y))

    hidden = cell = np.zeros((x.shape[1], b.shape[1]), x.dtype)
    for now in x:
        forget, write, value, read = (now @ w[g] + hidden @ u[g] + b[g] for g in range(4))
        cell = sigmoid(forget) * cell + sigmoid(write) * np.tanh(value)
        hidden = sigmoid(read) * np.tanh(cell)
    return hidden, cell


def expert(x: Any, w: Any, u: Any, b: Any) -> tuple[NDArray[Any], ...]:
    """The gates side by side in one matrix; the inputs are multiplied for all times at once.

    A sigmoid is a tanh: 1 / (1 + exp(-y)) = (1 + tanh(y / 2)) / 2.
    """
    times, sequences, _ = x.shape
    units = b.shape[1]
    half = np.repeat(np.array([0.5, 0.5, 1, 0.5], x.dtype), units)
    w, u = (np.concatenate(list(matrix), axis=1) * half for matrix in (w, u))
    fed = x.reshape(times * sequences, -1) @ w
    fed += b.reshape(-1) * half
    gates = np.empty((sequences, 4 * units), x.dtype)
    hidden, cell = np.zeros((2, sequences, units), x.dtype)
    forget, write, value, read = (gates[:, g * units : (g + 1) * units] for g in range(4))
    for now in fed.reshape(times, sequences, 4 * units):
        np.matmul(hidden, u, out=gates)
        gates += now
        np.tanh(gates, out=gates)
        for sigmoid in (forget, write, read):
            sigmoid += 1
            sigmoid *= 0.5
        cell *= forget
        np.multiply(write, value, out=value)
        cell += value
        np.tanh(cell, out=hidden)
        hidden *= read
    return hidden, cell


def numba(x: Any, w: Any, u: Any, b: Any) -> tuple[NDArray[Any], ...]:
    """The gates side by side in one matrix; the products by BLAS."""
    times, sequences, features = x.shape
    units = b.shape[1]
    inputs, before = np.empty((features, 4 * units), x.dtype), np.empty((units, 4 * units), x.dtype)
    for g in range(4):
        inputs[:, g * units : (g + 1) * units] = w[g]
        before[:, g * units : (g + 1) * units] = u[g]
    fed = np.dot(x.reshape(times * sequences, features), inputs)
    hidden, cell = np.zeros((sequences, units), x.dtype), np.zeros((sequences, units), x.dtype)
    for t in range(times):
        gates = np.dot(hidden, before)
        for s in prange(sequences):
            now, row = fed[t * sequences + s], gates[s]
            for k in range(units):
                forget = 1 / (1 + math.exp(-row[k] - now[k] - b[0, k]))
                write = 1 / (1 + math.exp(-row[units + k] - now[units + k] - b[1, k]))
                value = math.tanh(row[2 * units + k] + now[2 * units + k] + b[2, k])
                read = 1 / (1 + math.exp(-row[3 * units + k] - now[3 * units + k] - b[3, k]))
                cell[s, k] = forget * cell[s, k] + write * value
                hidden[s, k] = read * math.tanh(cell[s, k])
    return hidden, cell


def jax(x: Any, w: Any, u: Any, b: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax
    from jax.nn import sigmoid

    def step(state: Any, now: Any) -> Any:
        hidden, cell = state
        forget, write, value, read = (now @ w[g] + hidden @ u[g] + b[g] for g in range(4))
        cell = sigmoid(forget) * cell + sigmoid(write) * jnp.tanh(value)
        return (sigmoid(read) * jnp.tanh(cell), cell), None

    start = jnp.zeros((x.shape[1], b.shape[1]), x.dtype)
    return lax.scan(step, (start, start), x)[0]


def torch(x: Any, w: Any, u: Any, b: Any) -> Any:
    hidden = cell = x.new_zeros(x.shape[1], b.shape[1])
    for now in x:
        forget, write, value, read = (now @ w[g] + hidden @ u[g] + b[g] for g in range(4))
        cell = forget.sigmoid() * cell + write.sigmoid() * value.tanh()
        hidden = read.sigmoid() * cell.tanh()
    return hidden, cell


CASE = Case(
    name="lstm",
    about="A layer of long short-term memory over a batch of sequences",
    program=lstm,
    inputs=inputs,
    large=500,
    sweep=(64, 125, 250, 500),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
)
