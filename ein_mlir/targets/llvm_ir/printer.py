"""Conversion of the ``llvm`` dialect to text that LLVM reads.

A value has a name, a constant is written where it is used, and an argument of a block becomes a
``phi``. The text is written once, in order: no objects of a library stand between.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import IO, Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    VectorType,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.dialects.lanes import LanesFCmpOp
from ein_mlir.dialects.machine import FPToSIOp, FPToUIOp, FreezeOp
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class LlvmIrTarget(Target):
    """``-t llvm-ir``: the text of a module of the ``llvm`` dialect."""

    name = "llvm-ir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the text."""
        output.write(llvm_ir(module))


def llvm_ir(module: ModuleOp) -> str:
    """The text of a module whose functions are in the ``llvm`` dialect.

    Raises DiagnosticException for other operations.
    """
    declared = dict[str, str]()
    texts, numbers = list[str](), count(1)
    for op in functions_of(module):
        if op.body.blocks:
            texts.append(definition(op, declared, numbers))
        else:
            declared[op.sym_name.data] = declaration(op)
    return joined(declared, texts)


def functions_of(module: ModuleOp) -> Sequence[llvm.FuncOp]:
    """The functions of a module of the ``llvm`` dialect.

    Raises DiagnosticException for other operations.
    """
    functions = list[llvm.FuncOp]()
    for op in module.ops:
        if not isinstance(op, llvm.FuncOp):
            found = f"'{op.name}'{where_written(op)}"
            raise DiagnosticException(
                f"target llvm-ir: expected llvm.func, got {found}; run the pipeline native first"
            )
        functions.append(op)
    return functions


def definition(function: llvm.FuncOp, declared: dict[str, str], numbers: Iterator[int]) -> str:
    """The text of a function; the intrinsic functions that it calls are declared.

    Metadata take their numbers from those of the module, from 1 on.
    """
    return _Function(function, declared, numbers).text()


def declaration(function: llvm.FuncOp) -> str:
    """``declare i64 @f(ptr noalias %a0)``, of a function that may be anywhere in memory.

    LLVM would address one that is hidden by its distance, which has 32 bits.
    """
    return " ".join((_head("declare", function), *_attributes(function)))


def symbol_of(function: llvm.FuncOp) -> str:
    """The symbol of a function: ``@f``"""
    return _symbol(function.sym_name.data)


def joined(declared: Mapping[str, str], definitions: Sequence[str]) -> str:
    """The text of a module."""
    return "\n".join((*declared.values(), "", *definitions))


def _head(keyword: str, function: llvm.FuncOp) -> str:
    """``define internal i64 @f(ptr noalias %a0)``"""
    type_ = function.function_type
    inputs = type_.inputs.data
    arguments = [
        " ".join((_type(input), *_flags(function.arg_attrs, number), f"%a{number}"))
        for number, input in enumerate(inputs)
    ]
    linkage = function.linkage.linkage.data
    words = (
        keyword,
        *(() if linkage == "external" else (linkage,)),
        *(("hidden",) if function.visibility_.value.data and keyword == "define" else ()),
        *_convention(function.CConv),
        *_flags(function.res_attrs, 0),
        _type(type_.output),
        f"{_symbol(function.sym_name.data)}({', '.join(arguments)})",
    )
    return " ".join(words)


def _convention(convention: llvm.CallingConventionAttr | None) -> Sequence[str]:
    """The calling convention of a function or a call, unless it is that of C."""
    name = convention.cconv_name if convention is not None else "ccc"
    return () if name == "ccc" else (name,)


def _flags(attributes: ArrayAttr[DictionaryAttr] | None, number: int) -> Sequence[str]:
    """The attributes of an argument or a result that are flags: ``noalias``."""
    if attributes is None:
        return ()
    return [name.removeprefix("llvm.") for name in attributes.data[number].data]


def _attributes(function: llvm.FuncOp) -> Iterator[str]:
    """The attributes of a function."""
    if function.no_inline is not None:
        yield "noinline"
    for attribute in function.passthrough or ():
        if isinstance(attribute, StringAttr):
            yield attribute.data


def _symbol(name: str) -> str:
    r"""A symbol, in quotes if it needs them.

    >>> print(_symbol("ein.f"), _symbol('f"() {'))
    @ein.f @"f\22() {"
    """
    if name.isascii() and name.replace(".", "_").isidentifier():
        return f"@{name}"
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in name.encode())
    return f'@"{"".join(plain)}"'


def _type(type: Attribute) -> str:
    """A type as LLVM writes it."""
    write = _TYPES.get(type.__class__)
    if write is None:
        raise DiagnosticException(f"target llvm-ir: no form for the type '{type}'")
    return write(type)


