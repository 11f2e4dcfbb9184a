"""Ein, the pointful array language embedded in Python: tracing user functions to phi.

Values (``values``) wrap an immutable expression graph (``expr``), typed while it is built
(``types``, ``operators``). Combinators bind variables by calling the user's functions
(``combinators``), sizes that the user left out are inferred from what was indexed
(``size_inference``), ``lowering`` turns a finished graph into a phi module, and ``evaluation`` runs
it. Nothing in here but ``lowering`` needs xDSL. What stands below ``values`` knows expressions
only; what stands above makes values of them (``combinators``, ``inputs``, ``extrinsics``).
"""
