"""Helper functions that emitted JAX programs carry with them, since JAX has no such function.

They are ordinary functions, and tested as such. The printer copies the source of those that a
program needs into it, in the order of the files here. So they use only each other and the modules
that their files import.
"""

# Emitted programs have the helpers in this order.
# isort: off
from ein_mlir.backends.jax.prelude.loops import *
from ein_mlir.backends.jax.prelude.indexing import *
from ein_mlir.backends.jax.prelude.updates import *
from ein_mlir.backends.jax.prelude.windows import *
from ein_mlir.backends.jax.prelude.searches import *
from ein_mlir.backends.jax.prelude.sorting import *
from ein_mlir.backends.jax.prelude.guards import *
from ein_mlir.backends.shared_prelude import *
from ein_mlir.backends.jax.prelude.contractions import *
from ein_mlir.backends.jax.prelude.scans import *
from ein_mlir.backends.jax.prelude.segments import *
from ein_mlir.backends.jax.prelude.correlations import *
from ein_mlir.backends.jax.prelude.scalars import *
