"""The Phi calculus: pointful array programs (dissertation, section 3.1).

Arrays are defined by what stands at each index. Scalars are ``i1``, ``i64``, ``f64``, ``i32`` and
``f32``; ``!phi.vec<T>`` is a vector of any phi type; builtin tuples are records. A comprehension
index is a block argument of type ``index``, which only ``phi.array`` introduces: that is the
calculus's separate index environment. Scalar operators are ``arith``, ``math`` and ``sigma``
operations, a let binding is an SSA value, and a program is a ``func.func``.

The distances between all pairs of rows of a matrix read::

    %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %0 = arith.subf %x, %y : f64
        %1 = math.absf %0 : f64
        %2 = arith.addf %acc, %1 : f64
        phi.yield %2 : f64
      }
      phi.yield %s : f64
    }
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, cast

from typing_extensions import TypeVar
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    I64,
    FileLineColLoc,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    UnitAttr,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import (
    Attribute,
    BlockArgument,
    Dialect,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    IntConstraint,
    IRDLOperation,
    MessageConstraint,
    VarConstraint,
    VerificationContext,
    base,
    eq,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    OperandVariable,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import (
    HasCanonicalizationPatternsTrait,
    HasParent,
    IsTerminator,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ein_mlir.dialects.assembly import (
    parse_bound_arguments,
    parse_single_operation,
    print_bound_argument,
    resolve_arguments,
    single_operation,
)
from ein_mlir.dialects.reductions import (
    SCAN_KINDS,
    SEGMENT_KINDS,
    combination,
    unsearchable,
    unselectable,
)


@irdl_attr_definition
class VecType(ParametrizedAttribute, TypeAttribute):
    """A vector of elements of any phi type: the box type of the calculus.

    Matrices are vectors of vectors, ``!phi.vec<!phi.vec<f64>>``; the size is not part of the type.
    """

    name = "phi.vec"

    element_type: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            element = parser.parse_type()
            if not is_phi_type(element):
                parser.raise_error(
                    f"!phi.vec holds i1, i32, i64, f32, f64, vectors and tuples of them, "
                    f"not '{element}'",
                    position,
                )
            return [element]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element_type)

    def verify(self) -> None:
        if not is_phi_type(self.element_type):
            raise VerifyException(
                f"!phi.vec holds i1, i32, i64, f32, f64, vectors and tuples of them, "
                f"not '{self.element_type}'"
            )


PhiType: TypeAlias = IntegerType | Float32Type | Float64Type | VecType | TupleType

SCALAR_TYPES = (i1, i32, i64, f32, f64)


def is_scalar_type(type_: Attribute) -> bool:
    """Whether a type is one of the scalars of the calculus: i1, i32, i64, f32, f64."""
    return type_ in SCALAR_TYPES


def is_phi_type(type_: Attribute) -> bool:
    """Whether a type belongs to the calculus: a scalar, a vector or a tuple of such types."""
    if isinstance(type_, VecType):
        return is_phi_type(type_.element_type)
    if isa(type_, TupleType):
        return all(is_phi_type(t) for t in type_.types)
    return is_scalar_type(type_)


def vec_of(element: Attribute, rank: int = 1) -> Attribute:
    """``element`` wrapped in ``rank`` vector types."""
    for _ in range(rank):
        element = VecType(element)
    return element


def tuple_of(fields: Iterable[Attribute]) -> TupleType:
    """The record type of fields of phi or yarr types."""
    return TupleType(tuple(field for field in fields if isinstance(field, TypeAttribute)))


def struct_of_arrays(type_: Attribute) -> Attribute:
    """The type with arrays of records turned into records of arrays, at any depth.

    ``vec<tuple<a, b>>`` becomes ``tuple<vec<a>, vec<b>>``: how values are represented at run time.
    """
    if isinstance(type_, VecType):
        inner = struct_of_arrays(type_.element_type)
        if isa(inner, TupleType):
            return tuple_of(struct_of_arrays(VecType(field)) for field in inner.types)
        return VecType(inner)
    if isa(type_, TupleType):
        return tuple_of(struct_of_arrays(field) for field in type_.types)
    return type_


def element_of(type_: Attribute, depth: int = 1) -> Attribute | None:
    """What stands in ``type_`` under ``depth`` vector types, or None if it has fewer."""
    for _ in range(depth):
        if not isinstance(type_, VecType):
            return None
        type_ = type_.element_type
    return type_


def row_of(type_: Attribute, depth: int = 1) -> Attribute | None:
    """``element_of``, where a record of arrays also stands for an array of records."""
    if not isa(type_, TupleType):
        return element_of(type_, depth)
    fields = [row for field in type_.types if (row := row_of(field, depth)) is not None]
    return tuple_of(fields) if len(fields) == len(type_.types) else None


def rank_of(type_: Attribute) -> int:
    """The number of vector types around the innermost element."""
    rank = 0
    while isinstance(type_, VecType):
        rank, type_ = rank + 1, type_.element_type
    return rank


def scalar_of(type_: Attribute) -> Attribute:
    """The element under all vector types."""
    while isinstance(type_, VecType):
        type_ = type_.element_type
    return type_


def where_written(op: Operation) -> str:
    """`` (at file:line)`` when the operation knows where it was written, else nothing."""
    location = op.location
    if isinstance(location, FileLineColLoc):
        return f" (at {location.filename.data}:{location.line.data})"
    return ""


def uncast(position: SSAValue) -> SSAValue:
    """The comprehension index that a position is, if it is one as an Int."""
    owner = position.owner
    return owner.input if isinstance(owner, arith.IndexCastOp) else position


def index_name(value: SSAValue) -> str:
    """How a diagnostic names an index or variable: the name that a person gave it, or its place."""
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"#{value.index}"
    return "an unnamed value"


@dataclass(frozen=True)
class PhiTypeConstraint(AttrConstraint[PhiType]):
    """A type of the calculus: a scalar, a vector or a record of such types."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_phi_type(attr):
            raise VerifyException(
                f"a phi value is an i1, i32, i64, f32, f64, a !phi.vec or a tuple of such, "
                f"not '{attr}'" + (_INDEX_ADVICE if isinstance(attr, IndexType) else "")
            )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> PhiTypeConstraint:
        return self


