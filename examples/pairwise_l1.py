"""The example of the dissertation's appendix C, at any stage: ``python pairwise_l1.py STAGE``.

The absolute value is written as a conditional, to make the listings more interesting.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from ein_mlir import Float, Int, Vec, array, fold_sum, function, where


def absolute(x: Float) -> Float:
    """``|x|``"""
    return where(x > 0.0, x, -x)


def l1(u: Vec[Float], v: Vec[Float]) -> Float:
    """The sum of absolute differences."""
    return fold_sum(lambda k: absolute(u[k] - v[k]))


@function
def pairwise_l1(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The L1 distance between each two rows."""
    return array(lambda i, j: l1(a[i], a[j]))


@function
def gram(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The inner product of each two rows."""
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * a[j, k]))


@function
def lookup(table: Vec[Vec[Float]], ids: Vec[Int]) -> Vec[Vec[Float]]:
    """A row of the table for each id, from its second column on, in pairs."""
    half = table.size(1) // 2
    return array(lambda i, j: table[ids[i], 2 * j + 1], size=(None, half))


STAGES: dict[str, Callable[[], str]] = {
    "phi": lambda: pairwise_l1.ir("phi"),
    "yarr": lambda: pairwise_l1.ir("yarr"),
    "numpy": lambda: pairwise_l1.source(),
    "explain": lambda: pairwise_l1.explain() + gram.explain() + lookup.explain(),
    "gram": lambda: gram.source(),
}


def main(stage: str = "numpy") -> None:
    """Print the program at a stage; its source locations are relative to the current directory."""
    print(STAGES[stage]().replace(__file__, str(Path(sys.argv[0]))))


if __name__ == "__main__":
    main(*sys.argv[1:2])
