"""Traces of Python functions: calls on staged values, and checks of types by annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from ein_mlir.errors import EinError, EinTypeError, ScopeError
from ein_mlir.frontend.annotations import (
    annotations_of,
    check_annotation,
    type_of,
    type_of_annotation,
    type_of_argument,
)
from ein_mlir.frontend.argument_keys import flattener, is_record_of_arrays
from ein_mlir.frontend.evaluation import is_empty
from ein_mlir.frontend.expr import Argument, Expr
from ein_mlir.frontend.index_sets import SIZES, axes_of, note_sizes
from ein_mlir.frontend.inputs import wrap_as
from ein_mlir.frontend.refusals import forget_refusal, refusal_behind
from ein_mlir.frontend.structure import flatten, leaves, restorer
from ein_mlir.frontend.types import RecordType, Type, WeakType, describe, settle
from ein_mlir.frontend.values import Value, decode, encode
from ein_mlir.frontend.values.library_calls import scalar_advice
from ein_mlir.host.bounds import check_bounds
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.garbage import rare_collections
from ein_mlir.host.late_xdsl import load_xdsl
from ein_mlir.host.locations import at, place_of, without_package
from ein_mlir.host.options import check_options

if TYPE_CHECKING:
    from ein_mlir.compiler import CompiledFunction
    from ein_mlir.frontend.lowering import Lowered
    from ein_mlir.memory import Memory
    from ein_mlir.runtimes import Jit


@dataclass(frozen=True)
class Options:
    """The options of a function that are for some backends."""

    jit: Jit = None
    threads: int | None = None
    fastmath: tuple[str, ...] = ()
    bounds: str | None = None

    def __post_init__(self) -> None:
        check_options(self.jit, self.threads)
        check_bounds(self.bounds)


@dataclass(frozen=True)
class Program:
    """A function traced for some types: its IR, and the facts about it that calls need."""

    lowered: Lowered
    result: Type
    passed: tuple[bool, ...]
    """Whether each parameter is passed at run time; the others were fixed while tracing."""

    def arguments(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values that are passed at run time, with tuples for records."""
        pairs = zip(values, self.passed, strict=True)
        return [flatten(value) for value, is_passed in pairs if is_passed]

    def all_arguments(self, values: Sequence[Any]) -> Sequence[Any]:
        """The same, and the captured wrapped arrays after them."""
        return [*self.arguments(values), *(node.array for node in self.lowered.inputs)]

    def compile(self, name: str, backend: str, options: Options) -> CompiledFunction:
        """Compile for a backend; options that it does not have are left out."""
        from ein_mlir.compiler import compile_traced
        from ein_mlir.runtimes import has_jit, has_threads

        jit = options.jit if has_jit(backend) else None
        threads = options.threads if has_threads(backend) else None
        module, externs = self.lowered.module, self.lowered.externs
        laws, bounds = options.fastmath, options.bounds
        return compile_traced(module, name, backend, externs, jit, threads, laws, bounds)


