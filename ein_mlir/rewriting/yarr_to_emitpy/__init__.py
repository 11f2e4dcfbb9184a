"""Shared utilities of the lowerings from yarr to Python libraries.

``builder`` emits emitpy, ``sizes`` does arithmetic on sizes, ``scalars`` translates the bodies of
elementwise operations by tables. ``lowering`` is the base of all rules, ``rules`` has the rules by
families of operations, and ``functions`` applies them to a module. A library's lowering
(``convert_yarr_to_torch``) is a ``LibraryLowering`` with its tables and the rules that differ.

In addition, ``numpy_api`` is for libraries that have NumPy's functions under NumPy's names, and
``numpy_arrays`` for NumPy itself. ``joining`` (with ``parts``), ``tiling`` and ``scheduling`` are
for libraries with mutable arrays and views.
"""
