"""Small programs for findings: operations, results and numbers are removed while it stays one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    i1,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.verification import verify
from ein_mlir.entry import find_entry
from ein_mlir.errors import EinError
from tests.fuzzing.check import Finding, Reference, reason_of
from tests.fuzzing.samples import Sample
from tests.fuzzing.variants import visible

SECONDS = 30.0
"""The time for one finding."""


def _again(finding: Finding, sample: Sample) -> Finding | None:
    """The finding of the same kind on another sample, if there is one."""
    try:
        module = sample.module()
        verify(module)
        known = Reference(module, sample.arguments)
        reason = reason_of(module, finding.way, sample.arguments, known)
    except (EinError, VerifyException, MemoryError):
        return None
    found = Finding(sample, finding.way, reason) if reason is not None else None
    return found if found is not None and found.kind == finding.kind else None


def _constant(value: SSAValue) -> Operation | None:
    """A literal of the type of a value."""
    if isinstance(value.type, Float32Type | Float64Type):
        return arith.ConstantOp(FloatAttr(1.0, value.type))
    if value.type == i1:
        return arith.ConstantOp(IntegerAttr.from_bool(True))
    return arith.ConstantOp(IntegerAttr(1, i64)) if value.type == i64 else None


def _without_results(module: ModuleOp) -> Iterator[ModuleOp]:
    """The program with one of its results alone."""
    for k in range(len(find_entry(module, None).function_type.outputs.data)):
        new = module.clone()
        function = find_entry(new, None)
        if len(function.function_type.outputs.data) < 2:
            return
        end = function.body.block.last_op
        assert isinstance(end, func.ReturnOp)
        end.operands = [end.operands[k]]
        types = function.function_type
        function.function_type = FunctionType.from_lists(types.inputs.data, [types.outputs.data[k]])
        yield new


def _inner(module: ModuleOp) -> list[Operation]:
    skipped = ModuleOp | func.FuncOp
    return [op for op in module.walk() if not isinstance(op, skipped)]


def _with_other_values(module: ModuleOp) -> Iterator[ModuleOp]:
    """The program with a value in place of the result of an operation: the last ones first."""
    for k in reversed(range(len(_inner(module)))):
        op = _inner(module)[k]
        if len(op.results) != 1 or isinstance(op, arith.ConstantOp):
            continue
        candidates = len(visible(op, op.results[0].type))
        for choice in range(-1, min(candidates, 6)):
            new = module.clone()
            op = _inner(new)[k]
            if choice >= 0:
                value = visible(op, op.results[0].type)[choice]
            else:
                constant = _constant(op.results[0])
                if constant is None:
                    continue
                Rewriter.insert_op(constant, InsertPoint.before(op))
                value = constant.results[0]
            op.results[0].replace_all_uses_with(value)
            yield new


def _programs(sample: Sample) -> Iterator[Sample]:
    module = sample.module()
    for edits in (_without_results, _with_other_values):
        for new in edits(module):
            DeadCodeElimination().apply(Context(), new)
            yield sample.with_module(new)


def _simpler(value: Any) -> Iterator[Any]:
    """Simpler arguments than one, the simplest first."""
    if isinstance(value, tuple):
        for k, field in enumerate(value):
            for new in _simpler(field):
                yield (*value[:k], new, *value[k + 1 :])
    elif isinstance(value, np.ndarray):
        for new in (np.zeros_like(value), np.ones_like(value)):
            if np.array_equal(new, value):
                return
            yield new


def _arguments(sample: Sample) -> Iterator[Sample]:
    for k, value in enumerate(sample.arguments):
        for new in _simpler(value):
            given = (*sample.arguments[:k], new, *sample.arguments[k + 1 :])
            yield replace(sample, arguments=given)


def _without_parameters(sample: Sample) -> Sample:
    """The sample without the arguments that its program does not use."""
    module = sample.module()
    function = find_entry(module, None)
    block = function.body.block
    used = [k for k, arg in enumerate(block.args) if arg.uses.get_length()]
    types = function.function_type
    for arg in [arg for arg in block.args if not arg.uses.get_length()]:
        block.erase_arg(arg)
    function.function_type = FunctionType.from_lists(
        [types.inputs.data[k] for k in used], types.outputs.data
    )
    given = tuple(sample.arguments[k] for k in used)
    return replace(sample.with_module(module), arguments=given)


def _first(finding: Finding, samples: Iterator[Sample], is_over: Callable[[], bool]) -> Finding:
    """The finding on the first of some samples that has one; the given one if none has."""
    for sample in samples:
        if is_over():
            return finding
        found = _again(finding, sample)
        if found is not None:
            return found
    return finding


def reduced(finding: Finding, seconds: float = SECONDS) -> Finding:
    """The finding on a smaller program, with simpler arguments."""
    end = time.monotonic() + seconds

    def is_over() -> bool:
        return time.monotonic() > end

    as_phi = finding.sample.with_module(finding.sample.module())
    best = _again(finding, as_phi)
    if best is None:
        return finding
    changed = True
    while changed and not is_over():
        changed = False
        for step in (_programs, _arguments):
            found = _first(best, step(best.sample), is_over)
            while found is not best:
                best, changed = found, True
                found = _first(best, step(best.sample), is_over)
    return _again(best, _without_parameters(best.sample)) or best