_INDEX_ADVICE = "; arith.index_cast reads an index as an Int"
_VALUE = PhiTypeConstraint()
_ARRAY = MessageConstraint(
    base(VecType) | base(TupleType), "expected a !phi.vec, or a tuple of such for records"
)
_POSITION = eq(IndexType()) | eq(IntegerType(64)) | eq(IntegerType(32))


# Directives -----------------------------------------------------------------------------------


@irdl_custom_directive
class Comprehension(CustomDirective):
    """``(%i < %n, %j < %m) -> type { body }``: indices bound to their sizes."""

    sizes: VariadicOperandVariable
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        names, sizes = parse_bound_arguments(parser, "<")
        parser.parse_punctuation(")")
        self.sizes.set(state, sizes)
        self.sizes.set_types(state, (i64,) * len(sizes))
        parser.parse_punctuation("->")
        self.result.set(state, (parser.parse_type(),))
        arguments = resolve_arguments(names, (IndexType(),) * len(names), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, ArrayOp)
        printer.print_string(" (")
        printer.print_list(
            zip(op.body.block.args, op.sizes, strict=True),
            lambda pair: print_bound_argument(printer, pair[0], "<", pair[1]),
        )
        printer.print_string(") -> ")
        printer.print_attribute(op.result.type)
        printer.print_string(" ")
        printer.print_region(op.body, print_entry_block_args=False)


@irdl_custom_directive
class Iteration(CustomDirective):
    """``(%k < %n, %acc = %init) -> type { body }``: a counter and an accumulator."""

    count: OperandVariable
    init: OperandVariable
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        counter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("<")
        self.count.set(state, parser.parse_unresolved_operand())
        parser.parse_punctuation(",")
        accumulator = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        self.init.set(state, parser.parse_unresolved_operand())
        parser.parse_punctuation(")")
        parser.parse_punctuation("->")
        type_ = parser.parse_type()
        self.result.set(state, (type_,))
        self.init.set_types(state, (type_,))
        self.count.set_types(state, (i64,))
        arguments = resolve_arguments((counter, accumulator), (i64, type_), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, FoldOp)
        printer.print_string(" (")
        print_bound_argument(printer, op.counter, "<", op.count)
        printer.print_string(", ")
        print_bound_argument(printer, op.accumulator, "=", op.init)
        printer.print_string(") -> ")
        printer.print_attribute(op.result.type)
        printer.print_string(" ")
        printer.print_region(op.body, print_entry_block_args=False)


