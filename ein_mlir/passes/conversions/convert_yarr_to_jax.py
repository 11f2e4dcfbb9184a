"""``convert-yarr-to-jax``: whole-array operations become calls of ``jax.numpy``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ArrayAttr, IntegerType, ModuleOp, TensorType, TupleType, f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.yarr.pointwise_steps import (
    STEPS_TOGETHER,
    fewest_elements_of_steps_together,
    most_steps_written_out,
)
from ein_mlir.analysis.yarr.static_values import StaticValues, path_attribute
from ein_mlir.backends.forms import Form, Helper, Operator
from ein_mlir.backends.jax import tables
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.passes.conversions.convert_yarr_to_numpy import Combination, NumpyLowering
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object, literal_int
from ein_mlir.rewriting.yarr_to_emitpy.lowering import convert_module
from ein_mlir.rewriting.yarr_to_emitpy.scalars import Scalars, ScalarTables, is_indicator
from ein_mlir.rewriting.yarr_to_emitpy.tiling import inline_tiles


class JaxScalars(Scalars):
    """Scalars are traced arrays of rank 0: Python cannot decide on them, and nothing raises."""

    def __init__(self, *arguments: object):
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._rules[arith.FPToSIOp] = self._to_int

    def apply(self, form: Form, operands: Sequence[SSAValue], element: Attribute) -> SSAValue:
        """Divisions of ints by what may be 0 are helpers, but for remainders by sizes."""
        if form == Operator("%") and isa(element, IntegerType) and self.is_size(operands[1]):
            x, y = operands
            return super().apply(form, (x, self.at_least_one(y)), element)
        if (
            isinstance(form, Operator)
            and form.symbol in tables.INTEGER_DIVISION
            and isa(element, IntegerType)
            and not literal_int(operands[1])
        ):
            form = Helper(tables.INTEGER_DIVISION[form.symbol])
        return super().apply(form, operands, element)

    def _select(self, op: arith.SelectOp, operands: Sequence[SSAValue]) -> SSAValue:
        """``jnp.where(c, x, y)``; ``x if c else y`` only where the condition is Python's."""
        condition, *values = operands
        element = op.result.type
        if is_object(condition):
            return super()._select(op, operands)
        if is_indicator(values):
            return self._as_type(condition, element)
        if all(map(is_object, values)) and not self.is_default(element):
            values[0] = self.typed(values[0], element)
        type_ = self.result_type(operands, element)
        return self.build.call("jnp.where", condition, *values, type=type_)

    def _to_int(self, op: arith.FPToSIOp, operands: Sequence[SSAValue]) -> SSAValue:
        """What does not fit is the least integer."""
        element = op.result.type
        value = self.typed(operands[0], op.input.type)
        type_ = yarr.tensor(element, yarr.shape_of(value))
        return self.build.helper("jnp.to_int", value, self.dtype(element), type=type_)


class HostLowering(NumpyLowering):
    """Computes static values with NumPy, beside the rules of JAX for the other values."""

    pass_name = "convert-yarr-to-jax"

    def __init__(self, source: Block, rules: JaxLowering):
        super().__init__(source)
        self.build, self.sizes, self._values = rules.build, rules.sizes, rules.values
        self.counters = rules.counters
        self.scalars = Scalars(self.build, self.tables)

    def extern(self, op: yarr.ExternOp) -> None:
        """``np.array(f(x))``: the function may return an array of JAX."""
        super().extern(op)
        result = self.value(op.result)
        if not isa(result.type, TupleType):
            self.bind(op.result, self._of_numpy(result))

    def proj(self, op: yarr.ProjOp) -> None:
        """A field of what a function returned, as of one that is no record."""
        super().proj(op)
        if isinstance(self.value(op.record).owner, emitpy.ExternOp):
            self.bind(op.result, self._of_numpy(self.value(op.result)))

    def _of_numpy(self, value: SSAValue) -> SSAValue:
        return self.build.call("np.array", value, type=value.type)


