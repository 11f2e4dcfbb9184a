"""Sums of products with windows."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import itertools
import math
from typing import Any

import torch

from ein_mlir.backends.shared_prelude import strided_parts


def correlate(
    array: Any, filters: Any, sizes: Any, strides: Any = (), dilations: Any = (), groups: int = 1
) -> Any:
    """Sums of products of filters with the windows of arrays, at ``sizes`` places.

    One filter of each channel takes fewer places than offsets one by one, and one of one channel on
    the CPU fewer offsets: convolutions are slower.
    """
    strides, dilations = (each or (1,) * len(sizes) for each in (strides, dilations))
    shape = (array.shape[0], filters.shape[0], *sizes)
    if 0 in shape or 0 in filters.shape:
        return array.new_zeros(shape)
    if filters.shape[:2] == (groups, 1):
        if math.prod(sizes) <= math.prod(filters.shape[2:]):
            return products_at_places(array, filters[:, 0], sizes, strides, dilations)
        if groups == 1 and array.device.type == "cpu":
            return products_at_offsets(array, filters[0, 0], sizes, strides, dilations)
    windows = zip(sizes, filters.shape[2:], strides, dilations, strict=True)
    for axis, (size, offsets, stride, distance) in enumerate(windows, 2):
        reach = (size - 1) * stride + (offsets - 1) * distance + 1
        if array.shape[axis] >= reach + stride:  # else, there are no other places
            array = array.narrow(axis, 0, reach)
    is_gradient = groups == 1 and math.prod(sizes) < math.prod(filters.shape[2:])
    if is_gradient and (array.dtype == torch.float64 or {*strides, *dilations} == {1}):
        return products_of_places(array, filters, sizes, strides, dilations)
    functions = torch.nn.functional
    convolve = (functions.conv1d, functions.conv2d, functions.conv3d)[len(sizes) - 1]
    return convolve(array, filters, stride=strides, dilation=dilations, groups=groups)


def products_of_places(array: Any, filters: Any, sizes: Any, strides: Any, dilations: Any) -> Any:
    """The sums of products of filters, larger than the result, with the windows of arrays.

    As a convolution they are a gradient with respect to its filters, whose batch is the channels.
    """
    shape = (filters.shape[0], array.shape[0], *sizes)
    windows = zip(sizes, filters.shape[2:], strides, dilations, strict=True)
    for axis, (size, offsets, stride, distance) in enumerate(windows, 2):
        array = array.narrow(axis, 0, (size - 1) * stride + (offsets - 1) * distance + 1)
    found = torch.ops.aten.convolution_backward(
        filters.transpose(0, 1),
        array.transpose(0, 1),
        array.new_empty(shape),
        None,
        dilations,
        [0] * len(sizes),
        strides,
        False,
        [0] * len(sizes),
        1,
        [False, True, False],
    )
    return found[1].transpose(0, 1)


def products_at_places(array: Any, weights: Any, sizes: Any, strides: Any, dilations: Any) -> Any:
    """The sums of the products of weights with the windows of channels, place by place."""
    axes = tuple(range(2, array.ndim))
    places = itertools.product(*map(range, sizes))
    offsets = weights.shape[1:]
    windows = (array[(..., *strided_parts(k, offsets, strides, dilations))] for k in places)
    found = torch.stack([(window * weights).sum(axes) for window in windows], -1)
    return found.reshape(*array.shape[:2], *sizes)


def products_at_offsets(array: Any, weights: Any, sizes: Any, strides: Any, dilations: Any) -> Any:
    """The same, offset by offset."""
    total = array.new_zeros((*array.shape[:2], *sizes))
    for offset in itertools.product(*map(range, weights.shape)):
        part = array[(..., *strided_parts(offset, sizes, dilations, strides))]
        total = torch.addcmul(total, part, weights[offset])
    return total
