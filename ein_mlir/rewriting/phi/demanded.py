"""Functions of phi, made anew from the demand for their results (``analysis.phi.shape_demand``).

An array of which only sizes are demanded is replaced by its sizes, which are Ints. Values are made
when they are asked for: in the new body of the operation that defines them, or, since sizes depend
on no index, before a comprehension that is not needed itself.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TupleType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.calls import calls_in, functions_in
from ein_mlir.analysis.diagnostics import name_parameters, parameter_names, where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.shape_demand import Need, ShapeDemand, field_type, returned
from ein_mlir.analysis.scopes import block_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.interface import PhiOp
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Emitter


@dataclass(frozen=True)
class Part:
    """A part of one of several values: a field, or the size of it along an axis."""

    number: int
    path: phi.Path
    axis: int | None = None


class _Scope(Emitter):
    """A new block, and the new values of those that are defined in an old one."""

    def __init__(self) -> None:
        super().__init__()
        self.whole = dict[SSAValue, SSAValue]()
        self.parts = dict[tuple[SSAValue, phi.Path], SSAValue]()
        self.known_sizes = dict[tuple[SSAValue, phi.Path, int], SSAValue]()
        self.externs = dict[Operation, SSAValue]()


def keep_demanded(module: ModuleOp, results: Need) -> Mapping[str, Sequence[Part]]:
    """Make the functions of a module anew from the needs of the results of the public ones.

    If these are needed with their elements, the types of functions stay. If the sizes are needed,
    public functions return the sizes of their results, field by field, axis by axis, and take what
    these need. Returns the parts of the parameters that each function takes. Raises
    PassFailedException for a call then.
    """
    found = dict[str, Sequence[Part]]()
    for name, function in functions_in(module).items():
        if function.is_declaration:
            continue
        _check_operations(function)
        need = Need.ELEMENTS if _is_private(function) else results
        if results is Need.SIZES and (calls := calls_in(function)):
            callee = calls[0].callee.string_value()
            raise PassFailedException(
                f"func.call: @{name} calls @{callee}: run inline-calls before"
                + where_written(calls[0])
            )
        demand = ShapeDemand(function, need)
        types, given = function.function_type, returned(function)
        if need is Need.ELEMENTS:
            inputs, outputs = _whole(types.inputs), _whole(types.outputs)
        else:
            inputs, outputs = _parts(demand, function.args), _parts(demand, given)
        found[name] = inputs
        Rewriter.replace_op(function, _made_anew(demand, inputs, outputs))
    return found


def _check_operations(function: func.FuncOp) -> None:
    """Reject operations of other dialects that have bodies, or are there for their effects."""
    for op in function.body.walk():
        is_value = bool(op.results) and not op.regions
        if not (is_value or isinstance(op, PhiOp | phi.YieldOp | func.ReturnOp)):
            raise PassFailedException(
                f"keep-demanded: '{op.name}' is no operation of phi{where_written(op)}"
            )


def _is_private(function: func.FuncOp) -> bool:
    visibility = function.sym_visibility
    return visibility is not None and visibility.data == "private"


def _whole(types: Iterable[Attribute]) -> Sequence[Part]:
    return [Part(number, ()) for number, _ in enumerate(types)]


def _parts(demand: ShapeDemand, values: Iterable[SSAValue]) -> Sequence[Part]:
    """The parts of some values that are needed."""
    return [
        part
        for number, value in enumerate(values)
        for part in _parts_of(number, value.type, demand.levels(value))
    ]


def _parts_of(number: int, type_: Attribute, levels: Sequence[Need]) -> Iterator[Part]:
    for path, level in zip(leaf_paths(type_), levels, strict=True):
        if level is Need.ELEMENTS:
            yield Part(number, path)
        elif level is Need.SIZES:
            rank = phi.rank_of(field_type(type_, path))
            yield from (Part(number, path, axis) for axis in range(rank))


def _type_of(types: Sequence[Attribute], part: Part) -> Attribute:
    if part.axis is not None:
        return i64
    type_ = phi.struct_of_arrays(types[part.number]) if part.path else types[part.number]
    for number in part.path:  # the host sees no parts of complex numbers
        type_ = phi.part_of(type_) if phi.is_complex(type_) else field_type(type_, (number,))
    return type_


def _made_anew(demand: ShapeDemand, inputs: Sequence[Part], outputs: Sequence[Part]) -> func.FuncOp:
    old, new = demand.function, _Demanded(demand)
    body, given = old.body.block, returned(old)
    block = Block(arg_types=[_type_of([arg.type for arg in body.args], part) for part in inputs])
    with new.scope(body, block) as scope:
        for each, argument in zip(inputs, block.args, strict=True):
            argument.name_hint = body.args[each.number].name_hint
            new.bind(scope, body.args[each.number], each, argument)
        new.in_order(body)
        results = [new.part(given[each.number], each) for each in outputs]
        scope.insert(func.ReturnOp(*results))
    function = func.FuncOp(
        old.sym_name.data,
        (block.arg_types, [result.type for result in results]),
        Region(block),
        old.sym_visibility,
    )
    function.attributes.update(old.attributes)
    function.location = old.location
    names = parameter_names(old)
    name_parameters(function, [names[each.number] for each in inputs])
    function.attributes.pop(phi.HOST_TYPE, None)
    parameters, results = phi.host_types(old)
    seen = [_type_of(parameters, each) for each in inputs]
    phi.set_host_type(function, seen, [_type_of(results, each) for each in outputs])
    return function


class _Demanded:
    """Makes new values, in the scopes of the blocks that are made."""

    def __init__(self, demand: ShapeDemand):
        self._demand = demand
        self._scopes = dict[Block, _Scope]()

    @contextmanager
    def scope(self, old: Block, new: Block) -> Generator[_Scope]:
        """The scope of an old block while its new one is made."""
        scope = self._scopes[old] = _Scope()
        yield scope
        new.add_ops(scope.ops)
        del self._scopes[old]

    def in_order(self, old: Block) -> None:
        """Make the values of a block in order, so that each finds its operands made."""
        for op in old.ops:
            if not isinstance(op, phi.TupleOp | phi.ProjOp):
                for result in op.results:
                    self._prepare(result)

    def _prepare(self, value: SSAValue) -> None:
        for path in leaf_paths(value.type):
            level = self._demand.of(value, path)
            if level is Need.ELEMENTS:
                self.full(value, path)
            elif level is Need.SIZES:
                for axis in range(phi.rank_of(field_type(value.type, path))):
                    self.size(value, path, axis)

    def bind(self, scope: _Scope, old: SSAValue, each: Part, new: SSAValue) -> None:
        """Let a new value be a part of an old one."""
        if each.axis is None and not each.path:
            scope.whole[old] = new
        elif each.axis is None:
            scope.parts[old, each.path] = new
        else:
            scope.known_sizes[old, each.path, each.axis] = new

    def _home(self, value: SSAValue) -> _Scope:
        """The scope of the innermost block around a value that is made."""
        block = block_of(value)
        while block is not None and block not in self._scopes:
            parent = block.parent_op()
            block = None if parent is None else parent.parent
        assert block is not None
        return self._scopes[block]

    # Elements

    def full(self, value: SSAValue, path: phi.Path = ()) -> SSAValue:
        """A value, or a field of a record, with all of its elements."""
        home = self._home(value)
        if not path and value in home.whole:
            return home.whole[value]
        if (value, path) not in home.parts:
            home.parts[value, path] = self._made(value, path, home)
        return home.parts[value, path]

    def _made(self, value: SSAValue, path: phi.Path, home: _Scope) -> SSAValue:
        owner = value.owner
        if isinstance(owner, phi.ProjOp):
            return self.full(owner.record, (owner.field.value.data, *path))
        if isinstance(owner, phi.TupleOp) and path:
            return self.full(owner.fields[path[0]], path[1:])
        if isinstance(owner, phi.SizeOp):
            return self.size(owner.array, (), owner.axis.value.data)
        type_ = field_type(value.type, path)
        if isa(type_, TupleType) and value not in home.whole:
            fields = [self.full(value, (*path, k)) for k in range(len(type_.types))]
            return home.tuple(fields)
        if value not in home.whole and isinstance(owner, phi.FoldOp | phi.ArrayOp):
            self._remake(owner, home)
            return self.full(value, path)
        return home.field(self._whole(value, home), path)

    def _whole(self, value: SSAValue, home: _Scope) -> SSAValue:
        """A value whose fields are all needed: that of an operation as it is."""
        if value not in home.whole:
            assert isinstance(value.owner, Operation)
            new = self._copy(value.owner)
            home.insert(new)
            for old, result in zip(value.owner.results, new.results, strict=True):
                result.name_hint = old.name_hint
                home.whole[old] = result
        return home.whole[value]

    def _copy(self, op: Operation) -> Operation:
        """``op x .. { e }``, of new operands and with a new body."""
        return op.create(
            operands=[self.full(operand) for operand in op.operands],
            result_types=op.result_types,
            properties=op.properties,
            attributes=op.attributes,
            regions=[self._region(region.block) for region in op.regions],
            location=op.location,
        )

    def _region(self, old: Block) -> Region:
        block = self._block(old, [arg.type for arg in old.args])
        with self.scope(old, block) as scope:
            scope.whole.update(zip(old.args, block.args, strict=True))
            assert isinstance(old.last_op, phi.YieldOp)
            self.in_order(old)
            scope.yield_(self.full(old.last_op.value))
        return Region(block)

    def _block(self, old: Block, types: Sequence[Attribute]) -> Block:
        block = Block(arg_types=types)
        for argument, new in zip(old.args, block.args, strict=False):
            new.name_hint = argument.name_hint
        return block

    # Loops, of the fields that are needed

    def _remake(self, op: phi.FoldOp | phi.ArrayOp, home: _Scope) -> None:
        new = self._array(op) if isinstance(op, phi.ArrayOp) else self._fold(op)
        new.location = op.location
        result = home.emit(new)
        result.name_hint = op.result.name_hint
        parts = self._carried(op) if isinstance(op, phi.FoldOp) else self._elements(op)
        for each, part in zip(parts, home.unpacked(result, len(parts)), strict=True):
            self.bind(home, op.result, each, part)

    def _elements(self, op: phi.ArrayOp) -> list[Part]:
        return [Part(0, path) for path in self._demand.fields(op.result, Need.ELEMENTS)]

    def _array(self, op: phi.ArrayOp) -> phi.ArrayOp:
        """The comprehension of the fields whose elements are needed."""
        sizes = [self.full(size) for size in op.sizes]
        old, inputs = op.body.block, self._elements(op)
        block = self._block(old, [arg.type for arg in old.args])
        with self.scope(old, block) as scope:
            scope.whole.update(zip(old.args, block.args, strict=True))
            self.in_order(old)
            values = [self.full(op.yielded(), each.path) for each in inputs]
            scope.yield_(scope.packed(values))
        types = [field_type(op.result.type, each.path) for each in inputs]
        result = types[0] if len(types) == 1 else phi.tuple_of(types)
        return phi.ArrayOp(sizes, Region(block), result)

    def _carried(self, op: phi.FoldOp) -> list[Part]:
        """The fields of the accumulator that are carried, or the sizes of them."""
        found = list[Part]()
        for path in self._demand.fields(op.result, Need.ELEMENTS, Need.SIZES):
            if self._demand.of(op.result, path) is Need.ELEMENTS:
                found.append(Part(0, path))
                continue
            axes = range(phi.rank_of(field_type(op.result.type, path)))
            varying = (k for k in axes if self._demand.sizes.of(op.result, path, k) is None)
            found.extend(Part(0, path, axis) for axis in varying)
        return found

    def _fold(self, op: phi.FoldOp) -> phi.FoldOp:
        """``fold (x = a) { e }`` of the fields that are needed: ``fold (s = |a|0) { |e|0 }``"""
        inputs, old = self._carried(op), op.body.block
        home = self._home(op.result)
        count = self.full(op.count)
        start = home.packed([self.part(op.init, each) for each in inputs])
        block = self._block(old, [i64, start.type])
        with self.scope(old, block) as scope:
            scope.whole[op.counter] = block.args[0]
            parts = scope.unpacked(block.args[1], len(inputs))
            for each, part in zip(inputs, parts, strict=True):
                self.bind(scope, op.accumulator, each, part)
            self.in_order(old)
            after = scope.packed([self.part(op.yielded(), each) for each in inputs])
            scope.yield_(after)
        return phi.FoldOp(count, start, Region(block), irregular=op.irregular is not None)

    def part(self, value: SSAValue, each: Part) -> SSAValue:
        """A part of a value."""
        if each.axis is None:
            return self.full(value, each.path)
        return self.size(value, each.path, each.axis)

    # Sizes

    def size(self, value: SSAValue, path: phi.Path, axis: int) -> SSAValue:
        """The size of a value, or of a field of a record, along an axis."""
        home, key = self._home(value), (value, path, axis)
        if key not in home.known_sizes:
            new = self._size(value, path, axis, home)
            home.known_sizes.setdefault(key, new)
        return home.known_sizes[key]

    def _size(self, value: SSAValue, path: phi.Path, axis: int, home: _Scope) -> SSAValue:
        if (found := self._demand.sizes.of(value, path, axis)) is not None:
            terms = [
                self.full(term.value, term.path)
                if term.axis is None
                else self.size(term.value, term.path, term.axis)
                for term in found.terms
            ]
            if found.constant:
                terms.append(home.integer(found.constant))
            total, *others = terms
            for term in others:
                total = home.add(total, term)
            return total
        owner = value.owner
        is_given = value in home.whole or (value, path) in home.parts
        if is_given or self._demand.of(value, path) is Need.ELEMENTS:
            return home.size(self.full(value, path), axis)
        if isinstance(owner, phi.FoldOp):
            self._remake(owner, home)
            return home.known_sizes[value, path, axis]
        assert isinstance(owner, phi.ExternOp)
        return home.size(home.field(self._extern(owner, home), path), axis)

    def _extern(self, op: phi.ExternOp, home: _Scope) -> SSAValue:
        """The call on zeros of the sizes of its arguments: the sizes of its result are the same."""
        if op not in home.externs:
            arguments = [self._zeros(argument, (), home) for argument in op.arguments]
            callee = op.callee.root_reference.data
            home.externs[op] = home.emit(phi.ExternOp(callee, arguments, op.result.type))
        return home.externs[op]

    def _zeros(self, value: SSAValue, path: phi.Path, home: _Scope) -> SSAValue:
        type_ = field_type(value.type, path)
        if isa(type_, TupleType):
            fields = [self._zeros(value, (*path, k), home) for k in range(len(type_.types))]
            return home.tuple(fields)
        zero = home.number(0, phi.scalar_of(type_))
        sizes = [self.size(value, path, axis) for axis in range(phi.rank_of(type_))]
        return home.comprehension(sizes, lambda _, own: zero) if sizes else zero
