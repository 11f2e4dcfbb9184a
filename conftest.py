"""Modules whose examples need a library that is not installed; tests leave no files of programs."""

import os

from tests.libraries import OPTIONAL, missing

os.environ.setdefault("EIN_CACHE_DIR", "")

collect_ignore = [f"ein_mlir/backends/{library}" for library in missing(*OPTIONAL)]
