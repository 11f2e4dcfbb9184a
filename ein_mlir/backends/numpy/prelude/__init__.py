"""Helper functions that emitted NumPy programs carry with them, since NumPy has no such function.

They are ordinary functions, and tested as such. The printer copies the source of those that a
program needs into it, in the order of the files here. So they use only each other and the modules
that their files import.
"""

# Emitted programs have the helpers in this order.
# isort: off
from ein_mlir.backends.numpy.prelude.indexing import *
from ein_mlir.backends.numpy.prelude.windows import *
from ein_mlir.backends.numpy.prelude.searches import *
from ein_mlir.backends.numpy.prelude.sorting import *
from ein_mlir.backends.numpy.prelude.guards import *
from ein_mlir.backends.numpy.prelude.selections import *
from ein_mlir.backends.numpy.prelude.scans import *
from ein_mlir.backends.numpy.prelude.segments import *
from ein_mlir.backends.shared_prelude import *
from ein_mlir.backends.numpy.prelude.contractions import *
from ein_mlir.backends.numpy.prelude.correlations import *
from ein_mlir.backends.numpy.prelude.scalars import *
from ein_mlir.backends.numpy.prelude.powers import *
