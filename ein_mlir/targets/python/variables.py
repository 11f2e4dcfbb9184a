"""The assignment of variables to values: a new one, or one whose value has no later use."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.scopes import block_of, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.body import Body
from ein_mlir.targets.python.expressions import Expression
from ein_mlir.targets.python.overwrites import Overwrites

IN_PLACE = (emitpy.AugmentOp, emitpy.CallIntoOp, emitpy.StoreOp)
"""Operations whose result is in an existing variable."""


class Variables:
    """The variables of a function that hold several values in sequence."""

    def __init__(self, function: func.FuncOp, body: Body, overwrites: Overwrites):
        self._body = body
        self._overwrites = overwrites
        self._deleted = {
            value
            for op in operations_in(function)
            if isinstance(op, emitpy.DelOp)
            for value in op.values
        }
        self._changing = set[str]()  # variables that are assigned again, or deleted
        self._replaced = set[SSAValue]()  # values whose variable was reused for another value
        self._wanted = dict[SSAValue, BlockArgument]()  # value -> accumulator it is yielded to
        self._read_as = dict[str, list[SSAValue]]()  # variable -> values that it has held

    def stands_for(self, value: SSAValue, variable: Expression) -> None:
        """Let a variable hold a further value."""
        self._body.expressions[value] = variable
        self._body.keep(variable.text)
        self._read_as.setdefault(variable.text, []).append(value)
        if value in self._deleted:
            self._changing.add(variable.text)

    def assign(self, result: SSAValue, expression: Expression) -> None:
        """``name = expression``."""
        name = (
            self._accumulator_free_for(result)
            or self._dying_namesake(result)
            or self._body.names.fresh(result.name_hint or _name_at_start(result))
        )
        self._body.line(f"{name} = {expression.text}")
        self._body.expressions[result] = py.variable(name)
        if result in self._deleted:
            self._changing.add(name)

    def dying(self, op: emitpy.DelOp) -> list[SSAValue]:
        """The values that an operation deletes, except those whose variable was reused."""
        return [value for value in op.values if value not in self._replaced]

    def is_stable_size(self, op: Operation) -> bool:
        """Whether this is ``a.shape``, or an unnamed ``a.shape[0]``, of an unchanging variable.

        Such an expression is as short as a name, and may be repeated.
        """
        match op:
            case emitpy.AttrOp(attribute=StringAttr(data="shape" | "ndim" | "dtype")):
                base = self._body.expressions[op.object]
            case emitpy.SubscriptOp() if op.result.name_hint is None and all(
                isinstance(index.owner, emitpy.LiteralOp) for index in op.indices
            ):
                shape = op.object.owner
                if not isinstance(shape, emitpy.AttrOp) or shape.attribute.data != "shape":
                    return False
                base = self._body.expressions[shape.object]
            case _:
                return False
        return base.trivial and base.reads.isdisjoint(self._changing)

    # Accumulators

    def set_accumulator(
        self, op: emitpy.ForOp, accumulator: BlockArgument, result: SSAValue, init: SSAValue
    ) -> None:
        """Set the variable of an accumulator, and later of its final value, before the loop."""
        (expression,) = self._body.take([init])
        name = self._continued(op, init, expression)
        if name is None:
            name = self._body.names.fresh(accumulator.name_hint or result.name_hint or "acc")
            self._changing.add(name)
            self._body.line(f"{name} = {expression.text}")
        self.stands_for(accumulator, py.variable(name))
        self.stands_for(result, py.variable(name))

    def _continued(self, op: emitpy.ForOp, value: SSAValue, expression: Expression) -> str | None:
        """The variable that this loop may reuse, if there is one.

        It is the variable of another loop, or of a value used only as an initial value of this one.
        """
        name = expression.text
        if expression.is_variable and value not in self._deleted and _only_start(value) is op:
            if name in self._changing:
                return None
            self._changing.add(name)
            return name
        if (
            (isinstance(value, BlockArgument) or isinstance(value.owner, IN_PLACE))
            and block_of(_overwritten(value)) is op.parent
            and value.has_one_use()
            and name in self._changing
        ):
            return name
        return None

    def plan_steps(self, op: emitpy.ForOp) -> None:
        """Note the values of a body that may be assigned to an accumulator directly."""
        block = op.body.block
        terminator = block.last_op
        assert isinstance(terminator, emitpy.YieldOp)
        for accumulator, value in zip(op.accumulators, terminator.values, strict=True):
            if value.owner.parent is block and list(terminator.values).count(value) == 1:
                self._wanted[value] = accumulator

    def _accumulator_free_for(self, result: SSAValue) -> str | None:
        """The variable of the accumulator that a value is yielded to, if it has no later use."""
        accumulator = self._wanted.get(result)
        if accumulator is None:
            return None
        name = self._body.expressions[accumulator].text
        position = self._overwrites.position(_owner_operation(result))
        needed_later = any(
            self._overwrites.position(use.operation) > position
            for value in self._read_as[name]
            if block_of(value) is accumulator.block
            for use in value.uses
        )
        return None if needed_later or self._body.is_awaited(name) else name

    def _dying_namesake(self, result: SSAValue) -> str | None:
        """The variable of a value with the same name, deleted next: ``x = f(x)``."""
        deletion = _owner_operation(result).next_op
        if result.name_hint is None or not isinstance(deletion, emitpy.DelOp):
            return None
        for value in deletion.values:
            if value is not result and value.name_hint == result.name_hint:
                expression = self._body.expressions[value]
                if self._is_free(expression):
                    self._replaced.add(value)
                    return expression.text
        return None

    def _is_free(self, expression: Expression) -> bool:
        """Whether this is a variable without further values that no held expression reads."""
        name = expression.text
        return (
            expression.is_variable and not self._body.is_awaited(name) and name not in self._read_as
        )

    def assign_accumulators(self, op: emitpy.YieldOp, loop: emitpy.ForOp) -> None:
        """Assign the next values of the accumulators, in sequence if that is equivalent."""
        expressions = self._body.expressions
        names = [expressions[accumulator].text for accumulator in loop.accumulators]
        pairs = [
            (name, value)
            for name, value in zip(names, op.values, strict=True)
            if name != expressions[value].text
        ]

        def is_read(name: str, others: Sequence[SSAValue]) -> bool:
            return any(name in expressions[value].reads for value in others)

        while pairs:
            free = next(
                (p for p in pairs if not is_read(p[0], [q[1] for q in pairs if q is not p])), None
            )
            if free is None:
                break
            pairs.remove(free)
            self._body.line(f"{free[0]} = {self._body.take([free[1]])[0].text}")
        if pairs:
            targets, values = zip(*pairs, strict=True)
            self._body.line(f"{', '.join(targets)} = {py.listed(self._body.take(values))}")


def _owner_operation(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner


def _overwritten(value: SSAValue) -> SSAValue:
    """The value whose variable an operation in place overwrites; others are themselves."""
    while isinstance(owner := value.owner, IN_PLACE):
        value = owner.target
    return value


def _only_start(value: SSAValue) -> emitpy.ForOp | None:
    """The only user of a new array, if it is a loop with that array as initial values."""
    if value.first_use is None or isinstance(value.owner, (Block, emitpy.ForOp, *IN_PLACE)):
        return None
    loop = value.first_use.operation
    if not isinstance(loop, emitpy.ForOp) or loop.parent is not value.owner.parent:
        return None
    return loop if all(u.operation is loop and u.index > 0 for u in value.uses) else None


def _name_at_start(value: SSAValue) -> str | None:
    """The name of the accumulator whose initial value is the only use of a value."""
    loop = _only_start(value)
    if loop is None:
        return None
    number = next(number for number, init in enumerate(loop.inits) if init is value)
    return loop.accumulators[number].name_hint or loop.res[number].name_hint
