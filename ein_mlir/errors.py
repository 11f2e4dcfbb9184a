"""What a user of the Python API can be told.

Every error says what was written, where, and what was expected. The ones about types and values
are also Python's ``TypeError`` and ``ValueError``, so that callers need not know this module.
"""


class EinError(Exception):
    """Anything that this package reports about a program."""


class EinTypeError(EinError, TypeError):
    """A value of the wrong type, rank or kind was given."""


class EinValueError(EinError, ValueError):
    """A value of the right type was given that makes no sense where it stands."""


class SizeInferenceError(EinValueError):
    """Nothing determines the size of an index or the count of a fold."""


class ScopeError(EinValueError):
    """An index or variable is used outside the function that binds it."""


class CompilationError(EinError):
    """A program does not parse, does not verify, or has an operation without a lowering."""


class MissingBackendError(EinError, ImportError):
    """A backend calls a library that is not installed; the message says what to install."""
