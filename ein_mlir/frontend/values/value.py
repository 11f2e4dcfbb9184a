"""The base class of staged values."""

from __future__ import annotations

from collections.abc import Iterator
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from ein_mlir.errors import EinAttributeError, EinTypeError, with_article
from ein_mlir.frontend.constructs import elements_of, number_of, position_of, truth_of
from ein_mlir.frontend.display import head_of, html_of, program_of
from ein_mlir.frontend.dtypes import dtype_of_type
from ein_mlir.frontend.evaluable import Evaluable
from ein_mlir.frontend.evaluation import run
from ein_mlir.frontend.expr import Expr
from ein_mlir.frontend.refusals import note_refusal
from ein_mlir.frontend.types import BOOL, describe, resolve
from ein_mlir.frontend.values.library_calls import apply_ufunc, refuse_numpy, refuse_torch
from ein_mlir.host.arrays import is_array
from ein_mlir.host.attributes import similar_attribute
from ein_mlir.host.locations import at, here, reported


def written(value: object) -> str:
    """A given value in a message: a staged one by its type, containers and arrays by their kind.

    A method is one that the user did not call.
    """
    if isinstance(value, Value):
        return describe(value.expr.type)
    if is_array(value):
        return "an array"
    for container in (tuple, list, dict):
        if isinstance(value, container):
            return f"a {container.__name__}"
    if isinstance(value, MethodType):
        return f"the method {value.__name__}: call it, as in a.{value.__name__}()"
    return repr(value)


class Value(Evaluable):
    """The base class of scalars and vectors: an expression, and its evaluation."""

    __slots__ = ("__weakref__", "expr")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Any:
        """NumPy leaves operators with a value on the right to the value."""
        return apply_ufunc(ufunc, method, inputs)

    def __array_function__(self, function: Any, *_: object) -> NoReturn:
        """Refuse the functions of NumPy on arrays."""
        raise refuse_numpy(function)

    @classmethod
    def __torch_function__(cls, function: Any, _: object, args: Any, *__: object) -> NoReturn:
        """Refuse the functions of PyTorch, and leave operators to numbers on the left."""
        raise refuse_torch(function.__name__, args)

    def __init__(self, expr: Expr):
        if not isinstance(expr, Expr):  # pyright: ignore[reportUnnecessaryIsInstance]
            name = type(self).__name__
            raise EinTypeError(f"{name} is a type of staged values; write wrap({expr!r}){at()}")
        self.expr = expr

    if not TYPE_CHECKING:  # a type checker knows the attributes that there are

        def __getattr__(self, name: str) -> NoReturn:
            """Name the expression that has the value of a method of NumPy."""
            if name.startswith("__") or name == "expr":
                raise AttributeError(name)
            advice = self._advice(name)
            instead = f": write {advice}" if advice else similar_attribute(name, type(self))
            type_ = with_article(describe(self.expr.type))
            raise EinAttributeError(f"{type_} has no attribute '{name}'{instead}{at()}")

    def _advice(self, name: str) -> str | None:
        """The expression that has the value of an attribute of NumPy; None if there is none."""
        raise NotImplementedError

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the value, or of its elements; only records have none."""
        dtype = dtype_of_type(self.expr.type)
        if dtype is None:
            raise AttributeError("dtype")
        return dtype

    @reported
    def eval(self, backend: str | None = None) -> Any:
        """Run the program that computes this value; wrapped arrays are read now.

        ``backend`` is by default that of the wrapped arrays.

        >>> from ein_mlir import wrap
        >>> wrap(2.0).sqrt().eval(backend="naive")
        np.float64(1.4142135623730951)
        """
        return run(self.expr, backend)

    def __repr__(self) -> str:
        return program_of(self.expr)

    def _repr_html_(self) -> str:
        return html_of(self.expr)

    __hash__ = object.__hash__

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    # Operations of Python that need concrete values.

    def __bool__(self) -> bool:
        if resolve(self.expr.type) is not BOOL:
            self._refuse(
                "`if`, `and`, `or`, `not` and `assert` need a concrete value",
                "compare it, as in x != 0, and write where(condition, a, b) to choose, `&`, `|`, "
                "`~` to combine",
            )
        default = (
            "`if`, `and`, `or`, `not`, `assert` and chains of comparisons need a concrete value",
            "write where(condition, a, b) to choose, `&`, `|`, `~` to combine, min and max of "
            "ein_mlir for those of Python, fold_while for a loop, or .eval() to compute it now",
        )
        self._refuse(*truth_of(default))

    def __float__(self) -> float:
        default = (
            "float() and the functions of `math` need a concrete value",
            "write .float() to convert, or .eval(); for math.sqrt(x) write sqrt(x) of ein_mlir",
        )
        self._refuse(*number_of(default))

    def __int__(self) -> int:
        self._refuse("int() needs a concrete value", "write .int() to convert, or .eval()")

    def __format__(self, spec: str) -> str:
        if spec:
            self._refuse("a format needs a concrete value", "write .eval() to compute it now")
        return head_of(self.expr)

    def __complex__(self) -> complex:
        self._refuse("complex() needs a concrete value", "write .eval()")

    def __index__(self) -> int:
        default = (
            "range(), sizes of NumPy's arrays and positions in Python's sequences need a concrete "
            "value",
            "wrap() the indexed sequence, write array(lambda i: ..., size=n) for the array, or "
            "fold(...) for the loop",
        )
        self._refuse(*position_of(default))

    def __iter__(self) -> Iterator[Any]:
        default = (
            "`for` and unpacking need a concrete value",
            "write array(lambda i: ... a[i] ...) for each element, or fold(...) for a loop",
        )
        self._refuse(*elements_of(default))

    def __contains__(self, item: object) -> bool:
        self._refuse("`in` needs a concrete value", "write fold_any(lambda i: a[i] == x)")

    def __len__(self) -> int:
        self._refuse("len() needs a concrete value", "write .size(axis)")

    def __reversed__(self) -> NoReturn:
        self._refuse("reversed() needs a concrete value", "write a[::-1]")

    def __array__(self, *_: object, **__: object) -> npt.NDArray[Any]:
        self._refuse(
            "NumPy needs a concrete value",
            "to index an array with it wrap() the array, to pass it to NumPy write .numpy()",
        )

    def __setitem__(self, position: object, value: object) -> NoReturn:
        self._refuse(
            "values do not change",
            "write array(lambda i: where(i == position, value, a[i])) for one that differs",
        )

    def __delitem__(self, position: object) -> NoReturn:
        self._refuse(
            "values do not change",
            "write concat(a[:k], a[k + 1 :]) for one without the element k",
        )

    def __round__(self, ndigits: int | None = None) -> NoReturn:
        self._refuse("Python's round() needs a concrete value", "write x.round()")

    def _refuse(self, what: str, instead: str) -> NoReturn:
        place = here()
        type_ = describe(self.expr.type)
        message = f"{what}, and this {type_} is staged: {instead}{at(place)}"
        note_refusal(message, place)
        raise EinTypeError(message)
