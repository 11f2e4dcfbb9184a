"""The rules from yarr to emitpy that are the same for every library of arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    TensorType,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.rewriting.yarr_to_emitpy.builder import (
    PythonBuilder,
    is_object,
    literal_int,
)
from ein_mlir.rewriting.yarr_to_emitpy.scalars import Scalars, ScalarTables
from ein_mlir.rewriting.yarr_to_emitpy.sizes import Sizes

SEARCHES = {"<": "argmin", "<=": "last_argmin", ">": "argmax", ">=": "last_argmax"}
"""The helper that searches by each predicate."""


class PythonLowering(ABC):
    """Translates one function; each operation of yarr has a method.

    A scalar stays a scalar where yarr gives it axes of size 1 to align it: it broadcasts anyway.
    So the translation of a value of any rank may have rank 0, or be a weak Python number (see
    ``scalars``). ``array`` is for the places where that does not do.
    """

    pass_name: ClassVar[str]
    tables: ClassVar[ScalarTables]
    scalar_rules: ClassVar[type[Scalars]] = Scalars
    decorators: ClassVar[Sequence[emitpy.DecoratorAttr]] = ()
    """The decorators of a function that does arithmetic."""
    scalars_are_views: ClassVar[bool] = False
    """Whether the only element that an index leaves is a view of its array."""

    def __init__(self, source: Block):
        self.build = PythonBuilder()
        self.scalars = self.scalar_rules(self.build, self.tables)
        self.sizes = Sizes(source)
        self.counters = set[SSAValue]()
        """The counters of loops, as weak ints."""
        self._values: dict[SSAValue, SSAValue] = {}
        self._rules: dict[type[Operation], Callable[[Any], None]] = {
            arith.ConstantOp: self.constant,
            yarr.ArgreduceOp: self.argreduce,
            func.CallOp: self.call,
            yarr.CorrelateOp: self.correlate,
            func.ReturnOp: self.return_,
            yarr.AssertEqOp: self.assert_eq,
            yarr.AssertSizeOp: self.assert_size,
            yarr.ConcatOp: self.concat,
            yarr.EinsumOp: self.einsum,
            yarr.ElementwiseOp: self.elementwise,
            yarr.ExternOp: self.extern,
            yarr.FillEmptyOp: self.fill_empty,
            yarr.FoldOp: self.fold,
            yarr.GatherOp: self.gather,
            yarr.PadOp: self.pad,
            yarr.ProjOp: self.proj,
            yarr.PropagateNanOp: self.propagate_nan,
            yarr.RangeOp: self.range,
            yarr.ReduceOp: self.reduce,
            yarr.RepeatOp: self.repeat,
            yarr.ScanOp: self.scan,
            yarr.SegmentReduceOp: self.segment_reduce,
            yarr.SizeOp: self.size,
            yarr.SliceOp: self.slice,
            yarr.SqueezeOp: self.squeeze,
            yarr.TakeOp: self.take,
            yarr.TopKOp: self.top_k,
            yarr.TransposeOp: self.transpose,
            yarr.TreeReduceOp: self.tree_reduce,
            yarr.TupleOp: self.tuple,
            yarr.UnsqueezeOp: self.unsqueeze,
            yarr.UpdateOp: self.update,
        }

    # Traversal

    def prologue(self, arguments: Sequence[SSAValue]) -> None:  # noqa: B027
        """What a function starts with, given its arguments."""

    def block(self, block: Block) -> None:
        """Translate the operations of a block, but for ``yarr.yield``."""
        for op in block.ops:
            if not isinstance(op, yarr.YieldOp):
                self.operation(op)

    def operation(self, op: Operation) -> None:
        """Translate one operation by the rule for its class."""
        rule = self._rules.get(type(op))
        if rule is None:
            raise self.no_lowering(op)
        self.build.source = op
        rule(op)

    def no_lowering(self, op: Operation, why: str = "") -> PassFailedException:
        """The error for what cannot be translated."""
        return PassFailedException(
            f"{self.pass_name} has no lowering for '{op.name}'{why}{where_written(op)}; "
            f"to reproduce, run: ein-opt -p {self.pass_name} FILE"
        )

    # Values

    def bind(self, value: SSAValue, meaning: SSAValue) -> None:
        """Record the translation of a value; it takes over the name."""
        self._values[value] = meaning
        if isinstance(meaning, OpResult) and meaning.name_hint is None:
            meaning.name_hint = value.name_hint

    def value(self, value: SSAValue) -> SSAValue:
        """The translation of a value: an array of its rank, a scalar, or a weak number."""
        return self._values[value]

    def array(self, value: SSAValue) -> SSAValue:
        """The translation of a value as an array of its rank, of the library's type."""
        lowered = self.value(value)
        if isa(value.type, TupleType):
            return lowered
        shape, element = yarr.shape_of(value), yarr.element_of(value)
        if not shape:
            return self.scalars.typed(lowered, element)
        if self.is_scalar(lowered):
            ones = self.build.axes([1] * len(shape))
            return self.full(ones, lowered, yarr.tensor(element, shape))
        return lowered

    @staticmethod
    def is_scalar(lowered: SSAValue) -> bool:
        """Whether a translation is a scalar, whatever the rank of what it translates."""
        return is_object(lowered) or yarr.rank_of(lowered) == 0

    def size_of(self, array: SSAValue, axis: int) -> SSAValue:
        """The size of the translation of an array, as a weak int."""
        size = yarr.shape_of(array)[axis]
        if size != yarr.DYNAMIC:
            return self.build.literal(size)
        return self.build.size(array, axis)

    # Constants, sizes and assertions

    def constant(self, op: arith.ConstantOp) -> None:
        """A constant array: one number where all are the same."""
        value = op.value
        if not isinstance(value, DenseIntOrFPElementsAttr):
            raise self.no_lowering(op, f" of type '{op.result.type}'")
        shape, element = yarr.shape_of(op.result), yarr.element_of(op.result)
        numbers = self.scalars.dense(value)
        if not shape:
            known = literal_int(numbers[0]) if element == i64 else None
            if known is not None:
                self.sizes.define(op.result, self.sizes.constant(known))
            self.bind(op.result, numbers[0])
        elif value.is_splat():
            lengths = self.build.axes(shape)
            self.bind(op.result, self.full(lengths, numbers[0], yarr.tensor(element, shape)))
        else:
            self.bind(op.result, self.constant_array(numbers, yarr.tensor(element, shape)))

    def size(self, op: yarr.SizeOp) -> None:
        """``a.shape[axis]``"""
        axis, array = op.axis.value.data, self.value(op.array)
        if self.is_scalar(array):
            self.bind(op.result, self.build.literal(1))
            self.sizes.define(op.result, self.sizes.constant(1))
        else:
            self.bind(op.result, self.build.size(array, axis))
            self.sizes.define_size(op.result, op.array, axis)

    def assert_eq(self, op: yarr.AssertEqOp) -> None:
        """``if n != m: raise ValueError(f"...: {n} != {m}")``"""
        lhs, rhs = self.value(op.lhs), self.value(op.rhs)
        message = f"{_escape(op.message.data)}: {{}} != {{}}"
        self.build.insert(emitpy.RaiseIfOp(self.build.binary(lhs, "!=", rhs), message, (lhs, rhs)))
        self._values[op.result] = lhs
        self.sizes.equate(op, op.lhs, op.rhs)
        self.sizes.define(op.result, self.sizes.of(op.lhs))

    def assert_size(self, op: yarr.AssertSizeOp) -> None:
        """``if n < 0: raise ValueError(f"... is negative: {n}")``"""
        size = self.value(op.size)
        negative = self.build.binary(size, "<", self.build.literal(0))
        message = f"{_escape(op.message.data)} is negative: {{}}"
        self.build.insert(emitpy.RaiseIfOp(negative, message, (size,)))
        self._values[op.result] = size
        self.sizes.define(op.result, self.sizes.of(op.size))

    # Axes

    def squeeze(self, op: yarr.SqueezeOp) -> None:
        """``a[:, 0]``"""
        array = self.value(op.array)
        if self.is_scalar(array) or not op.axes:
            return self.bind(op.result, array)
        indices = [
            self.build.literal(0) if axis in op.axes else self.build.slice()
            for axis in range(max(op.axes) + 1)
        ]
        return self.bind(op.result, self.build.subscript(array, indices, op.result.type))

    def unsqueeze(self, op: yarr.UnsqueezeOp) -> None:
        """``a[:, None]``; a scalar stays one."""
        array = self.value(op.array)
        if self.is_scalar(array) or not op.axes:
            return self.bind(op.result, array)
        indices = [
            self.build.literal(None) if axis in op.axes else self.build.slice()
            for axis in range(yarr.rank_of(op.result))
        ]
        return self.bind(op.result, self.build.subscript(array, indices, op.result.type))

    # Elementwise operations

    def elementwise(self, op: yarr.ElementwiseOp) -> None:
        """The operations of the body, each on whole arrays."""
        block = op.body.block
        for argument, operand in zip(block.args, op.arguments, strict=True):
            self._values[argument] = self.operand(operand)
            if yarr.element_of(operand) == i64:
                self.sizes.define(argument, self.sizes.of(operand))
        for inner in block.ops:
            if not isinstance(inner, yarr.YieldOp):
                self.scalar(inner)
        self.build.source = op
        terminator = block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        (result,) = terminator.values
        self.bind(op.result, self._spread(op, result))
        if not yarr.rank_of(op.result) and result.type == i64:
            self.sizes.define(op.result, self.sizes.of(result))

    def operand(self, value: SSAValue) -> SSAValue:
        """The translation of what an elementwise operation is applied to."""
        return self.value(value)

    def scalar(self, op: Operation) -> None:
        """An operation of a body."""
        self.build.source = op
        result = op.results[0]
        if isinstance(op, arith.ConstantOp):
            value = self.scalars.constant(op.value)
        else:
            value = self.scalars.translate(op, [self.value(operand) for operand in op.operands])
            if value is None:
                raise self.no_lowering(op)
        self.bind(result, value)
        if result.type == i64:
            self._define_form(op)

    def _define_form(self, op: Operation) -> None:
        """Keep the linear forms of sizes up through additions and products by a constant."""
        result = op.results[0]
        match op:
            case arith.ConstantOp():
                known = literal_int(self.value(result))
                if known is not None:
                    self.sizes.define(result, self.sizes.constant(known))
            case arith.AddiOp():
                self.sizes.define(result, self.sizes.of(op.lhs) + self.sizes.of(op.rhs))
            case arith.SubiOp():
                self.sizes.define(result, self.sizes.of(op.lhs) - self.sizes.of(op.rhs))
            case arith.MaxSIOp():
                self.sizes.define_maximum(result, self.sizes.of(op.lhs), self.sizes.of(op.rhs))
            case arith.MinSIOp():
                self.sizes.define_minimum(result, self.sizes.of(op.lhs), self.sizes.of(op.rhs))
            case arith.MuliOp():
                lhs, rhs = self.sizes.of(op.lhs), self.sizes.of(op.rhs)
                if (factor := rhs.known()) is not None:
                    self.sizes.define(result, lhs * factor)
                elif (factor := lhs.known()) is not None:
                    self.sizes.define(result, rhs * factor)
            case _:
                pass

    def _spread(self, op: yarr.ElementwiseOp, result: SSAValue) -> SSAValue:
        """The value of a body, over all that its arguments range over, also those it ignores."""
        value = self.value(result)
        arrays = [self.value(argument) for argument in op.body.block.args]
        arrays = [array for array in arrays if not self.is_scalar(array)]
        if not arrays:
            return value
        rank = yarr.rank_of(op.result)
        covered = (1,) * rank if self.is_scalar(value) else yarr.shape_of(value)
        missing = [
            array
            for array in arrays
            if any(s != 1 and c == 1 for s, c in zip(yarr.shape_of(array), covered, strict=True))
        ]
        if not missing:
            return value
        type_ = yarr.tensor(result.type, yarr.shape_of(op.result))
        if self.is_scalar(value):
            return self.full(self.broadcast_shape(missing), value, type_)
        return self.broadcast_to(value, self.broadcast_shape([value, *missing]), type_)

    # Searches and tests

    def propagate_nan(self, op: yarr.PropagateNanOp) -> None:
        """A helper, which gives the array itself where a test tells that the others are finite.

        That is a test of the array, if it is a sum of products of the others: these are then small
        enough to be tested at no cost.
        """
        array, others = self.array(op.array), self.array(op.others)
        witness = array if sums_all(op.array, op.others) else others
        axis = self.build.literal(op.axis.value.data)
        helper, type_ = f"{self.tables.prefix}.propagate_nan", op.result.type
        result = self.build.helper(helper, array, others, axis, witness, type=type_, view=True)
        self.bind(op.result, result)

    def argreduce(self, op: yarr.ArgreduceOp) -> None:
        """A helper: the functions of the libraries stop at NaN, and fail where there is nothing."""
        helper = f"{self.tables.prefix}.{SEARCHES[op.predicate.data]}"
        axis = self.build.literal(op.axis.value.data)
        found = self.build.helper(helper, self.array(op.array), axis, type=op.result.type)
        self.bind(op.result, found)

    def top_k(self, op: yarr.TopKOp) -> None:
        """A helper: the functions of the libraries do not say which of ties come first."""
        axis, is_largest = (
            self.build.literal(value) for value in (op.axis.value.data, op.predicate.data == ">")
        )
        arguments = (self.array(op.array), axis, self.value(op.count), is_largest)
        helper = f"{self.tables.prefix}.top_k"
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))

    # Loops, records and calls

    def fold(self, op: yarr.FoldOp) -> None:
        """``for k in range(n):``"""
        count = self.value(op.count)
        accumulators = op.accumulators
        inits = [self.held(init, a) for init, a in zip(op.inits, accumulators, strict=True)]
        body = Block(arg_types=[OBJECT, *(init.type for init in op.inits)])
        for old, new in zip(op.body.block.args, body.args, strict=True):
            new.name_hint = old.name_hint
            self._values[old] = new
        self.counters.add(body.args[0])
        with self.build.emitting_into(body):
            self.block(op.body.block)
            terminator = op.body.block.last_op
            assert isinstance(terminator, yarr.YieldOp)
            steps = zip(terminator.values, accumulators, strict=True)
            self.build.insert(emitpy.YieldOp(*(self.held(value, a) for value, a in steps)))
        self.build.source = op
        loop = self.build.insert(emitpy.ForOp(count, inits, Region(body)))
        for old, new in zip(op.res, loop.res, strict=True):
            self.bind(old, new)

    def held(self, value: SSAValue, accumulator: SSAValue) -> SSAValue:
        """A value as an accumulator of a loop holds it."""
        return self.array(value)

    def tuple(self, op: yarr.TupleOp) -> None:
        """``(a, b)``"""
        fields = [self.array(field) for field in op.fields]
        self.bind(op.result, self.build.tuple(fields, op.result.type))

    def proj(self, op: yarr.ProjOp) -> None:
        """``t[0]``"""
        record, field = self.value(op.record), op.field.value.data
        if isinstance(record.owner, emitpy.TupleOp):
            return self.bind(op.result, record.owner.fields[field])
        index = self.build.literal(field)
        return self.bind(op.result, self.build.subscript(record, [index], op.result.type))

    def extern(self, op: yarr.ExternOp) -> None:
        """A call of a function of the embedding program; it may return its argument."""
        arguments = [self.array(argument) for argument in op.arguments]
        call = emitpy.ExternOp(op.callee, arguments, op.result.type, view=True)
        self.bind(op.result, self.build.insert(call).result)

    def call(self, op: func.CallOp) -> None:
        """A call of another function of the module, whose results are fresh."""
        arguments = [self.array(argument) for argument in op.arguments]
        call = self.build.insert(
            func.CallOp(op.callee, arguments, [result.type for result in op.results])
        )
        for old, new in zip(op.results, call.results, strict=True):
            self.bind(old, new)

    def return_(self, op: func.ReturnOp) -> None:
        """``return a, b``, where nothing is an argument, or part of one, or of another result."""
        memory, returned = Memory(self.scalars_are_views), set[SSAValue]()
        results = [
            self._own(self.array(value), value.type, memory, returned) for value in op.arguments
        ]
        self.build.insert(func.ReturnOp(*results))

    def _own(
        self, value: SSAValue, type_: Attribute, memory: Memory, returned: set[SSAValue]
    ) -> SSAValue:
        """The value, or a copy where its memory is not the caller's alone."""
        if isa(type_, TupleType):
            fields = [
                self._own(self._field(value, k), field, memory, returned)
                for k, field in enumerate(type_.types)
            ]
            return self.build.tuple(fields, type_)
        roots = memory.roots(value)
        if (
            roots.isdisjoint(returned)
            and not any(_is_argument(root) for root in roots)
            and not memory.is_overlapping(value)
        ):
            returned.update(roots)
            return value
        return self.copy(value)

    def _field(self, record: SSAValue, field: int) -> SSAValue:
        assert isa(record.type, TupleType)
        if isinstance(record.owner, emitpy.TupleOp):
            return record.owner.fields[field]
        index = self.build.literal(field)
        return self.build.subscript(record, [index], record.type.types.data[field])

    # What each library does in its own way

    @abstractmethod
    def full(self, shape: SSAValue, value: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """A fresh array of a shape that holds a scalar everywhere."""

    @abstractmethod
    def constant_array(self, numbers: Sequence[SSAValue], type: TensorType[Attribute]) -> SSAValue:
        """An array of numbers in row-major order."""

    @abstractmethod
    def copy(self, value: SSAValue) -> SSAValue:
        """A value that shares no memory."""

    @abstractmethod
    def broadcast_shape(self, arrays: Sequence[SSAValue]) -> SSAValue:
        """The shape that arrays broadcast to."""

    @abstractmethod
    def broadcast_to(
        self, value: SSAValue, shape: SSAValue, type: TensorType[Attribute]
    ) -> SSAValue:
        """An array repeated along its axes of size 1, to be read only."""

    @abstractmethod
    def concat(self, op: yarr.ConcatOp) -> None:
        """Arrays end to end."""

    @abstractmethod
    def correlate(self, op: yarr.CorrelateOp) -> None:
        """Sums over windows."""

    @abstractmethod
    def einsum(self, op: yarr.EinsumOp) -> None:
        """A contraction."""

    @abstractmethod
    def fill_empty(self, op: yarr.FillEmptyOp) -> None:
        """One zero along an empty axis."""

    @abstractmethod
    def gather(self, op: yarr.GatherOp) -> None:
        """Elements at positions along leading axes."""

    @abstractmethod
    def pad(self, op: yarr.PadOp) -> None:
        """Copies of the ends."""

    @abstractmethod
    def range(self, op: yarr.RangeOp) -> None:
        """The ints up to a size."""

    @abstractmethod
    def reduce(self, op: yarr.ReduceOp) -> None:
        """A reduction that the library knows."""

    @abstractmethod
    def repeat(self, op: yarr.RepeatOp) -> None:
        """An axis of size 1 repeated."""

    @abstractmethod
    def scan(self, op: yarr.ScanOp) -> None:
        """The combinations of all prefixes, or suffixes."""

    @abstractmethod
    def segment_reduce(self, op: yarr.SegmentReduceOp) -> None:
        """A reduction of the values that each key selects."""

    @abstractmethod
    def slice(self, op: yarr.SliceOp) -> None:
        """Elements a step apart."""

    @abstractmethod
    def take(self, op: yarr.TakeOp) -> None:
        """Elements at positions along one axis."""

    @abstractmethod
    def transpose(self, op: yarr.TransposeOp) -> None:
        """Axes in another order."""

    @abstractmethod
    def update(self, op: yarr.UpdateOp) -> None:
        """Elements at positions along some axes replaced."""

    @abstractmethod
    def tree_reduce(self, op: yarr.TreeReduceOp) -> None:
        """A reduction by a body."""


def sums_all(value: SSAValue, array: SSAValue) -> bool:
    """Whether a finite value tells that an array is finite: each element has a part in its sums.

    A sum of products is not finite if a factor of one of the products is not. Each element of the
    array is such a factor, unless an axis that the array lacks is summed, and may be empty.
    """
    root = _viewed(array)
    match value.owner:
        case yarr.EinsumOp() as op:
            inputs, output = yarr.split_subscripts(op.subscripts.data)
            return any(
                _viewed(operand) is root and set("".join(inputs)) <= {*letters, *output}
                for letters, operand in zip(inputs, op.arrays, strict=True)
            )
        case yarr.ReduceOp() as op if op.combine == arith.AddfOp.name:
            return _viewed(op.array) is root
        case _:
            return False


def _viewed(value: SSAValue) -> SSAValue:
    """The array that has the same elements in another shape."""
    while isinstance(value.owner, yarr.TransposeOp | yarr.UnsqueezeOp | yarr.SqueezeOp):
        value = value.owner.array
    return value


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _is_argument(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), func.FuncOp)


