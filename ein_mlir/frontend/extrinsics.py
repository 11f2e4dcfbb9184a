"""`ext`: functions of the backend's library, called from a program (dissertation, 3.7.4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar, cast, overload

from ein_mlir.errors import EinTypeError, counted
from ein_mlir.frontend.annotations import check_annotation, type_of, type_of_annotation
from ein_mlir.frontend.expr import Argument, Expr, Extern, Traced
from ein_mlir.frontend.records import parts_of
from ein_mlir.frontend.signatures import names_its_arguments
from ein_mlir.frontend.structure import leaves, map_leaves, restore, under_vectors
from ein_mlir.frontend.types import (
    RecordType,
    Type,
    WeakType,
    describe,
    describe_pair,
    kind_of,
    resolve,
    unify,
)
from ein_mlir.frontend.values import Value, decode, encode, strong, weak
from ein_mlir.host.elements import SCALARS, Kind, ScalarType
from ein_mlir.host.locations import at

T = TypeVar("T")

_EXAMPLE = "ext(numpy.sort, ([Vec[Float]], Vec[Float]))"


Rule: TypeAlias = "Callable[..., Any] | None"


@overload
def ext(
    fun: Callable[..., Any],
    signature: tuple[Sequence[Any], type[T]],
    *,
    jvp: Rule = None,
    vjp: Rule = None,
) -> Extrinsic[T]: ...
@overload
def ext(
    fun: Callable[..., Any],
    signature: tuple[Sequence[Any], Any],
    *,
    jvp: Rule = None,
    vjp: Rule = None,
) -> Extrinsic[Any]: ...
@names_its_arguments
def ext(fun: Any, signature: Any, *, jvp: Rule = None, vjp: Rule = None) -> Any:
    """A function of the backend's library as one of staged values.

    The signature names the types of the arguments and of the result, as annotations or as phi
    types. In annotations ``Float`` and ``Int`` have either width: the result has the larger width
    of the arguments. Keywords of a call are constants, and are passed to the function.

    The function keeps the extrinsic contract: it is pure, it broadcasts over leading axes of all
    its arguments, and the shape that it returns depends on shapes only. Inside of ``array`` it is
    called once for all indices. Its result is checked.

    Derivatives are functions of Ein, of the arguments, the result and directions: ``jvp`` takes the
    tangents of those arguments that have Floats, and returns the tangent of the result, linear in
    them; ``vjp`` takes the cotangent of the result, and returns those of the arguments, as a tuple
    if there are several. One is enough where its operations have derivatives themselves; ``vjp`` is
    for a rule that calls extrinsics on cotangents.

    >>> import numpy as np
    >>> from ein_mlir import Float, Vec, array, ext, wrap
    >>> sort = ext(np.sort, ([Vec[Float]], Vec[Float]))
    >>> a = wrap([[2.5, 0.0, 1.0], [3.0, 5.0, 4.0]])
    >>> array(lambda i: sort(a[i])[0]).eval(backend="naive")
    array([0., 3.])
    >>> from ein_mlir import cos, grad
    >>> sine = ext(np.sin, ([Float], Float), jvp=lambda x, y, dx: dx * cos(x))
    >>> grad(lambda x: sine(x * x))(0.0)
    np.float64(0.0)
    """
    return Extrinsic[Any](fun, signature, jvp, vjp)


class Extrinsic(Generic[T]):
    """A function with the types of its arguments and of its result, made by `ext`."""

    def __init__(
        self,
        fun: Callable[..., Any],
        signature: tuple[Sequence[Any], Any],
        jvp: Rule = None,
        vjp: Rule = None,
    ):
        if not callable(fun):
            raise EinTypeError(f"ext: expected a function, as in {_EXAMPLE}, not {fun!r}{at()}")
        self._function = fun
        self._name = _name_of(fun)
        arguments, result = _checked_signature(signature)
        self._arguments = [_Declared(type_) for type_ in arguments]
        self._result = _Declared(result)
        rules = {"jvp": jvp, "vjp": vjp}
        self._rules = {name: rule for name, rule in rules.items() if rule is not None}

    def __repr__(self) -> str:
        arguments = ", ".join(str(declared.type) for declared in self._arguments)
        return f"<extrinsic {self._name}({arguments}) -> {self._result.type}>"

    def __call__(self, *args: Any, **constants: Any) -> T:
        """Apply the function to staged values and numbers; keywords are constants."""
        if len(args) != len(self._arguments):
            raise EinTypeError(
                f"the extrinsic {self._name} takes {counted(len(self._arguments), 'argument')}, "
                f"got {len(args)}{at()}"
            )
        for name, value in constants.items():
            if isinstance(value, Value):
                raise EinTypeError(
                    f"the extrinsic {self._name}: the keyword {name} is a constant, and this "
                    f"{describe(value.expr.type)} is staged; pass it by position{at()}"
                )
        exprs = tuple(self._argument(k, value) for k, value in enumerate(args))
        result = self._result.of_widths(self._widths(exprs))
        self._reject_unsigned([*(expr.type for expr in exprs), result])
        function, key = self._bound([expr.type for expr in exprs], constants)
        trace = partial(self._traced, [expr.type for expr in exprs], result, constants)
        rules = {name: partial(trace, name) for name in self._rules}
        return decode(Extern(exprs, result, function, key, self._name, rules))

    def _traced(
        self, types: Sequence[Type], result: Type, constants: Mapping[str, Any], name: str
    ) -> Traced:
        """A derivative, traced for arguments of some types."""
        floats = [each for each in types if "float" in [kind_of(leaf) for leaf in leaves(each)]]
        names = tuple(map(str, range(len(floats))))
        expected = floats[0] if len(floats) == 1 else RecordType(tuple, names, tuple(floats))
        directions, wanted = (floats, result) if name == "jvp" else ([result], expected)
        arguments = [Argument(type_, f"x{k}") for k, type_ in enumerate((*types, result))]
        arguments += [Argument(type_, f"d{k}") for k, type_ in enumerate(directions)]
        found = encode(self._rules[name](*map(decode, arguments), **constants), wanted, weak)
        self._agree(found.type, wanted, f"the {name} of the extrinsic {self._name}")
        return arguments, found

    def _reject_unsigned(self, types: Sequence[Type]) -> None:
        """Raise EinTypeError for numbers without a sign, which the contract leaves out."""
        for leaf in (leaf for type_ in types for leaf in leaves(type_)):
            if isinstance(leaf, ScalarType) and not leaf.is_signed:
                raise EinTypeError(
                    f"the extrinsic {self._name} neither takes nor returns {describe(leaf)}: "
                    f"convert it, x.int(){at()}"
                )

    def _argument(self, position: int, value: Any) -> Expr:
        """The expression of an argument, of its declared type."""
        declared = self._arguments[position]
        what = f"the argument {position} of the extrinsic {self._name}"
        if declared.annotation is not None:
            expr = encode(value, declared.type, weak)
            check_annotation(what, declared.annotation, expr.type)
        else:
            expr = encode(value, declared.type, strong)
            self._agree(expr.type, declared.type, what)
        return expr

    def _widths(self, exprs: Sequence[Expr]) -> Mapping[Kind, ScalarType]:
        """The scalar type of each kind in annotations; numbers take it, too."""
        found = [
            leaf
            for expr, declared in zip(exprs, self._arguments, strict=True)
            if declared.annotation is not None
            for leaf in leaves(expr.type)
        ]
        widths = _widest([leaf for leaf in found if isinstance(leaf, ScalarType)])
        for leaf in found:
            if isinstance(leaf, WeakType):
                self._agree(leaf, widths[leaf.kind], f"a number given to {self._name}")
        return widths

    def _agree(self, type_: Type, expected: Type, what: str) -> None:
        mismatch = unify(type_, expected)
        if mismatch is not None:
            given, wanted = describe_pair(mismatch.lhs, mismatch.rhs)
            reason = f" ({mismatch.reason})" if mismatch.reason else ""
            raise EinTypeError(f"{what}{mismatch.path} is a {given}, not a {wanted}{reason}{at()}")

    def _bound(
        self, types: Sequence[Type], constants: Mapping[str, Any]
    ) -> tuple[Callable[..., Any], Hashable]:
        """The function that a program calls, and a key that is equal for equal functions."""
        function = partial(self._function, **constants) if constants else self._function
        rules = tuple(map(id, self._rules.values()))
        key = (id(self._function), rules, *((name, _key(v)) for name, v in constants.items()))
        result = self._result.type
        if not any(isinstance(under_vectors(t), RecordType) for t in (*types, result)):
            return function, key

        def with_records(*args: Any) -> Any:
            values = function(*map(restore, types, args))
            return _as_tuples(f"the result of the extrinsic {self._name}", result, values)

        return with_records, (id(self), *key)


class _Declared:
    """A type in a signature; the annotation is kept if it allows either width."""

    def __init__(self, specification: Any):
        annotated = type_of_annotation(specification)
        self.annotation = None if annotated is None else specification
        self.type = type_of(specification) if annotated is None else annotated

    def of_widths(self, widths: Mapping[Kind, ScalarType]) -> Type:
        """The type with scalars of the given widths."""
        return self.type if self.annotation is None else map_leaves(self.type, widths)


def _checked_signature(signature: Any) -> tuple[Sequence[Any], Any]:
    pair = cast(tuple[Any, ...], signature) if isinstance(signature, tuple) else ()
    if len(pair) != 2 or not isinstance(pair[0], list | tuple):
        raise EinTypeError(
            f"ext: a signature is a list of argument types and a result type, as in {_EXAMPLE}, "
            f"not {_written_type(signature)}{at()}"
        )
    return cast(Sequence[Any], pair[0]), pair[1]


def _written_type(given: Any) -> str:
    """The name of a type in a message, or the text of another value."""
    annotated = type_of_annotation(given)
    return repr(given) if annotated is None else describe(annotated)


def _widest(scalars: Sequence[ScalarType]) -> Mapping[Kind, ScalarType]:
    """The widest of some scalars for each kind; of 64 bits if there is none."""
    widest: dict[Kind, ScalarType] = {scalar.kind: scalar for scalar in SCALARS}
    for scalar in sorted(scalars, key=lambda scalar: scalar.bits):
        widest[scalar.kind] = scalar
    return widest


def _as_tuples(what: str, type_: Type, value: Any) -> Any:
    """A record that a function returned as nested tuples; arrays are checked by the compiler."""
    type_ = under_vectors(resolve(type_))
    if not isinstance(type_, RecordType):
        return value
    parts = parts_of(value)
    given = None if parts is None else (parts.container, set(parts.names))
    if parts is None or given != (type_.container, set(type_.names)):
        got = (
            type(value).__name__
            if parts is None
            else f"{parts.container.__name__} of {len(parts.names)}"
        )
        raise EinTypeError(f"{what}: expected a {type_}, got a {got}")
    fields = dict(zip(parts.names, parts.values, strict=True))
    return tuple(
        _as_tuples(f"{what}{type_.label(k)}", field, fields[name])
        for k, (name, field) in enumerate(zip(type_.names, type_.fields, strict=True))
    )


def _name_of(fun: Any) -> str:
    while isinstance(fun, partial):
        fun = cast(Any, fun).func
    return getattr(fun, "__name__", type(fun).__name__).strip("<>")


def _key(constant: Any) -> Hashable:
    """A key that is equal for equal constants; 1, 1.0 and True differ, objects equal themselves."""
    if constant is None or isinstance(constant, bool | int | float | str):
        return cast(type, type(constant)), repr(constant)
    return id(constant)
