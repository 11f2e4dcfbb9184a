"""What the lowerings from yarr to a Python library share.

``builder`` emits emitpy, ``sizes`` does arithmetic on sizes, ``scalars`` translates the bodies of
elementwise operations by tables, and ``lowering`` has the rules that are the same for every
library. A library's lowering adds its tables and the operations that differ: see
``convert_yarr_to_numpy``.
"""
