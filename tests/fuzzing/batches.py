"""Batches of random programs: an array of their results, in which some arguments vary.

At each index of a batch a vector starts at another element, a table at another row, or a number is
another one. Loops of the program then have counts, conditions and positions of each index.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.fuzzing import chains, float_machines, grids, machines, orders, records, tables, walks

Made = tuple[str, tuple[Any, ...]]

TYPED: dict[str, tuple[Callable[..., str], Callable[..., tuple[Any, ...]]]] = {
    "orders": (orders.write_machine, orders.make_arguments),
    "records": (records.write_loop, records.make_arguments),
    "tables": (tables.write_table, tables.make_arguments),
}
"""The kinds whose numbers are Ints or Floats."""


def write_typed(kind: str, rng: random.Random, dtype: str) -> Made:
    """A program of a kind in `TYPED`, with arguments."""
    write, make_arguments = TYPED[kind]
    return write(rng, dtype), make_arguments(rng, dtype)


WRITERS: dict[str, Callable[[random.Random], Made]] = {
    "chains": lambda rng: (chains.write_chain(rng), chains.make_arguments(rng)),
    "float-machines": lambda rng: (
        float_machines.write_machine(rng),
        float_machines.make_arguments(rng),
    ),
    "grids": lambda rng: (grids.write_grid(rng, "float64"), grids.make_arguments(rng, "float64")),
    "machines": lambda rng: (machines.write_machine(rng), machines.make_arguments(rng)),
    "orders": lambda rng: write_typed("orders", rng, "int64"),
    "records": lambda rng: write_typed("records", rng, "int64"),
    "tables": lambda rng: write_typed("tables", rng, "int64"),
    "walks": lambda rng: (walks.write_walk(rng), walks.make_arguments(rng)),
}
"""A program of each kind, with arguments."""

VARIED = ("{name}[t + z]", "{name}[t + z]", "{name}[t ^ z]", "{name}[-1 - t]",
          "{name}[t] + {number}", "where(t == z, {name}[0], {name}[t])")  # fmt: skip
VARIED_TABLES = ("{name}[t + z, u]", "{name}[t, u - z]", "where(u < z, {name}[0, 0], {name}[t, u])")
SIZES = ("3", "2", "p.size()", "1", "max(s, 0)", "q.size() + 1")


def write_batch(rng: random.Random) -> Made:
    """The text of a function ``f``: a batch of a program of another kind; and arguments."""
    kind = rng.choice(sorted(WRITERS))
    text, arguments = WRITERS[kind](rng)
    head, body = text.split("\n", 1)
    names = head.removeprefix("def f(").removesuffix("):").split(", ")
    count = rng.choice((1, 1, 2, 3))
    varied = rng.sample([name for name in names if kind != "chains" or name != "s"], count)
    given = [
        _varied(rng, name, value) if name in varied else name
        for name, value in zip(names, arguments, strict=True)
    ]
    inner = "\n    ".join(body.rstrip().split("\n"))
    last = f"return array(lambda z: g({', '.join(given)}), size={rng.choice(SIZES)})"
    return f"{head}\n    def g({', '.join(names)}):\n    {inner}\n\n    {last}\n", arguments


def _varied(rng: random.Random, name: str, value: Any) -> str:
    """An argument that varies with the index ``z`` of a batch."""
    rank = getattr(value, "ndim", 0)
    if rank == 0:
        return rng.choice((f"{name} + z", "z", f"{name} * z"))
    number = "z.float(DTYPE)" if value.dtype.kind == "f" else "z"
    if rank == 1:
        element = rng.choice(VARIED).format(name=name, number=number)
        return f"array(lambda t: {element}, size={name}.size())"
    element = rng.choice(VARIED_TABLES).format(name=name)
    return f"array(lambda t, u: {element}, size=({name}.size(0), {name}.size(1)))"
