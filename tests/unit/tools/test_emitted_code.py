"""The emitted code of a tree is that of its programs, and the same wherever the tree is."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("jax")

from tests.agreement.cases import CASES
from tests.agreement.programs import PROGRAMS
from tests.agreement.second_set import SECOND_SET
from tools import emitted_code


def test_a_file_for_each_variant_and_backend(tmp_path: Path, capsys) -> None:
    assert emitted_code.main([str(tmp_path / "out"), "--only", "softmax-rows"]) == 0
    case = CASES["softmax-rows"]
    functions = [f.__name__ for f in (case.program, *case.variants)]
    files = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert set(files) == {
        f"case-softmax-rows-{function}.{backend}.py"
        for function in functions
        for backend in ("numpy", "torch", "jax")
    }
    for name, text in files.items():
        compile(text, name, "exec")
    assert f"{len(files)} files" in capsys.readouterr().out


def test_the_second_set_has_files_of_its_own(tmp_path: Path) -> None:
    assert emitted_code.main([str(tmp_path), "--only", "heat-1d", "--backends", "numpy"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["second-heat-1d-heat_1d.numpy.py"]


def test_code_is_the_same_each_time(tmp_path: Path) -> None:
    texts = list[str]()
    for folder in ("a", "b"):
        command = [str(tmp_path / folder), "--only", "layer-norm", "--backends", "numpy"]
        assert emitted_code.main(command) == 0
        texts.append("".join(p.read_text() for p in sorted((tmp_path / folder).iterdir())))
    assert texts[0] == texts[1]
    assert str(emitted_code.ROOT) not in texts[0]


def test_gradients_of_programs_with_floats(tmp_path: Path) -> None:
    options = ["--gradients", "--backends", "numpy", "--only"]
    assert emitted_code.main([str(tmp_path), *options, "layer-norm"]) == 0
    case = CASES["layer-norm"]
    functions = [f.__name__ for f in (case.program, *case.variants)]
    files = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert set(files) == {f"gradient-case-layer-norm-{name}.numpy.py" for name in functions}
    for text in files.values():
        assert "def both(" in text
    assert emitted_code.main([str(tmp_path), *options, "game-of-life"]) == 1


def test_all_programs_have_a_name_of_their_own() -> None:
    names = [name for name, _ in emitted_code.programs()]
    assert len(set(names)) == len(names)
    cases = sum(1 + len(case.variants) for case in CASES.values())
    assert len(names) == len(PROGRAMS) + cases + len(SECOND_SET)


def test_unknown_program(tmp_path: Path) -> None:
    assert emitted_code.main([str(tmp_path), "--only", "no such program"]) == 1