_TYPES: Mapping[type[Attribute], Callable[[Any], str]] = {
    IntegerType: lambda type: f"i{type.width.data}",
    Float64Type: lambda type: "double",
    Float32Type: lambda type: "float",
    Float16Type: lambda type: "half",
    llvm.LLVMPointerType: lambda type: "ptr",
    llvm.LLVMVoidType: lambda type: "void",
    VectorType: lambda type: f"<{type.get_shape()[0]} x {_type(type.element_type)}>",
}
"""Class of a type -> its form."""


def _literal(value: Attribute) -> str:
    """A number: a float by its bits as a double, which are exact."""
    if isa(value, DenseIntOrFPElementsAttr):
        (element,) = set(value.get_attrs())
        return f"splat ({_type(value.get_element_type())} {_literal(element)})"
    if isa(value, IntegerAttr):
        return str(int(value.value.data))
    assert isa(value, FloatAttr)
    number = value.value.data
    if isinstance(value.type, Float32Type):
        (number,) = struct.unpack("f", struct.pack("f", number))
    return f"0x{struct.unpack('Q', struct.pack('d', number))[0]:016X}"


class _Function:
    """The text of one function."""

    def __init__(self, function: llvm.FuncOp, declared: dict[str, str], numbers: Iterator[int]):
        self._function = function
        self._declared = declared
        self._numbers = numbers
        self._names = dict[SSAValue, str]()
        self._labels = dict[Block, str]()
        self._incoming = dict[Block, list[tuple[Block, Sequence[SSAValue]]]]()
        self._name_all()

    def _name_all(self) -> None:
        """Name all values and blocks before use: a ``phi`` may refer to later values."""
        entry = self._function.body.blocks[0]
        for number, argument in enumerate(entry.args):
            self._names[argument] = f"%a{number}"
        for number, block in enumerate(self._function.body.blocks):
            self._labels[block] = f"b{number}"
            if block is not entry:
                for argument in block.args:
                    self._names[argument] = f"%v{len(self._names)}"
            for op in block.ops:
                constant = _CONSTANTS.get(type(op))
                for result in op.results:
                    name = constant(op) if constant else f"%v{len(self._names)}"
                    self._names[result] = name
            self._note_successors(block)

    def _note_successors(self, block: Block) -> None:
        """Note which values a block hands to its successors."""
        match block.last_op:
            case llvm.BrOp() as op:
                self._incoming.setdefault(op.successor, []).append((block, op.arguments))
            case llvm.CondBrOp() as op:
                for target, values in (
                    (op.then_block, op.then_arguments),
                    (op.else_block, op.else_arguments),
                ):
                    self._incoming.setdefault(target, []).append((block, values))
            case _:
                pass

    def text(self) -> str:
        """The definition."""
        function = self._function
        lines = [" ".join((_head("define", function), *_attributes(function), "{"))]
        for block, label in self._labels.items():
            lines.append(f"{label}:")
            if len(lines) > 2:
                lines.extend(self._phis(block))
            for op in block.ops:
                if type(op) not in _CONSTANTS:
                    lines.append(f"  {self._operation(op)}")
        return "\n".join((*lines, "}", ""))

    def _phis(self, block: Block) -> Iterator[str]:
        incoming = self._incoming.get(block, ())
        for number, argument in enumerate(block.args):
            sources = [
                f"[ {self._names[values[number]]}, %{self._labels[source]} ]"
                for source, values in incoming
            ]
            yield f"  {self._names[argument]} = phi {_type(argument.type)} {', '.join(sources)}"

    def _operation(self, op: Operation) -> str:
        rule = _FORMS.get(type(op))
        if rule is None:
            raise DiagnosticException(f"target llvm-ir: no form for '{op.name}'")
        return rule(self, op)

    # Parts of operations

    def name(self, value: SSAValue) -> str:
        """The name of a value, or a constant."""
        return self._names[value]

    def typed(self, value: SSAValue) -> str:
        """A value after its type."""
        return f"{_type(value.type)} {self._names[value]}"

    def label(self, block: Block) -> str:
        """A block as the target of a branch."""
        return f"label %{self._labels[block]}"

    def declare(self, name: str, operands: Sequence[SSAValue], type: Attribute) -> None:
        """Declare an intrinsic function."""
        if name not in self._declared:
            inputs = ", ".join(_type(operand.type) for operand in operands)
            self._declared[name] = f"declare {_type(type)} {_symbol(name)}({inputs})"

    def mark(self, op: Operation) -> str:
        """The metadata of a choice that is not to be guessed, after a comma."""
        if abi.UNPREDICTABLE not in op.attributes:
            return ""
        node = f"!{next(self._numbers)}"
        self._declared[node] = f"{node} = !{{}}"
        self._declared[abi.UNPREDICTABLE] = f"!{abi.UNPREDICTABLE} = !{{{node}}}"
        return f", !unpredictable {node}"

    def weights(self) -> str:
        """The metadata of a branch that is seldom not taken, after a comma."""
        node = f"!{next(self._numbers)}"
        self._declared[node] = f'{node} = !{{!"branch_weights", i32 2000, i32 1}}'
        return f", !prof {node}"

    def loop(self, flags: Collection[str]) -> str:
        """The metadata of a loop, after a comma: whether it is unrolled or vectorised."""
        facts = [fact for flag, fact in _FACTS.items() if flag in flags]
        if not facts:
            return ""
        name = f"!{next(self._numbers)}"
        self._declared[name] = f"{name} = distinct !{{{', '.join((name, *facts))}}}"
        return f", !llvm.loop {name}"


