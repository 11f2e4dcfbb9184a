"""A graph-attention layer, and the data on which `gat_torch.py` and `gat_jax.py` train it.

The layer is that of Veličković et al., "Graph attention networks", ICLR 2018: each vertex adds up
the features of its neighbours, weighted by attention. Here it is written once, in Ein; the
arguments of a call decide whether it is a layer of PyTorch or of JAX. Run on its own, this file
shows the layer on whole arrays.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ein_mlir import Bool, Float, Vec, array, exp, fold_max, fold_sum, function, where

DATA = Path(__file__).parent / "data"
HIDDEN, CLASSES = 8, 2
KNOWN = 0, 33
"""The instructor and the officers' president: the only members with a label in training."""

RATE, WEIGHT_DECAY = 0.01, 0.05
"""Parameters of Adam. Two labels are memorised soon; decay keeps the evidence for the others."""


# The layer ------------------------------------------------------------------------------------


def dot(u: Vec[Float], v: Vec[Float]) -> Float:
    return fold_sum(lambda k: u[k] * v[k])


def leaky_relu(x: Float) -> Float:
    return where(x > 0.0, x, 0.2 * x)


def softmax(x: Vec[Float]) -> Vec[Float]:
    largest = fold_max(lambda i: x[i])
    weights = array(lambda i: exp(x[i] - largest))
    total = fold_sum(lambda i: weights[i])
    return array(lambda i: weights[i] / total)


@function
def graph_attention(
    x: Vec[Vec[Float]],
    weights: Vec[Vec[Float]],
    sent: Vec[Float],
    received: Vec[Float],
    adjacent: Vec[Vec[Bool]],
) -> Vec[Vec[Float]]:
    """The features of each vertex i: those of its neighbours j, weighted by attention."""
    h = array(lambda i, c: fold_sum(lambda f: x[i, f] * weights[f, c]))
    s = array(lambda i: dot(sent, h[i]))
    r = array(lambda j: dot(received, h[j]))

    def logit(i, j):
        return where(adjacent[i, j], leaky_relu(s[i] + r[j]), float("-inf"))

    attention = array(lambda i: softmax(array(lambda j: logit(i, j))))
    return array(lambda i, c: fold_sum(lambda j: attention[i, j] * h[j, c]))


# Data and parameters --------------------------------------------------------------------------


class Graph(NamedTuple):
    """The acquaintances of the members, and their clubs."""

    adjacent: NDArray[np.bool_]
    """Whether two members know each other; everyone knows themselves."""
    clubs: NDArray[np.int64]
    """0 for Mr. Hi's club, 1 for the officers'."""


def read_karate_club() -> Graph:
    """Zachary's karate club, 1977: see data/README.md."""
    with (DATA / "karate_members.csv").open() as file:
        clubs = np.array([row["club"] == "Officer" for row in csv.DictReader(file)], dtype=np.int64)
    adjacent = np.eye(len(clubs), dtype=np.bool_)
    with (DATA / "karate_friendships.csv").open() as file:
        for row in csv.DictReader(file):
            i, j = int(row["member"]) - 1, int(row["friend"]) - 1
            adjacent[i, j] = adjacent[j, i] = True
    return Graph(adjacent, clubs)


def initial_parameters(members: int) -> list[tuple[NDArray[np.float32], ...]]:
    """Weights of two layers; both frameworks start from the same ones.

    Members have no features except their identity: the first layer's weights have a row for each.
    """
    rng = np.random.default_rng(0)
    return [
        tuple(
            rng.normal(scale=fan_in**-0.5, size=shape).astype(np.float32)
            for shape in ((fan_in, fan_out), fan_out, fan_out)
        )
        for fan_in, fan_out in ((members, HIDDEN), (HIDDEN, CLASSES))
    ]


# Results --------------------------------------------------------------------------------------


class Step(NamedTuple):
    """The progress of training."""

    loss: float
    """The cross entropy on the two members whose club is known."""
    accuracy: float
    """The share of all members whose club is predicted correctly."""


def report(steps: Sequence[Step]) -> None:
    """Print every tenth of the steps."""
    every = max(1, len(steps) // 10)
    for number, step in enumerate(steps):
        if number % every == 0 or number == len(steps) - 1:
            print(f"step {number:4d}: loss {step.loss:.4f}, accuracy {step.accuracy:.1%}")


def plot(curves: Mapping[str, Sequence[Step]], path: Path) -> None:
    """Draw loss and accuracy by step, a line for each framework."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "graph_attention"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for label, steps in curves.items():
        style: dict[str, Any] = {"label": label, "alpha": 0.8}
        axes[0].plot([step.loss for step in steps], **style)
        axes[1].plot([100 * step.accuracy for step in steps], **style)
    axes[0].set(xlabel="step", ylabel="cross entropy, known members", ylim=(0, None))
    axes[1].set(xlabel="step", ylabel="correct among 34 members, %", ylim=(0, 103))
    axes[0].legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
    print(f"drawn to {path}")


if __name__ == "__main__":
    print(graph_attention.explain())
    print(graph_attention.ir("yarr"))
