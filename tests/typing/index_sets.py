"""Index sets: axes and indices that have names."""

from enum import Enum
from typing import reveal_type

import numpy as np

from ein_mlir import (
    Along,
    Float,
    Index,
    Int,
    Prod,
    array,
    fold,
    fold_argmax,
    fold_sum,
    function,
    pair,
    where,
    wrap,
)


class City(Index): ...


class Day(Index): ...


class Channel(Index, size=3): ...


class Season(Enum):
    WET = 0
    DRY = 1


rain: Along[City, Along[Day, Float]] = wrap(np.ones((2, 3)))
mean: Along[Season, Float] = wrap(np.ones(2))
flat: Along[Prod[City, Day], Float] = wrap(np.ones(6))
next_city: Along[City, City] = wrap(np.array([1, 0]))

# Positions are indices of their sets

totals = array(lambda c: fold_sum(lambda d: rain[c, d], Day), City)
reveal_type(totals)  # expect: Along[City, Float]
reveal_type(array(lambda c, d: rain[c][d], (City, Day)))  # expect: Along[City, Along[Day, Float]]
reveal_type(array(lambda c: totals[next_city[c]], City))  # expect: Along[City, Float]
reveal_type(fold_argmax(lambda c: totals[c], City))  # expect: City
reveal_type(fold(totals[City.at(0)], lambda d, x: x + rain[City.at(0), d], Day))  # expect: Float
reveal_type(rain[City.at(1)])  # expect: Along[Day, Float]
array(lambda d: totals[d], Day)  # expect an error
array(lambda c, d: rain[d, c], (City, Day))  # expect an error
fold_sum(lambda d: rain[d, d], Day)  # expect an error
totals[0]  # expect an error

# Indices are compared, and have numbers

reveal_type(array(lambda c: c.int() + 1, City))  # expect: Along[City, Int]
chosen = array(lambda c: where(c == City.at(0), 1.0, totals[c]), City)
reveal_type(chosen)  # expect: Along[City, Float]
reveal_type(array(lambda k: k.int(), Channel))  # expect: Along[Channel, Int]
reveal_type(array(lambda k: k.int(), City.of(4)))  # expect: Along[City, Int]
array(lambda c: c + 1, City)  # expect an error

# Enumerations and products

reveal_type(mean[Season.WET])  # expect: Float
reveal_type(array(lambda s: mean[s] + 1, Season))  # expect: Along[Season, Float]
totals[Season.WET]  # expect an error
pairs = array(lambda p: rain[p.first, p.second], Prod[City, Day])
reveal_type(pairs)  # expect: Along[Prod[City, Day], Float]
reveal_type(fold_sum(lambda p: flat[p], Prod[City, Day]))  # expect: Float
again = array(lambda c, d: flat[pair(c, d)], (City, Day))
reveal_type(again)  # expect: Along[City, Along[Day, Float]]
array(lambda c, d: flat[pair(d, c)], (City, Day))  # expect an error


@function
def driest(rain: Along[City, Along[Day, Float]]) -> City:
    return fold_argmax(lambda c: -fold_sum(lambda d: rain[c, d], Day), City)


reveal_type(driest(rain))  # expect: City
v: Along[Day, Float] = totals  # expect an error
n: Int = City.at(0)  # expect an error
