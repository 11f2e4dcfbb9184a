"""A driver of rewrite patterns: a worklist of operations, and rules by their classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.folder import Folder
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.constants import may_be_constant
from ein_mlir.analysis.effects import is_dead, is_kept
from ein_mlir.analysis.scopes import captured, operations_in
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Rules:
    """The rewrites of a class of operations."""

    patterns: tuple[RewritePattern, ...]
    folds: bool
    of_constants: bool = False
    """Whether they rewrite operations of constants alone."""


class _Worklist:
    """A stack of operations, each in it once, and those that wait until it is empty."""

    def __init__(self) -> None:
        self._ops: dict[Operation, None] = {}
        self._later: dict[Operation, None] = {}

    def push(self, op: Operation) -> None:
        self._ops.setdefault(op)

    def push_all(self, ops: Iterable[Operation]) -> None:
        """Add operations that are not in the list; the last one comes first."""
        self._ops.update(dict.fromkeys(ops))

    def push_later(self, op: Operation) -> None:
        self._later[op] = None

    def pop(self) -> Operation | None:
        ops = self._ops or self._later
        return ops.popitem()[0] if ops else None

    def remove(self, op: Operation) -> None:
        self._ops.pop(op, None)
        self._later.pop(op, None)


class _Rewriter(PatternRewriter):
    """A rewriter for one operation after the other, before which it inserts others."""

    _point: InsertPoint | None = None

    @property
    def insertion_point(self) -> InsertPoint:
        if self._point is None:
            assert self._current_operation is not None
            self._point = InsertPoint.before(self._current_operation)
        return self._point

    @insertion_point.setter
    def insertion_point(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, point: InsertPoint
    ) -> None:
        self._point = point

    def move_to(self, op: Operation) -> None:
        """Go to the next operation; most patterns insert nothing before it."""
        self.has_done_action = False
        self._current_operation, self._point = op, None
        self._name_hint = None


class Simplifier:
    """Applies the rules of operations, and removes dead ones, until nothing changes."""

    def __init__(self, ctx: Context, rules_of: Callable[[type[Operation]], Rules]) -> None:
        self._folder = Folder(ctx)
        self._rules_of = rules_of
        self._worklist = _Worklist()
        self._rewriter: _Rewriter | None = None

    def simplify(self, module: ModuleOp) -> bool:
        """Visit each operation, and again those near a change; whether anything changed."""
        ops = operations_in(module)[:0:-1]
        classes = {cls for cls in set(map(type, ops)) if self._may_change(cls)}
        self._worklist.push_all([op for op in ops if type(op) in classes])
        changed = False
        while (op := self._worklist.pop()) is not None:
            changed |= self._visit(op)
        return changed

    def _may_change(self, cls: type[Operation]) -> bool:
        """Whether operations of a class have rules, or may be dead."""
        rules = self._rules_of(cls)
        return bool(rules.patterns) or rules.folds or not is_kept(cls)

    def _visit(self, op: Operation) -> bool:
        rules = self._rules_of(type(op))
        results = op.results
        is_used = bool(results) and results[0].first_use is not None
        if not is_used and is_dead(op):
            self._erase(op)
            return True
        if not rules.patterns and not rules.folds:
            return False
        operands = op._operands  # pyright: ignore[reportPrivateUsage]
        if rules.of_constants:
            for each in operands:
                if may_be_constant(type(each.owner)):
                    break
            else:
                return False
        rewriter = self._rewriter_at(op)
        if rules.folds and (folded := self._folder.try_fold(op)) is not None:
            values, new = folded
            rewriter.replace(op, new_ops=new, new_results=values)
            return True
        for pattern in rules.patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                if op.parent is not None:  # it may have no users now, nor an operand of before
                    self._worklist.push(op)
                self._push_owners(operands)
                return True
        return False

    def _erase(self, op: Operation) -> None:
        """Erase a dead operation; its operands may be dead now."""
        self._on_removal(op)
        block = op.parent
        assert isinstance(block, Block)
        block.erase_op(op)

    # Operations near a change -----------------------------------------------------------

    def _rewriter_at(self, op: Operation) -> PatternRewriter:
        if self._rewriter is None:
            self._rewriter = _Rewriter(op)
            self._rewriter.extend_from_listener(
                PatternRewriterListener(
                    operation_insertion_handler=[self._worklist.push],
                    operation_removal_handler=[self._on_removal],
                    operation_modification_handler=[self._worklist.push],
                    operation_replacement_handler=[self._on_replacement],
                )
            )
        self._rewriter.move_to(op)
        return self._rewriter

    def _on_removal(self, op: Operation) -> None:
        for inner in operations_in(op):
            self._worklist.remove(inner)
        self._push_owners((*op.operands, *captured(op)))
        around = op.parent_op()
        if around is not None and around.parent is not None:
            # An argument of its body may have no users now. Laws of loops read whole bodies: they
            # are asked again once nothing else changes.
            self._worklist.push_later(around)

    def _push_owners(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            if isinstance(value.owner, Operation) and value.owner.parent is not None:
                self._worklist.push(value.owner)

    def _on_replacement(self, op: Operation, _: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            for use in result.uses:
                self._worklist.push(use.operation)
