"""``rewrite-by-demand``: only the demanded level of each value is computed.

The rules F, S and D of chapter 5 of the thesis are `_Rewriting.full`, `_SHAPES` and `_DIMS`. Each
value has one level, the largest that is demanded of it (``analysis.rho.demand``); a use that needs
less takes the shape or the dimensionality of it there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.rho.demand import Demand
from ein_mlir.analysis.rho.ranks import is_array, rank_of
from ein_mlir.dialects import rho
from ein_mlir.dialects.rho import Level
from ein_mlir.host.dataclass import dataclass

_LEVELS = {"full": Level.FULL, "shape": Level.SHAPE, "dim": Level.DIM}
_SUFFIXES = {Level.FULL: "", Level.SHAPE: "_s", Level.DIM: "_d"}


def rewrite_by_demand(module: ModuleOp, level: Level = Level.FULL) -> None:
    """Replace each program of a module by one that computes a level of its result."""
    demand = Demand(module)
    for program in module.ops:
        if isinstance(program, rho.ProgramOp):
            new = _Rewriting(demand, program).program(level)
            Rewriter.replace_op(program, new, new_results=[])


@dataclass
class _Versions:
    """The versions of a function, and the place for them, which is that of the function."""

    function: rho.FunctionOp
    place: _Code
    names: dict[Level, str] = field(default_factory=dict[Level, str])


_Code: TypeAlias = "list[Operation | _Code]"
"""Operations in order, with places for versions of functions among them."""


class _Rewriting:
    """The rewriting of a program."""

    def __init__(self, demand: Demand, program: rho.ProgramOp):
        self._demand = demand
        self._program = program
        self._new = dict[SSAValue, tuple[SSAValue, Level]]()
        self._versions = dict[str, _Versions]()
        self._made = set[str]()
        self._code: _Code = []
        self._scope: tuple[rho.ScopeOp, Level] = program, Level.FULL

    def program(self, level: Level) -> rho.ProgramOp:
        """The program for a level of its result; its inputs are given in full."""
        parameters = self._program.parameters
        region, arguments = rho.new_body([p.name_hint for p in parameters])
        for parameter, argument in zip(parameters, arguments, strict=True):
            self._new[parameter] = argument, Level.FULL
        self._scope = self._program, level
        self._fill(region, self._program.body.block, level)
        return rho.ProgramOp(region)

    # Bodies

    def _fill(self, region: Region, old: Block, level: Level) -> Region:
        """Fill a new body with the operations of an old one, for a level of its value."""
        outer, self._code = self._code, []
        for op in old.ops:
            if isinstance(op, rho.YieldOp):
                self.emit(rho.YieldOp(self.value(op.value, level)))
            elif isinstance(op, rho.FunctionOp):
                self._code.append(place := [])
                self._versions[op.sym_name.data] = _Versions(op, place)
            elif (needed := self._level(op.results[0])) is not Level.NONE:
                self._new[op.results[0]] = self._rewritten(op, needed), needed
        region.block.add_ops(_flat(self._code))
        self._code = outer
        _drop_unused(region.block)
        return region

    def _level(self, value: SSAValue) -> Level:
        """The level of a value in the version of the function that is made."""
        scope, level = self._scope
        return self._demand.of(scope, value)[level]

    def _rewritten(self, op: Operation, level: Level) -> SSAValue:
        """The result of an operation at a level, under the same name."""
        before = len(self._code)
        new = _RULES[level].get(type(op), _unknown)(self, op)
        if len(self._code) > before and new.name_hint is None:
            new.name_hint = op.results[0].name_hint
        return new

    @contextmanager
    def _body_of(self, scope: rho.ScopeOp, level: Level) -> Generator[None]:
        """Rewrite the body of a function for a level."""
        outer, self._scope = self._scope, (scope, level)
        yield
        self._scope = outer

    # Values

    def value(self, value: SSAValue, level: Level) -> SSAValue:
        """A value at a level that is at most its own: the rule for variables."""
        new, known = self._new[value]
        if known is level:
            return new
        assert known > level
        if known is Level.SHAPE:
            return self.first(self.emit(rho.ShapeOp(new)))
        return self.emit(rho.ShapeOp(new) if level is Level.SHAPE else rho.DimOp(new))

    def full(self, value: SSAValue) -> SSAValue:
        """A value, F(e)."""
        return self.value(value, Level.FULL)

    def shape(self, value: SSAValue) -> SSAValue:
        """The shape of a value, S(e)."""
        return self.value(value, Level.SHAPE)

    def dim(self, value: SSAValue) -> SSAValue:
        """The dimensionality of a value, D(e)."""
        return self.value(value, Level.DIM)

    # New operations

    def emit(self, op: Operation) -> SSAValue:
        """Add an operation; its result, or None for a terminator."""
        self._code.append(op)
        return op.results[0] if op.results else _NO_VALUE

    def number(self, number: float) -> SSAValue:
        """A scalar."""
        return self.emit(rho.ScalarOp(number))

    def vector(self, *parts: SSAValue) -> SSAValue:
        """A vector of scalars."""
        return self.emit(rho.StackOp(parts))

    def first(self, vector: SSAValue) -> SSAValue:
        """``[x, ..].([0]) = x`` and ``([x, ..] ++ y).([0]) = x``"""
        start = vector.owner.lhs if isinstance(vector.owner, rho.ConcatOp) else vector
        if isinstance(start.owner, rho.StackOp):
            return start.owner.parts[0]
        return self.emit(rho.SelectOp(vector, self.vector(self.number(0))))

    def rest(self, vector: SSAValue, start: int | SSAValue) -> SSAValue:
        """``[x, y, ..].[1:] = [y, ..]`` for a number of elements that is known."""
        if isinstance(start, SSAValue) and isinstance(start.owner, rho.ScalarOp):
            start = int(start.owner.number)
        if isinstance(start, int) and isinstance(vector.owner, rho.StackOp):
            return self.vector(*vector.owner.parts[start:])
        start = self.number(start) if isinstance(start, int) else start
        return self.emit(rho.RestOp(vector, start))

    def put_before(self, part: SSAValue, vector: SSAValue) -> SSAValue:
        """``[x] ++ [y, ..] = [x, y, ..]``"""
        if isinstance(vector.owner, rho.StackOp):
            return self.vector(part, *vector.owner.parts)
        return self.emit(rho.ConcatOp(self.vector(part), vector))

    def arith(self, operator: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Arithmetic; that of numbers is done now."""
        a, b = lhs.owner, rhs.owner
        if isinstance(a, rho.ScalarOp) and isinstance(b, rho.ScalarOp):
            return self.number(a.number + b.number if operator == "+" else a.number - b.number)
        return self.emit(rho.ArithOp(operator, lhs, rhs))

    def choice(
        self, condition: SSAValue, then: Callable[[], SSAValue], otherwise: Callable[[], SSAValue]
    ) -> SSAValue:
        """An ``if`` of new values."""
        branches = list[Region]()
        for value in (then, otherwise):
            outer, self._code = self._code, []
            self.emit(rho.YieldOp(value()))
            branches.append(Region(Block(_flat(self._code))))
            self._code = outer
        return self.emit(rho.IfOp(condition, *branches))

    def body(self, old: Region, level: Level) -> Region:
        """A body in the same function, for a level of its value."""
        region, arguments = rho.new_body([arg.name_hint for arg in old.block.args])
        for argument, new in zip(old.block.args, arguments, strict=True):
            self._new[argument] = new, Level.FULL
        return self._fill(region, old.block, level)

    # Functions

    def call(self, op: rho.CallOp, level: Level) -> SSAValue:
        """A call of the version for a level, with the arguments that it needs."""
        function = self._versions[op.function].function
        name = self._version(op.function, level)
        arguments = [
            self.value(argument, needed) if needed else self.number(0)
            for argument, needed in zip(op.arguments, self._needed(function, level), strict=True)
            if needed is not None
        ]
        return self.emit(rho.CallOp(name, arguments))

    def _needed(self, function: rho.FunctionOp, level: Level) -> Sequence[Level | None]:
        """The level of each parameter; None for one that is dropped.

        A function keeps its first parameter, so that it is evaluated by calls only.
        """
        levels = [vector[level] for vector in self._demand.vectors(function)]
        if not any(levels):
            return [Level.NONE, *[None] * (len(levels) - 1)]
        return [needed or None for needed in levels]

    def _version(self, name: str, level: Level) -> str:
        """The name of the version of a function for a level; the version is made now if new."""
        versions = self._versions[name]
        if level not in versions.names:
            versions.names[level] = self._symbol(name, level)
            versions.place.append(self._function(versions, level))
        return versions.names[level]

    def _symbol(self, name: str, level: Level) -> str:
        """A new name: a function keeps its own, unless another version around it is made, too."""
        suffixed = symbol = f"{name}{_SUFFIXES[level]}"
        taken = self._made if level is Level.FULL else self._made | self._demand.functions.keys()
        number = 0
        while symbol in taken:
            symbol, number = f"{suffixed}{number + 1}", number + 1
            taken = self._made | self._demand.functions.keys()
        self._made.add(symbol)
        return symbol

    def _function(self, versions: _Versions, level: Level) -> rho.FunctionOp:
        function = versions.function
        needed = self._needed(function, level)
        kept = [p for p, n in zip(function.parameters, needed, strict=True) if n is not None]
        region, arguments = rho.new_body([parameter.name_hint for parameter in kept])
        levels = (n for n in needed if n is not None)
        for parameter, argument, known in zip(kept, arguments, levels, strict=True):
            self._new[parameter] = argument, known
        with self._body_of(function, level):
            self._fill(region, function.body.block, level)
        return rho.FunctionOp(versions.names[level], region)


