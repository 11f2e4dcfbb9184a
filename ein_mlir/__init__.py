"""A compiler for pointful array programs: Ein to Phi, Phi to Yarr, Yarr to array libraries."""

__version__ = "0.1.0"
