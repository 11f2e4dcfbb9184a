"""Settings of all tests.

Modules whose examples need a library that is not installed are left out. Tests leave no files of
compiled programs. Random tests take the same examples in every run, unless
``--hypothesis-profile random`` is given.
"""

import os

from hypothesis import settings

from tests.libraries import OPTIONAL, missing

os.environ.setdefault("EIN_CACHE_DIR", "")

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("random", deadline=None)
settings.load_profile("fixed")

collect_ignore = [f"ein_mlir/backends/{library}" for library in missing(*OPTIONAL)]
