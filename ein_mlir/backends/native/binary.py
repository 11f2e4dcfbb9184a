"""Object files: compiled, or read from the cache on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

import llvmlite  # pyright: ignore[reportMissingTypeStubs]

from ein_mlir.backends.disk_cache import disk_cache, key_of, package_state, version_of_xdsl
from ein_mlir.backends.native.machine import PLAIN_LEVEL, SPEED_LEVEL, host
from ein_mlir.backends.native.program import (
    Assembled,
    Binary,
    Function,
    LatePart,
    Leaf,
    Program,
)


def compiled(
    text: Callable[[], str], assemble: Callable[[], Assembled], speed: int = SPEED_LEVEL
) -> Binary:
    """The machine code of a program that is given by its text, which only a cache on disk asks for.

    ``assemble`` makes its texts for LLVM, if the code is not on disk; ``speed`` is the level of
    LLVM's passes.
    """
    disk = disk_cache()
    key = _key("program", text()) if disk is not None else ""
    kept = disk.read(key) if disk is not None else None
    if kept is not None:
        return unpacked(kept)
    assembled = assemble()
    objects = host().compile(assembled.texts, speed)
    binary = Binary(assembled.program, objects, assembled.late)
    if disk is not None:
        disk.write(key, packed(binary))
    return binary


def compiled_plainly(text: str) -> Sequence[bytes]:
    """The object files of a text for LLVM, without its passes: they would take most of the time."""
    return compiled(lambda: text, lambda: Assembled(Program(()), (text,)), PLAIN_LEVEL).objects


def _key(*parts: str) -> str:
    """The key of a program: with the compiler and the machine that it is for."""
    machine = host()
    versions = f"{package_state()} {version_of_xdsl()} {llvmlite.__version__}"
    return key_of(versions, machine.triple, machine.cpu, machine.features, *parts)


def packed(binary: Binary) -> bytes:
    """A binary as bytes: its functions on one line of JSON, then the object files."""
    program = binary.program
    facts = {
        "functions": list(map(_function, program.functions)),
        "externs": list(map(_function, program.externs)),
        "messages": program.messages,
        "sizes": list(map(len, binary.objects)),
        "late": [(part.symbols, part.texts) for part in binary.late],
    }
    return b"".join((json.dumps(facts).encode(), b"\n", *binary.objects))


def unpacked(contents: bytes) -> Binary:
    """A binary from its bytes."""
    line, _, code = contents.partition(b"\n")
    rest = BytesIO(code)
    facts: Mapping[str, Any] = json.loads(line)
    program = Program(
        tuple(map(_read_function, facts["functions"])),
        tuple(map(_read_function, facts["externs"])),
        tuple(facts["messages"]),
    )
    late = tuple(LatePart(*map(tuple, part)) for part in facts["late"])
    return Binary(program, tuple(map(rest.read, facts["sizes"])), late)


def _function(function: Function) -> Sequence[Any]:
    leaves = [[(leaf.dtype, leaf.rank) for leaf in part] for part in _parts(function)]
    return [function.name, *leaves]


def _parts(function: Function) -> Sequence[Sequence[Leaf]]:
    return function.arguments, function.results


def _read_function(facts: Sequence[Any]) -> Function:
    name, arguments, results = facts
    return Function(
        name, tuple(Leaf(*leaf) for leaf in arguments), tuple(Leaf(*leaf) for leaf in results)
    )
