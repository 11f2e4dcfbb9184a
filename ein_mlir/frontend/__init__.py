"""Ein, the pointful array language embedded in Python: tracing user functions to phi.

Values (``values``) wrap an immutable expression graph (``expr``), typed while it is built
(``types``, ``operators``). Combinators bind variables by calling the user's functions
(``combinators``), omitted sizes are inferred from the indexed arrays (``size_inference``),
``lowering`` turns a finished graph into a phi module, and ``evaluation`` runs it. Only ``lowering``
needs xDSL. The modules below ``values`` handle only expressions; those above make values of them
(``combinators``, ``inputs``, ``extrinsics``).
"""
