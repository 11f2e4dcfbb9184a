"""``outline-sizes``: sizes that depend on elements are results of a function of its own."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    FunctionType,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.diagnostics import check_blocks
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.analysis.yarr.static_values import StaticValues
from ein_mlir.dialects import emitpy, phi, yarr
from ein_mlir.rewriting.dead_code import erase_unused


def outline_sizes(function: func.FuncOp, names: set[str]) -> Sequence[func.FuncOp]:
    """Split a function into the one of its sizes and the one of the rest, and let it call both.

    Returns them; none if no array is static, or if one is in the function of the rest, too: a loop
    of static steps needs its elements.
    """
    if not _has_static_array(function) or any(map(_has_complex, phi.host_types(function)[0])):
        return ()
    numbers = _numbers(function)
    if not numbers:
        return ()
    sizes, rest = _sizes(function, numbers), _rest(function, numbers)
    if _has_static_array(rest):
        return ()
    for each, suffix in ((sizes, "sizes"), (rest, "of_sizes")):
        each.sym_name = StringAttr(_unused(f"{function.sym_name.data}_{suffix}", names))
    _call(function, sizes, rest)
    return sizes, rest


def _has_static_array(function: func.FuncOp) -> bool:
    """Whether an argument, or a field of one, must be static that is an array."""
    check_blocks(function, "outline-sizes")
    for path in StaticValues(function.body.block).arguments:
        type_: Attribute = function.body.block.args[path[0]].type
        for number in path[1:]:
            assert isa(type_, TupleType)
            type_ = type_.types.data[number]
        if _is_array(type_):
            return True
    return False


def _is_array(type_: Attribute) -> bool:
    return not isa(type_, TensorType) or bool(type_.get_num_dims())


def _has_complex(type_: Attribute) -> bool:
    """Whether the host sees complex numbers, which a called function would convert once more."""
    if isa(type_, TupleType):
        return any(map(_has_complex, type_.types))
    if isinstance(type_, phi.VecType):
        return _has_complex(type_.element_type)
    return isinstance(type_, ComplexType)


def _numbers(function: func.FuncOp) -> list[SSAValue]:
    """The first static Ints that are computed from elements of arrays, or from Floats that are."""
    static, numbers, of_elements = (
        StaticValues(function.body.block),
        list[SSAValue](),
        set[SSAValue](),
    )
    for op in function.body.block.ops:
        if isinstance(op, yarr.SizeOp):
            continue
        read = (value for value in operands_within(op) if value in static)
        if not any(_is_array(value.type) or value in of_elements for value in read):
            continue
        for result in op.results:
            if result not in static or _is_array(result.type):
                continue
            if isa(result.type, TensorType[IntegerType]):
                numbers.append(result)
            else:
                of_elements.add(result)
    return numbers


def _sizes(function: func.FuncOp, numbers: Sequence[SSAValue]) -> func.FuncOp:
    """The function that returns static numbers, with the assertions before the last one."""
    copies = dict[SSAValue, SSAValue]()
    sizes = function.clone(copies)
    block, returned = sizes.body.block, [copies[number] for number in numbers]
    for op in reversed(list(block.ops)):
        if op is returned[-1].owner:
            break
        Rewriter.erase_op(op)
    block.add_op(func.ReturnOp(*returned))
    for op in reversed(list(block.ops)):
        is_kept = isinstance(op, func.ReturnOp | yarr.AssertEqOp | yarr.AssertSizeOp)
        if not is_kept and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)
    _set_types(sizes, function, (), returned)
    sizes.attributes[emitpy.STATIC_RESULTS] = UnitAttr()
    return sizes


def _rest(function: func.FuncOp, numbers: Sequence[SSAValue]) -> func.FuncOp:
    """The function of the same arguments, and of static numbers."""
    copies = dict[SSAValue, SSAValue]()
    rest = function.clone(copies)
    block = rest.body.block
    for number in numbers:
        given = block.insert_arg(number.type, len(block.args))
        given.name_hint = number.name_hint or "size"
        copies[number].replace_all_uses_with(given)
    erase_unused(block)
    _set_types(rest, function, numbers, None)
    return rest


def _set_types(
    function: func.FuncOp,
    original: func.FuncOp,
    given: Sequence[SSAValue],
    returned: Sequence[SSAValue] | None,
) -> None:
    """Set the type of a function that is given more than another one, and returns other values."""
    inputs, outputs = phi.host_types(original)
    own, results = original.function_type.inputs.data, original.function_type.outputs.data
    if returned is not None:
        outputs, results = list(map(_element, returned)), [value.type for value in returned]
    function.function_type = FunctionType.from_lists(
        [*own, *(value.type for value in given)], results
    )
    if phi.HOST_TYPE in original.attributes:
        seen = FunctionType.from_lists([*inputs, *map(_element, given)], outputs)
        function.attributes[phi.HOST_TYPE] = seen


def _element(number: SSAValue) -> Attribute:
    return yarr.element_of(number.type)


def _call(function: func.FuncOp, sizes: func.FuncOp, rest: func.FuncOp) -> None:
    """Replace the body of a function by calls."""
    block = function.body.block
    for op in reversed(list(block.ops)):
        Rewriter.erase_op(op, safe_erase=False)  # operations outside of programs may still use it
    numbers = func.CallOp(sizes.sym_name.data, block.args, sizes.function_type.outputs.data)
    results = function.function_type.outputs.data
    call = func.CallOp(rest.sym_name.data, [*block.args, *numbers.results], results)
    block.add_ops([numbers, call, func.ReturnOp(*call.results)])
    function.attributes[emitpy.STAGES] = ArrayAttr(
        [SymbolRefAttr(sizes.sym_name.data), SymbolRefAttr(rest.sym_name.data)]
    )


def _unused(name: str, names: set[str]) -> str:
    """A name that no function has yet."""
    chosen, number = name, 1
    while chosen in names:
        chosen, number = f"{name}_{number}", number + 1
    names.add(chosen)
    return chosen


class OutlineSizesPass(ModulePass):
    """Computes the sizes that depend on elements of arrays in a function of its own.

    Before::

        func.func @positive(%x: tensor<?xf64>) -> tensor<?xi64> {
          %0 = arith.constant dense<0.0> : tensor<f64>
          %m = yarr.elementwise { arith.cmpf } %x, %0 : ..
          %c = yarr.elementwise { arith.extui } %m : (tensor<?xi1>) -> tensor<?xi64>
          %n = yarr.reduce %c, [0] by { arith.addi } : tensor<?xi64> -> tensor<i64>
          %r = yarr.range %n : tensor<?xi64>
          func.return %r : tensor<?xi64>
        }

    After::

        func.func @positive(%x: tensor<?xf64>) -> tensor<?xi64> attributes {
            "emitpy.stages" = [@positive_sizes, @positive_of_sizes]} {
          %n = func.call @positive_sizes(%x) : (tensor<?xf64>) -> tensor<i64>
          %r = func.call @positive_of_sizes(%x, %n) : (tensor<?xf64>, tensor<i64>) -> tensor<?xi64>
          func.return %r : tensor<?xi64>
        }
        func.func @positive_sizes(%x: tensor<?xf64>) -> tensor<i64> { .. }
        func.func @positive_of_sizes(%x: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xi64> {
          %r = yarr.range %n : tensor<?xi64>
          func.return %r : tensor<?xi64>
        }

    JAX compiles a program for given sizes. Sizes that depend on elements would make the arrays
    static: another program for each value of them, with the array as a constant that XLA folds.
    NumPy computes the sizes first, and a program is compiled for each of these. Elements that
    decide the steps of a loop remain static.
    """

    name = "outline-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.ops if isinstance(each, func.FuncOp)]
        names = {function.sym_name.data for function in functions}
        for function in functions:
            if not function.is_declaration:
                op.body.block.add_ops(outline_sizes(function, names))