_NO_VALUE: Any = None


def _flat(code: _Code) -> Iterator[Operation]:
    for part in code:
        if isinstance(part, Operation):
            yield part
        else:
            yield from _flat(part)


def _drop_unused(block: Block) -> None:
    """Erase the operations of a new body that a shorter form has replaced."""
    for op in reversed(list(block.ops)):
        if op.results and not any(op.results[0].uses):
            Rewriter.erase_op(op)


_Rule: TypeAlias = Callable[[_Rewriting, Any], SSAValue]


def _unknown(rewriting: _Rewriting, op: Operation) -> SSAValue:
    raise PassFailedException(f"{op.name} has no rule")


# F: the value --------------------------------------------------------------------------------


def _same(rewriting: _Rewriting, op: rho.RhoOp) -> SSAValue:
    """``F(op e ..) = op F(e) ..``"""
    operands = [rewriting.full(operand) for operand in op.operands]
    regions = [rewriting.body(region, Level.FULL) for region in op.regions]
    new = op.create(
        operands=operands,
        result_types=[rho.ARRAY],
        properties=op.properties,
        regions=regions,
        location=op.location,
    )
    return rewriting.emit(new)


_FULL: dict[type[Operation], _Rule] = {
    **dict.fromkeys(
        (
            *(rho.AbsOp, rho.ArithOp, rho.CompareOp, rho.ConcatOp, rho.FillOp, rho.GenOp),
            *(rho.IfOp, rho.NegateOp, rho.NotOp, rho.RestOp, rho.ScalarOp, rho.SelectOp),
            rho.StackOp,
        ),
        _same,
    ),
    rho.ShapeOp: lambda r, op: r.shape(op.operand),
    rho.DimOp: lambda r, op: r.dim(op.operand),
    rho.CallOp: lambda r, op: r.call(op, Level.FULL),
}
"""``F(shape e) = S(e)``, ``F(dim e) = D(e)``"""


