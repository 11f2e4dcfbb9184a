"""Collections of garbage while the compiler runs."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from ein_mlir import Float, Vec, array, clear_cache, function
from ein_mlir.host.garbage import rare_collections
from ein_mlir.pipelines import run_pipeline


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.one_turn
def test_collections_are_rare_while_passes_run() -> None:
    gc.set_threshold(700, 10, 10)
    seen = list[int]()
    run_pipeline(
        ModuleOp([]), ["simplify"], after_each=lambda *_: seen.append(gc.get_threshold()[0])
    )
    assert seen[0] > 10_000
    assert gc.get_threshold() == (700, 10, 10)


def test_collections_are_rare_while_jax_traces_and_compiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the first call alone: later ones do not compile."""
    pytest.importorskip("jax")
    from ein_mlir.backends.jax.runtime import StagedFunction

    run, seen = StagedFunction._in_its_precision, list[int]()

    def noting(staged: StagedFunction, arguments: tuple[Any, ...]) -> Any:
        seen.append(gc.get_threshold()[0])
        return run(staged, arguments)

    monkeypatch.setattr(StagedFunction, "_in_its_precision", noting)
    clear_cache()
    doubled = function(lambda a: array(lambda i: a[i] + a[i]))
    gc.set_threshold(700, 10, 10)
    for _ in range(2):
        doubled.eval(np.ones(3), backend="jax")
    first, second = seen
    assert first > 10_000
    assert second == gc.get_threshold()[0] == 700


def test_collections_are_rare_while_machine_code_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the first call compiles the program, as it does if an argument is a matrix."""
    pytest.importorskip("llvmlite")
    from ein_mlir.backends.native.machine import Machine

    compile, seen = Machine.compile, list[int]()

    def noting(machine: Machine, texts: Sequence[str], *options: Any) -> Sequence[bytes]:
        if any("@ein.doubled" in text for text in texts):
            seen.append(gc.get_threshold()[0])
        return compile(machine, texts, *options)

    def doubled(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        return array(lambda i, j: a[i, j] + a[i, j])

    monkeypatch.setattr(Machine, "compile", noting)
    monkeypatch.setenv("EIN_CACHE_DIR", "")
    gc.set_threshold(700, 10, 10)
    clear_cache()
    function(doubled, backend="native")(np.ones((2, 3)))
    assert len(seen) == 1
    assert seen[0] > 10_000
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("threshold", [0, 1_000_000])
def test_collections_that_are_rarer_stay_so(threshold: int) -> None:
    """0 turns them off."""
    gc.set_threshold(threshold, 10, 10)
    with rare_collections():
        assert gc.get_threshold() == (threshold, 10, 10)
    assert gc.get_threshold() == (threshold, 10, 10)


def test_an_error_restores_the_thresholds() -> None:
    gc.set_threshold(700, 10, 10)
    with pytest.raises(ValueError, match="no pipeline"), rare_collections():
        run_pipeline(ModuleOp([]), "none")
    assert gc.get_threshold() == (700, 10, 10)


@pytest.fixture
def _unfrozen() -> Iterator[None]:
    """No frozen objects; those of the suite are frozen again."""
    is_frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    yield
    gc.unfreeze()
    if is_frozen:
        gc.freeze()


@pytest.mark.one_turn
@pytest.mark.usefixtures("_unfrozen")
@pytest.mark.parametrize("loads", [False, True])
@pytest.mark.parametrize("freezes", [False, True])
def test_objects_are_old_after_modules_were_loaded(
    loads: bool, freezes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the host program has frozen objects, which would not stay so."""
    gc.set_threshold(700, 10, 10)
    gc.collect()
    if freezes:
        gc.freeze()
    with rare_collections():
        cycle = list[Any]()
        cycle.append(cycle)
        if loads:
            monkeypatch.setitem(sys.modules, "loaded_by_the_compiler", ModuleType("loaded"))
    young = [*gc.get_objects(generation=0), *gc.get_objects(generation=1)]
    assert any(each is cycle for each in young) is not (loads and not freezes)
    assert (gc.get_freeze_count() > 0) is freezes


def test_contexts_may_overlap() -> None:
    gc.set_threshold(700, 10, 10)
    first, second = rare_collections(), rare_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


def test_thresholds_that_the_host_program_sets_meanwhile_stay() -> None:
    gc.set_threshold(700, 10, 10)
    with rare_collections():
        gc.set_threshold(2_000, 5, 5)
    assert gc.get_threshold() == (2_000, 5, 5)
