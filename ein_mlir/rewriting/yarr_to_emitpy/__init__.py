"""What the lowerings from yarr to a Python library share.

``builder`` emits emitpy, ``sizes`` does arithmetic on sizes, ``scalars`` translates the bodies of
elementwise operations by tables. ``lowering`` has what every rule needs, ``rules`` the rules by
families of operations, and ``functions`` applies them to a module. A library's lowering
(``convert_yarr_to_torch``) is a ``LibraryLowering`` with its tables and the rules that differ.

On top of that, ``numpy_api`` is for libraries that have NumPy's functions under NumPy's names, and
``numpy_arrays`` for NumPy itself. ``joining`` (with ``parts``), ``tiling`` and ``scheduling`` are
for libraries whose arrays are views that can be written to.
"""
