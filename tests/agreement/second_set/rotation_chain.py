"""The product of a chain of 4 x 4 matrices, as of gates or joints."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.cases.case import Case


@function
def rotation_chain(gates):
    def apply(t, state):
        return array(lambda i, j: fold_sum(lambda k: gates[t, i, k] * state[k, j]), size=(4, 4))

    identity = array(lambda i, j: where(i == j, 1.0, 0.0).float(gates[0, 0, 0]), size=(4, 4))
    return fold(identity, apply, count=gates.size())


def inputs(n, dtype, rng):
    """Rotations in two planes."""
    gates = np.tile(np.eye(4), (n, 1, 1))
    for i, j in ((0, 3), (2, 1)):
        angle = rng.uniform(-3, 3, size=n)
        turn = np.tile(np.eye(4), (n, 1, 1))
        turn[:, i, i] = turn[:, j, j] = np.cos(angle)
        turn[:, i, j], turn[:, j, i] = -np.sin(angle), np.sin(angle)
        gates = gates @ turn
    return (gates.astype(dtype),)


def oracle(gates):
    state = np.eye(4, dtype=gates.dtype)
    for gate in gates:
        old = state.copy()
        for i in range(4):
            for j in range(4):
                state[i, j] = sum(gate[i, k] * old[k, j] for k in range(4))
    return state


def idiomatic(gates):
    state = np.eye(4, dtype=gates.dtype)
    for gate in gates:
        state = gate @ state
    return state


def jax(gates):
    import jax.numpy as jnp
    from jax import lax

    return lax.scan(lambda m, gate: (gate @ m, None), jnp.eye(4, dtype=gates.dtype), gates)[0]


def torch(gates):
    import torch

    state = torch.eye(4).to(gates)
    for gate in gates:
        state = gate @ state
    return state


CASE = Case(
    name="rotation-chain",
    about="The product of a chain of 4 x 4 matrices (tutorials of kinematics and quantum gates)",
    program=rotation_chain,
    inputs=inputs,
    large=10_000,
    sweep=(100, 1_000, 10_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