# S: the shape --------------------------------------------------------------------------------


def _shape_of_stack(rewriting: _Rewriting, op: rho.StackOp) -> SSAValue:
    """``S([e0, .., en]) = [n + 1] ++ S(e0)``"""
    count = rewriting.number(len(op.parts))
    if not op.parts:
        return rewriting.vector(count)
    return rewriting.put_before(count, rewriting.shape(op.parts[0]))


def _shape_of_selection(rewriting: _Rewriting, op: rho.SelectOp) -> SSAValue:
    """``S(a.(iv)) = S(a).[S(iv).([0]):]``: the sizes after those that the index selects from"""
    shape, axes = rewriting.shape(op.array), rewriting.first(rewriting.shape(op.index))
    return rewriting.rest(shape, axes)


def _shape_of_rest(rewriting: _Rewriting, op: rho.RestOp) -> SSAValue:
    """``S(v.[k:]) = [S(v).([0]) - F(k)]``"""
    size = rewriting.first(rewriting.shape(op.array))
    return rewriting.vector(rewriting.arith("-", size, rewriting.full(op.start)))


def _shape_of_concat(rewriting: _Rewriting, op: rho.ConcatOp) -> SSAValue:
    """``S(a ++ b) = [S(a).([0]) + S(b).([0])] ++ S(a).[1:]``"""
    left, right = rewriting.shape(op.lhs), rewriting.shape(op.rhs)
    size = rewriting.arith("+", rewriting.first(left), rewriting.first(right))
    if 1 in (rank_of(op.lhs), rank_of(op.rhs)):
        return rewriting.vector(size)
    return rewriting.put_before(size, rewriting.rest(left, 1))


def _shape_of_generated(rewriting: _Rewriting, op: rho.FillOp | rho.GenOp) -> SSAValue:
    """``S(gen g d ..) = F(g)``, or ``[F(g)]`` if it is a scalar"""
    shape = rewriting.full(op.shape)
    if is_array(op.shape):
        return shape
    if rank_of(op.shape) == 0:
        return rewriting.vector(shape)
    dim = rewriting.emit(rho.DimOp(shape))
    return rewriting.choice(dim, lambda: shape, lambda: rewriting.vector(shape))


def _if_at(level: Level) -> _Rule:
    """``S(if c then t else e) = if F(c) then S(t) else S(e)``, and likewise for D"""

    def rule(rewriting: _Rewriting, op: rho.IfOp) -> SSAValue:
        condition = rewriting.full(op.condition)
        then, otherwise = (rewriting.body(region, level) for region in op.regions)
        return rewriting.emit(rho.IfOp(condition, then, otherwise))

    return rule


