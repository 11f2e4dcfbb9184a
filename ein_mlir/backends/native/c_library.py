"""A shared object with a C header: a program that needs neither Python nor this package."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ein_mlir.backends.native import abi
from ein_mlir.backends.native.machine import host
from ein_mlir.backends.native.program import Assembled, Function, Leaf
from ein_mlir.backends.native.support import support_text
from ein_mlir.errors import EinValueError, MissingBackendError
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import SCALARS

_TYPES = {np.dtype(type_.dtype).str: type_.c for type_ in SCALARS if type_.name != "bf16"}
"""The type in C of each dtype."""
NO_MEMORY = "there is no memory for an array"
"""The message of the code `abi.OUT_OF_MEMORY`."""
_KEPT_BYTES = 64 * 2**20
"""The bytes of released arrays that a library keeps for later calls."""


@dataclass(frozen=True)
class Interface:
    """A function of a library: its name in C, and those of its arguments and results."""

    name: str
    arguments: Sequence[str]
    results: Sequence[str]


def write_library(assembled: Assembled, interface: Interface, folder: Path) -> Path:
    """Write ``libNAME.so`` and ``NAME.h``; return the path of the library.

    Raises EinValueError for a program that calls functions of the host program or has a name that
    C does not allow, MissingBackendError without a C compiler.
    """
    for name in (interface.name, *interface.arguments):
        if not name.isidentifier() or not name.isascii():
            raise EinValueError(f"export: '{name}' is not a name of C")
    if assembled.program.externs:
        names = ", ".join(extern.name for extern in assembled.program.externs)
        raise EinValueError(f"export: the program calls functions of the host program: {names}")
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise MissingBackendError("export needs a C compiler, to link the library: install gcc")
    folder.mkdir(parents=True, exist_ok=True)
    function = assembled.program.function(interface.name)
    header = header_text(function, interface, assembled.program.messages)
    (folder / f"{interface.name}.h").write_text(header, encoding="utf-8")
    wrapper = wrapper_text(function, interface, header, assembled.program.messages)
    library = folder / f"lib{interface.name}{'.dylib' if sys.platform == 'darwin' else '.so'}"
    _link(compiler, assembled, wrapper, library)
    return library


def _link(compiler: str, assembled: Assembled, wrapper: str, library: Path) -> None:
    machine = host()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "wrapper.c").write_text(wrapper, encoding="utf-8")
        parts = [str(folder / "wrapper.c")]
        objects = machine.compile((*assembled.texts, support_text(machine)))
        for number, code in enumerate(objects):
            (folder / f"{number}.o").write_bytes(code)
            parts.append(str(folder / f"{number}.o"))
        options = ["-shared", "-fPIC", "-O2", "-std=c99", "-fvisibility=hidden"]
        if sys.platform != "darwin":
            options.append("-Wl,-Bsymbolic")
        command = [compiler, *options, *parts, "-o", str(library), "-lpthread", "-lm"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise EinValueError(f"export: the C compiler failed: {run.stderr.strip()}")


# The header ---------------------------------------------------------------------------------------


def header_text(function: Function, interface: Interface, messages: Sequence[str]) -> str:
    """The header: types, ownership, codes."""
    name = interface.name
    known = {abi.OUT_OF_MEMORY: NO_MEMORY, **dict(enumerate(messages, 1))}
    codes = "\n".join(f" * {code:>4}  {in_a_comment(text)}" for code, text in known.items())
    return f"""\
/* {name}: a program compiled by ein-mlir for this processor ({host().cpu}).
 *
 * An array is the address of its elements, in row-major order without gaps, and its sizes, the
 * outermost first. Arguments are only read. The arrays of results are allocated: pass each of their
 * addresses to {name}_free once. The results share no memory with the arguments.
 *
 * {name} returns 0, or a code; then no result is set and no memory is to be freed:
{codes}
 * The numbers of a message, {{0}} and {{1}}, are in `numbers` unless that is null.
 *
 * Calls from several threads are safe. The bits of results do not depend on the number of threads.
 */
#ifndef EIN_{name.upper()}_H
#define EIN_{name.upper()}_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

{prototype(function, interface)};

/* The message of a code. */
const char *{name}_message(int64_t code);

/* Release the elements of a result. */
void {name}_free(void *elements);

/* Set the number of threads that calls may use: 1 until then. */
void {name}_set_threads(int64_t threads);

