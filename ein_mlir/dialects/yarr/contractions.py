"""Sums of products: contractions and convolutions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float32Type,
    Float64Type,
    StringAttr,
    i1,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from ein_mlir.dialects.creation import int_array, ints_of
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.yarr.base import Size, YarrOp
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    TENSOR,
    compatible,
    element_of,
    listed,
    rank_of,
    shape_of,
    tensor,
)
from ein_mlir.errors import counted


@op_definition
class EinsumOp(YarrOp):
    """Generalised Einstein summation: letters name axes; axes not in the result are summed.

    Example:
    ```mlir
    %c = yarr.einsum "ij,jk->ik" %a, %b
      : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.einsum"

    subscripts = prop_def(StringAttr)
    arrays = var_operand_def(TENSOR)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$subscripts $arrays attr-dict `:` functional-type($arrays, $result)"

    def __init__(self, subscripts: str, arrays: Sequence[SSAValue | Operation]):
        values = [SSAValue.get(array) for array in arrays]
        inputs, output = split_subscripts(subscripts)
        sizes: dict[str, int] = {}
        for letters, value in zip(inputs, values, strict=True):
            for letter, size in zip(letters, shape_of(value), strict=True):
                if sizes.get(letter, DYNAMIC) == DYNAMIC:
                    sizes[letter] = size
        super().__init__(
            operands=[values],
            result_types=[tensor(element_of(values[0]), [sizes[x] for x in output])],
            properties={"subscripts": StringAttr(subscripts)},
        )

    def size_of_result(self, axis: int) -> Size:
        """``size(einsum("ij,jk->ik", x, y), 0) --> size(x, 0)``"""
        inputs, output = split_subscripts(self.subscripts.data)
        operands = zip(inputs, self.arrays, strict=True)
        letters, array = next(each for each in operands if output[axis] in each[0])
        return array, letters.index(output[axis])

    def verify_(self) -> None:
        text = self.subscripts.data
        if re.fullmatch(r"[a-zA-Z]*(,[a-zA-Z]*)*->[a-zA-Z]*", text) is None:
            raise self.fail(f"'{text}' is not of the form 'ij,jk->ik'")
        inputs, output = split_subscripts(text)
        if len(inputs) != len(self.arrays):
            raise self.fail(f"'{text}' has {len(inputs)} operands, not {len(self.arrays)}")
        sizes: dict[str, int] = {}
        for letters, array in zip(inputs, self.arrays, strict=True):
            if element_of(array) != element_of(self.arrays[0]):
                raise self.fail(
                    f"operands must have one element type, got '{self.arrays[0].type}' and "
                    f"'{array.type}'"
                )
            if len(letters) != rank_of(array):
                raise self.fail(f"'{letters}' does not name the axes of a '{array.type}'")
            for letter, size in zip(letters, shape_of(array), strict=True):
                known = sizes.get(letter, DYNAMIC)
                if DYNAMIC not in (known, size) and known != size:
                    raise self.fail(f"axis '{letter}' has sizes {known} and {size}")
                sizes[letter] = size if known == DYNAMIC else known
        if len(set(output)) != len(output) or not set(output) <= set(sizes):
            raise self.fail(f"the result '{output}' must name axes of operands, each once")
        self.verify_result(
            self.result, element_of(self.arrays[0]), [sizes[letter] for letter in output]
        )


@op_definition
class InOrderOp(YarrOp):
    """A sum of products in another order of products and sums, or in order where that is needed.

    The first operand is the sum of the products of factors of floats in any order. The result is
    that, unless an order other than that of the program may have overflowed or underflowed: if one
    of the arrays ``finite`` has an element that is infinite or NaN, or one of the arrays
    ``normal`` an element near or below the least normal number. Then the result is the sum of
    products as the subscripts say: in the order of the factors from left to right, those in
    parentheses first. Axes that the letters in parentheses lack after the arrow are summed there.
    A factor of Bools is a mask: the product before it is 0 where the mask is false. A factor with a
    ``/`` before its letters is a divisor of the product before it.

    Example:
    ```mlir
    %w = yarr.elementwise { arith.mulf } %b, %c : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %x = yarr.einsum "ik,k->i" %a, %w : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %r = yarr.in_order "ik,k,k->i" %x of %a, %b, %c if finite %x and normal %w
      : tensor<?xf64> of tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>
        if finite tensor<?xf64> and normal tensor<?xf64>
    ```
    """

    name = "yarr.in_order"

    T: ClassVar = VarConstraint("type of the sum", TENSOR)

    subscripts = prop_def(StringAttr)
    array = operand_def(T)
    factors = var_operand_def(TENSOR)
    finite = var_operand_def(TENSOR)
    normal = var_operand_def(TENSOR)
    result = result_def(T)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$subscripts $array `of` $factors `if` `finite` $finite (`and` `normal` $normal^)? "
        "attr-dict `:` type($array) `of` type($factors) "
        "`if` `finite` type($finite) (`and` `normal` type($normal)^)?"
    )

    def __init__(
        self,
        subscripts: str,
        array: SSAValue | Operation,
        factors: Sequence[SSAValue | Operation],
        finite: Sequence[SSAValue | Operation],
        normal: Sequence[SSAValue | Operation] = (),
    ):
        super().__init__(
            operands=[array, factors, finite, normal],
            result_types=[SSAValue.get(array).type],
            properties={"subscripts": StringAttr(subscripts)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

    def verify_(self) -> None:
        for operand in self.operands:
            is_mask = operand in self.factors[1:] and element_of(operand) == i1
            if not isinstance(element_of(operand), Float32Type | Float64Type) and not is_mask:
                raise self.fail(f"a '{operand.type}' is no array of floats")
        try:
            letters, parts = ordered_products(self.subscripts.data)
        except ValueError as error:
            raise self.fail(str(error)) from None
        given = list(letters_of_factors(parts))
        if len(given) != len(self.factors):
            raise self.fail(
                f"'{self.subscripts.data}' has {len(given)} factors, not {len(self.factors)}"
            )
        for text, factor in zip(given, self.factors, strict=True):
            names = text.removeprefix(DIVIDES)
            if len(names) != rank_of(factor):
                raise self.fail(f"'{names}' does not name the axes of a '{factor.type}'")
        if len(letters) != rank_of(self.array):
            raise self.fail(f"'{letters}' does not name the axes of a '{self.array.type}'")


Products: TypeAlias = "tuple[str, tuple[Products, ...] | None]"
"""The axes of a product, and its factors in order; a single factor has None."""

DIVIDES = "/"
"""Before the axes of a factor that is a divisor."""


def ordered_products(text: str) -> Products:
    """The products of subscripts in order.

    >>> ordered_products("ik,(kl,l->k)->i")
    ('i', (('ik', None), ('k', (('kl', None), ('l', None)))))
    >>> ordered_products("ik,/k->i")
    ('i', (('ik', None), ('/k', None)))
    """
    tokens = re.findall(r"[a-zA-Z]+|->|[(),/]", text)
    if "".join(tokens) != text:
        raise ValueError(f"'{text}' is not of the form 'ik,(kl,l->k)->i'")
    tokens.append("")
    products = _products(tokens, text)
    if tokens != [""]:
        raise ValueError(f"'{text}' is not of the form 'ik,(kl,l->k)->i'")
    return products


def _products(tokens: list[str], text: str) -> Products:
    """Remove the tokens of a product from the front: ``a,b,/c->d``."""
    parts = [_factor(tokens, text)]
    while tokens[0] == ",":
        tokens.pop(0)
        parts.append(_factor(tokens, text, may_divide=True))
    if tokens.pop(0) != "->":
        raise ValueError(f"'{text}' is not of the form 'ik,(kl,l->k)->i'")
    letters = tokens.pop(0) if tokens[0].isalpha() else ""
    missing = set(letters) - set("".join(part for part, _ in parts))
    if missing or len(set(letters)) != len(letters):
        raise ValueError(f"the result '{letters}' must name axes of factors, each once")
    return letters, tuple(parts)


def _factor(tokens: list[str], text: str, *, may_divide: bool = False) -> Products:
    if tokens[0] != "(":
        sign = tokens.pop(0) if may_divide and tokens[0] == DIVIDES else ""
        return sign + (tokens.pop(0) if tokens[0].isalpha() else ""), None
    tokens.pop(0)
    product = _products(tokens, text)
    if tokens.pop(0) != ")":
        raise ValueError(f"'{text}' has an open parenthesis")
    return product


def letters_of_factors(parts: tuple[Products, ...] | None) -> Iterator[str]:
    """The axes of the single factors of products in order."""
    for letters, inner in parts or ():
        if inner is None:
            yield letters
        else:
            yield from letters_of_factors(inner)


@op_definition
class CorrelateOp(YarrOp):
    """Sums of products of filters with the windows of arrays, the convolution of deep learning.

    The array has the axes ``(batch, channel, place ..)``, the filters have
    ``(output, channel, offset ..)``, and::

        result[b, o, i, ..] = sum over c, p, .. of array[b, c, s*i + d*p, ..] * filters[o, c, p, ..]

    for ``i`` below the size that is given for each axis of places. The stride ``s`` of an axis is 1
    unless ``strides`` are given, and so is the distance ``d`` of offsets (``dilations``). All these
    elements must be in bounds.

    With ``groups``, the channels and the outputs are so many groups of equal size, one after
    another; filters have the channels of their group only.

    Example:
    ```mlir
    %r = yarr.correlate %images, %filters into %n, %m
      : tensor<?x3x?x?xf64>, tensor<?x3x5x5xf64> -> tensor<?x?x?x?xf64>
    %h = yarr.correlate %images, %filters into %n, %m by [2, 2]
      : tensor<?x3x?x?xf64>, tensor<?x3x5x5xf64> -> tensor<?x?x?x?xf64>
    %d = yarr.correlate %signals, %weights into %n dilated [4] groups %k
      : tensor<?x32x?xf64>, tensor<?x4x3xf64> -> tensor<?x?x?xf64>
    ```
    """

    name = "yarr.correlate"

    array = operand_def(TENSOR)
    filters = operand_def(TENSOR)
    sizes = var_operand_def(SIZE)
    strides = opt_prop_def(DenseArrayBase.constr(i64))
    dilations = opt_prop_def(DenseArrayBase.constr(i64))
    groups = opt_operand_def(SIZE)
    result = result_def(TENSOR)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `,` $filters `into` $sizes (`by` $strides^)? (`dilated` $dilations^)? "
        "(`groups` $groups^)? attr-dict "
        "`:` type($array) `,` type($filters) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        filters: SSAValue | Operation,
        sizes: Sequence[SSAValue | Operation],
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        groups: SSAValue | Operation | None = None,
    ):
        array, filters = SSAValue.get(array), SSAValue.get(filters)
        shape = [shape_of(array)[0], shape_of(filters)[0], *(DYNAMIC for _ in sizes)]
        super().__init__(
            operands=[array, filters, sizes, groups],
            result_types=[tensor(element_of(array), shape)],
            properties={
                "strides": _unless_ones(strides),
                "dilations": _unless_ones(dilations),
            },
        )

    def strides_of_places(self) -> tuple[int, ...]:
        """The stride along each axis of places."""
        return (1,) * len(self.sizes) if self.strides is None else ints_of(self.strides)

    def dilations_of_places(self) -> tuple[int, ...]:
        """The distance of two offsets along each axis of places."""
        return (1,) * len(self.sizes) if self.dilations is None else ints_of(self.dilations)

    def size_of_result(self, axis: int) -> Size:
        return ((self.array, 0), (self.filters, 0), *self.sizes)[axis]

    def verify_(self) -> None:
        array, filters = shape_of(self.array), shape_of(self.filters)
        element, rank = element_of(self.array), len(self.sizes) + 2
        if element != element_of(self.filters) or not isinstance(
            element, Float32Type | Float64Type
        ):
            types = listed((self.array.type, self.filters.type))
            raise self.fail(f"operands must have one type of floats, got {types}")
        if not len(array) == len(filters) == rank > 2:
            raise self.fail(
                f"for {counted(len(self.sizes), 'size')}, a '{self.array.type}' and a "
                f"'{self.filters.type}' do not have batches, channels and places"
            )
        if self.groups is None and not compatible(array[1:2], filters[1:2]):
            raise self.fail(f"there are {array[1]} channels, and filters for {filters[1]}")
        self._verify_numbers("strides", self.strides_of_places())
        self._verify_numbers("dilations", self.dilations_of_places())
        places = [DYNAMIC] * len(self.sizes)
        self.verify_result(self.result, element, [array[0], filters[0], *places])

    def _verify_numbers(self, name: str, numbers: Sequence[int]) -> None:
        if len(numbers) != len(self.sizes) or min(numbers) < 1:
            sizes = counted(len(self.sizes), "size")
            raise self.fail(
                f"for {sizes} there must be as many positive {name}, not {list(numbers)}"
            )


def _unless_ones(numbers: Sequence[int]) -> DenseArrayBase | None:
    """A property for numbers, unless they are those of no property."""
    return int_array(numbers) if any(n != 1 for n in numbers) else None


def split_subscripts(text: str) -> tuple[list[str], str]:
    """``"ij,jk->ik"`` as ``(["ij", "jk"], "ik")``."""
    left, _, right = text.partition("->")
    return left.split(","), right
