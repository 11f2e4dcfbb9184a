"""The text of a user's mistake, as the tools print it."""

from __future__ import annotations


def summary(error: BaseException) -> str:
    """The text of an error; of one about a file, with the name of the file."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error).rstrip()
