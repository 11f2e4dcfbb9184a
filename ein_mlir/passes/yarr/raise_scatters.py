"""``raise-scatters``: elements that steps write at positions by keys are written at once."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of_region
from ein_mlir.dialects.yarr.constants import is_zero
from ein_mlir.dialects.yarr.known_sizes import is_size_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass


class _Steps:
    """The values of steps whose numbers an array has: ``last`` of segments of steps by keys."""

    def __init__(self, last: yarr.AccumulateOp, steps: yarr.RangeOp):
        self.last, self._steps = last, steps
        self._known = dict[SSAValue, SSAValue | None]()
        self.new = list[Operation]()
        """The operations that compute the values."""

    def values(self, array: SSAValue) -> SSAValue | None:
        """``x``, or what is computed from it, for ``x[last]``; None if it depends on more."""
        if array not in self._known:
            self._known[array] = self._values(array)
        return self._known[array]

    def _values(self, array: SSAValue) -> SSAValue | None:
        op = array.owner
        if isinstance(op, yarr.TakeOp):
            is_of_step = op.position is self.last.result and op.axis.value.data == 0
            return self._elements(op.array) if is_of_step else None
        if len(self.last.keys) != 1:
            return None
        if array is self.last.result:
            return self._steps.result
        if yarr.shape_of(array)[:1] == (1,):
            return array
        if isinstance(op, yarr.UnsqueezeOp) and op.axes[0] > 0:
            inner = self.values(op.array)
            return None if inner is None else self.emit(yarr.UnsqueezeOp(inner, op.axes))
        if not isinstance(op, yarr.ElementwiseOp):
            return None
        arguments = [self.values(each) for each in op.arguments]
        found = [each for each in arguments if each is not None]
        if len(found) < len(arguments):
            return None
        return self.emit(yarr.ElementwiseOp(found, copy_of_region(op.body, {})))

    def _elements(self, array: SSAValue) -> SSAValue:
        """The elements of an array at the steps; positions clip."""
        if isinstance(array.owner, yarr.FillEmptyOp):
            array = array.owner.array
        if is_size_of(self._steps.size, array, 0):
            return array
        self.new.append(zero := yarr.size_constant(0))
        return self.emit(yarr.SliceOp(array, 0, zero, self._steps.size, clip=True))

    def emit(self, op: Operation) -> SSAValue:
        """Add an operation, and return its result."""
        self.new.append(op)
        return op.results[0]


def raise_scatter(op: yarr.ElementwiseOp) -> None:
    """``where(last >= 0, x[last], a)  -->  a[key] := x``, if ``last`` is the last step by a key."""
    if not isinstance(op.scalar_operation(), arith.SelectOp) or len(op.arguments) != 3:
        return
    condition, new, old = op.arguments
    steps = _steps_of(condition)
    if steps is None:
        return
    scatter = _scatter(op, steps, new, old)
    if scatter is None:
        for each in reversed(steps.new):
            each.erase()
        return
    Rewriter.insert_op([*steps.new, scatter], InsertPoint.before(op))
    scatter.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, [], [scatter.result])


def _scatter(
    op: yarr.ElementwiseOp, steps: _Steps, new: SSAValue, old: SSAValue
) -> yarr.ScatterOp | None:
    """``a[key] := x``; None if values depend on more than their step, or shapes differ."""
    values, keys = steps.values(new), steps.last.keys
    if values is None or yarr.rank_of(values) != yarr.rank_of(op.result) - len(keys) + 1:
        return None
    array = _repeated(op, old, steps)
    return None if array is None else yarr.ScatterOp(array, keys, values)


def _steps_of(condition: SSAValue) -> _Steps | None:
    """The steps of a condition ``last >= 0``, which has an axis of size 1 for each of a row."""
    while isinstance(condition.owner, yarr.UnsqueezeOp):
        if min(condition.owner.axes) < yarr.rank_of(condition.owner.array):
            return None
        condition = condition.owner.array
    op = condition.owner
    if not isinstance(op, yarr.ElementwiseOp) or len(op.arguments) != 2:
        return None
    compare, (last, zero) = op.body.block.first_op, op.arguments
    if not isinstance(compare, arith.CmpiOp) or list(compare.operands) != list(op.body.block.args):
        return None
    if predicate_of(compare) != "sge" or not is_zero(zero):
        return None
    found = last.owner
    if not isinstance(found, yarr.AccumulateOp) or found.kind.data != "max":
        return None
    steps = found.array.owner
    return (
        _Steps(found, steps) if isinstance(steps, yarr.RangeOp) and found.positions == 1 else None
    )


def _repeated(op: yarr.ElementwiseOp, array: SSAValue, steps: _Steps) -> SSAValue | None:
    """An array of the shape of a result, whose first axes may have had size 1; None for others."""
    for axis, size in enumerate(steps.last.sizes):
        if yarr.shape_of(array)[axis] == 1:
            array = steps.emit(yarr.RepeatOp(array, axis, size))
    return array if array.type == op.result.type else None


class RaiseScattersPass(FunctionPass):
    """Writes elements at positions by keys at once, where a program selects the last of each.

    Before::

        %last = yarr.accumulate "max" %steps by %key into %n
          : tensor<?xi64> by tensor<?xi64> -> tensor<?xi64>
        %c = yarr.elementwise { arith.cmpi sge } %last, %zero
        %y = yarr.take %x, 0, %last : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
        %r = yarr.elementwise { arith.select } %c, %y, %a

    After::

        %r = yarr.scatter %a[%key], %x
          : (tensor<?xf64>, tensor<?xi64>, tensor<?xf64>) -> tensor<?xf64>

    Here the steps are ``yarr.range``, so each segment has the last step with its key: the form that
    ``raise-writes`` gives to ``a[key[k]] := x[k]``. An expression of elements is computed for all
    steps. The pass is for libraries that store values in order, so that the last of equal keys
    stays.
    """

    name = "raise-scatters"
    looks_for = (yarr.AccumulateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, yarr.ElementwiseOp):
                raise_scatter(op)
        erase_unused(function.body.block)