@irdl_custom_directive
class Combination(CustomDirective):
    """``%v identity %zero by (%x, %y) -> type { body }``, or ``by { arith.addf } -> type``.

    The type of a record of vectors stands behind it: ``%v : type identity ...``.
    """

    vec: OperandVariable
    vec_type: TypeDirective
    identity: OperandVariable
    identity_type: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.vec.set(state, parser.parse_unresolved_operand())
        columns = parser.parse_optional_punctuation(":") and parser.parse_type()
        parser.parse_keyword("identity")
        self.identity.set(state, parser.parse_unresolved_operand())
        parser.parse_keyword("by")
        type_ = self._parse_body(parser, state)
        self.vec_type.set(state, (columns or VecType(type_),))
        self.identity_type.set(state, (type_,))
        self.result.set(state, (type_,))

    def _parse_body(self, parser: Parser, state: ParsingState) -> Attribute:
        """Parse the region and the type of the result, which is returned."""
        if parser.parse_optional_punctuation("{") is not None:
            position = parser.pos
            name = parser.parse_identifier()
            parser.parse_punctuation("}")
            parser.parse_punctuation("->")
            type_ = parser.parse_type()
            body = parse_single_operation(
                parser, (type_, type_), (type_,), name, lambda values: YieldOp(values[0]), position
            )
        else:
            names = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
            parser.parse_punctuation("->")
            type_ = parser.parse_type()
            arguments = resolve_arguments(names, (type_,) * 2, parser)
            body = parser.parse_region(arguments)
        self.body.set(state, body)
        return type_

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, ReduceOp)
        printer.print_string(" ")
        printer.print_ssa_value(op.vec)
        if not isinstance(op.vec.type, VecType):
            printer.print_string(" : ")
            printer.print_attribute(op.vec.type)
        printer.print_string(" identity ")
        printer.print_ssa_value(op.identity)
        printer.print_string(" by")
        single = single_operation(op.body)
        if single is not None:
            printer.print_string(f" {{ {single.name} }} -> ")
            printer.print_attribute(op.result.type)
            return
        printer.print_string(" (")
        printer.print_list(op.body.block.args, printer.print_ssa_value)
        printer.print_string(") -> ")
        printer.print_attribute(op.result.type)
        printer.print_string(" ")
        printer.print_region(op.body, print_entry_block_args=False)


@irdl_custom_directive
class Indexing(CustomDirective):
    """``%a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]``; the result type follows."""

    array: OperandVariable
    array_type: TypeDirective
    positions: VariadicOperandVariable
    position_types: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.array.set(state, parser.parse_unresolved_operand())
        positions = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        self.positions.set(state, positions)
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        self.array_type.set(state, (type_,))
        types = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_type)
        self.position_types.set(state, tuple(types))
        element = element_of(type_, len(positions))
        if element is None:
            parser.raise_error(
                f"{len(positions)} positions are too many for a '{type_}'",
                start,
            )
        self.result.set(state, (element,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, GetOp)
        printer.print_string(" ")
        printer.print_ssa_value(op.array)
        with printer.in_square_brackets():
            printer.print_list(op.positions, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_attribute(op.array.type)
        with printer.in_square_brackets():
            printer.print_list(op.positions.types, printer.print_attribute)


@irdl_custom_directive
class Fields(CustomDirective):
    """``(%a, %b) : tuple<f64, i64>``: the fields of a record, typed by the record."""

    fields: VariadicOperandVariable
    field_types: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        fields = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        self.fields.set(state, fields)
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        if not isa(type_, TupleType):
            parser.raise_error(f"expected a tuple type, got '{type_}'", start)
        if len(type_.types) != len(fields):
            parser.raise_error(f"expected a tuple of {len(fields)} field(s), got '{type_}'", start)
        self.field_types.set(state, tuple(type_.types))
        self.result.set(state, (type_,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, TupleOp)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(op.fields, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_attribute(op.result.type)


# Operations -----------------------------------------------------------------------------------


class _Canonical(HasCanonicalizationPatternsTrait):
    """The operation has rewrites in the table of ``passes/canonicalization_patterns/phi.py``."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        from ein_mlir.passes.canonicalization_patterns.phi import PATTERNS

        return PATTERNS[op]


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a body: the element of a comprehension, the next accumulator, the combined value.

    Example:
    ```mlir
    phi.yield %x : f64
    ```
    """

    name = "phi.yield"

    value = operand_def(_VALUE)

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(ArrayOp, FoldOp, ReduceOp)))

    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation):
        super().__init__(operands=[value])


class _BodyOp(IRDLOperation):
    """What the operations with a body share."""

    def yielded(self) -> SSAValue:
        """The value that the body yields."""
        terminator = self.regions[0].block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.value

    def _verify_body(self, expected: Sequence[Attribute], result: Attribute) -> None:
        block = self.regions[0].block
        types = tuple(arg.type for arg in block.args)
        if types != tuple(expected):
            raise VerifyException(
                f"{self.name}: the body must take ({_join(expected)}), not ({_join(types)})"
                + where_written(self)
            )
        if not isinstance(block.last_op, YieldOp):
            raise VerifyException(
                f"{self.name}: the body must end in phi.yield" + where_written(self)
            )
        if block.last_op.value.type != result:
            raise VerifyException(
                f"{self.name}: the body must yield '{result}', "
                f"but yields '{block.last_op.value.type}'" + where_written(self)
            )


@irdl_op_definition
class ArrayOp(_BodyOp):
    """Array comprehension: the vector (of vectors, for several indices) of the body's values.

    ``phi.array (%i < %n) { e }`` is the calculus's ``Phi i[n]. e``; with several indices it is the
    nest of comprehensions over them, the first index outermost. Sizes are Ints that depend on no
    index; a negative size is an error.

    Where the body yields a record, the result is an array of records, or the record of arrays that
    stands for it, as its type says: ``struct-of-arrays`` leaves only the latter.

    Example:
    ```mlir
    %t = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %x : f64
    }
    %xs_and_ys = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
      %xy = phi.get %points[%i] : !phi.vec<tuple<f64, f64>>[index]
      phi.yield %xy : tuple<f64, f64>
    }
    ```
    """

    name = "phi.array"

    sizes = var_operand_def(I64)
    result = result_def(_ARRAY)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), _Canonical())

    custom_directives = (Comprehension,)
    assembly_format = "custom<Comprehension>($sizes, type($result), $body) attr-dict"

    def __init__(
        self,
        sizes: Sequence[SSAValue | Operation],
        body: Region,
        result_type: Attribute | None = None,
    ):
        terminator = body.block.last_op
        if not isinstance(terminator, YieldOp):
            raise ValueError("the body of phi.array must end in phi.yield")
        super().__init__(
            operands=[sizes],
            result_types=[result_type or vec_of(terminator.value.type, len(sizes))],
            regions=[body],
        )

    @property
    def indices(self) -> Sequence[BlockArgument]:
        """The indices that the comprehension binds, outermost first."""
        return self.body.block.args

    def verify_(self) -> None:
        if not self.sizes:
            raise VerifyException(
                "phi.array: a comprehension needs at least one index" + where_written(self)
            )
        element = row_of(self.result.type, len(self.sizes))
        if element is None:
            raise VerifyException(
                f"phi.array: {len(self.sizes)} indices are too many for a '{self.result.type}'"
                + where_written(self)
            )
        self._verify_body((IndexType(),) * len(self.sizes), element)

    def verify(self, verify_nested_ops: bool = True) -> None:
        super().verify(verify_nested_ops)
        if verify_nested_ops:
            self._verify_regularity()

    def _verify_regularity(self) -> None:
        """No size and no count in the body depends on an index; told at the one that does."""
        from ein_mlir.dialects.regularity import irregularities

        for irregularity in irregularities(self):
            op = irregularity.op
            message = f"{irregularity}{where_written(op)}"
            op.emit_error(f"Operation does not verify: {message}", VerifyException(message))


