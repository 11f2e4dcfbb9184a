"""From an expression graph to a phi module.

Each value is defined in the body in which the user wrote it, unless enclosing bodies use it, too.
So a value written before a loop is computed once, and arrays written in sequence are not nested.
Sizes and counts, which depend on no index, are hoisted out of comprehensions. Every traversal is
iterative.

1. `Graph`: the distinct nodes in an order with operands first, equal constants and sizes merged.
2. `place`: the scope of each node, users first.
3. `_Emitter`: the operations, operands first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IndexType,
    IntAttr,
    ModuleOp,
    StringAttr,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute

from ein_mlir.analysis.diagnostics import name_parameters
from ein_mlir.dialects import phi
from ein_mlir.errors import ScopeError
from ein_mlir.frontend.complex_numbers import complex_type, record_of
from ein_mlir.frontend.expr import (
    Accumulation,
    Apply,
    Argsort,
    Argument,
    Array,
    AssertEqual,
    Binder,
    Concat,
    Constant,
    Derivative,
    Expr,
    Extern,
    Field,
    Fold,
    Get,
    Input,
    Jvp,
    Record,
    Role,
    Size,
    Variable,
    Vjp,
    While,
)
from ein_mlir.frontend.graph import Cast, Graph
from ein_mlir.frontend.lowering_scalars import build_constant, build_scalar
from ein_mlir.frontend.placement import Scope, place
from ein_mlir.frontend.types import RecordType, Type, VectorType, settled
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import BY_HOST, ScalarType
from ein_mlir.host.locations import Location, at
from ein_mlir.targets.python.names import Names


def host_type(type_: Type) -> TypeAttribute:
    """The type of a value of Ein as the host program sees it: ``ui8`` for a u8."""
    type_ = settled(type_)
    if isinstance(type_, VectorType):
        return phi.vector(host_type(type_.element))
    if (number := complex_type(type_)) is not None:
        return phi.HOST_TYPES[number.host]
    if isinstance(type_, RecordType):
        return TupleType(tuple(map(host_type, type_.fields)))
    assert isinstance(type_, ScalarType)
    return phi.HOST_TYPES[type_.host]


def phi_type(type_: Type) -> TypeAttribute:
    """The phi type of a type of Ein."""
    type_ = settled(type_)
    if isinstance(type_, ScalarType):
        return phi.HOST_TYPES[type_.storage]
    if isinstance(type_, RecordType):
        return TupleType(tuple(map(phi_type, type_.fields)))
    assert isinstance(type_, VectorType)
    return phi.vector(phi_type(type_.element))


def type_of_phi(type_: Attribute) -> Type:
    """The type of Ein for a type of phi, or of the host; tuples are Python tuples."""
    if isinstance(type_, phi.VecType):
        return VectorType(type_of_phi(type_.element_type))
    if isinstance(type_, TupleType):
        fields = tuple(type_of_phi(field) for field in type_.types)
        return RecordType(tuple, tuple(map(str, range(len(fields)))), fields)
    if phi.is_complex(type_):
        part = type_of_phi(phi.part_of(type_))
        assert isinstance(part, ScalarType)
        return record_of(part)
    if (scalar := BY_HOST.get(str(type_))) is not None:
        return scalar
    raise ValueError(f"'{type_}' is not a type of phi")


@dataclass(frozen=True)
class Lowered:
    """A module with one function, the wrapped arrays that are its last arguments, and the
    extrinsics that it calls, by symbol.
    """

    module: ModuleOp
    inputs: tuple[Input, ...]
    externs: dict[str, Callable[..., Any]]


def lower(
    result: Expr, arguments: Sequence[Argument | Variable] = (), name: str = "main"
) -> Lowered:
    """The module of ``func.func @name(arguments, wrapped arrays) -> result``.

    A program with derivatives has those of its extrinsics as private functions before it.

    Raises ScopeError if the result depends on a variable or argument of another function.
    """
    for variable in result.free.difference(arguments):
        raise ScopeError(_escaped(variable))
    graph = Graph(result)
    inputs = tuple(node for node in graph.order if isinstance(node, Input))
    _check_arguments(graph, arguments)
    externs = _Externs(name, any(isinstance(node, Derivative) for node in graph.order))
    body = _Emitter(graph, Scope(None, None), (*arguments, *inputs), externs).emit()
    types = ([argument.type for argument in body.args], [phi_type(result.type)])
    function = func.FuncOp(name, types, Region(body))
    seen = [host_type(value.type) for value in (*arguments, *inputs)]
    phi.set_host_type(function, seen, [host_type(result.type)])
    name_parameters(function, [argument.name for argument in arguments])
    return Lowered(ModuleOp([*externs.rules, function]), inputs, externs.functions)


class _Externs:
    """The extrinsics that a module calls, and the functions that are their derivatives."""

    def __init__(self, function: str, is_differentiated: bool):
        self._names = Names([function])
        self._is_differentiated = is_differentiated
        self._symbols: dict[Hashable, str] = {}
        self._known: dict[Hashable, str] = {}
        self.functions: dict[str, Callable[..., Any]] = {}
        self.rules: list[func.FuncOp] = []

    def call(self, node: Extern, operands: Sequence[SSAValue]) -> phi.ExternOp:
        """A call; all calls of one function have one symbol."""
        if node.key not in self._symbols:
            self._symbols[node.key] = self._names.fresh(node.called)
        symbol = self._symbols[node.key]
        self.functions[symbol] = node.function
        names = node.rules if self._is_differentiated else ()
        rules = {name: self._rule(node, name, operands) for name in names}
        return phi.ExternOp(symbol, operands, phi_type(node.type), **rules)

    def _rule(self, node: Extern, name: str, operands: Sequence[SSAValue]) -> str:
        """The symbol of a derivative; that of a function may call the function."""
        key = name, node.key, tuple(operand.type for operand in operands)
        if key not in self._known:
            symbol = self._known[key] = self._names.fresh(f"{node.called}_{name}")
            arguments, result = node.rules[name]()
            graph = Graph(result)
            _check_arguments(graph, arguments)
            if result.free or any(isinstance(each, Input) for each in graph.order):
                raise ScopeError(
                    f"the {name} of the extrinsic {node.called} at {node.location} depends on "
                    "other values than its parameters"
                )
            body = _Emitter(graph, Scope(None, None), arguments, self).emit()
            types = ([argument.type for argument in body.args], [phi_type(result.type)])
            self.rules.append(func.FuncOp(symbol, types, Region(body), "private"))
        return self._known[key]


def _escaped(variable: Variable) -> str:
    binder = variable.combinator or _COMBINATORS.get(variable.role, "fold")
    return (
        f"the {variable.role.value} {variable.name} of the {binder}(...) at {variable.location} is "
        f"used outside of the function that it is a parameter of, or evaluated in it"
    )


_COMBINATORS = {Role.INDEX: "array", Role.ELEMENT: "reduce", Role.PARAMETER: "derivative"}


def _check_arguments(graph: Graph, arguments: Sequence[Expr]) -> None:
    known = set(arguments)
    for node in graph.order:
        if isinstance(node, Argument) and node not in known:
            raise ScopeError(
                f"the argument {node.name} is used outside of its function, or evaluated in it: "
                f"return the value, and leave out .eval(){at()}"
            )


# Emission -------------------------------------------------------------------------------------


class _Emitter:
    """Builds the operations of a graph, each at the end of the block of its scope."""

    def __init__(
        self,
        graph: Graph,
        top: Scope,
        arguments: Sequence[Expr],
        externs: _Externs,
    ):
        self._graph = graph
        self._externs = externs
        self._places, self._bodies = place(graph, top)
        self._top = top
        self._values: dict[Expr, SSAValue] = {}
        self._locations: dict[Location, FileLineColLoc] = {}
        self._bind(top.block, arguments)
        for binder, scope in self._bodies.items():
            self._bind(scope.block, binder.variables)

    def emit(self) -> Block:
        """The complete block of the function."""
        for node in self._graph.order:
            if node not in self._values:
                self._emit(node)
        result = self._graph.result
        self._append(self._top.block, func.ReturnOp(self._values[result]), result.location)
        return self._top.block

    def _bind(self, block: Block, variables: Sequence[Expr]) -> None:
        """Give a block an argument for each variable."""
        for variable in variables:
            is_index = isinstance(variable, Variable) and variable.role is Role.INDEX
            type_ = IndexType() if is_index else phi_type(variable.type)
            argument = block.insert_arg(type_, len(block.args), self._location(variable.location))
            _name(argument, variable.name)
            self._values[variable] = argument

    def _emit(self, node: Expr) -> None:
        operands = [self._values[operand] for operand in self._graph.operands[node]]
        block = self._places[node].block
        if isinstance(node, Binder):
            ops = [self._binder(node, operands)]
        elif isinstance(node, Extern):
            ops = [self._externs.call(node, operands)]
        else:
            ops = _BUILDERS[type(node)](node, operands)
        for op in ops:
            self._append(block, op, node.location)
        (result,) = ops[-1].results
        _name(result, node.name)
        self._values[node] = result

    def _binder(self, node: Binder, operands: list[SSAValue]) -> Operation:
        block, body = self._bodies[node].block, self._graph.bodies[node]
        self._append(block, phi.YieldOp(self._values[body]), body.location)
        region = Region(block)
        if isinstance(node, Array):
            return phi.ArrayOp(operands, region)
        if isinstance(node, Accumulation):
            count = len(node.variables)
            into = [(kind, operands[count:]) for kind in node.kinds]
            return phi.AccumulateOp(operands[:count], into, region)
        first, second = operands
        if isinstance(node, Jvp):
            return phi.JvpOp(first, second, region)
        if isinstance(node, Vjp):
            return phi.VjpOp(first, second, region, checkpoint=node.checkpoint)
        if isinstance(node, While):
            return phi.WhileOp(first, second, region)
        return (phi.FoldOp if isinstance(node, Fold) else phi.ReduceOp)(first, second, region)

    def _append(self, block: Block, op: Operation, location: Location) -> None:
        op.location = self._location(location)
        block.add_op(op)

    def _location(self, location: Location) -> FileLineColLoc:
        found = self._locations.get(location)
        if found is None:
            file, line = location
            found = FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(0))
            self._locations[location] = found
        return found


def _name(value: SSAValue, name: str | None) -> None:
    """Give a value the user's name for it, if it is a valid name in IR."""
    if name is not None and SSAValue.is_valid_name(name):
        value.name_hint = name


