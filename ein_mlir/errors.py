"""The errors of the Python API, and the form of numbers in messages.

Every message names the given form, its source location and the expected form. Errors about types,
values, positions and names are also Python's ``TypeError``, ``ValueError``, ``IndexError``,
``KeyError`` and ``AttributeError``, so callers need not import this module.
"""


class EinError(Exception):
    """An error that this package reports about a program."""


class EinTypeError(EinError, TypeError):
    """A value of the wrong type, rank or kind was given."""


class EinValueError(EinError, ValueError):
    """A value of the right type was given that is invalid in its context."""


class EinIndexError(EinError, IndexError):
    """A position that a program uses is out of bounds, and the program checks bounds."""


class EinKeyError(EinError, KeyError):
    """A record has no field of a name."""

    def __str__(self) -> str:
        return str(self.args[0])


class EinAttributeError(EinError, AttributeError):
    """A value of a program has no attribute of a name."""


class SizeInferenceError(EinValueError):
    """Nothing determines the size of an index or the count of a fold."""


class ScopeError(EinValueError):
    """An index or variable is used outside the function that binds it."""


class CompilationError(EinError):
    """A program does not parse, does not verify, or has an operation without a lowering."""


class MissingBackendError(EinError, ImportError):
    """A backend calls a library that is not installed; the message names the package."""


class EinPerformanceWarning(UserWarning):
    """A loop of a compiled program takes many steps of Python.

    To silence it: ``warnings.simplefilter("ignore", EinPerformanceWarning)``.
    """


def with_article(name: str) -> str:
    """The name of a type in a message, after its article.

    >>> with_article("Int"), with_article("uint8"), with_article("Float")
    ('an Int', 'a uint8', 'a Float')
    """
    return f"{'an' if name[:1] in 'aeioAEIO' else 'a'} {name}"


MOST_DIGITS = 40
"""The most digits of an int in a message. Python prints none of more than 4300."""


def shortened(number: object) -> str:
    """A number in a message; an int of many digits by the first and the last.

    >>> shortened(-12), shortened(10**100), shortened(10**9000)
    ('-12', '10000..00000 (101 digits)', 'about 2**29897')
    """
    if not isinstance(number, int) or abs(number) < 10**MOST_DIGITS:
        return str(number)
    if number.bit_length() > 10_000:
        return f"about {'-' if number < 0 else ''}2**{number.bit_length() - 1}"
    text = str(number)
    return f"{text[:5]}..{text[-5:]} ({len(text.lstrip('-'))} digits)"


def counted(count: int, noun: str) -> str:
    """A number of things in a message.

    >>> counted(1, "argument"), counted(2, "argument")
    ('1 argument', '2 arguments')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"