@irdl_op_definition
class FoldOp(_BodyOp):
    """Indexed fold: ``%acc`` starts as the initial value and becomes the body's value, count times.

    The counter ``%k`` runs from 0 to count-1 and is an Int variable, not an index. The accumulator
    may have any type, the same before and after a step. A negative count is an error.

    Example:
    ```mlir
    %sum = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    ```
    """

    name = "phi.fold"

    T: ClassVar = VarConstraint("type of the accumulator", _VALUE)

    count = operand_def(I64)
    init = operand_def(T)
    result = result_def(T)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), _Canonical())

    custom_directives = (Iteration,)
    assembly_format = "custom<Iteration>($count, $init, type($result), $body) attr-dict"

    def __init__(self, count: SSAValue | Operation, init: SSAValue | Operation, body: Region):
        super().__init__(
            operands=[count, init], result_types=[SSAValue.get(init).type], regions=[body]
        )

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.body.block.args[0]

    @property
    def accumulator(self) -> BlockArgument:
        """The value that the steps hand on."""
        return self.body.block.args[1]

    def verify_(self) -> None:
        self._verify_body((i64, self.init.type), self.init.type)


@irdl_op_definition
class ReduceOp(_BodyOp):
    """Reduction of a vector by an associative operation with an identity.

    The operation may be regrouped but is never reordered: it need not commute. The reduction of an
    empty vector is the identity. Elements may have any type; a vector of records may be given as
    the record of vectors that stands for it.

    Example:
    ```mlir
    %sum = phi.reduce %v identity %zero by { arith.addf } -> f64
    %last = phi.reduce %v identity %zero by (%x, %y) -> f64 {
      phi.yield %y : f64
    }
    %both = phi.reduce %vs : tuple<!phi.vec<f64>, !phi.vec<f64>> identity %zeros by (%x, %y)
        -> tuple<f64, f64> {
      phi.yield %y : tuple<f64, f64>
    }
    ```
    """

    name = "phi.reduce"

    T: ClassVar = VarConstraint("type of the elements", _VALUE)

    vec = operand_def(_ARRAY)
    identity = operand_def(T)
    result = result_def(T)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    custom_directives = (Combination,)
    assembly_format = (
        "custom<Combination>($vec, type($vec), $identity, type($identity), type($result), $body)"
        " attr-dict"
    )

    def __init__(self, vec: SSAValue | Operation, identity: SSAValue | Operation, body: Region):
        super().__init__(
            operands=[vec, identity], result_types=[SSAValue.get(identity).type], regions=[body]
        )

    def verify_(self) -> None:
        element = row_of(self.vec.type)
        if element != self.identity.type:
            raise VerifyException(
                f"phi.reduce: an identity of type '{self.identity.type}' does not fit the elements "
                f"of a '{self.vec.type}'" + where_written(self)
            )
        self._verify_body((self.identity.type,) * 2, self.identity.type)