class JaxLowering(NumpyLowering):
    """What differs from NumPy, of which ``jax.numpy`` has the functions and methods.

    Sizes, and what they are computed from, are known when JAX traces the program (see
    ``static_values``): they stay Python and NumPy numbers. All other numbers are traced.
    """

    pass_name = "convert-yarr-to-jax"
    tables = ScalarTables(
        prefix="jnp",
        dtypes=tables.DTYPES,
        unsigned_dtypes=tables.UNSIGNED_DTYPES,
        scalars=tables.SCALARS,
        comparisons=tables.COMPARISONS,
        float_comparisons=tables.FLOAT_COMPARISONS,
    )
    scalar_rules = JaxScalars
    groups_axes = False
    decorators = ()

    def __init__(self, source: Block):
        super().__init__(source)
        self.static = StaticValues(source)
        self.host = HostLowering(source, self)

    @property
    def values(self) -> dict[SSAValue, SSAValue]:
        """The translations of values."""
        return self._values

    # Static values

    def operation(self, op: Operation) -> None:
        """Operations that make static values, and assertions, are left to the host."""
        if isinstance(op, yarr.AssertEqOp | yarr.AssertSizeOp) or (
            not isinstance(op, yarr.FoldOp) and any(result in self.static for result in op.results)
        ):
            self.host.operation(op)
        else:
            super().operation(op)

    def operand(self, value: SSAValue) -> SSAValue:
        """Arithmetic on NumPy numbers would be NumPy's."""
        return self._traced(value, super().operand(value))

    def array(self, value: SSAValue) -> SSAValue:
        """An array of JAX, whatever it was made by."""
        return self._traced(value, super().array(value))

    def _traced(self, value: SSAValue, lowered: SSAValue) -> SSAValue:
        if value not in self.static or is_object(lowered):
            return lowered
        return self.build.call("jnp.asarray", lowered, type=lowered.type)

    def proj(self, op: yarr.ProjOp) -> None:
        """A field as it was put into a record."""
        if isinstance(op.record.owner, yarr.TupleOp):
            self.bind(op.result, self.value(op.record.owner.fields[op.field.value.data]))
        else:
            super().proj(op)

    def _is_known(self, value: SSAValue) -> bool:
        """Whether a number is known when the program is traced."""
        return value in self.static or is_object(self.value(value))

    # Arrays cannot be changed

    def copy(self, value: SSAValue) -> SSAValue:
        """The value itself."""
        return value

    # Indexing

    def clipped(self, index: SSAValue, array: SSAValue, axis: int) -> SSAValue:
        """``jnp.clip(p, 0, a.shape[1] - 1)``"""
        if is_object(index):
            return super().clipped(index, array, axis)
        zero, last = self.build.literal(0), self.last(array, axis)
        return self.build.call("jnp.clip", index, zero, last, type=index.type)

    def taken(
        self,
        array: SSAValue,
        axis: int,
        positions: SSAValue,
        type: TensorType[Attribute],
        in_bounds: bool,
    ) -> SSAValue:
        """``jnp.take(a, p, axis=1, mode="clip")``: without a mode, it would check each position."""
        return super().taken(array, axis, positions, type, in_bounds=False)

    def slice(self, op: yarr.SliceOp) -> None:
        """A slice whose start is traced takes its elements instead."""
        start = self.sizes.of(op.start)
        if all(map(self._is_known, start.terms)):
            super().slice(op)
            return
        axis, step = (self.build.literal(n.value.data) for n in (op.axis, op.step))
        array, size = self.array(op.array), self.value(op.size)
        taken = self.build.helper(
            "jnp.clipped_take", array, axis, self.value(op.start), size, step, type=op.result.type
        )
        self.bind(op.result, taken)

    def start_of(self, op: yarr.SliceOp) -> SSAValue:
        """The first position, computed with Python's ints: those of JAX are traced."""
        return self.sizes.emit(self.sizes.of(op.start), self.build, self.value)

    def update(self, op: yarr.UpdateOp) -> None:
        """A helper: nothing is changed in place."""
        axes = self.build.literal(op.axes)
        positions = self.build.tuple(list(map(self.value, op.positions)))
        array, value = self.array(op.array), self.array(op.value)
        updated = self.build.helper(
            "jnp.update", array, axes, positions, value, type=op.result.type
        )
        self.bind(op.result, updated)

    # Contractions

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``jnp.diagonal(a)`` for a diagonal: ``jnp.einsum`` adds up rows that are 0 beside it.

        That takes a pass over all of the array, and makes 0.0 of -0.0.
        """
        (letters, *others), output = yarr.split_subscripts(op.subscripts.data)
        if others or set(letters) != set(output) or len(letters) != len(output) + 1:
            super().einsum(op)
            return
        (doubled,) = (letter for letter in output if letters.count(letter) == 2)
        axes = letters.index(doubled), letters.rindex(doubled)
        order = letters.replace(doubled, "") + doubled
        shape = yarr.shape_of(op.result)
        type_ = yarr.tensor(
            yarr.element_of(op.result), [shape[output.index(letter)] for letter in order]
        )
        where = () if axes == (0, 1) else map(self.build.literal, (0, *axes))
        found = self.build.call("jnp.diagonal", self.array(op.arrays[0]), *where, type=type_)
        self.bind(op.result, self._reordered(found, order, output))

    def matrix_multiply(
        self, lhs: SSAValue, rhs: SSAValue, type: TensorType[Attribute]
    ) -> SSAValue:
        """``a @ b``, in full precision: GPUs would round f32 to fewer bits."""
        if type.element_type != f32:
            return super().matrix_multiply(lhs, rhs, type)
        return self.build.call("jnp.matmul", lhs, rhs, type=type, keywords=self._precision())

    def einsum_keywords(self, op: yarr.EinsumOp) -> dict[str, SSAValue]:
        """JAX orders products by itself."""
        return self._precision() if yarr.element_of(op.result) == f32 else {}

    def _precision(self) -> dict[str, SSAValue]:
        return {"precision": self.build.literal("highest")}

    # Prefixes and segments

    def inclusive_scan(self, op: yarr.ScanOp) -> SSAValue:
        """A helper around ``lax.cumsum``."""
        kind, _ = self.combining_function(op)
        axis, suffixes = op.axis.value.data, op.suffixes is not None
        arguments = kind, self.array(op.array), *map(self.build.literal, (axis, suffixes))
        return self.build.helper(self.name("accumulate"), *arguments, type=op.result.type)

    def segments(self, op: yarr.SegmentReduceOp) -> SSAValue:
        """The keys themselves."""
        return self.build.tuple([self.array(key) for key in op.keys])

    def is_count(self, op: yarr.SegmentReduceOp) -> bool:
        """Counts are sums of ones."""
        return False

    def combining_function(self, op: Combination) -> Sequence[SSAValue]:
        """The name that JAX has for a kind; Bools are ordered."""
        names = {"and": "min", "or": "max"}
        kind = op.kind.data
        return self.build.literal(names.get(kind, kind)), self.neutral(op)

    # Loops

    def fold(self, op: yarr.FoldOp) -> None:
        """``fold(n, step, init)``, with a local function.

        A loop over static values is unrolled, and so is one that is there for its assertions.
        """
        if self.static.is_unrolled(op) or not any(result.uses for result in op.res):
            super().fold(op)
        else:
            self._rolled(op)

    def _rolled(self, op: yarr.FoldOp) -> None:
        inits = [self.array(init) for init in op.inits]
        is_single = len(inits) == 1
        carry = inits[0] if is_single else self.build.tuple(inits)
        step = self._step(op, carry.type)
        self.build.source = op
        arguments = [self.value(op.count), step, carry]
        if most := most_steps_written_out(op):
            arguments.append(self.build.literal(most))
        if (large := fewest_elements_of_steps_together(op)) is not None:
            arguments.extend(map(self.build.literal, (STEPS_TOGETHER, large)))
        result = self.build.helper("jnp.fold", *arguments, type=carry.type, view=True)
        results = [result] if is_single else self.build.unpack(result, [r.type for r in op.res])
        for old, new in zip(op.res, results, strict=True):
            self.bind(old, new)

    def _step(self, op: yarr.FoldOp, carry_type: Attribute) -> SSAValue:
        """``def step(k, x): return ...``"""
        is_single = carry_type != OBJECT
        body = Block(arg_types=[yarr.SIZE_TYPE, carry_type])
        counter, carry = body.args
        counter.name_hint = op.counter.name_hint or "k"
        carry.name_hint = op.accumulators[0].name_hint if is_single else "carry"
        self._values[op.counter] = counter
        with self.build.emitting_into(body):
            types = [accumulator.type for accumulator in op.accumulators]
            parts = [carry] if is_single else self.build.unpack(carry, types)
            for accumulator, part in zip(op.accumulators, parts, strict=True):
                part.name_hint = part.name_hint or accumulator.name_hint
                self._values[accumulator] = part
            self.block(op.body.block)
            terminator = op.body.block.last_op
            assert isinstance(terminator, yarr.YieldOp)
            values = [self.array(value) for value in terminator.values]
            self.build.insert(emitpy.YieldOp(values[0] if is_single else self.build.tuple(values)))
        return self.build.define(Region(body), "step")

    def held(self, value: SSAValue, accumulator: SSAValue) -> SSAValue:
        """An unrolled loop has NumPy's numbers for static accumulators."""
        return self.host.array(value) if accumulator in self.static else self.array(value)