_SHAPES: dict[type[Operation], _Rule] = {
    rho.ScalarOp: lambda r, op: r.vector(),
    rho.CompareOp: lambda r, op: r.vector(),
    rho.NotOp: lambda r, op: r.vector(),
    rho.DimOp: lambda r, op: r.vector(),
    rho.ShapeOp: lambda r, op: r.vector(r.dim(op.operand)),
    rho.ArithOp: lambda r, op: r.shape(op.lhs),
    rho.NegateOp: lambda r, op: r.shape(op.operand),
    rho.AbsOp: lambda r, op: r.shape(op.operand),
    rho.StackOp: _shape_of_stack,
    rho.SelectOp: _shape_of_selection,
    rho.RestOp: _shape_of_rest,
    rho.ConcatOp: _shape_of_concat,
    rho.FillOp: _shape_of_generated,
    rho.GenOp: _shape_of_generated,
    rho.IfOp: _if_at(Level.SHAPE),
    rho.CallOp: lambda r, op: r.call(op, Level.SHAPE),
}
"""``S(e1 bop e2) = S(e1)``, ``S(e1 < e2) = []``, ``S(shape e) = [D(e)]``, ``S(dim e) = []``"""


# D: the dimensionality -----------------------------------------------------------------------


def _dim_of_stack(rewriting: _Rewriting, op: rho.StackOp) -> SSAValue:
    """``D([e0, .., en]) = D(e0) + 1``"""
    one = rewriting.number(1)
    return rewriting.arith("+", rewriting.dim(op.parts[0]), one) if op.parts else one


def _dim_of_selection(rewriting: _Rewriting, op: rho.SelectOp) -> SSAValue:
    """``D(a.(iv)) = D(a) - S(iv).([0])``"""
    axes = rewriting.first(rewriting.shape(op.index))
    return rewriting.arith("-", rewriting.dim(op.array), axes)


def _dim_of_generated(rewriting: _Rewriting, op: rho.FillOp | rho.GenOp) -> SSAValue:
    """``D(gen g d ..) = S(g).([0])``, or 1 if it is a scalar"""
    if rank_of(op.shape) == 0:
        return rewriting.number(1)
    shape = rewriting.shape(op.shape)
    if is_array(op.shape):
        return rewriting.first(shape)
    axes = rewriting.first(rewriting.emit(rho.ShapeOp(shape)))
    return rewriting.choice(axes, lambda: rewriting.first(shape), lambda: rewriting.number(1))


_DIMS: dict[type[Operation], _Rule] = {
    rho.ScalarOp: lambda r, op: r.number(0),
    rho.CompareOp: lambda r, op: r.number(0),
    rho.NotOp: lambda r, op: r.number(0),
    rho.DimOp: lambda r, op: r.number(0),
    rho.ShapeOp: lambda r, op: r.number(1),
    rho.RestOp: lambda r, op: r.number(1),
    rho.ArithOp: lambda r, op: r.dim(op.lhs),
    rho.NegateOp: lambda r, op: r.dim(op.operand),
    rho.AbsOp: lambda r, op: r.dim(op.operand),
    rho.ConcatOp: lambda r, op: r.dim(op.lhs),
    rho.StackOp: _dim_of_stack,
    rho.SelectOp: _dim_of_selection,
    rho.FillOp: _dim_of_generated,
    rho.GenOp: _dim_of_generated,
    rho.IfOp: _if_at(Level.DIM),
    rho.CallOp: lambda r, op: r.call(op, Level.DIM),
}
"""``D(e1 bop e2) = D(e1)``, ``D(e1 < e2) = 0``, ``D(shape e) = 1``, ``D(dim e) = 0``"""

_RULES = {Level.FULL: _FULL, Level.SHAPE: _SHAPES, Level.DIM: _DIMS}


@dataclass(frozen=True)
class RewriteByDemandPass(ModulePass):
    r"""Computes only the demanded level of each value, with a version of a function for each level.

    Before, as text of the thesis::

        let take = \n.\arr.
          let ofs = if n > 0 then 0 else (shape arr).([0]) + n in
          gen [|n|] 0 with [n * 0] <= iv < [|n|] in arr.(iv + ofs)
        in
        \n.\arr. gen (shape (take n arr)) 0

    After: ``take`` is asked for its shape, which depends on ``n`` alone::

        \n.\arr.
        let take_s = \n1. [|n1|] in
        gen (take_s n) 0
    """

    name = "rewrite-by-demand"

    level: str = "full"
    """The level of the result of the program: ``full``, ``shape`` or ``dim``."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.level not in _LEVELS:
            raise PassFailedException(f"there is no level '{self.level}': {', '.join(_LEVELS)}")
        rewrite_by_demand(op, _LEVELS[self.level])