@irdl_op_definition
class ArgreduceOp(IRDLOperation):
    """The position where a search for the smallest or the largest element ends.

    The search starts at position 0 with infinity, or the largest Int, as the best element so far.
    It goes to each element in turn for which ``element PREDICATE best`` holds: ``"<"`` finds the
    first of the smallest elements, ``"<="`` the last of them, ``">"`` and ``">="`` the largest.
    Nothing is better than NaN nor worse: it is passed over. Of nothing, the position is 0.

    Example:
    ```mlir
    %k = phi.argreduce %v by "<" : !phi.vec<f64>
    ```
    """

    name = "phi.argreduce"

    vec = operand_def(VecType)
    predicate = prop_def(StringAttr)
    result = result_def(I64)

    traits = traits_def(Pure())

    assembly_format = "$vec `by` $predicate attr-dict `:` type($vec)"

    def __init__(self, vec: SSAValue | Operation, predicate: str):
        super().__init__(
            operands=[vec],
            result_types=[i64],
            properties={"predicate": StringAttr(predicate)},
        )

    def verify_(self) -> None:
        assert isinstance(self.vec.type, VecType)
        problem = unsearchable(self.vec.type.element_type, self.predicate.data)
        if problem is not None:
            raise VerifyException(f"phi.argreduce: {problem}" + where_written(self))


@irdl_op_definition
class TopKOp(IRDLOperation):
    """The positions of the first elements in order: of the smallest by ``"<"``, or the largest.

    Each position is where a search ends, as of ``phi.argreduce``, in what the positions before it
    have left: elements that have been found count as infinity (minus infinity by ``">"``; the
    largest or the smallest Int), and no search finds those, nor NaN. So elements come in order, of
    ties the first one first, and where none is left the position is 0. The count must not be
    negative; it may be larger than the vector.

    Example:
    ```mlir
    %p = phi.top_k %v, %k by "<" : !phi.vec<f64>
    ```
    """

    name = "phi.top_k"

    vec = operand_def(VecType)
    count = operand_def(I64)
    predicate = prop_def(StringAttr)
    result = result_def(VecType(i64))

    traits = traits_def(Pure())

    assembly_format = "$vec `,` $count `by` $predicate attr-dict `:` type($vec)"

    def __init__(self, vec: SSAValue | Operation, count: SSAValue | Operation, predicate: str):
        super().__init__(
            operands=[vec, count],
            result_types=[VecType(i64)],
            properties={"predicate": StringAttr(predicate)},
        )

    def verify_(self) -> None:
        assert isinstance(self.vec.type, VecType)
        problem = unselectable(self.vec.type.element_type, self.predicate.data)
        if problem is not None:
            raise VerifyException(f"phi.top_k: {problem}" + where_written(self))


@irdl_op_definition
class GetOp(IRDLOperation):
    """Indexing from the outermost axis: ``a[i, j]`` is ``a[i][j]``. Positions clip into bounds.

    A position is a comprehension index or an Int. The element read from an empty axis is zero (of
    the element's type), so that a value in the branch not taken does no harm.

    Example:
    ```mlir
    %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
    ```
    """

    name = "phi.get"

    array = operand_def(VecType)
    positions = var_operand_def(_POSITION)
    result = result_def(_VALUE)

    traits = traits_def(Pure(), _Canonical())

    custom_directives = (Indexing,)
    assembly_format = (
        "custom<Indexing>($array, type($array), $positions, type($positions), type($result))"
        " attr-dict"
    )

    def __init__(self, array: SSAValue | Operation, positions: Sequence[SSAValue | Operation]):
        array = SSAValue.get(array)
        element = element_of(array.type, len(positions))
        if element is None:
            raise ValueError(f"{len(positions)} positions are too many for a '{array.type}'")
        super().__init__(operands=[array, positions], result_types=[element])

    def verify_(self) -> None:
        if not self.positions:
            raise VerifyException("phi.get: at least one position is needed" + where_written(self))
        element = element_of(self.array.type, len(self.positions))
        if element is None:
            raise VerifyException(
                f"phi.get: {len(self.positions)} positions are too many for a '{self.array.type}'"
                + where_written(self)
            )
        if element != self.result.type:
            raise VerifyException(
                f"phi.get: the element of a '{self.array.type}' under {len(self.positions)} "
                f"position(s) is a '{element}', not a '{self.result.type}'" + where_written(self)
            )
        verify_indices(self, self.positions)


