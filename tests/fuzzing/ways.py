"""The ways to run a program: on each backend, without passes, in tiny blocks, in forms of calls."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from xdsl.dialects.builtin import ModuleOp

from ein_mlir import clear_cache, compiler, pipelines
from ein_mlir.compiler import CompiledFunction, compile
from ein_mlir.interpreters import reference
from ein_mlir.passes.conversions.convert_phi_to_yarr import compaction
from ein_mlir.passes.phi import gather_contributions
from ein_mlir.passes.phi.skew_folds import lags
from ein_mlir.runtimes import BACKENDS
from tests.fuzzing.calls import forms_of
from tests.libraries import in_64_bits

BLOCK = "cache_bytes = 2097152"
"""The line of the prelude with the size of blocks."""

NEEDED = frozenset({"inline-calls", "struct-of-arrays"})
"""The passes that conversions rely on."""


@dataclass(frozen=True)
class Way:
    """A backend, the passes that are left out, and the bytes of a block."""

    backend: str
    left_out: frozenset[str] = frozenset()
    block: int | None = None
    passes: int | None = None
    """The number of passes before the interpreter, for the backend ``naive``."""
    recorded: bool = False
    """Whether PyTorch records derivatives of the arguments."""
    call: str = ""
    """A form of calls other than the plain one, of `calls`."""

    def __str__(self) -> str:
        without = f" without {', '.join(sorted(self.left_out))}" if self.left_out else ""
        blocks = f" in blocks of {self.block} bytes" if self.block else ""
        after = f" after {', '.join(self.prefix)}" if self.passes else ""
        recorded = " with recorded derivatives" if self.recorded else ""
        call = f" called {self.call}" if self.call else ""
        return f"{self.backend}{without}{blocks}{after}{recorded}{call}"

    @property
    def pipeline(self) -> tuple[str, ...]:
        """The passes of the backend, without those that are left out."""
        flags = BACKENDS["numpy" if self.backend == "naive" else self.backend].pipeline
        return tuple(flag for flag in flags if flag.partition("{")[0] not in self.left_out)

    @property
    def prefix(self) -> tuple[str, ...]:
        """The passes before the interpreter."""
        return self.pipeline[: self.passes or 0]


@contextmanager
def _few() -> Iterator[None]:
    """Rounds of a few elements, blocks of a few steps and a few contributions take less time."""
    names = "FEW", "FEW_ROWS", "LEAST_STEPS"
    with (
        mock.patch.multiple(compaction, **dict.fromkeys(names, 1)),
        mock.patch.multiple(lags, LEAST=2, LEAST_OF_CHAIN=1),
        mock.patch.multiple(gather_contributions, LEAST=1, LEAST_COST=0, SPARSE=2),
    ):
        yield


@contextmanager
def _settings(way: Way) -> Iterator[None]:
    """Compile with the passes and blocks of a way; in tiny blocks, of elements and steps."""
    backend, load = BACKENDS[way.backend], compiler.load_source
    loops = tuple(flag for flag in pipelines.LOOPS if flag.partition("{")[0] not in way.left_out)

    def load_in_blocks(source: str, *rest: Any) -> Callable[..., Any]:
        return load(source.replace(BLOCK, f"cache_bytes = {way.block}"), *rest)

    with (
        _few() if way.block else nullcontext(),
        mock.patch.dict(BACKENDS, {way.backend: replace(backend, pipeline=way.pipeline)}),
        mock.patch.object(pipelines, "LOOPS", loops),
        mock.patch.object(compiler, "load_source", load_in_blocks if way.block else load),
    ):
        yield


def compiled(module: ModuleOp, way: Way) -> CompiledFunction:
    """A program, compiled in some way; equal programs are compiled again."""
    clear_cache()
    with _settings(way):
        return compile(module, backend=way.backend)


@contextmanager
def running(way: Way) -> Iterator[Callable[[ModuleOp], Callable[..., Any]]]:
    """A function that makes programs callable, and the setting for the calls."""

    def interpreted(module: ModuleOp) -> Callable[..., Any]:
        transformed = pipelines.run_pipeline(module.clone(), way.prefix)
        name = compiler.find_entry(transformed, None).sym_name.data
        return lambda *values: reference.run(transformed, name, values)

    with in_64_bits(way.backend):
        yield interpreted if way.backend == "naive" else lambda module: compiled(module, way)


def optional_passes(pipeline: Sequence[str]) -> list[str]:
    """The flags of the passes that can be left out."""
    flags = {flag.partition("{")[0] for flag in pipeline}
    return sorted(f for f in flags if not f.startswith("convert-") and f not in NEEDED)


def _without_some(backend: str, rng: random.Random) -> Way:
    """A backend without a few passes, most passes or all; in blocks of a few elements."""
    optional = optional_passes(Way(backend).pipeline)
    share = rng.choice((0.05, 0.2, 0.5, 0.9))
    left_out = frozenset(flag for flag in optional if rng.random() < share)
    return Way(backend, left_out, rng.choice((8, 16, 40)) if backend == "numpy" else None)


def _prefix(rng: random.Random) -> Way:
    """The interpreter after some passes on phi."""
    end = BACKENDS["numpy"].pipeline.index("convert-phi-to-yarr{compact=true interchange=true}")
    return Way("naive", passes=rng.randint(1, end))


def choose_ways(backends: Sequence[str], rng: random.Random, variants: bool = True) -> list[Way]:
    """Each backend as it is, and at random the interpreter after passes, or without passes."""
    ways = [Way(backend) for backend in backends]
    if variants and "numpy" in backends and rng.random() < 0.2:
        ways.append(_prefix(rng))
    if variants:
        ways += [_without_some(b, rng) for b in backends if b != "jax" and rng.random() < 0.2]
    if variants and "torch" in backends and rng.random() < 0.3:
        ways.append(Way("torch", recorded=True))
    if variants:
        ways += [Way(b, call=rng.choice(forms_of(b))) for b in backends if rng.random() < 0.25]
    return ways
