"""``convert-loops-to-llvm``: functions of loops become functions of LLVM.

- `scalars`, `memory`, `control_flow`, `products`: a rule for each operation
- `ranges`: parallel loops on threads; `work`: how much there is to do; `sharing`: equal loops
- `apart`: loops of long functions; `late`: loops that are compiled when a call needs them
- `runs`: loops that fill or copy; `nests`: loops inside each other; `interrupts`: long loops
- `interleaving`: how many vectors a loop takes at a time
- `pure`: functions of scalars, for several at a time
- `conversion`: the state of a conversion; `slots`: arguments and results; `build`: operations
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from ein_mlir.analysis.diagnostics import check_blocks
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.backends.native import abi
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import discard
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_loops_to_llvm import (
    control_flow,
    extremes,
    memory,
    products,
    scalars,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.as_written import (
    is_worth_passes,
    leave_as_written,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import (
    KEEPS_REGISTERS,
    POINTER,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import (
    FLAG,
    Conversion,
    Memref,
    Program,
    unsupported,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.pure import pure_functions
from ein_mlir.passes.conversions.convert_loops_to_llvm.slots import Slots

RULES = {
    **scalars.RULES,
    **extremes.RULES,
    **memory.RULES,
    **control_flow.RULES,
    **products.RULES,
}
"""Class of an operation -> its rule."""

NOALIAS = DictionaryAttr({"llvm.noalias": UnitAttr()})
"""The result of an allocation shares no memory."""

RARE = ("cold", "nounwind", "memory(argmem: read, inaccessiblemem: readwrite)")
"""The question whether a call is to stop: loops around it keep elements in registers."""

FILLS = ("nounwind", "willreturn", "memory(argmem: write)")
"""A function that writes to the memory of its arguments, and does no more."""

_ENTRY = llvm.LLVMFunctionType([POINTER, POINTER], i64)


@dataclass(frozen=True)
class ConvertLoopsToLlvmPass(ModulePass):
    """Functions of ``func``, ``scf``, ``memref``, ``arith``, ``math`` become functions of LLVM.

    Before::

        func.func @twice(%a: memref<?xf64>, %operands: memref<2xi64>) -> memref<?xf64> {
          %c0 = arith.constant 0 : index
          %n = memref.dim %a, %c0 : memref<?xf64>
          ...

    After, a function of the state of the call and of words with arguments and results
    (`ein_mlir.backends.native.abi`)::

        llvm.func @ein.twice(%call: !llvm.ptr, %slots: !llvm.ptr) -> i64 {
          %0 = llvm.getelementptr inbounds %slots[0] : (!llvm.ptr) -> !llvm.ptr, i64
          %a = llvm.load %0 : !llvm.ptr -> !llvm.ptr
          %1 = llvm.getelementptr inbounds %slots[1] : (!llvm.ptr) -> !llvm.ptr, i64
          %n = llvm.load %1 : !llvm.ptr -> i64
          ...

    An array is its address and its sizes; the address of an element is computed in bounds. Accesses
    that follow each other share positions, addresses, and between writes the element itself.

    With ``late``, loops that only some sizes need are marked: see `late`.
    """

    name = "convert-loops-to-llvm"

    late: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, self.late)


def convert(module: ModuleOp, late: bool = False) -> None:
    """Convert all functions of a module in place."""
    functions = dict[str, func.FuncOp]()
    for op in module.ops:
        if not isinstance(op, func.FuncOp):
            raise unsupported(op)
        functions[op.sym_name.data] = op
    program = Program(functions, is_late=late)
    for function in functions.values():
        if abi.PURE in function.attributes:
            program.added.extend(pure_functions(program, RULES, function))
        elif not function.is_declaration:
            module.body.block.insert_op_before(converted(program, function), function)
    for function in functions.values():
        function.detach()
        if not function.is_declaration:
            discard(function.body, function.body.block)
    module.body.block.add_ops(program.added)
    declare_libraries(module, program)
    for attribute, names in ((abi.EXTERNS, program.externs), (abi.MESSAGES, program.messages)):
        if names:
            module.attributes[attribute] = ArrayAttr(map(StringAttr, names))


def converted(program: Program, function: func.FuncOp) -> llvm.FuncOp:
    """A function of LLVM."""
    check_blocks(function, "convert-loops-to-llvm")
    entry = Block(arg_types=[POINTER, POINTER])
    body = Region([entry])
    size = len(operations_in(function))
    c = Conversion(program, RULES, entry, function.sym_name.data, size=size)
    slots = Slots(c, entry.args[1])
    block = function.body.block
    slots.read(block.args)
    for argument in block.args:
        if isa(argument.type, MemRefType) and (known := phi.known_sizes(argument)):
            c.bind(argument, with_known_sizes(c, argument, known))
    last = c.run(block)
    if not isinstance(last, func.ReturnOp):
        raise unsupported(last)
    for value in last.operands:
        if isa(value.type, MemRefType):
            c.library(abi.KEEP, (c.memref(value).pointer,))
    slots.write(c.all_parts(last.operands))
    c.build.block.add_op(llvm.ReturnOp(c.build.integer(0)))
    name = abi.PREFIX + function.sym_name.data
    entry_function = llvm.FuncOp(name, _ENTRY, llvm.LinkageAttr("external"), body=body)
    if not is_worth_passes(body):
        leave_as_written(entry_function)
    return entry_function


def with_known_sizes(c: Conversion, argument: SSAValue, known: Sequence[int]) -> Memref:
    """An argument with constants as some of its sizes, which are those of the array of the call."""
    array, sizes = c.memref(argument), list[SSAValue]()
    message = f"{name_of(argument)}: expected an array of the sizes {list(known)}, where not 0"
    for number, size in zip(known, array.sizes, strict=True):
        sizes.append(c.build.integer(number) if number else size)
        if number:
            holds = c.build.compare("eq", size, sizes[-1])
            c.fail_unless(holds, c.build.integer(c.program.code(message)))
    return replace(array, sizes=tuple(sizes))


def declare_libraries(module: ModuleOp, program: Program) -> None:
    """Declare the functions of the runtime and of the C library."""
    for name, type_ in program.libraries.items():
        linkage = llvm.LinkageAttr("external")
        declaration = llvm.FuncOp(name, type_, linkage)
        if name == abi.ALLOCATE:
            declaration.properties["res_attrs"] = ArrayAttr([NOALIAS])
        if name == abi.FILL:
            declaration.properties["passthrough"] = ArrayAttr(map(StringAttr, FILLS))
        if name == abi.ASK:
            declaration.properties["passthrough"] = ArrayAttr(map(StringAttr, RARE))
            declaration.properties["CConv"] = KEEPS_REGISTERS
        module.body.block.add_op(declaration)


__all__ = ["FLAG", "RULES", "ConvertLoopsToLlvmPass", "convert"]
