"""Samples: random programs with arguments, each made from a number."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import ein_mlir
from ein_mlir import Function, function
from ein_mlir.dialects.phi import DerivativeOp
from ein_mlir.entry import find_entry, parse
from ein_mlir.frontend.operators import weak_constant
from ein_mlir.frontend.values import decode
from ein_mlir.pipelines import EXPAND_DERIVATIVES, run_pipeline
from tests.fuzzing import (
    batches,
    chains,
    complex_numbers,
    comprehensions,
    derived,
    ein,
    float_machines,
    forms,
    grids,
    loops,
    machines,
    narrow_ints,
    orders,
    phi,
    programs,
    records,
    recurrences,
    tables,
    values,
    variants,
    walks,
    wide_ints,
)

PRELUDE = """\
import numpy as np
from numpy import array as vector, bool_, complex64, complex128, float16, float32, float64, inf, nan
from numpy import int8, int16, int32, int64, uint8, uint16, uint32
from ein_mlir import *
from ein_mlir import compile, max, min, round
"""
DEFINITIONS = """\
from ein_mlir.frontend.operators import weak_constant
from ein_mlir.frontend.values import decode

INF, DTYPE = inf, {dtype}


def N(x):
    return decode(weak_constant(x))


"""


@dataclass(frozen=True)
class Sample:
    """A program with arguments.

    ``text`` is an Ein function ``f``, or a module of phi.
    """

    kind: str
    seed: int
    text: str
    arguments: tuple[Any, ...]
    dtype: str = "float64"

    @property
    def is_ein(self) -> bool:
        return self.text.startswith("def ")

    def module(self) -> ModuleOp:
        """The program as phi without derivatives; raises EinError if it is ill-typed."""
        if not self.is_ein:
            return parse(self.text)
        module = function_of(self.text, self.dtype).phi(*self.arguments)
        if any(isinstance(op, DerivativeOp) for op in module.walk()):
            return run_pipeline(module, EXPAND_DERIVATIVES)
        return module

    def with_module(self, module: ModuleOp) -> Sample:
        """The sample with another program, as text."""
        return replace(self, text=str(module))

    def __str__(self) -> str:
        """A script that shows the results of the interpreter, and of NumPy."""
        arguments = ",\n    ".join(map(_shown, self.arguments))
        given = f"arguments = (\n    {arguments},\n)\n" if self.arguments else "arguments = ()\n"
        if self.is_ein:
            start = PRELUDE + DEFINITIONS.format(dtype=self.dtype) + self.text
            run = 'function(f).eval(*arguments, backend="{}")'
        else:
            start = f'{PRELUDE}\nPROGRAM = """\n{self.text.strip()}\n"""\n'
            run = 'compile(PROGRAM, backend="{}")(*arguments)'
        calls = (f"print({run.format(backend)})" for backend in ("naive", "numpy"))
        return "\n".join([start, given, *calls])


def _shown(value: Any) -> str:
    """An argument as an expression."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))},)"
    if isinstance(value, np.ndarray):
        shape = f".reshape({value.shape})" if value.ndim != 1 else ""
        return (
            f"vector({value.ravel().tolist()}, {value.dtype}{'_' * (value.dtype == bool)}){shape}"
        )
    return f"{value.dtype}({value})" if isinstance(value, np.inexact) else repr(value)


def number(value: float) -> Any:
    """A literal as a staged value."""
    return decode(weak_constant(value))


def function_of(text: str, dtype: str = "float64") -> Function[..., Any]:
    """The Ein function ``f`` that a text defines."""
    names: dict[str, Any] = dict(vars(ein_mlir))
    names.update(N=number, INF=float("inf"), DTYPE=np.dtype(dtype))
    exec(text, names)
    f: Callable[..., Any] = names["f"]
    return function(f)


def types_of(module: ModuleOp) -> Any:
    """The types of the parameters of a program."""
    return find_entry(module, None).function_type.inputs.data


def _dtype(rng: random.Random) -> str:
    return rng.choice(("float64", "float64", "float64", "float32"))


def _ein(seed: int, rng: random.Random) -> Sample:
    dtype = _dtype(rng)
    text = ein.write_function(rng)
    return Sample("ein", seed, text, ein.make_arguments(rng, dtype), dtype)


def _derivatives(seed: int, rng: random.Random) -> Sample:
    dtype = _dtype(rng)
    text = ein.write_derivative(rng)
    return Sample("derivatives", seed, text, ein.make_arguments(rng, dtype), dtype)


def _small_floats(seed: int, rng: random.Random) -> Sample:
    text = ein.write_function(rng)
    return Sample("small-floats", seed, text, ein.make_arguments(rng, "float16"), "float16")


def _complex_numbers(seed: int, rng: random.Random) -> Sample:
    dtype = rng.choice(("complex128", "complex64"))
    text = complex_numbers.write_program(rng)
    return Sample("complex-numbers", seed, text, complex_numbers.make_arguments(rng, dtype), dtype)


