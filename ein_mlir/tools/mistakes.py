"""The text of a user's mistake, as the tools print it."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible


def summary(error: BaseException) -> str:
    """The text of an error; of one about a file, with the name of the file."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error).rstrip()


def mistaken_option(kind: str, owner: type[ArgSpecConvertible], spec: ArgSpec) -> str:
    """The text of a mistake in the options of a pass or target."""
    options = {field.name: get_type_hints(owner)[field.name] for field in fields(owner)}
    for name, values in spec.normalize_parameter_names().parameters.items():
        option = f"option '{name.replace('_', '-')}' of {kind} '{spec.name}'"
        if name not in options:
            known = ", ".join(each.replace("_", "-") for each in options) or "none"
            return f"there is no {option}; its options: {known}"
        try:
            owner.from_spec(ArgSpec(spec.name, {name: values}))
        except ValueError:
            expected = _EXPECTED.get(options[name], "another value")
            return f"{option}: expected {expected}, got '{','.join(map(str, values))}'"
    return f"{kind} '{spec.name}': an option is missing: {', '.join(options)}"


_EXPECTED = {bool: "true or false", int: "a number"}
