"""Train a graph-attention network of two layers with JAX: Ein in ``jax.jit`` and ``jax.grad``.

    python examples/gat_jax.py [--steps N] [--plot FILE]

The layer is an Ein function (see graph_attention.py); a step of training, with gradient and Adam,
is one program that JAX compiles.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from graph_attention import (
    KNOWN,
    RATE,
    WEIGHT_DECAY,
    Step,
    graph_attention,
    initial_parameters,
    plot,
    read_karate_club,
    report,
)

DECAY, EPSILON = (0.9, 0.999), 1e-8
"""Parameters of Adam: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015."""


def network(parameters: Any, x: jax.Array, adjacent: jax.Array) -> jax.Array:
    """Two layers, with tanh between them."""
    first, second = parameters
    hidden = jnp.tanh(graph_attention.jax(x, *first, adjacent))
    return graph_attention.jax(hidden, *second, adjacent)


def loss_of(
    parameters: Any, x: jax.Array, adjacent: jax.Array, clubs: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The cross entropy on the known members, and the accuracy on all."""
    logits, known = network(parameters, x, adjacent), jnp.array(KNOWN)
    log_probabilities = jax.nn.log_softmax(logits)[known, clubs[known]]
    return -log_probabilities.mean(), jnp.mean(logits.argmax(axis=1) == clubs)


@jax.jit
def step(parameters: Any, moments: Any, number: jax.Array, *data: jax.Array) -> Any:
    """One step of Adam; ``number`` counts from 1."""
    (loss, accuracy), gradient = jax.value_and_grad(loss_of, has_aux=True)(parameters, *data)
    gradient = jax.tree.map(lambda g, p: g + WEIGHT_DECAY * p, gradient, parameters)
    powers = (gradient, jax.tree.map(jnp.square, gradient))
    moments = [
        jax.tree.map(lambda m, g, b=b: b * m + (1 - b) * g, moment, power)
        for b, moment, power in zip(DECAY, moments, powers, strict=True)
    ]
    mean, square = (
        jax.tree.map(lambda m, b=b: m / (1 - b**number), moment)
        for b, moment in zip(DECAY, moments, strict=True)
    )
    parameters = jax.tree.map(
        lambda p, m, s: p - RATE * m / (jnp.sqrt(s) + EPSILON), parameters, mean, square
    )
    return parameters, moments, loss, accuracy


def train(steps: int) -> list[Step]:
    """Loss and accuracy at each step of Adam."""
    graph = read_karate_club()
    data = jnp.eye(len(graph.clubs)), jnp.array(graph.adjacent), jnp.array(graph.clubs)
    parameters = jax.tree.map(jnp.array, initial_parameters(len(graph.clubs)))
    moments = [jax.tree.map(jnp.zeros_like, parameters) for _ in DECAY]
    history = list[Step]()
    for number in range(1, steps + 1):
        parameters, moments, loss, accuracy = step(parameters, moments, jnp.float32(number), *data)
        history.append(Step(float(loss), float(accuracy)))
    return history


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a graph-attention network with JAX.")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--plot", type=Path, default=Path("out/gat_jax.png"), metavar="FILE")
    arguments = parser.parse_args()
    steps = train(arguments.steps)
    report(steps)
    plot({"JAX": steps}, arguments.plot)


if __name__ == "__main__":
    main()