# Functions and modules ------------------------------------------------------------------------


def convert_module(module: ModuleOp, lowering: type[PythonLowering]) -> None:
    """Replace the bodies of all functions of a module by emitpy."""
    for op in module.ops:
        if isinstance(op, func.FuncOp) and not op.is_declaration:
            convert_function(op, lowering)


def convert_function(function: func.FuncOp, lowering: type[PythonLowering]) -> None:
    """Replace the body of a function by emitpy; its type stays."""
    source = function.body.block
    if any(not _is_yarr_type(argument.type) for argument in source.args):
        raise PassFailedException(
            f"{lowering.pass_name}: the arguments of '{function.sym_name.data}' must be tensors "
            f"and tuples of them{where_written(function)}; run convert-phi-to-yarr first"
        )
    target = Block(arg_types=source.arg_types)
    function.body.add_block(target)
    rules = lowering(source)
    with rules.build.emitting_into(target):
        for old, new in zip(source.args, target.args, strict=True):
            new.name_hint = old.name_hint
            rules.bind(old, new)
        rules.prologue(target.args)
        rules.block(source)
    if lowering.decorators and _computes(source):
        function.attributes[emitpy.DECORATORS] = ArrayAttr(lowering.decorators)
    function.body.erase_block(source, safe_erase=False)
    erase_unused(target)


def _is_yarr_type(type_: Attribute) -> bool:
    return isa(type_, TensorType) or isa(type_, TupleType)


def _computes(block: Block) -> bool:
    """Whether a function does arithmetic, which could overflow or divide by zero."""
    arithmetic = (
        yarr.CorrelateOp,
        yarr.EinsumOp,
        yarr.ElementwiseOp,
        yarr.PropagateNanOp,
        yarr.ReduceOp,
        yarr.ScanOp,
        yarr.SegmentReduceOp,
    )
    return any(isinstance(op, arithmetic) for op in block.walk())


def erase_unused(block: Block) -> None:
    """Erase operations without effects whose results nobody uses, last to first."""
    for op in reversed(list(block.ops)):
        for region in op.regions:
            for inner in region.blocks:
                erase_unused(inner)
        is_used = not op.results or any(result.uses for result in op.results)
        if not is_used and is_side_effect_free(op):
            op.detach()
            op.erase()
