"""The host program: the recognition of its arrays, and the lines of its code.

Everything else builds on it; importing it loads none of xDSL, PyTorch and JAX.
"""