#ifdef __cplusplus
}}
#endif
#endif
"""


def in_a_comment(text: str) -> str:
    r"""A text as a part of a comment of C, on one line.

    >>> print(in_a_comment("rows: {0} */ int x; // ??/" + chr(10)))
    rows: {0} *\x2f int x; // ?\x3f/\n
    """
    one_line = text.encode("unicode_escape").decode("ascii")
    return one_line.replace("*/", "*\\x2f").replace("??", "?\\x3f")


def literal(text: str) -> str:
    r"""A text as a string literal of C: bytes of UTF-8, in octal where they are not plain.

    >>> print(literal('"a"? é' + chr(10)))
    "\042a\042\077 \303\251\012"
    """
    plain = (
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "backslashreplace")
    )
    return f'"{"".join(plain)}"'


def prototype(function: Function, interface: Interface) -> str:
    """The declaration of the function."""
    parts = list[str]()
    for leaf, name in zip(function.arguments, interface.arguments, strict=True):
        type_ = _TYPES[leaf.numpy.str]
        parts.append(f"const {type_} *{name}" if leaf.rank else f"{type_} {name}")
        parts.extend(f"int64_t {size}" for size in _sizes(leaf, name))
    for leaf, name in zip(function.results, interface.results, strict=True):
        parts.append(f"{_TYPES[leaf.numpy.str]} *{'*' if leaf.rank else ''}{name}")
        parts.extend(f"int64_t *{size}" for size in _sizes(leaf, name))
    parts.append("int64_t numbers[2]")
    return f"int64_t {interface.name}(\n    " + ",\n    ".join(parts) + ")"


def _sizes(leaf: Leaf, name: str) -> Sequence[str]:
    """The names of the sizes of an array."""
    return [f"{name}_size{axis}" for axis in range(leaf.rank)]


# The wrapper --------------------------------------------------------------------------------------


def wrapper_text(
    function: Function, interface: Interface, header: str, messages: Sequence[str]
) -> str:
    """The C source of the function of the header: it fills the words of a call."""
    name = interface.name
    label = "_" if sys.platform == "darwin" else ""
    inputs, place = list[str](), 0
    for leaf, argument in zip(function.arguments, interface.arguments, strict=True):
        for word in (argument, *_sizes(leaf, argument)):
            inputs.append(f"  memcpy(&slots[{place}], &{word}, sizeof {word});")
            place += 1
    inputs.append(f"  memcpy(&slots[{place}], &operands, sizeof operands);")
    place += 1
    literals = "".join(f"{literal(text)}, " for text in messages)
    outputs = list[str]()
    for leaf, result in zip(function.results, interface.results, strict=True):
        for word in (result, *_sizes(leaf, result)):
            outputs.append(f"  memcpy({word}, &slots[{place}], sizeof *{word});")
            place += 1
    return f"""\
#include <stddef.h>
#include <string.h>

#pragma GCC visibility push(default)
{header}
#pragma GCC visibility pop

extern int64_t program(void *call, void *slots) __asm__("{label}{abi.PREFIX}{name}");
extern void {abi.RELEASE_ALL}(void *call);
extern void ein_free(void *elements);
extern void ein_set_bound(int64_t bytes);

static int64_t threads = 1;

static void __attribute__((constructor)) start(void) {{ ein_set_bound({_KEPT_BYTES}); }}

{prototype(function, interface)} {{
  int64_t call[{abi.CALL_WORDS}] = {{(int64_t)call, (int64_t)call, 0, threads}};
  int64_t slots[{place}] = {{0}}, none[2], *operands = numbers ? numbers : none;
{chr(10).join(inputs)}
  int64_t code = program(call, slots);
  if (code) {{
    {abi.RELEASE_ALL}(call);
    return code;
  }}
{chr(10).join(outputs)}
  return 0;
}}

const char *{name}_message(int64_t code) {{
  static const char *const messages[] = {{{literals}NULL}};
  if (code == {abi.OUT_OF_MEMORY}) return "{NO_MEMORY}";
  return code > 0 && code < (int64_t)(sizeof messages / sizeof *messages) ? messages[code - 1] : "";
}}

void {name}_free(void *elements) {{ ein_free(elements); }}

void {name}_set_threads(int64_t number) {{ threads = number > 0 ? number : 1; }}
"""