@irdl_op_definition
class UpdateOp(IRDLOperation):
    """The array with another element at one position: ``a`` but for ``x`` at ``[i, j]``.

    Positions count from the outermost axis and may be fewer than there are axes: then ``x`` is a
    row, with the sizes of the rows of ``a``. Where a position is out of bounds nothing is updated:
    it does not clip.

    Example:
    ```mlir
    %b = phi.update %a[%i, %k], %x
      : (!phi.vec<!phi.vec<f64>>, index, i64, f64) -> !phi.vec<!phi.vec<f64>>
    ```
    """

    name = "phi.update"

    array = operand_def(VecType)
    positions = var_operand_def(_POSITION)
    value = operand_def(_VALUE)
    result = result_def(VecType)

    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$array `[` $positions `]` `,` $value attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        positions: Sequence[SSAValue | Operation],
        value: SSAValue | Operation,
    ):
        array = SSAValue.get(array)
        super().__init__(operands=[array, positions, value], result_types=[array.type])

    def verify_(self) -> None:
        if not self.positions:
            raise VerifyException(
                "phi.update: at least one position is needed" + where_written(self)
            )
        element = element_of(self.array.type, len(self.positions))
        if element != self.value.type:
            raise VerifyException(
                f"phi.update: a '{self.value.type}' is no element of a '{self.array.type}' under "
                f"{len(self.positions)} position(s)" + where_written(self)
            )
        if self.result.type != self.array.type:
            raise VerifyException(
                f"phi.update: the result must be a '{self.array.type}', not a "
                f"'{self.result.type}'" + where_written(self)
            )
        verify_indices(self, self.positions)


def verify_indices(op: IRDLOperation, positions: Iterable[SSAValue]) -> None:
    """Check that the positions of type ``index`` are indices of comprehensions."""
    for position in positions:
        if isinstance(position.type, IndexType) and not is_comprehension_index(position):
            raise VerifyException(
                f"{op.name}: the position {index_name(position)} has type 'index' but is not an "
                "index of a phi.array; cast it to i64" + where_written(op)
            )