class Compiled:
    """Compiled code for parameters with some keys, and the captured wrapped arrays."""

    def __init__(self, program: Program, code: CompiledFunction, keys: Sequence[Any]):
        self.code = code
        self._program = program
        self._captured = tuple(node.array for node in program.lowered.inputs)
        self.call = self._finished(self._run(keys))
        """Run the code on the values of the parameters."""

    def placed(self, error: Exception) -> Exception:
        """An error of a call, with the line of the program if it is about sizes."""
        from ein_mlir.bounds import with_place

        return with_place(error, self._program.lowered.module)

    def _finished(self, run: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
        restored = restorer(self._program.result)
        return run if restored is None else lambda values: restored(run(values))

    def _run(self, keys: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
        captured, pairs = self._captured, zip(keys, self._program.passed, strict=True)
        passed = [(k, key) for k, (key, is_passed) in enumerate(pairs) if is_passed]
        places = [(k, flattener(key)) for k, key in passed]
        run = self.code.for_keys((*(key for _, key in passed), *(None for _ in captured)))
        if places == [(k, None) for k in range(len(keys))] and not captured:
            return run

        def call(values: Sequence[Any]) -> Any:
            own = [flat(values[k]) if flat else values[k] for k, flat in places]
            return run((*own, *captured))

        return call

    def memory(self, values: Sequence[Any]) -> Memory:
        """The bytes of a call."""
        return self.code.memory(*self._program.all_arguments(values))


def _check_function(f: object) -> None:
    """Raise EinTypeError for an object that cannot be traced."""
    shown = getattr(f, "__name__", repr(f))
    if isinstance(f, np.ufunc):
        advice = scalar_advice(shown)
        instead = f": write {advice} in a function of your own" if advice else ""
        raise EinTypeError(f"function: np.{shown} is not a Python function{instead}{at()}")
    if not callable(f) or isinstance(f, type):
        raise EinTypeError(f"function: expected a Python function, not {shown}{at()}")
    try:
        inspect.signature(f)
    except (TypeError, ValueError):
        raise EinTypeError(
            f"function: {shown} is not written in Python, and cannot be traced{at()}"
        ) from None


_IS_TRACING: ContextVar[bool] = ContextVar("_IS_TRACING", default=False)


def is_tracing() -> bool:
    """Whether a Python function is called on staged values, now."""
    return _IS_TRACING.get()


class Tracer:
    """Traces a Python function for arguments of some types.

    It calls the function on staged values, and checks arguments and results by the annotations.
    """

    def __init__(self, f: Callable[..., Any]):
        _check_function(f)
        self.function = f
        self.signature = inspect.signature(f)
        name = getattr(f, "__name__", "main")
        self.name = name if name.isidentifier() else "main"
        self._parameters = tuple(self.signature.parameters.values())
        for parameter in self._parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                raise EinTypeError(
                    f"{self.name}: a compiled function names its parameters, and **"
                    f"{parameter.name} has no fixed number of them{at()}"
                )
        self._by_position = all(
            p.kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL) for p in self._parameters
        )
        self._variadic = {p.name for p in self._parameters if p.kind is p.VAR_POSITIONAL}
        self._annotations = annotations_of(f)

    def values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The value of each parameter, in order; that of ``*args`` is a tuple."""
        if not kwargs and len(args) == len(self._parameters) and self._by_position:
            return args
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            reason = self._unknown_keyword(kwargs) or error
            raise EinTypeError(f"{self.name}{self.signature}: {reason}{at()}") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _unknown_keyword(self, kwargs: Mapping[str, Any]) -> str | None:
        """The mistake in a keyword, which Python names after missing arguments."""
        names = {p.name for p in self._parameters if p.kind is not p.POSITIONAL_ONLY}
        unknown = (name for name in kwargs if name not in names)
        return next((f"got an unexpected keyword argument '{name}'" for name in unknown), None)

    def _call(self, values: Sequence[Any], sizes: Mapping[Any, Expr]) -> Any:
        """Call the Python function, with the sizes of index sets that its arguments give."""
        forget_refusal()
        token, outer = _IS_TRACING.set(True), SIZES.set(sizes)
        try:
            if self._by_position:
                return self.function(*values)
            bound = inspect.BoundArguments(self.signature, dict(self.named(values)))
            return self.function(*bound.args, **bound.kwargs)
        except EinError as error:
            raise without_package(error)  # noqa: B904
        except RecursionError:
            raise
        except Exception as error:
            if (refusal := refusal_behind(error, Value)) is not None:
                raise refusal from None
            raise
        finally:
            _IS_TRACING.reset(token)
            SIZES.reset(outer)

    def named(self, values: Sequence[Any]) -> Sequence[tuple[str, Any]]:
        """The values of parameters, each with the name of its parameter."""
        return [(p.name, value) for p, value in zip(self._parameters, values, strict=True)]

    def inline(self, values: Sequence[Any]) -> Any:
        """Apply the function to staged values; arrays among them are wrapped."""
        staged: list[Any] = []
        along: list[tuple[Expr, str | None, Sequence[Any]]] = []
        for name, value in self.named(values):
            type_ = self.type_of(name, value)
            if type_ is not None:
                self._check(name, type_)
                value = wrap_as(value, type_, name)
                if axes := axes_of(self._annotations.get(name)):
                    along.append((encode(value), name, axes))
            staged.append(value)
        return self._call(staged, note_sizes(along))

    def type_of(self, name: str, value: Any) -> Type | None:
        """The type of an argument; its annotation may make a record an array of records."""
        if name in self._variadic and is_empty(value):
            return None
        return type_of_argument(value, self._annotation(name, value))

    def _check(self, name: str, type_: Type) -> None:
        annotation = self._annotation(name, type_)
        if annotation is not None:
            what = "the result" if name == "return" else f"the argument {name}"
            check_annotation(f"{self.name}: {what}", annotation, type_)

    def _check_given(self, name: str, value: Any) -> None:
        """Raise EinTypeError for a value without a type whose annotation denotes one."""
        annotated = type_of_annotation(self._annotations.get(name))
        if annotated is not None and name not in self._variadic:
            raise EinTypeError(
                f"{self.name}: the argument {name} is annotated {describe(annotated)}, but is "
                f"{value!r}{at()}"
            )

    def _annotation(self, name: str, given: Any) -> Any:
        """The annotation of a parameter, or None.

        That of ``*args`` annotates each element of ``given``, which is a tuple or its type.
        """
        annotation = self._annotations.get(name)
        if annotation is not None and name in self._variadic:
            fields = given.fields if isinstance(given, RecordType) else given
            return tuple[(annotation,) * len(fields)]
        return annotation

    def program_of(self, values: Sequence[Any]) -> Program:
        """The program for some arguments or examples of them."""
        return self.trace([self.type_of(name, value) for name, value in self.named(values)], values)

    def trace(self, types: Sequence[Type | None], values: Sequence[Any]) -> Program:
        """The program for arguments of some types; arguments without a type are given by value."""
        with rare_collections():
            load_xdsl()
            from ein_mlir.frontend.lowering import lower

        staged: list[Any] = []
        arguments: list[Argument] = []
        for parameter, type_, value in zip(self._parameters, types, values, strict=True):
            if type_ is not None:
                self._check(parameter.name, type_)
                axes = axes_of(self._annotations.get(parameter.name))
                arguments.append(Argument(type_, parameter.name, axes))
                value = decode(arguments[-1])
            else:
                self._check_given(parameter.name, value)
            staged.append(value)
        sizes = note_sizes([(each, each.name, each.axes) for each in arguments])
        try:
            result = encode(self._call(staged, sizes))
        except RecursionError as error:
            raise EinTypeError(
                f"{self.name}: the recursion is too deep, or does not end: where() evaluates both "
                f"branches, and `if` cannot ask a staged value; write fold(init, lambda k, acc: "
                f"...){at(place_of(error))}"
            ) from None
        self._check("return", result.type)
        weak = [leaf for argument in arguments for leaf in leaves(argument.type)]
        settle(leaf for leaf in weak if isinstance(leaf, WeakType))
        try:
            lowered = lower(result, arguments, self.name)
        except ScopeError as error:
            raise ScopeError(f"{self.name}: {error}") from None
        return Program(
            lowered,
            result.type,
            tuple(type_ is not None for type_ in types),
        )

    def program_for(self, types: Sequence[Any], named: Mapping[str, Any]) -> Program:
        """The program for types given by the user."""
        if not types and not named and self._parameters:
            return self._annotated_program()
        values = self.values(types, named)
        given = [self._given_type(name, value) for name, value in self.named(values)]
        return self.trace(given, values)

    def _given_type(self, name: str, value: Any) -> Type | None:
        """The type that the user names or shows by an example, as a call takes it."""
        load_xdsl()
        from xdsl.ir import Attribute

        if value is None:
            return None
        is_example = not isinstance(value, Attribute) and is_record_of_arrays(value)
        return self.type_of(name, value) if is_example else type_of(value)

    def _annotated_program(self) -> Program:
        types: list[Type | None] = []
        for parameter in self._parameters:
            annotated = parameter.name not in self._variadic
            type_ = type_of_annotation(self._annotations.get(parameter.name)) if annotated else None
            if type_ is None and parameter.default is not parameter.empty:
                type_ = self.type_of(parameter.name, parameter.default)
            elif type_ is None:
                raise EinTypeError(
                    f"{self.name}: the type of the argument {parameter.name} is not known; give "
                    f"the types of all arguments, as in .phi(vector_type(float)), or annotate "
                    f"them{at()}"
                )
            types.append(type_)
        return self.trace(types, [parameter.default for parameter in self._parameters])
