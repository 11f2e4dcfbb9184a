"""``outline``: shared and invariant values are computed once, as far out as is legal."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from functools import cache
from itertools import takewhile
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import Commutative, NoMemoryEffect

from ein_mlir.analysis.effects import is_kept
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.speculation import may_fail, runs_body
from ein_mlir.analysis.phi.unchanged import branch_of
from ein_mlir.analysis.scopes import home_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder

Key: TypeAlias = tuple[int, tuple[SSAValue, ...]]
"""The shape of an operation and its inputs: operations with equal keys have equal results."""


@cache
def commutes(op: type[Operation]) -> bool:
    """Whether operations of a class have one value for both orders of their operands."""
    algebra = algebra_of(op.name)
    return op.has_trait(Commutative) or (algebra is not None and algebra.commutes)


@cache
def is_pure(op: type[Operation]) -> bool:
    """Whether operations of a class without regions have no effects."""
    return op.has_trait(NoMemoryEffect)


@dataclass(frozen=True)
class Facts:
    """The facts about an operation, after the operations that can leave its body have left it."""

    shape: int
    """The same for operations that differ only in their inputs and in names."""
    inputs: tuple[SSAValue, ...]
    """The operands and the captured values of the body, in a fixed order.

    Those of a commutative operation are in the order of their definitions, from the outside in.
    """
    pure: bool
    may_fail: bool


@dataclass
class Scope:
    """A block whose operations are being visited."""

    block: Block
    floor: int
    """The depth of the outermost scope that is executed whenever this one is."""
    is_branch: bool = False
    """Whether it is the body of a fold of one step or none."""
    anchor: Operation | None = None
    """The operation being visited, or the one that has it in its body."""
    keys: list[Key] = field(default_factory=list[Key])
    """The keys of operations of this block, which are available until the scope ends."""


class Outliner:
    """Outlines one function.

    Each block is visited once, and each operation moves at most once: out to the scope where the
    last of its inputs is defined, right before the operation there that contained it. Bodies are
    visited before the operations that they belong to, so that a comprehension can leave a loop once
    the operations that held it have left.

    An operation with a body is identified by its inputs and a *shape*, a number that is the same
    for bodies that differ only in names. The shape of a body is computed from shapes and from
    numbers for the values, so no body is read again for the bodies around it: the time is nearly
    linear for bodies of any depth.
    """

    def __init__(self, *, guards: bool = False) -> None:
        """With ``guards``, folds that may fail leave others, without steps if these have none."""
        self._guards = guards
        self._shapes: dict[Hashable, int] = {}
        self._facts: dict[Operation, Facts] = {}
        self._known: dict[Key, Operation] = {}
        self._scopes: list[Scope] = []
        self._depths: dict[Block, int] = {}
        self._ranks: dict[SSAValue, int] = {}

    def visit(self, block: Block) -> None:
        """Outline the operations of a block."""
        depth = len(self._scopes)
        floor = self._scopes[-1].floor if runs_body(block.parent_op()) else depth
        scope = Scope(block, floor, is_branch=branch_of(block.parent_op()) is not None)
        self._scopes.append(scope)
        self._depths[block] = depth
        self._rank(block.args)
        for op in list(block.ops):
            scope.anchor = op
            if isinstance(op, phi.BodyOp):
                self.visit(op.regions[0].block)
            self._rank(op.results)
            self._operation(op)
        self._scopes.pop()
        for key in scope.keys:
            del self._known[key]

    def _operation(self, op: Operation) -> None:
        """Replace an operation by an equal one that is in scope, or move it out."""
        facts = self._facts[op] = self._facts_of(op)
        if not facts.pure or is_kept(type(op)):
            return
        counts = self._counts_around(op, facts) if self._guards else ()
        if counts:
            self._guard(op, counts)
            facts = self._facts[op] = self._facts_of(op)
        key = facts.shape, facts.inputs
        if key in self._known:
            Rewriter.replace_op(op, (), self._known[key].results)
            return
        depth = self._free_depth(facts) if counts else self._depth(facts)
        if isinstance(op, phi.BodyOp):
            depth = self._in_branch(depth)
        scope = self._scopes[depth]
        self._known[key] = op
        scope.keys.append(key)
        if scope.anchor is not None and scope.anchor is not op:
            op.detach()
            scope.block.insert_op_before(op, scope.anchor)

    def _depth(self, facts: Facts) -> int:
        """The depth of the outermost scope that an operation may move to."""
        return max(self._scopes[-1].floor if facts.may_fail else 0, self._free_depth(facts))

    def _free_depth(self, facts: Facts) -> int:
        """The depth of the scope in which the last input is defined."""
        return max(map(self._depth_of, facts.inputs), default=0)

    def _counts_around(self, op: Operation, facts: Facts) -> list[SSAValue]:
        """The counts of the folds that a fold that may fail can leave if it has no step without
        one of each; none if it can leave no fold.
        """
        depth = self._free_depth(facts)
        is_fold = isinstance(op, phi.FoldOp) and is_nonnegative(op.count)
        if not is_fold or not facts.may_fail or depth >= self._scopes[-1].floor:
            return []
        parents = [scope.block.parent_op() for scope in self._scopes[depth + 1 :]]
        loops = [loop for loop in parents if not runs_body(loop)]
        folds = [loop for loop in loops if isinstance(loop, phi.FoldOp)]
        are_known = all(self._depth_of(loop.count) <= depth for loop in folds)
        return [loop.count for loop in folds] if are_known and len(folds) == len(loops) else []

    def _guard(self, op: Operation, counts: Sequence[SSAValue]) -> None:
        """``fold (k < n) --> fold (k < select (m > 0), n, 0)``, for each m of the counts."""
        added = list[Operation]()
        build = Builder.before(op, added.append)
        has_steps = build.all_of([build.compare(count, "sgt", 0) for count in counts])
        op.operands[0] = build.select(has_steps, op.operands[0], 0)
        for new in added:
            self._rank(new.results)
            self._operation(new)

    def _in_branch(self, depth: int) -> int:
        """The depth, or that of a branch that an operation would leave without leaving a loop."""
        inner = takewhile(lambda scope: scope.is_branch, self._scopes[depth + 1 :])
        return depth + sum(1 for _ in inner)

    def _depth_of(self, value: SSAValue) -> int:
        """The depth of the scope in which a value is defined."""
        block = home_of(value)
        return self._depths[block]

    def _rank(self, values: Sequence[SSAValue]) -> None:
        """Number values in the order in which they are defined."""
        for value in values:
            self._ranks[value] = len(self._ranks)

    def _facts_of(self, op: Operation) -> Facts:
        if not isinstance(op, phi.BodyOp):
            pure = not op.regions and is_pure(type(op))
            return Facts(self._shape(op, None), self._inputs(op), pure, may_fail(op))
        block = op.regions[0].block
        body, free = self._body(block)
        inner = [self._facts[each] for each in block.ops]
        return Facts(
            self._shape(op, body),
            (*op._operands, *free),
            all(facts.pure for facts in inner),
            may_fail(op) or any(facts.may_fail for facts in inner),
        )

    def _inputs(self, op: Operation) -> tuple[SSAValue, ...]:
        """The operands; ``a * b`` and ``b * a`` are one value."""
        if not commutes(type(op)):
            return op._operands
        return tuple(sorted(op._operands, key=lambda v: (self._depth_of(v), self._ranks[v])))

    def _shape(self, op: Operation, body: Hashable) -> int:
        what = (
            op.name,
            frozenset(op.attributes.items()) if op.attributes else None,
            frozenset(op.properties.items()) if op.properties else None,
            op.result_types,
            len(op._operands),
            body,
        )
        return self._shapes.setdefault(what, len(self._shapes))

    def _body(self, block: Block) -> tuple[Hashable, tuple[SSAValue, ...]]:
        """A body as shapes and numbers, and its captured values in order.

        Values of the body are numbered from 0 up in the order of definition, captured values from
        -1 down in the order of first use.
        """
        local: dict[SSAValue, int] = {arg: k for k, arg in enumerate(block.args)}
        free: dict[SSAValue, int] = {}
        rows: list[Hashable] = []
        for op in block.ops:
            facts = self._facts[op]
            numbers = [
                local[value] if value in local else free.setdefault(value, -1 - len(free))
                for value in facts.inputs
            ]
            rows.append((facts.shape, *numbers))
            local.update((result, len(local)) for result in op.results)
        return (tuple(arg.type for arg in block.args), *rows), tuple(free)


def outline(function: func.FuncOp, *, guards: bool = False) -> None:
    """Outline a function, if it has no control flow between blocks."""
    if len(function.body.blocks) == 1:
        Outliner(guards=guards).visit(function.body.block)


@dataclass(frozen=True)
class OutlinePass(FunctionPass):
    """Computes shared values once and invariant values before loops, across regions.

    Before::

        %d = phi.array (%i < %n) -> !phi.vec<f64> {
          %c = phi.array (%j < %n) -> !phi.vec<f64> {
            %two = arith.constant 2.0 : f64
            phi.yield %two * %b[%j] : f64
          }
          phi.yield %a[%i] + %c[%i] : f64
        }

    After::

        %two = arith.constant 2.0 : f64
        %c = phi.array (%j < %n) -> !phi.vec<f64> { %two * %b[%j] }
        %d = phi.array (%i < %n) -> !phi.vec<f64> { %a[%i] + %c[%i] }

    Operations with bodies are included: comprehensions and folds that differ only in names are
    equal. So are commutative operations that differ in the order of their operands. Operations of
    phi are pure, so each moves out to the scope where the last of its inputs is defined. But no
    operation that may fail leaves a loop that may run zero times: no assertion, no ``phi.extern``,
    no size that may be negative (dissertation, 3.4.1, assumes that every loop runs). And no loop
    leaves a branch, a fold of one step or none, unless it leaves a loop around the branch as well.

    With ``derivatives`` it is for functions that have some, before they are expanded: the
    derivative of a comprehension in a loop is a comprehension in a loop. A fold of a known number
    of steps that may fail in its body leaves other folds then, too: it has no step if one of these
    has none.
    """

    name = "outline"
    is_idempotent = True

    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        outline(function, guards=self.derivatives)