def _get(node: Get, operands: list[SSAValue]) -> Sequence[Operation]:
    return [phi.GetOp(operands[0], operands[1:])]


def _size(node: Size, operands: list[SSAValue]) -> Sequence[Operation]:
    return [phi.SizeOp(operands[0], node.axis)]


def _assert_equal(node: AssertEqual, operands: list[SSAValue]) -> Sequence[Operation]:
    return [phi.AssertEqOp(operands[0], operands[1], node.message)]


def _argsort(node: Argsort, operands: list[SSAValue]) -> Sequence[Operation]:
    return [phi.ArgsortOp(operands[0])]


def _concat(node: Concat, operands: list[SSAValue]) -> Sequence[Operation]:
    return [phi.ConcatOp(operands[0], operands[1])]


def _record(node: Record, operands: list[SSAValue]) -> Sequence[Operation]:
    return [phi.TupleOp(operands)]


def _field(node: Field, operands: list[SSAValue]) -> Sequence[Operation]:
    return [phi.ProjOp(operands[0], node.index)]


def _cast(node: Cast, operands: list[SSAValue]) -> Sequence[Operation]:
    return [arith.IndexCastOp(operands[0], i64)]


def _constant(node: Constant, operands: list[SSAValue]) -> Sequence[Operation]:
    type_ = settled(node.type)
    assert isinstance(type_, ScalarType)
    return [build_constant(node.value, type_)]


def _apply(node: Apply, operands: list[SSAValue]) -> Sequence[Operation]:
    from_, to = settled(node.operands[-1].type), settled(node.type)
    assert isinstance(from_, ScalarType)
    assert isinstance(to, ScalarType)
    return build_scalar(node.op, from_, to, operands)


_BUILDERS: dict[type[Expr], Callable[..., Sequence[Operation]]] = {
    Apply: _apply,
    Argsort: _argsort,
    AssertEqual: _assert_equal,
    Concat: _concat,
    Constant: _constant,
    Field: _field,
    Get: _get,
    Record: _record,
    Size: _size,
    Cast: _cast,
}
"""The operations of a node without a body, by its class; the last one defines its value."""
