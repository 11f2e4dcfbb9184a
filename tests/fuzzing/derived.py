"""Derivatives of random chains, grids and machines of Floats."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from tests.fuzzing import chains, float_machines, grids

FLOATS = {"chains": "x, y", "grids": "m, o", "float-machines": "v, w, m, x"}
"""The parameters that a derivative is taken by."""

DERIVATIVES = (
    "return jvp(g, ({names}), ({names}))",
    "values, backwards = vjp(g, {names})\n    return values, backwards(values)",
    "values, backwards = vjp(g, {names})\n    return backwards(values)",
)


def write_derivative(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
    """The text of a function ``f``, a function in it and a derivative of that; and arguments."""
    writers: dict[str, Callable[[], tuple[str, tuple[Any, ...]]]] = {
        "chains": lambda: (chains.write_chain(rng), chains.make_arguments(rng)),
        "float-machines": lambda: (
            float_machines.write_machine(rng),
            float_machines.make_arguments(rng),
        ),
        "grids": lambda: (
            grids.write_grid(rng, "float64"),
            grids.make_arguments(rng, "float64"),
        ),
    }
    kind = rng.choice(sorted(writers))
    text, arguments = writers[kind]()
    head, body = text.split("\n", 1)
    body, _, result = body.rstrip().rpartition("return ")
    if kind == "chains":
        found = re.findall(r"\bf\d+(?= = )", body)
        result = found[-1] if found else "x"
    else:
        result = "r[0], r[1]" if kind == "grids" else rng.choice(("r[1][1], r[2]", "r[0], r[3]"))
    inner = f"{body}return {result}\n".replace("\n    ", "\n        ")
    names = FLOATS[kind]
    last = rng.choice(DERIVATIVES).format(names=names)
    return f"{head}\n    def g({names}):\n    {inner}\n    {last}\n", arguments
