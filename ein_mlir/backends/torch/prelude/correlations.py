"""Sums of products with windows."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

import torch


def correlate(
    array: Any, filters: Any, sizes: Any, strides: Any = (), dilations: Any = (), groups: int = 1
) -> Any:
    """Sums of products of filters with the windows of arrays, at ``sizes`` places."""
    strides, dilations = (each or (1,) * len(sizes) for each in (strides, dilations))
    shape = (array.shape[0], filters.shape[0], *sizes)
    if 0 in shape or 0 in filters.shape:
        return array.new_zeros(shape)
    windows = zip(sizes, filters.shape[2:], strides, dilations, strict=True)
    for axis, (size, offsets, stride, distance) in enumerate(windows, 2):
        array = array.narrow(axis, 0, (size - 1) * stride + (offsets - 1) * distance + 1)
    functions = torch.nn.functional
    convolve = (functions.conv1d, functions.conv2d, functions.conv3d)[len(sizes) - 1]
    return convolve(array, filters, stride=strides, dilation=dilations, groups=groups)