def _programs(seed: int, rng: random.Random) -> Sample:
    dtype = _dtype(rng)
    text = programs.write_program(rng)
    return Sample("programs", seed, text, programs.make_arguments(rng, dtype), dtype)


def _forms(seed: int, rng: random.Random) -> Sample:
    dtype = _dtype(rng)
    text = forms.write_form(rng)
    return Sample("forms", seed, text, ein.make_arguments(rng, dtype), dtype)


def _plain(
    kind: str,
    write: Callable[[random.Random], str],
    make_arguments: Callable[[random.Random], tuple[Any, ...]],
) -> Callable[[int, random.Random], Sample]:
    """Samples whose arguments do not depend on the program."""

    def made(seed: int, rng: random.Random) -> Sample:
        text = write(rng)
        return Sample(kind, seed, text, make_arguments(rng))

    return made


def _of_floats(
    kind: str,
    write: Callable[[random.Random], str],
    make_arguments: Callable[[random.Random, str], tuple[Any, ...]],
) -> Callable[[int, random.Random], Sample]:
    """Samples of Floats of 64 or 32 bits."""

    def made(seed: int, rng: random.Random) -> Sample:
        dtype = _dtype(rng)
        text = write(rng)
        return Sample(kind, seed, text, make_arguments(rng, dtype), dtype)

    return made


def _of_type(
    kind: str,
    write: Callable[[random.Random, str], str],
    make_arguments: Callable[[random.Random, str], tuple[Any, ...]],
) -> Callable[[int, random.Random], Sample]:
    """Samples of Floats or of Ints."""

    def made(seed: int, rng: random.Random) -> Sample:
        dtype = rng.choice(("float64", "int64"))
        text = write(rng, dtype)
        return Sample(kind, seed, text, make_arguments(rng, dtype))

    return made


def _batches(seed: int, rng: random.Random) -> Sample:
    return Sample("batches", seed, *batches.write_batch(rng))


def _derived(seed: int, rng: random.Random) -> Sample:
    return Sample("derived", seed, *derived.write_derivative(rng))


def _phi(seed: int, rng: random.Random) -> Sample:
    float_type = {"float64": "f64", "float32": "f32"}[_dtype(rng)]
    text = phi.write_program(rng, float_type)
    return Sample("phi", seed, text, values.make_arguments(types_of(parse(text)), rng))


def _variants(seed: int, rng: random.Random) -> Sample:
    float_type = {"float64": "f64", "float32": "f32"}[_dtype(rng)]
    text = variants.write_variant(rng, float_type)
    return Sample("variants", seed, text, values.make_arguments(types_of(parse(text)), rng))


KINDS: Mapping[str, Callable[[int, random.Random], Sample]] = {
    "batches": _batches,
    "chains": _plain("chains", chains.write_chain, chains.make_arguments),
    "complex-numbers": _complex_numbers,
    "comprehensions": _of_floats(
        "comprehensions", comprehensions.write_comprehension, comprehensions.make_arguments
    ),
    "derivatives": _derivatives,
    "derived": _derived,
    "ein": _ein,
    "float-machines": _plain(
        "float-machines", float_machines.write_machine, float_machines.make_arguments
    ),
    "forms": _forms,
    "grids": _of_type("grids", grids.write_grid, grids.make_arguments),
    "loops": _plain("loops", loops.write_loop, loops.make_arguments),
    "machines": _plain("machines", machines.write_machine, machines.make_arguments),
    "narrow-ints": _plain("narrow-ints", narrow_ints.write_narrow, narrow_ints.make_arguments),
    "orders": _of_type("orders", orders.write_machine, orders.make_arguments),
    "phi": _phi,
    "programs": _programs,
    "records": _of_type("records", records.write_loop, records.make_arguments),
    "recurrences": _of_floats(
        "recurrences", recurrences.write_recurrence, recurrences.make_arguments
    ),
    "small-floats": _small_floats,
    "tables": _of_type("tables", tables.write_table, tables.make_arguments),
    "variants": _variants,
    "walks": _plain("walks", walks.write_walk, walks.make_arguments),
    "wide-ints": _plain("wide-ints", wide_ints.write_wide, wide_ints.make_arguments),
}
"""The kinds of samples."""

SHARES = {
    "batches": 5,
    "chains": 5,
    "complex-numbers": 4,
    "comprehensions": 8,
    "derivatives": 8,
    "derived": 4,
    "ein": 12,
    "float-machines": 4,
    "forms": 8,
    "grids": 4,
    "loops": 5,
    "machines": 5,
    "narrow-ints": 5,
    "orders": 4,
    "phi": 12,
    "programs": 8,
    "records": 4,
    "recurrences": 8,
    "small-floats": 4,
    "tables": 4,
    "variants": 12,
    "walks": 4,
    "wide-ints": 4,
}
"""The percentage of each kind."""


def sample(seed: int, kind: str | None = None) -> Sample:
    """The sample of a number."""
    rng = random.Random(seed)
    if kind is None:
        (kind,) = rng.choices(list(SHARES), list(SHARES.values()))
    return KINDS[kind](seed, rng)