def is_comprehension_index(value: SSAValue) -> bool:
    """Whether a value is an index that a ``phi.array`` binds."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), ArrayOp)


def size_of_index(index: SSAValue) -> SSAValue:
    """The size of an index that a ``phi.array`` binds."""
    assert isinstance(index, BlockArgument)
    comprehension = index.block.parent_op()
    assert isinstance(comprehension, ArrayOp)
    return comprehension.sizes[index.index]


@irdl_op_definition
class ConcatOp(IRDLOperation):
    """Two vectors end to end. Where elements are vectors themselves, their sizes must agree.

    ``of %n`` promises that the result has ``%n`` elements: how the parts of an array say what they
    are parts of, where their own sizes do not show it.

    Example:
    ```mlir
    %c = phi.concat %a, %b : !phi.vec<f64>
    %d = phi.concat %low, %high of %n : !phi.vec<f64>
    ```
    """

    name = "phi.concat"

    T: ClassVar = VarConstraint("type of both vectors", base(VecType))

    lhs = operand_def(T)
    rhs = operand_def(T)
    size = opt_operand_def(I64)
    result = result_def(T)

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$lhs `,` $rhs (`of` $size^)? attr-dict `:` type($result)"

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        size: SSAValue | Operation | None = None,
    ):
        super().__init__(operands=[lhs, rhs, size], result_types=[SSAValue.get(lhs).type])


@irdl_op_definition
class TupleOp(IRDLOperation):
    """A record of its operands.

    Example:
    ```mlir
    %t = phi.tuple (%x, %n) : tuple<f64, i64>
    ```
    """

    name = "phi.tuple"

    fields = var_operand_def(_VALUE)
    result = result_def(TupleType)

    traits = traits_def(Pure(), _Canonical())

    custom_directives = (Fields,)
    assembly_format = "custom<Fields>($fields, type($fields), type($result)) attr-dict"

    def __init__(self, fields: Sequence[SSAValue | Operation]):
        types = tuple(cast(TypeAttribute, SSAValue.get(field).type) for field in fields)
        super().__init__(operands=[fields], result_types=[TupleType(tuple(types))])

    def verify_(self) -> None:
        types = tuple(self.fields.types)
        if isa(self.result.type, TupleType) and tuple(self.result.type.types) != types:
            raise VerifyException(
                f"phi.tuple: fields of types ({_join(types)}) do not make a '{self.result.type}'"
                + where_written(self)
            )


@irdl_op_definition
class ProjOp(IRDLOperation):
    """A field of a record, by its position from 0.

    Example:
    ```mlir
    %x = phi.proj %t, 0 : tuple<f64, i64> -> f64
    ```
    """

    name = "phi.proj"

    record = operand_def(TupleType)
    field = prop_def(IntegerAttr.constr(I64))
    result = result_def(_VALUE)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$record `,` $field attr-dict `:` type($record) `->` type($result)"

    def __init__(self, record: SSAValue | Operation, field: int):
        record = SSAValue.get(record)
        if not isa(record.type, TupleType) or not 0 <= field < len(record.type.types):
            raise ValueError(f"'{record.type}' has no field {field}")
        super().__init__(
            operands=[record],
            result_types=[record.type.types.data[field]],
            properties={"field": IntegerAttr(field, i64)},
        )

    def verify_(self) -> None:
        assert isa(self.record.type, TupleType)
        types, field = self.record.type.types.data, self.field.value.data
        if not 0 <= field < len(types):
            raise VerifyException(
                f"phi.proj: '{self.record.type}' has {len(types)} fields, and no field {field}"
                + where_written(self)
            )
        if types[field] != self.result.type:
            raise VerifyException(
                f"phi.proj: field {field} of '{self.record.type}' is a '{types[field]}', "
                f"not a '{self.result.type}'" + where_written(self)
            )


@irdl_op_definition
class ScanOp(IRDLOperation):
    """The combinations of all prefixes of a vector, from the empty one up to the whole vector.

    Element ``j`` of the result combines the first ``j`` elements; the result has one element more
    than the vector, and the first one is the identity. With ``suffixes``, element ``j`` combines
    all from element ``j`` on, and the last one is the identity. The kind is ``"add"``, ``"mul"``,
    ``"min"`` or ``"max"``.

    Example:
    ```mlir
    %sums = phi.scan "add" %x : !phi.vec<f64>
    %rest = phi.scan "min" %x suffixes : !phi.vec<f64>
    ```
    """

    name = "phi.scan"

    T: ClassVar = VarConstraint("type of the vector", base(VecType))

    kind = prop_def(StringAttr)
    vec = operand_def(T)
    suffixes = opt_prop_def(UnitAttr)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$kind $vec (`suffixes` $suffixes^)? attr-dict `:` type($vec)"

    def __init__(self, kind: str, vec: SSAValue | Operation, *, suffixes: bool = False):
        super().__init__(
            operands=[vec],
            result_types=[SSAValue.get(vec).type],
            properties={"kind": StringAttr(kind), "suffixes": UnitAttr() if suffixes else None},
        )

    def verify_(self) -> None:
        assert isinstance(self.vec.type, VecType)
        element = self.vec.type.element_type
        if self.kind.data not in SCAN_KINDS or combination(self.kind.data, element) is None:
            raise VerifyException(
                f"phi.scan: '{self.kind.data}' does not combine elements of type '{element}'"
                + where_written(self)
            )


@irdl_op_definition
class PropagateNanOp(IRDLOperation):
    """The vector, but NaN where another vector is not finite at any other position.

    Element ``j`` of the result is NaN if there is a position ``k`` other than ``j`` where
    ``others`` is infinite or NaN, and else element ``j`` of ``vec``. The positions are those of
    ``vec``; ``others`` is read there, and clips. So ``x[j]`` and the sum of all ``0.0 * y[k]`` with
    ``k != j`` are together element ``j`` of ``phi.propagate_nan x from y``.

    Example:
    ```mlir
    %r = phi.propagate_nan %x from %y : !phi.vec<f64> from !phi.vec<f64>
    ```
    """

    name = "phi.propagate_nan"

    T: ClassVar = VarConstraint("type of the vector", base(VecType))

    vec = operand_def(T)
    others = operand_def(VecType)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$vec `from` $others attr-dict `:` type($vec) `from` type($others)"

    def __init__(self, vec: SSAValue | Operation, others: SSAValue | Operation):
        super().__init__(operands=[vec, others], result_types=[SSAValue.get(vec).type])

    def verify_(self) -> None:
        for operand in self.operands:
            if operand.type not in (vec_of(f64), vec_of(f32)):
                raise VerifyException(
                    f"phi.propagate_nan: a '{operand.type}' is no vector of floats"
                    + where_written(self)
                )


@irdl_op_definition
class SegmentReduceOp(IRDLOperation):
    """The values of each segment combined, where keys say which segment a value belongs to.

    With one key, element ``c`` of the result combines the values at all positions ``p`` with
    ``keys[p] == c``; what no key selects is the identity of the kind: ``"add"``, ``"min"`` or
    ``"max"`` of Ints or Floats, ``"and"`` or ``"or"`` of Bools. A value whose key is negative or
    not below the size has no part in the result. With several keys, each gives one axis of the
    result, whose sizes stand in the same order; a negative size is an error.

    Keys and values are vectors over the same positions, nested for positions along several axes.
    The positions are those of the first key; others are read there, and clip.

    Example:
    ```mlir
    %sums = phi.segment_reduce "add" %x by %key into %n
      : !phi.vec<f64> by !phi.vec<i64> -> !phi.vec<f64>
    ```
    """

    name = "phi.segment_reduce"

    kind = prop_def(StringAttr)
    values = operand_def(VecType)
    keys = var_operand_def(VecType)
    sizes = var_operand_def(I64)
    result = result_def(VecType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$kind $values `by` $keys `into` $sizes attr-dict "
        "`:` type($values) `by` type($keys) `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        values: SSAValue | Operation,
        keys: Sequence[SSAValue | Operation],
        sizes: Sequence[SSAValue | Operation],
    ):
        values = SSAValue.get(values)
        super().__init__(
            operands=[values, keys, sizes],
            result_types=[vec_of(scalar_of(values.type), len(keys))],
            properties={"kind": StringAttr(kind)},
        )

    def verify_(self) -> None:
        scalar, rank = scalar_of(self.values.type), rank_of(self.values.type)
        message = None
        if self.kind.data not in SEGMENT_KINDS or combination(self.kind.data, scalar) is None:
            message = f"'{self.kind.data}' does not combine values of type '{scalar}'"
        elif not len(self.keys) == len(self.sizes) != 0:
            message = f"{len(self.keys)} key(s) do not fit {len(self.sizes)} size(s)"
        elif any(key.type != vec_of(i64, rank) for key in self.keys):
            message = f"the keys of a '{self.values.type}' must be of type '{vec_of(i64, rank)}'"
        elif self.result.type != (expected := vec_of(scalar, len(self.keys))):
            message = f"the result must be a '{expected}', not a '{self.result.type}'"
        if message is not None:
            raise VerifyException(f"phi.segment_reduce: {message}" + where_written(self))


@irdl_op_definition
class SizeOp(IRDLOperation):
    """The size of an array along an axis, counted from the outermost, as an Int.

    Example:
    ```mlir
    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
    ```
    """

    name = "phi.size"

    array = operand_def(VecType)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(I64)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array)"

    def __init__(self, array: SSAValue | Operation, axis: int = 0):
        super().__init__(
            operands=[array], result_types=[i64], properties={"axis": IntegerAttr(axis, i64)}
        )

    def verify_(self) -> None:
        rank, axis = rank_of(self.array.type), self.axis.value.data
        if not 0 <= axis < rank:
            raise VerifyException(
                f"phi.size: '{self.array.type}' has rank {rank}, and no axis {axis}"
                + where_written(self)
            )


@irdl_op_definition
class AssertEqOp(IRDLOperation):
    """``assert a = b``: the Int that both operands are; an error where they differ.

    The message says what was compared; both numbers are added to it. Use the result where the
    assertion must hold: an assertion whose result is unused is dropped.

    Example:
    ```mlir
    %n = phi.assert_eq %n0, %n1, "index i: size of a along axis 0, size of b along axis 0"
    ```
    """

    name = "phi.assert_eq"

    lhs = operand_def(I64)
    rhs = operand_def(I64)
    message = prop_def(StringAttr)
    result = result_def(I64)

    traits = traits_def(NoMemoryEffect(), _Canonical())

    assembly_format = "$lhs `,` $rhs `,` $message attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, message: str):
        super().__init__(
            operands=[lhs, rhs], result_types=[i64], properties={"message": StringAttr(message)}
        )


@irdl_op_definition
class ExternOp(IRDLOperation):
    """A call of a backend function that the embedding program registered under a symbol.

    The function must be pure, broadcast over leading axes of its arguments, and return a shape that
    depends only on argument shapes (the extrinsic contract, dissertation 3.7.4).

    Example:
    ```mlir
    %s = phi.extern @sort(%v) : (!phi.vec<f64>) -> !phi.vec<f64>
    ```
    """

    name = "phi.extern"

    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def(_VALUE)
    result = result_def(_VALUE)

    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $result)"
    )

    def __init__(
        self, callee: str, arguments: Sequence[SSAValue | Operation], result_type: Attribute
    ):
        super().__init__(
            operands=[arguments],
            result_types=[result_type],
            properties={"callee": SymbolRefAttr(callee)},
        )

    def verify_(self) -> None:
        if self.callee.nested_references.data:
            raise VerifyException(
                f"phi.extern: '{self.callee}' is not a plain symbol" + where_written(self)
            )


def _join(types: Iterable[Attribute]) -> str:
    return ", ".join(str(t) for t in types)


Phi = Dialect(
    "phi",
    [
        ArgreduceOp,
        ArrayOp,
        AssertEqOp,
        ConcatOp,
        ExternOp,
        FoldOp,
        GetOp,
        ProjOp,
        PropagateNanOp,
        ReduceOp,
        ScanOp,
        SegmentReduceOp,
        SizeOp,
        TopKOp,
        TupleOp,
        UpdateOp,
        YieldOp,
    ],
    [VecType],
)
