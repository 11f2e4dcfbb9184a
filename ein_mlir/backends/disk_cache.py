"""Compiled programs on disk, for other processes: files named by their content's key.

A file is a checksum, then its contents. It is written under another name and renamed, so that a
reader sees all of it or none. A file that is broken, or whose folder others may write to, is not
used: the program is compiled again.

Contents are machine code, or Python source that is executed. They are trusted like the bytecode of
Python's own ``__pycache__``: whoever may write to the folder may run code as this user. The
checksum finds damage, not intent.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import xdsl

FOLDER_VARIABLE = "EIN_CACHE_DIR"
"""The environment variable with the folder; empty for no cache."""
SUFFIX = ".ein"
MOST_BYTES = 256 * 2**20
"""The size of all files together; those that were used last are kept."""
MOST_FILES = 4096
"""The number of files, all of which a write looks at."""
_CHECKSUM = sha256().digest_size


class DiskCache:
    """Contents by key, in a folder."""

    def __init__(self, folder: Path, most: int = MOST_BYTES, most_files: int = MOST_FILES):
        self._folder = folder
        self._most = most
        self._most_files = most_files

    def read(self, key: str) -> bytes | None:
        """The contents of a key; None if there are none, or they are broken."""
        path = self._folder / f"{key}{SUFFIX}"
        try:
            if not is_private(self._folder):
                return None
            contents = path.read_bytes()
        except OSError:
            return None
        checksum, contents = contents[:_CHECKSUM], contents[_CHECKSUM:]
        if checksum != _checksum(key, contents):
            return None
        with suppress(OSError):
            os.utime(path)
        return contents

    def write(self, key: str, contents: bytes) -> None:
        """Keep the contents of a key; without effect if the folder cannot be written."""
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_private(self._folder):
                self._write(self._folder / f"{key}{SUFFIX}", _checksum(key, contents) + contents)
                self._shrink()

    def _write(self, path: Path, contents: bytes) -> None:
        number, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(contents)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise

    def _shrink(self) -> None:
        """Remove the files that were not used for longest, down to the bounds."""
        entries = [entry for entry in os.scandir(self._folder) if entry.name.endswith(SUFFIX)]
        files = [(entry.stat(), entry.path) for entry in entries]
        total, count = sum(stat.st_size for stat, _ in files), len(files)
        if total <= self._most and count <= self._most_files:
            return
        for stat, path in sorted(files, key=lambda file: file[0].st_mtime_ns):
            Path(path).unlink(missing_ok=True)
            total, count = total - stat.st_size, count - 1
            if total <= self._most and count <= self._most_files:
                break

    def clear(self) -> None:
        """Remove all files."""
        for path in self._folder.glob(f"*{SUFFIX}"):
            path.unlink(missing_ok=True)


def _checksum(key: str, contents: bytes) -> bytes:
    return sha256(key.encode() + contents).digest()


def is_private(folder: Path) -> bool:
    """Whether a folder is that of this user, and no other may write to it."""
    if sys.platform == "win32":
        return True
    stat = folder.stat()
    return stat.st_uid == os.getuid() and not stat.st_mode & 0o022


def key_of(*parts: str) -> str:
    """The key of some texts: equal for equal texts only."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(joined.encode()).hexdigest()


def disk_cache() -> DiskCache | None:
    """The cache of this user; None if it is off, or there is no place for it."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        folder = _default_folder()
    return DiskCache(Path(folder)) if folder else None


@cache
def _default_folder() -> str:
    """The folder of this user for files that can be made again; empty if it is not known."""
    try:
        from platformdirs import user_cache_dir
    except ModuleNotFoundError:
        return ""
    return user_cache_dir("ein-mlir", appauthor=False)


@cache
def package_state() -> str:
    """The state of this package's files: a change of the compiler makes compiled programs stale."""
    return key_of(*sorted(_states(str(Path(__file__).resolve().parents[1]))))


@cache
def version_of_xdsl() -> str:
    """The version of xDSL, from the name of its ``xdsl-VERSION.dist-info``.

    Its own ``__version__`` loads ``importlib.metadata``, which takes longer than the cache.
    """
    folder = Path(xdsl.__file__).parents[1]
    names = [entry.name for entry in os.scandir(folder) if entry.name.endswith(".dist-info")]
    found = [name for name in names if name.startswith("xdsl-")]
    return found[0] if len(found) == 1 else str(xdsl.__version__)


def _states(folder: str) -> Iterator[str]:
    """The path, size and time of each file of code in a folder, and in those below."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _states(entry.path)
        elif entry.name.endswith((".py", ".ll")):
            stat = entry.stat()
            yield f"{entry.path} {stat.st_size} {stat.st_mtime_ns}"
