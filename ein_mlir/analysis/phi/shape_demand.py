"""Shape demand of phi: whether nothing, the sizes or the elements of a value are needed.

It is the inference of rho (``analysis.rho.demand``) for phi, where ranks are part of the type. The
demand is that of a value, or of each field of a record. It flows from the results of functions
against the direction of data:

- the sizes of a result are needed as the sizes and Ints that they are equal to: an operation states
  them (``PhiOp.size_of_result``);
- the elements of a result need the elements of all operands, and of the values that bodies yield;
- a field of an accumulator has one demand, as long as the fold is executed: that on the result, and
  that of the steps. Fields without a demand are not carried. Where all steps keep the sizes of an
  accumulator, these are the sizes of its initial value;
- the sizes of the result of an extrinsic depend on the sizes of its arguments only;
- the operands of a call need what the callee needs of its parameters, for what is needed of its
  results: each need of the results of a function is a version of it, analysed once.

Each field of each value gets each level at most once in a version, so the time is linear in their
size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr, TupleType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.calls import callees_first, functions_in
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.dialects import phi


class Need(IntEnum):
    """The part of a value that is needed."""

    NOTHING = 0
    SIZES = 1
    ELEMENTS = 2


@dataclass(frozen=True)
class SizeSum:
    """A size as a sum of other sizes and Ints, and a constant."""

    terms: tuple[Term, ...]
    constant: int = 0


def field_type(type_: Attribute, path: phi.Path) -> Attribute:
    """The type of a field of a field of .. of a record."""
    for field in path:
        assert isa(type_, TupleType)
        type_ = type_.types.data[field]
    return type_


@dataclass(frozen=True)
class Version:
    """A function of which parts of the results are needed: the level of each field of each."""

    function: str
    results: tuple[tuple[Need, ...], ...]


class Sizes:
    """The sizes of values as sums of sizes that are known before them."""

    def __init__(self, functions: Sequence[func.FuncOp]):
        self._equal = {function: SizeEquivalence(function) for function in functions}

    def of(self, value: SSAValue, path: phi.Path, axis: int) -> SizeSum | None:
        """A size of (a field of) a value along an axis; None if only a run of its owner tells."""
        owner = value.owner
        if isinstance(owner, Block):
            loop = owner.parent_op()
            is_carried = isinstance(loop, phi.LoopOp) and value in loop.variables()
            return self._carried(loop, value, path, axis) if is_carried else None
        match owner:
            case phi.LoopOp():
                return self._carried(owner, value, path, axis)
            case phi.ConcatOp() if axis == 0 and owner.size is None:
                return SizeSum((Term(owner.lhs, path, 0), Term(owner.rhs, path, 0)))
            case phi.ScanOp():
                return SizeSum((Term(owner.vec, path, 0),), 1)
            case arith.SelectOp():
                return SizeSum((Term(owner.lhs, path, axis),))
            case phi.PhiOp():
                term = owner.size_of_result(path, axis)
                return None if term is None else SizeSum((term,))
            case _:
                return None

    def _carried(
        self, loop: Operation | None, value: SSAValue, path: phi.Path, axis: int
    ) -> SizeSum | None:
        """That of the initial value, if all steps keep it: those of a ``phi.while`` do."""
        assert isinstance(loop, phi.LoopOp)
        start = Term(loop.start, path, axis)
        if isinstance(loop, phi.WhileOp) or self._equals(loop, Term(value, path, axis), start):
            return SizeSum((start,))
        return None

    def _equals(self, op: Operation, a: Term, b: Term) -> bool:
        function = op
        while not isinstance(function, func.FuncOp):
            parent = function.parent_op()
            assert parent is not None
            function = parent
        return self._equal[function].same(a, b)


class ModuleDemand:
    """The demand on the functions of a module.

    A part of the results of its roots is needed: of the public functions, and of those that an
    operation other than a call refers to. Raises PassFailedException for a recursive function, and
    for a callee that is not defined in the module.
    """

    def __init__(self, module: ModuleOp, results: Need = Need.ELEMENTS):
        named = functions_in(module)
        callees_first(named)
        self.functions = {
            name: function for name, function in named.items() if not function.is_declaration
        }
        self.sizes = Sizes(list(self.functions.values()))
        self._demands = dict[Version, ShapeDemand]()
        used = _named_otherwise(module)
        self.roots = [
            whole_version(function, results)
            for name, function in self.functions.items()
            if not _is_private(function) or name in used
        ]
        self.versions = self._versions()

    def of(self, version: Version) -> ShapeDemand:
        """The demand on the values of a version of a function."""
        if version not in self._demands:
            self._demands[version] = ShapeDemand(version, self)
        return self._demands[version]

    def _versions(self) -> Sequence[Version]:
        """The roots, and the versions that they call, each after its callers."""
        found = dict.fromkeys(self.roots)
        pending = list(self.roots)[::-1]
        while pending:
            called = [each for each in self.of(pending.pop()).called() if each not in found]
            found.update(dict.fromkeys(called))
            pending.extend(called)
        return list(found)


def whole_version(function: func.FuncOp, level: Need) -> Version:
    """The version of a function of whose results a level is needed; scalars have no sizes."""
    return Version(
        function.sym_name.data,
        tuple(
            tuple(
                level
                if level is Need.ELEMENTS or isinstance(field_type(type_, path), phi.VecType)
                else Need.NOTHING
                for path in leaf_paths(type_)
            )
            for type_ in function.function_type.outputs
        ),
    )


def _is_private(function: func.FuncOp) -> bool:
    visibility = function.sym_visibility
    return visibility is not None and visibility.data == "private"


def _named_otherwise(module: ModuleOp) -> set[str]:
    """The functions to which an operation refers that is no call of them."""
    return {
        attribute.root_reference.data
        for op in module.walk()
        if not isinstance(op, func.CallOp)
        for attribute in op.properties.values()
        if isinstance(attribute, SymbolRefAttr)
    }


class ShapeDemand:
    """The demand on the values of a version of a function."""

    def __init__(self, version: Version, module: ModuleDemand):
        self.version = version
        self.function = module.functions[version.function]
        self.sizes = module.sizes
        self._module = module
        self._levels = dict[tuple[SSAValue, phi.Path], Need]()
        self._pending = list[tuple[SSAValue, phi.Path]]()
        self._calls = dict[func.CallOp, None]()
        for block in self.function.body.blocks:
            if isinstance(block.last_op, func.ReturnOp):
                self._need_results(block.last_op.arguments)
        self._propagate()

    def called(self) -> Sequence[Version]:
        """The versions that calls refer to, of those calls that are needed."""
        calls = (op for op in self.function.walk() if isinstance(op, func.CallOp))
        return [self.version_of(call) for call in calls if self.is_needed(call)]

    def is_needed(self, call: func.CallOp) -> bool:
        """Whether a part of the results of a call is needed."""
        return any(self.fields(result, Need.SIZES, Need.ELEMENTS) for result in call.results)

    def version_of(self, call: func.CallOp) -> Version:
        """The version of its callee that a call needs."""
        return Version(call.callee.string_value(), tuple(map(self.levels, call.results)))

    def levels(self, value: SSAValue) -> tuple[Need, ...]:
        """The demand on each field of a value."""
        return tuple(self.of(value, path) for path in leaf_paths(value.type))

    def of(self, value: SSAValue, path: phi.Path = ()) -> Need:
        """The demand on a field that is no record."""
        return self._levels.get((value, path), Need.NOTHING)

    def fields(self, value: SSAValue, *levels: Need) -> list[phi.Path]:
        """The fields of a value that are needed at one of some levels."""
        return [path for path in leaf_paths(value.type) if self.of(value, path) in levels]

    def _need_results(self, results: Sequence[SSAValue]) -> None:
        for value, levels in zip(results, self.version.results, strict=True):
            for path, level in zip(leaf_paths(value.type), levels, strict=True):
                self._raise(value, path, level)

    def _propagate(self) -> None:
        """Visit pending operations; calls last, when more of the need of their results is known."""
        while self._pending or self._calls:
            if self._pending:
                value, path = self._pending.pop()
                self._visit(value, path, self.of(value, path))
            else:
                self._visit_call(self._calls.popitem()[0])

    def _visit_call(self, op: func.CallOp) -> None:
        """The parameters of the version of the callee."""
        callee = self._module.of(self.version_of(op))
        for operand, parameter in zip(op.arguments, callee.function.args, strict=True):
            for path in leaf_paths(operand.type):
                self._raise(operand, path, callee.of(parameter, path))

    def _need(self, value: SSAValue, path: phi.Path, level: Need) -> None:
        """Need a part of a value, or of all fields of it; scalars have no sizes."""
        type_ = field_type(value.type, path)
        for leaf in leaf_paths(type_, path):
            is_array = isinstance(field_type(value.type, leaf), phi.VecType)
            if level is Need.ELEMENTS or is_array:
                self._raise(value, leaf, level)

    def _raise(self, value: SSAValue, path: phi.Path, level: Need) -> None:
        if self.of(value, path) < level:
            self._levels[value, path] = level
            self._pending.append((value, path))

    def _visit(self, value: SSAValue, path: phi.Path, level: Need) -> None:
        if level is Need.SIZES and self._has_known_sizes(value, path):
            return
        owner = value.owner
        if isinstance(owner, Block):
            assert isinstance(value, BlockArgument)
            self._visit_argument(value, path, level)
        else:
            rule = _RULES.get(type(owner), _each_operand)
            rule(self, owner, value, path, level)

    def _has_known_sizes(self, value: SSAValue, path: phi.Path) -> bool:
        """Need the terms of all sizes of a value; False if one is not known."""
        rank = phi.rank_of(field_type(value.type, path))
        found = [self.sizes.of(value, path, axis) for axis in range(rank)]
        if None in found:
            return False
        for term in (term for size in found if size is not None for term in size.terms):
            self._need(term.value, term.path, Need.ELEMENTS if term.axis is None else Need.SIZES)
        return True

    def _visit_argument(self, value: BlockArgument, path: phi.Path, level: Need) -> None:
        parent = value.owner.parent_op()
        if isinstance(parent, phi.FoldOp) and value is parent.accumulator:
            self._need(parent.result, path, level)

    # Rules

    def on_fold(self, op: phi.FoldOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The field that is carried; and the count, as steps are executed."""
        self._need(op.count, (), Need.ELEMENTS)
        for part in (op.init, op.yielded(), op.accumulator):
            self._need(part, path, level)

    def on_array(self, op: phi.ArrayOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The sizes of the axes, and the element that the body yields."""
        for size in op.sizes:
            self._need(size, (), Need.ELEMENTS)
        self._need(op.yielded(), path, level)

    def on_projection(self, op: phi.ProjOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The field of the record."""
        self._need(op.record, (op.field.value.data, *path), level)

    def on_record(self, op: phi.TupleOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The operand that is the field."""
        self._need(op.fields[path[0]], path[1:], level)

    def on_size(self, op: phi.SizeOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The sizes of the array."""
        self._need(op.array, (), Need.SIZES)

    def on_choice(self, op: arith.SelectOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """Both branches; the elements need the condition, too."""
        self._need(op.cond, (), Need.ELEMENTS)
        self._need(op.lhs, path, level)
        self._need(op.rhs, path, level)

    def on_extrinsic(self, op: phi.ExternOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The same of all arguments."""
        for argument in op.arguments:
            self._need(argument, (), level)

    def on_call(self, op: func.CallOp, value: SSAValue, path: phi.Path, level: Need) -> None:
        """The call, after all else that is known of its results."""
        self._calls[op] = None

    def on_any(self, op: Operation, value: SSAValue, path: phi.Path, level: Need) -> None:
        """All of the operands, and of the yielded values; a size is that of the elements."""
        if level is Need.SIZES:
            self._raise(value, path, Need.ELEMENTS)
            return
        self.on_operands(op, Need.ELEMENTS)
        if isinstance(op, phi.BodyOp):
            self._need(op.yielded(), (), Need.ELEMENTS)

    def on_operands(self, op: Operation, level: Need) -> None:
        """A level of all operands."""
        for operand in op.operands:
            self._need(operand, (), level)


def _each_operand(
    demand: ShapeDemand, op: Operation, value: SSAValue, path: phi.Path, level: Need
) -> None:
    demand.on_any(op, value, path, level)


_RULES: dict[type[Operation], Callable[..., None]] = {
    arith.SelectOp: ShapeDemand.on_choice,
    func.CallOp: ShapeDemand.on_call,
    phi.ArrayOp: ShapeDemand.on_array,
    phi.ExternOp: ShapeDemand.on_extrinsic,
    phi.FoldOp: ShapeDemand.on_fold,
    phi.ProjOp: ShapeDemand.on_projection,
    phi.SizeOp: ShapeDemand.on_size,
    phi.TupleOp: ShapeDemand.on_record,
}
"""Operation -> its rule; ``ShapeDemand.on_any`` is that of all others."""
