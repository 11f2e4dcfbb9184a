"""Files of compiled programs, by key."""

from __future__ import annotations

import os
from pathlib import Path

import xdsl

from ein_mlir.backends import disk_cache
from ein_mlir.backends.disk_cache import DiskCache, key_of, version_of_xdsl


def test_a_file_of_another_key_is_not_used(tmp_path: Path):
    cache = DiskCache(tmp_path / "files")
    cache.write("a", b"contents")
    os.rename(tmp_path / "files" / "a.ein", tmp_path / "files" / "b.ein")
    assert cache.read("b") is None
    assert cache.read("a") is None


def test_the_size_is_bounded(tmp_path: Path):
    """The files that were not used for longest go first."""
    cache = DiskCache(tmp_path / "files", most=350)
    for k, name in enumerate("abc"):
        cache.write(name, bytes(50))
        os.utime(tmp_path / "files" / f"{name}.ein", (k, k))
    assert cache.read("a") == bytes(50)
    cache.write("d", bytes(100))
    cache.write("e", bytes(10))
    kept = {name for name in "abcde" if cache.read(name) is not None}
    assert {"a", "d", "e"} <= kept
    assert "b" not in kept
    cache.clear()
    assert cache.read("a") is None


def test_the_number_of_files_is_bounded(tmp_path: Path):
    cache = DiskCache(tmp_path / "files", most_files=2)
    for k, name in enumerate("abc"):
        cache.write(name, b"")
        os.utime(tmp_path / "files" / f"{name}.ein", (k, k))
    assert [cache.read(name) for name in "abc"] == [None, b"", b""]


def test_a_folder_that_cannot_be_made(tmp_path: Path):
    (tmp_path / "file").write_text("")
    cache = DiskCache(tmp_path / "file" / "folder")
    cache.write("a", b"contents")
    assert cache.read("a") is None


def test_keys():
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of("ab", "c") == key_of("ab", "c")


def test_a_change_of_a_file_of_this_package_changes_its_state(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    file, other = tmp_path / "folder" / "a.py", tmp_path / "folder" / "a.txt"

    def states() -> list[str]:
        return list(disk_cache._states(str(tmp_path)))

    file.write_text("1")
    before = states()
    other.write_text("1")
    assert states() == before
    file.write_text("12")
    assert states() != before


def test_version_of_xdsl():
    assert version_of_xdsl() in (f"xdsl-{xdsl.__version__}.dist-info", str(xdsl.__version__))