_FACTS = {
    abi.NOT_UNROLLED: '!{!"llvm.loop.unroll.disable"}',
    abi.FEW_STEPS: '!{!"llvm.loop.vectorize.enable", i1 false}',
    abi.NOT_INTERLEAVED: '!{!"llvm.loop.interleave.count", i32 1}',
    abi.INTERLEAVED_TWICE: '!{!"llvm.loop.interleave.count", i32 2}',
    abi.UNROLLED: '!{!"llvm.loop.unroll.full"}',
    abi.MASKED: '!{!"llvm.loop.vectorize.predicate.enable", i1 true}',
}
"""Attribute of a jump back to the head of a loop -> the fact that LLVM reads."""

_Form: TypeAlias = Callable[[_Function, Any], str]


def _binary(word: str) -> _Form:
    """``%x = add nsw i64 %a, %b``"""

    def write(f: _Function, op: Operation) -> str:
        (result,), (lhs, rhs) = op.results, op._operands
        flags = _wrapping(op.properties.get("overflowFlags")) + _fast(op)
        return f"{f.name(result)} = {word}{flags} {f.typed(lhs)}, {f.name(rhs)}"

    return write


def _wrapping(overflow: Attribute | None) -> str:
    """The promises of an operation on integers, each after a space."""
    bits = overflow.value.data if isa(overflow, IntegerAttr) else 0
    return (" nsw" if bits & 1 else "") + (" nuw" if bits & 2 else "")


def _fast(op: Operation) -> str:
    """The promises of an operation on floats, each after a space."""
    fast = op.properties.get("fastmathFlags")
    return "" if fast is None else _promises(fast)


@lru_cache(64)
def _promises(fast: Attribute) -> str:
    flags = fast.data if isinstance(fast, llvm.FastMathAttr) else ()
    return "".join(f" {flag.value}" for flag in FastMathFlag if flag in flags)


def _cast(word: str) -> _Form:
    """``%x = zext i8 %a to i64``"""

    def write(f: _Function, op: Operation) -> str:
        (result,), (operand,) = op.results, op._operands
        return f"{f.name(result)} = {word} {f.typed(operand)} to {_type(result.type)}"

    return write


def _icmp(f: _Function, op: llvm.ICmpOp) -> str:
    (result,), (lhs, rhs) = op.results, op._operands
    predicate = llvm.ICmpPredicateFlag.from_int(op.predicate.value.data)
    return f"{f.name(result)} = icmp {predicate.value} {f.typed(lhs)}, {f.name(rhs)}"


def _fcmp(f: _Function, op: llvm.FCmpOp | LanesFCmpOp) -> str:
    predicate = llvm.FCmpPredicateFlag.from_int(op.predicate.value.data).value.lstrip("_")
    return f"{f.name(op.res)} = fcmp {predicate} {f.typed(op.lhs)}, {f.name(op.rhs)}"


def _fneg(f: _Function, op: llvm.FNegOp) -> str:
    return f"{f.name(op.res)} = fneg {f.typed(op.arg)}"


def _freeze(f: _Function, op: FreezeOp) -> str:
    return f"{f.name(op.res)} = freeze {f.typed(op.val)}"


def _select(f: _Function, op: llvm.SelectOp) -> str:
    (result,) = op.results
    return f"{f.name(result)} = select {', '.join(map(f.typed, op._operands))}{f.mark(op)}"


def _call_of(f: _Function, name: str, operands: Sequence[SSAValue], op: Operation) -> str:
    result = op.results[0] if op.results else None
    convention = op.CConv if isinstance(op, llvm.CallOp) else None
    type_ = _type(result.type) if result else "void"
    call = " ".join((f"call{_fast(op)}", *_convention(convention), type_, _symbol(name)))
    text = f"{call}({', '.join(map(f.typed, operands))})"
    return f"{f.name(result)} = {text}" if result else text


def _call(f: _Function, op: llvm.CallOp) -> str:
    if op.callee is None:
        raise DiagnosticException("target llvm-ir: no form for an indirect 'llvm.call'")
    return _call_of(f, op.callee.root_reference.data, op.args, op)


