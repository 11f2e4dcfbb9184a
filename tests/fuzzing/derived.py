"""Derivatives of random programs of Floats, of the first and second order."""

from __future__ import annotations

import random
import re
from typing import Any

from tests.fuzzing import batches

FLOATS = {
    "chains": "x, y", "grids": "m, o", "float-machines": "v, w, m, x", "walks": "x, y",
    "orders": "v, w, m, x", "records": "v, w, x", "tables": "m, x, y",
}  # fmt: skip
"""The parameters that a derivative is taken by."""

RESULTS = {
    "grids": ("r[0], r[1]",), "float-machines": ("r[1][1], r[2]", "r[0], r[3]"),
    "orders": ("r[1][1], r[2]", "r[0], r[3]", "r[1][0], r[1][1]"),
    "tables": ("r[0]", "r[0], r[2]", "r[2], r[3]"),
}  # fmt: skip
"""The results of Floats, where a program has others."""

DERIVATIVES = (
    "return jvp(g, ({names}), ({names}))",
    "values, backwards = vjp(g, {names})\n    return values, backwards(values)",
    "values, backwards = vjp(g, {names})\n    return backwards(values)",
    "h = lambda {names}: jvp(g, ({names}), ({names}))[1]\n    return jvp(h, ({names}), ({names}))",
    "h = lambda {names}: jvp(g, ({names}), ({names}))[1]\n"
    "    values, backwards = vjp(h, {names})\n    return backwards(values)",
)


def write_primal(rng: random.Random, kind: str | None = None) -> tuple[str, str, tuple[Any, ...]]:
    """The start of a function ``f`` with a function ``g`` in it, its parameters, and arguments."""
    kind = kind or rng.choice(sorted(FLOATS))
    if kind in batches.TYPED:
        text, arguments = batches.write_typed(kind, rng, "float64")
    else:
        text, arguments = batches.WRITERS[kind](rng)
    head, body = text.split("\n", 1)
    if kind == "walks":
        walked = rng.choice(("r[1][1], r[2]", "r[1][1]", "r[2]"))
        body = re.sub(r"    return r\[.*", f"    return {walked}", body)
    body, _, result = body.rstrip().rpartition("return ")
    if kind == "chains":
        found = re.findall(r"\bf\d+(?= = )", body)
        result = found[-1] if found else "x"
    result = rng.choice(RESULTS.get(kind, (result,)))
    inner = f"{body}return {result}\n".replace("\n    ", "\n        ")
    names = FLOATS[kind]
    places = ", p=p, q=q" if kind == "orders" else ""  # which it may change
    return f"{head}\n    def g({names}{places}):\n    {inner}\n", names, arguments


def write_derivative(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
    """The text of a function ``f``, a function in it and a derivative of that; and arguments."""
    text, names, arguments = write_primal(rng)
    return f"{text}    {rng.choice(DERIVATIVES).format(names=names)}\n", arguments
