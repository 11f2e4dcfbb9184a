"""The comparison of a sample with the reference interpreter, in several ways."""

from __future__ import annotations

import random
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from ein_mlir import EinError
from ein_mlir.analysis.verification import verify
from ein_mlir.entry import find_entry, parse
from ein_mlir.interpreters import reference
from ein_mlir.pipelines import PIPELINES, run_pipeline
from ein_mlir.rewriting.phi.derivatives.tangents import NoDerivativeError
from tests.agreement.comparison import given, leaves
from tests.detached import assert_whole
from tests.fuzzing import calls
from tests.fuzzing.disturbance import disturbed
from tests.fuzzing.samples import Sample
from tests.fuzzing.ways import Way, running

ULPS = 32
"""The units in the last place by which a library may round differently, all operations together."""
SPREAD = 16
"""The multiple of the changes by other rounding that is still rounding."""
DISTURBANCES = 3
ONCE = ("outline", "simplify")
"""Passes of which a second run changes nothing."""


@dataclass(frozen=True)
class Finding:
    """A sample on which a way to run it does not agree with the interpreter."""

    sample: Sample
    way: Way
    reason: str

    @property
    def kind(self) -> str:
        """The last line of the reason, without numbers: the same for samples of one defect."""
        last = self.reason.strip().splitlines()[-1]
        return f"{self.way.backend}: {''.join(c for c in last if not c.isdigit())[:100]}"

    def __str__(self) -> str:
        title = f"# {self.sample.kind} {self.sample.seed}, {self.way}: {self.reason.strip()}"
        return title.replace("\n", "\n# ") + f"\n{self.sample}\n"


class Disagreement(Exception):
    """A result differs from that of the interpreter."""


class Reference:
    """The results of a program on the interpreter, and the digits of them that rounding decides."""

    def __init__(self, module: ModuleOp, arguments: Sequence[Any]):
        self.module = module
        self.arguments = arguments
        self.failure: str | None = None
        self.arrays: list[NDArray[Any]] = []
        self._disturbed: list[list[NDArray[Any]] | None] = []
        name = find_entry(module, None).sym_name.data
        try:
            self.arrays = _arrays(reference.run(module, name, arguments))
        except ValueError as error:
            self.failure = str(error)

    def _others(self) -> list[list[NDArray[Any]] | None]:
        """The results with other rounding; None where that raises an error."""
        for seed in range(len(self._disturbed), DISTURBANCES):
            try:
                self._disturbed.append(_arrays(disturbed(self.module, self.arguments, seed)))
            except ValueError:
                self._disturbed.append(None)
        return self._disturbed

    def check(self, actual: Any) -> None:
        """Raise Disagreement if results differ by more than rounding."""
        found = _arrays(actual)
        if len(found) != len(self.arrays):
            raise Disagreement(f"{len(found)} results instead of {len(self.arrays)}")
        for k, (result, expected) in enumerate(zip(found, self.arrays, strict=True)):
            if result.dtype != expected.dtype:
                raise Disagreement(f"result {k}: {result.dtype} instead of {expected.dtype}")
            if _is_close(result, expected):
                continue
            others = [each[k] for each in self._others() if each is not None]
            if len(others) == DISTURBANCES and not _may_differ(result, expected, others):
                raise Disagreement(f"result {k}:\n{result!r}\ninstead of\n{expected!r}\nvalues")


def _arrays(value: Any) -> list[NDArray[Any]]:
    return [np.asarray(leaf) for leaf in leaves(value)]


def _tolerance(expected: NDArray[Any]) -> Any:
    """The error of rounding in each element."""
    if expected.dtype.kind != "f":
        return np.zeros(expected.shape)
    info = np.finfo(expected.dtype)
    return ULPS * (info.eps * np.abs(expected).astype(float) + float(info.tiny))


def _agrees(result: NDArray[Any], expected: NDArray[Any], tolerance: Any) -> NDArray[Any]:
    """Whether elements are equal, both NaN, or at most a tolerance apart."""
    same = result == expected
    if expected.dtype.kind == "f":
        same |= np.isnan(result) & np.isnan(expected)
        both = np.isfinite(result) & np.isfinite(expected)
        distance = np.abs(result.astype(float) - expected.astype(float))
        same |= both & (distance <= tolerance)
    return same


def _is_close(result: NDArray[Any], expected: NDArray[Any]) -> bool:
    if result.shape != expected.shape:
        return False
    with np.errstate(all="ignore"):
        return bool(np.all(_agrees(result, expected, _tolerance(expected))))


def _may_differ(
    result: NDArray[Any], expected: NDArray[Any], others: Sequence[NDArray[Any]]
) -> bool:
    """Whether all differences are in elements that rounding changes, and in proportion."""
    if any(other.shape != expected.shape for other in others):
        return True
    if result.shape != expected.shape:
        return False
    with np.errstate(all="ignore"):
        tolerance, changes = _tolerance(expected), np.zeros(expected.shape, bool)
        for other in others:
            changes |= ~_agrees(other, expected, np.inf)
            if expected.dtype.kind == "f":
                spread = np.abs(other.astype(float) - expected.astype(float))
                tolerance = tolerance + SPREAD * np.where(np.isfinite(spread), spread, 0)
        return bool(np.all(changes | _agrees(result, expected, tolerance)))


# One way --------------------------------------------------------------------------------------