class ConvertYarrToJaxPass(ModulePass):
    """Translates yarr to emitpy that calls JAX.

    Before::

        func.func @total(%a: tensor<?xf64>) -> tensor<f64> {
          %n = yarr.size %a, 0 : tensor<?xf64>
          %init = arith.constant dense<0.0> : tensor<f64>
          %s = yarr.fold (%k < %n, %acc = %init) -> tensor<f64> {
            %x = yarr.take %a, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
            %0 = yarr.elementwise { arith.addf } %acc, %x : ...
            yarr.yield %0 : tensor<f64>
          }
          func.return %s : tensor<f64>
        }

    After, as ``-t python`` prints it behind the helper ``fold``::

        def total(a):

            def step(k, acc):
                return acc + a[k]

            s = fold(a.shape[0], step, jnp.float64(0.0), 64)
            return s

    A short loop whose steps work on each element by itself is unrolled, so that XLA compiles it to
    one pass over memory: here one of up to 64 steps. A longer one, with accumulators that do not
    depend on each other, takes 8 steps at a time where they are large: ``fold(n, step, init, 64,
    8, 43691)`` does where they have that many elements.

    Arguments that sizes depend on must be static where the function is jitted: the attribute
    ``emitpy.static_arguments`` of a function has them, each as the number of the argument and the
    numbers of fields in it.
    """

    name = "convert-yarr-to-jax"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                inline_tiles(function)
                _note_static_arguments(function)
        convert_module(op, JaxLowering)


def _note_static_arguments(function: func.FuncOp) -> None:
    paths = StaticValues(function.body.block).arguments
    if paths:
        function.attributes[emitpy.STATIC_ARGUMENTS] = ArrayAttr(map(path_attribute, paths))