def _intrinsic(f: _Function, op: llvm.CallIntrinsicOp) -> str:
    type_ = op.results[0].type if op.results else llvm.LLVMVoidType()
    f.declare(op.intrin.data, op.args, type_)
    return _call_of(f, op.intrin.data, op.args, op) + f.mark(op)


def _element(f: _Function, op: llvm.GEPOp) -> str:
    (result,), (pointer, *positions) = op.results, op._operands
    dynamic = iter(positions)
    indices = [
        f.typed(next(dynamic)) if index == llvm.GEP_USE_SSA_VAL else f"i64 {index}"
        for index in _indices(op.rawConstantIndices)
    ]
    inbounds = " inbounds" if "inbounds" in op.properties else ""
    parts = (_type(op.elem_type), f.typed(pointer), *indices)
    return f"{f.name(result)} = getelementptr{inbounds} {', '.join(parts)}"


@lru_cache(64)
def _indices(numbers: DenseArrayBase[IntegerType]) -> Sequence[int]:
    return numbers.get_values()


def _load(f: _Function, op: llvm.LoadOp) -> str:
    (value,), (pointer,) = op.results, op._operands
    return f"{f.name(value)} = load {_type(value.type)}, {f.typed(pointer)}"


def _store(f: _Function, op: llvm.StoreOp) -> str:
    value, pointer = op._operands
    return f"store {f.typed(value)}, {f.typed(pointer)}"


def _alloca(f: _Function, op: llvm.AllocaOp) -> str:
    align = f", align {op.alignment.value.data}" if op.alignment is not None else ""
    return f"{f.name(op.res)} = alloca {_type(op.elem_type)}, {f.typed(op.size)}{align}"


def _branch(f: _Function, op: llvm.BrOp) -> str:
    return f"br {f.label(op.successor)}{f.loop(op.attributes)}"


def _branch_if(f: _Function, op: llvm.CondBrOp) -> str:
    weights = f.weights() if abi.LIKELY in op.attributes else ""
    return f"br {f.typed(op.cond)}, {f.label(op.then_block)}, {f.label(op.else_block)}{weights}"


def _return(f: _Function, op: llvm.ReturnOp) -> str:
    return f"ret {f.typed(op.arg)}" if op.arg is not None else "ret void"


_FORMS: dict[type[Operation], _Form] = {
    llvm.AddOp: _binary("add"),
    llvm.SubOp: _binary("sub"),
    llvm.MulOp: _binary("mul"),
    llvm.SDivOp: _binary("sdiv"),
    llvm.UDivOp: _binary("udiv"),
    llvm.SRemOp: _binary("srem"),
    llvm.URemOp: _binary("urem"),
    llvm.ShlOp: _binary("shl"),
    llvm.LShrOp: _binary("lshr"),
    llvm.AShrOp: _binary("ashr"),
    llvm.AndOp: _binary("and"),
    llvm.OrOp: _binary("or"),
    llvm.XOrOp: _binary("xor"),
    llvm.FAddOp: _binary("fadd"),
    llvm.FSubOp: _binary("fsub"),
    llvm.FMulOp: _binary("fmul"),
    llvm.FDivOp: _binary("fdiv"),
    llvm.FRemOp: _binary("frem"),
    llvm.TruncOp: _cast("trunc"),
    llvm.ZExtOp: _cast("zext"),
    llvm.SExtOp: _cast("sext"),
    llvm.FPExtOp: _cast("fpext"),
    llvm.FPTruncOp: _cast("fptrunc"),
    llvm.SIToFPOp: _cast("sitofp"),
    FPToSIOp: _cast("fptosi"),
    FPToUIOp: _cast("fptoui"),
    llvm.BitcastOp: _cast("bitcast"),
    llvm.PtrToIntOp: _cast("ptrtoint"),
    llvm.ICmpOp: _icmp,
    llvm.FCmpOp: _fcmp,
    LanesFCmpOp: _fcmp,
    FreezeOp: _freeze,
    llvm.FNegOp: _fneg,
    llvm.SelectOp: _select,
    llvm.CallOp: _call,
    llvm.CallIntrinsicOp: _intrinsic,
    llvm.GEPOp: _element,
    llvm.LoadOp: _load,
    llvm.StoreOp: _store,
    llvm.AllocaOp: _alloca,
    llvm.BrOp: _branch,
    llvm.CondBrOp: _branch_if,
    llvm.ReturnOp: _return,
}
"""Class of an operation -> the function that writes it."""

_CONSTANTS: dict[type[Operation], Callable[[Any], str]] = {
    llvm.ConstantOp: lambda op: _literal(op.value),
    llvm.ZeroOp: lambda op: "null",
    llvm.AddressOfOp: lambda op: _symbol(op.global_name.root_reference.data),
}
"""Class of an operation -> its literal, which stands where the value is used."""