def _check_calls(way: Way, module: ModuleOp, arguments: Sequence[Any], known: Reference) -> None:
    """Two calls agree, return fresh arrays, and change no argument."""
    library = way.backend if way.backend in ("torch", "jax") else "numpy"
    values = [_given(value, library, way.call) for value in arguments]
    with running(way) as make:
        run = make(module)
        inputs = _each_leaf(_recorded, values) if way.recorded else values
        if way.call in calls.SIZES:
            _check_other_sizes(run, module, arguments, way.call, library)
        results = calls.called(run, inputs, 2, way.call == calls.IN_THREADS)
    if way.recorded:
        results = [_each_leaf(_detached, result) for result in results]
    for result in results:
        known.check(result)
    before, after = _arrays(list(arguments)), _arrays(list(values))
    for old, new in zip(before, after, strict=True):
        if not np.array_equal(old, new, equal_nan=old.dtype.kind == "f"):
            raise Disagreement("a call changes an argument")
    if way.backend not in ("naive", "jax"):
        _check_aliases([a for a in after if a.ndim], [_arrays(result) for result in results])


def _check_other_sizes(
    run: Callable[..., Any], module: ModuleOp, arguments: Sequence[Any], call: str, library: str
) -> None:
    """Check a call with arrays of other sizes, if the interpreter takes them."""
    others = [calls.mapped(calls.SIZES[call], value) for value in arguments]
    known = Reference(module, others)
    if known.failure is None:
        known.check(run(*(_given(value, library) for value in others)))


def _given(value: Any, library: str, call: str = "") -> Any:
    """An argument as arrays of a library, in the layout of a form of calls."""
    if isinstance(value, tuple):
        return tuple(_given(field, library, call) for field in value)
    if call not in calls.LAYOUTS:
        return given(value, library)
    laid_out = calls.mapped(calls.LAYOUTS[call], value)
    return _as_tensor(laid_out) if library == "torch" else laid_out


def _as_tensor(value: Any) -> Any:
    """A tensor with the elements and strides of an array of NumPy; other values are unchanged."""
    if not isinstance(value, np.ndarray):
        return value
    import torch

    return torch.from_numpy(value)


def _each_leaf(f: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_each_leaf(f, field) for field in value)
    return f(value)


def _recorded(value: Any) -> Any:
    """A tensor of which PyTorch records derivatives: one of Floats."""
    is_float = getattr(value, "is_floating_point", bool)()
    return value.detach().requires_grad_() if is_float else value


def _detached(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value


def _check_aliases(
    arguments: Sequence[NDArray[Any]], results: Sequence[Sequence[NDArray[Any]]]
) -> None:
    arrays = [*arguments, *(array for each in results for array in each if array.ndim)]
    for k, one in enumerate(arrays):
        if any(np.may_share_memory(one, other) for other in arrays[max(k + 1, len(arguments)) :]):
            raise Disagreement("a result shares memory with an argument or another result")


def reason_of(module: ModuleOp, way: Way, arguments: Sequence[Any], known: Reference) -> str | None:
    """The reason why a way does not agree with the interpreter; None if it does.

    After an error of the interpreter, any result is right, since its value may be unused. An
    exception is a finding, unless it is that of a program, or the same as that of the interpreter.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _check_calls(way, module, arguments, known)
    except Disagreement as error:
        return None if known.failure is not None else str(error)
    except ValueError as error:
        is_alike = type(error) is ValueError or str(error) == known.failure
        if known.failure is not None and is_alike:
            return None
        return _traceback(error)
    except Exception as error:
        return _traceback(error)
    return None


def _traceback(error: Exception) -> str:
    return "".join(traceback.format_exception(error, limit=-4))


# Laws -----------------------------------------------------------------------------------------


def broken_law(module: ModuleOp, pipeline: str) -> str | None:
    """The law that a program or its passage through a pipeline breaks.

    Programs are read as they are printed, valid after each pass, and some passes are needed once.
    """
    text = str(module)
    if str(parse(text)) != text:
        return "a printed program is read as another one"
    changed = module.clone()
    last = ""

    def valid(flag: str, program: ModuleOp) -> None:
        nonlocal last
        last = flag
        verify(program)
        assert_whole(program)

    try:
        run_pipeline(changed, PIPELINES[pipeline], after_each=valid)
    except Exception as error:
        return f"{_traceback(error)} after {last} of {pipeline}"
    for flag in ONCE:
        once = str(run_pipeline(module.clone(), [flag]))
        if str(run_pipeline(parse(once), [flag])) != str(parse(once)):
            return f"a second run of {flag} changes a program"
    return None


# Samples --------------------------------------------------------------------------------------


def check(sample: Sample, ways: Sequence[Way], laws: bool = False) -> tuple[str, list[Finding]]:
    """The outcome of a sample: ``agrees``, ``rejected``, ``fails``, ``differs``; and findings."""
    try:
        module = sample.module()
        verify(module)
    except (EinError, NoDerivativeError):
        return "rejected", []
    try:
        known = Reference(module, sample.arguments)
    except (MemoryError, RecursionError):
        return "too large", []
    except TypeError:
        # An array of records without fields is an argument without a size.
        return "rejected", []
    findings = list[Finding]()
    if laws:
        pipeline = random.Random(sample.seed).choice(sorted(PIPELINES))
        reason = broken_law(module, pipeline)
        if reason is not None:
            findings.append(Finding(sample, Way("naive"), reason))
    for way in ways:
        reason = reason_of(module, way, sample.arguments, known)
        if reason is not None:
            findings.append(Finding(sample, way, reason))
    if findings:
        return "differs", findings
    return "agrees" if known.failure is None else "fails", []
