"""Functions of scalars without effects, for one number and for several at a time.

LLVM's vectoriser calls the second where a vectorised loop calls the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import func, llvm, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    VectorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import integer_attribute
from ein_mlir.dialects.lanes import LanesFCmpOp
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import NO_PROMISES, POINTER, Build
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import (
    Conversion,
    Program,
    Rule,
    unsupported,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.scalars import suffix

LANES: Mapping[Attribute, Sequence[int]] = {f64: (4, 8), f32: (4, 8, 16)}
"""Type -> how many scalars a vectorised loop has at a time: of 32 bits 4 next to some of 64."""

_PURE = ("nounwind", "willreturn", "memory(none)")
_HIDDEN = IntegerAttr(1, 64)

Rules = Mapping[type[Operation], Rule]


class LaneBuild(Build):
    """Operations on several numbers at a time."""

    def __init__(self, entry: Block, lanes: int):
        super().__init__(entry)
        self.lanes = lanes

    def vector(self, type: Attribute) -> Attribute:
        """The type of several values of a type; an address stays one."""
        return type if type == POINTER else VectorType(type, [self.lanes])

    def add(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        wide = type if isa(type, VectorType) else self.vector(type)
        return super().add(cls, operands, wide, properties)

    def constant(self, value: Attribute, type: Attribute) -> SSAValue:
        wide = VectorType(type, [self.lanes])
        assert isinstance(value, IntegerAttr | FloatAttr)
        number: float = value.value.data
        elements = DenseIntOrFPElementsAttr.from_list(cast(VectorType[AnyFloat], wide), [number])
        return super().constant(elements, wide)

    def compare_floats(self, predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
        """``x < y`` for each: xDSL's operation compares two numbers."""
        number = integer_attribute(llvm.FCmpPredicateFlag(predicate).to_int(), i64)
        return self.add(LanesFCmpOp, (x, y), i1, {"predicate": number})

    def select(self, condition: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """``condition ? x : y`` for each, as an intrinsic: xDSL's operation takes one condition."""
        element = cast(VectorType[Attribute], x.type).element_type
        count = Build.add(self, llvm.ConstantOp, (), i32, {"value": IntegerAttr(self.lanes, i32)})
        name = f"llvm.vp.select.v{self.lanes}{suffix(element)}"
        return Build.intrinsic(self, name, (condition, x, y, count), x.type)

    def intrinsic(
        self,
        name: str,
        operands: Sequence[SSAValue],
        type: Attribute,
        flags: llvm.FastMathAttr = NO_PROMISES,
    ) -> SSAValue:
        stem, _, scalar = name.rpartition(".")
        wide = type if isa(type, VectorType) else self.vector(type)
        return super().intrinsic(f"{stem}.v{self.lanes}{scalar}", operands, wide, flags)


class LaneConversion(Conversion):
    """The conversion of a function of scalars to one of several at a time."""

    def __init__(self, program: Program, rules: Rules, entry: Block, function: str, lanes: int):
        super().__init__(program, {**rules, scf.IfOp: uniform_branch}, entry, function)
        self.build = self.lane_build = LaneBuild(entry, lanes)

    def library(
        self, name: str, operands: Sequence[SSAValue], type: Attribute | None = None
    ) -> SSAValue | None:
        """A call for each number: through memory."""
        build, lanes = self.lane_build, self.lane_build.lanes
        scalar = Build(build.entry)
        scalar.block = build.block
        memories = [scalar.words(lanes, alignment=8 * lanes) for _ in operands]
        for operand, memory in zip(operands, memories, strict=True):
            scalar.store(operand, memory)
        assert type is not None
        wide = operands[0].type
        element = cast(VectorType[Attribute], wide).element_type
        inputs = llvm.LLVMFunctionType([element] * len(operands), element)
        self.program.libraries.setdefault(name, inputs)
        for lane in range(lanes):
            number = scalar.integer(lane)
            places = [scalar.element(memory, number, element) for memory in memories]
            value = scalar.call(name, [scalar.load(place, element) for place in places], element)
            assert value is not None
            scalar.store(value, places[0])
        return scalar.load(memories[0], wide)


def uniform_branch(c: Conversion, op: scf.IfOp) -> None:
    """The second branch, and, if the condition holds for any number, also the first."""
    assert isinstance(c, LaneConversion)
    build = c.lane_build
    condition = c.scalar(op.cond)
    usual = c.all_parts(c.run(op.false_region.block).operands)
    some, after = build.new_block(), build.new_block([value.type for value in usual])
    name = f"llvm.vector.reduce.or.v{build.lanes}i1"
    any_ = Build.intrinsic(build, name, (condition,), i1)
    build.branch_if(any_, some, (), after, usual)
    build.block = some
    with build.scope():
        rare = c.all_parts(c.run(op.true_region.block).operands)
        chosen = [build.select(condition, x, y) for x, y in zip(rare, usual, strict=True)]
        build.branch(after, chosen)
    build.block = after
    c.bind_parts(op.output, after.args)


def pure_functions(program: Program, rules: Rules, function: func.FuncOp) -> Sequence[llvm.FuncOp]:
    """A function of scalars, and those of several at a time.

    LLVM would drop the parameters of an internal one for which all calls have one constant, as in
    ``x ** 2.2``. The others would no longer be its variants, and the loop not vectorised.
    """
    name, (type_,) = function.sym_name.data, function.function_type.outputs.data
    inputs = function.function_type.inputs.data
    entry = Block(arg_types=inputs)
    region = Region([entry])
    _convert(Conversion(program, rules, entry, name), function)
    widths = () if abi.FEW_STEPS in function.attributes else LANES[type_]
    variants = [_variants(name, widths, len(inputs))] if widths else []
    scalar = llvm.FuncOp(
        name,
        llvm.LLVMFunctionType(inputs, type_),
        llvm.LinkageAttr("external"),
        visibility=_HIDDEN,
        body=region,
        other_props={"passthrough": ArrayAttr(map(StringAttr, (*_PURE, *variants)))},
    )
    scalar.properties["no_inline"] = UnitAttr()
    return [scalar, *(_wide(program, rules, function, lanes) for lanes in widths)]


def _variants(name: str, widths: Sequence[int], operands: int) -> str:
    """The attribute that names the functions of several numbers."""
    wide = "v" * operands
    names = (f"_ZGV_LLVM_N{lanes}{wide}_{name}({name}.{lanes})" for lanes in widths)
    return f'"vector-function-abi-variant"="{",".join(names)}"'


def _wide(program: Program, rules: Rules, function: func.FuncOp, lanes: int) -> llvm.FuncOp:
    name, (type_,) = function.sym_name.data, function.function_type.outputs.data
    wide = VectorType(type_, [lanes])
    inputs = [wide] * len(function.function_type.inputs)
    entry = Block(arg_types=inputs)
    region = Region([entry])
    _convert(LaneConversion(program, rules, entry, name, lanes), function)
    return llvm.FuncOp(
        f"{name}.{lanes}",
        llvm.LLVMFunctionType(inputs, wide),
        llvm.LinkageAttr("external"),
        visibility=_HIDDEN,
        body=region,
        other_props={"passthrough": ArrayAttr(map(StringAttr, _PURE))},
    )


def _convert(c: Conversion, function: func.FuncOp) -> None:
    block = function.body.block
    c.bind_parts(block.args, c.build.entry.args)
    last = c.run(block)
    if not isinstance(last, func.ReturnOp):
        raise unsupported(last)
    c.build.block.add_op(llvm.ReturnOp(c.scalar(last.operands[0])))
