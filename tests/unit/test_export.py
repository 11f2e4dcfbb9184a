"""Libraries of C: a small program in C calls them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ein_mlir import Float, Int, Vec, array, export, ext, fold_sum, function, vector_type
from ein_mlir.errors import EinValueError, MissingBackendError
from ein_mlir.tools.ein_run import main

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

COMPILER = shutil.which("cc")
with_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


@function
def scaled(a: Vec[Vec[Float]], b: Vec[Float], k: Int, pair: tuple[Int, Float]) -> Any:
    product = array(lambda i: fold_sum(lambda j: a[i, j] * b[j]) * pair[1] + k.float())
    return product, array(lambda i: product[i] > 0.0), pair[0] + k


CALLER = r"""
#include <stdio.h>
#include "scaled.h"

int main(void) {
  double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, -1, 2}, *product;
  bool *positive;
  int64_t size, other, sum, numbers[2];
  scaled_set_threads(2);
  for (int round = 0; round < 3; round++) {
    int64_t code = scaled(a, 2, 3, b, 3, 10, 4, 0.5, &product, &size, &positive, &other, &sum,
                          NULL);
    if (code) return 1;
    printf("%ld: %g %g; %d %d; %ld\n", (long)size, product[0], product[1], positive[0],
           positive[1], (long)sum);
    scaled_free(product);
    scaled_free(positive);
  }
  int64_t code = scaled(a, 2, 3, b, 2, 10, 4, 0.5, &product, &size, &positive, &other, &sum,
                        numbers);
  printf("%d %s %ld %ld\n", code > 0, scaled_message(code), (long)numbers[0], (long)numbers[1]);
  return 0;
}
"""


@with_compiler
def test_a_caller_in_c(tmp_path: Path):
    library = export(scaled, (), tmp_path / "library")
    assert COMPILER is not None
    (tmp_path / "main.c").write_text(CALLER)
    options = ["-Wall", "-Werror", "-std=c99", f"-I{library.parent}"]
    files = [str(tmp_path / "main.c"), str(library), "-o", str(tmp_path / "main")]
    subprocess.run([COMPILER, *options, *files], check=True)
    run = subprocess.run([str(tmp_path / "main")], check=True, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert lines[:3] == ["2: 12.5 15.5; 1 1; 14"] * 3
    assert lines[3].startswith("1 ")
    assert lines[3].endswith("{0} != {1} 3 2")


@with_compiler
def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "f.mlir").write_text(str(scaled.phi()))
    main([str(tmp_path / "f.mlir"), "--export", str(tmp_path / "library")])
    assert capsys.readouterr().out.strip() == str(tmp_path / "library" / "libscaled.so")
    assert "int64_t scaled(" in (tmp_path / "library" / "scaled.h").read_text()


@with_compiler
def test_the_types_of_narrow_integers(tmp_path: Path):
    @function
    def brighter(image: Any, k: Any) -> Any:
        return array(lambda i: image[i] + 1), k

    export(brighter, (vector_type("u8"), "i16"), tmp_path)
    header = (tmp_path / "brighter.h").read_text()
    assert "const uint8_t *image" in header
    assert "int16_t k" in header
    assert "uint8_t **result_0" in header


def test_programs_that_are_no_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    identity = ext(lambda a: a, ([Vec[Float]], Vec[Float]))

    @function
    def calls(a: Vec[Float]) -> Any:
        return identity(a)

    with pytest.raises(EinValueError, match="calls functions of the host program"):
        export(calls, (), tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingBackendError, match="needs a C compiler"):
        export(scaled, (), tmp_path)
