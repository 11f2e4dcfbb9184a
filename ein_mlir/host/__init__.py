"""The program that embeds this one: its arrays, told apart, and the lines of code it consists of.

Below everything else, and needs none of xDSL, PyTorch and JAX.
"""
