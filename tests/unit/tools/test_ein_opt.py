"""`ein-opt`: pipelines by name, and readable errors."""

import io
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from ein_mlir.entry import parse
from ein_mlir.errors import CompilationError
from ein_mlir.pipelines import PIPELINES
from ein_mlir.tools.ein_opt import EinOptMain, main
from ein_mlir.universe import PASSES

PROGRAM = """
func.func @twice(%x: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  %b = arith.addf %x, %x : f64
  %c = arith.mulf %a, %b : f64
  func.return %c : f64
}
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return str(path)


def passes_of(*args: str) -> list[str]:
    return [p.name for p in EinOptMain([*args]).pipeline.passes]


@pytest.mark.parametrize("name", PIPELINES)
def test_every_pipeline_can_be_built(name: str):
    assert len(passes_of("--pipeline", name)) == len(PIPELINES[name])


def test_pipeline_runs_before_passes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(PIPELINES, "tidy", ("canonicalize", "cse"))
    assert passes_of("--pipeline", "tidy", "-p", "dce") == ["canonicalize", "cse", "dce"]
    assert passes_of("--pipeline", "tidy") == ["canonicalize", "cse"]
    assert passes_of("-p", "dce") == ["dce"]
    assert passes_of() == []


def test_help_names_pipelines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(PIPELINES, "tidy", ("canonicalize", "cse"))
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert "tidy." in out
    assert len(out.splitlines()) < 80


def test_a_pipeline_is_listed_with_one_pass_a_line(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--list-pipeline", "numpy"])
    assert tuple(capsys.readouterr().out.splitlines()) == PIPELINES["numpy"]
    assert main(["--list-pipeline", "nmpy"]) == 1
    assert capsys.readouterr().err == "error: unknown pipeline 'nmpy'; did you mean 'numpy'?\n"


def test_each_pass_is_listed_with_its_effect(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--list-passes"])
    effects = dict[str, str]()
    for line in capsys.readouterr().out.splitlines():
        flag, _, effect = line.strip().partition(": ")
        effects[flag] = effect
    assert all(effects[flag] for flag in PASSES)
    assert "canonicalize" in effects


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["-p", "canonicalise"], "unknown pass 'canonicalise'; did you mean 'canonicalize'"),
        (["-p", "zzz"], "unknown pass 'zzz'; --list-passes lists them all"),
        (["-p", "canonicalize{x=1}"], "there is no option 'x' of pass 'canonicalize'"),
        (["-p", "canonicalize{"], "Error parsing pass pipeline specification"),
        (["-t", "mlir{x=1}"], "there is no option 'x' of target 'mlir'"),
        (["-t", "{"], "Error parsing pass pipeline specification"),
        (["--pipeline", "zzz"], "unknown pipeline 'zzz'"),
        (["-t", "zzz"], "argument -t/--target: invalid choice: 'zzz'"),
        (["--zzz"], "unrecognized arguments: --zzz; --help lists the options"),
    ],
)
def test_mistakes_on_the_command_line(
    program: str, args: list[str], expected: str, capsys: pytest.CaptureFixture[str]
):
    assert main([program, *args]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {expected}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"no.such", "is not registered"),
        (b'"no.such"() : () -> ()', "is not registered"),
        (b"func.func @f() { func.return %x : f64 }", "%x is not defined in this body"),
        (b"func.func @f() -> f64 { func.return }", "Expected arguments to have the same types"),
        (b"\xff", "is not UTF-8 text"),
        (b"func.func @f(%a: i" + b"9" * 5000 + b") { func.return }", "has at most 4300 digits"),
        (b"%c = arith.constant " + b"9" * 5000 + b" : i64", "has at most 4300 digits"),
        (b"%c = arith.constant dense<true> : tensor<9999999x999xi1>", "has at most 16777216 elem"),
        (b"%c = arith.constant dense<1.0> : tensor<999999999999xf64>", "has at most 16777216 elem"),
        (b'func.func @"' + b"w" * 60 + b'\\" w', "before closing string literal"),
        (b"scf.execute_region {" * 9000, "nested too deeply"),
    ],
)
def test_mistakes_in_the_input(
    tmp_path: Path, text: bytes, expected: str, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "program.mlir"
    path.write_bytes(text)
    assert main([str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert expected in err


def nested_folds(count: int) -> str:
    """A program with folds inside of each other."""
    starts = ["%a", *(f"%x{k}" for k in range(count))]
    lines = [f"%r{k} = phi.fold (%k{k} < %n, %x{k} = {starts[k]}) -> f64 {{" for k in range(count)]
    lines += [f"phi.yield %x{count - 1} : f64 }}"]
    lines += [f"phi.yield %r{k} : f64 }}" for k in range(count - 1, 0, -1)]
    body = "\n".join(lines)
    return f"func.func @f(%a: f64, %n: i64) -> f64 {{\n{body}\nfunc.return %r0 : f64\n}}"


@pytest.mark.one_turn
def test_a_thousand_bodies_in_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "deep.mlir"
    path.write_text(nested_folds(1000))
    limit = sys.getrecursionlimit()
    assert main([str(path)]) == 0
    assert capsys.readouterr().out.count("phi.fold") == 1000
    assert sys.getrecursionlimit() == limit


def test_text_that_is_too_deep_for_the_python_api():
    with pytest.raises(CompilationError, match="nested too deeply for Python"):
        parse(nested_folds(1000))


def test_dash_is_the_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PROGRAM.encode())))
    assert main(["-"]) == 0
    assert "func.func @twice" in capsys.readouterr().out


def use_before_definition(self: object, ctx: object, module: ModuleOp):
    """A pass that moves the first operation of a function to its end."""
    block = next(op for op in module.walk() if op.name == "func.func").regions[0].block
    first, last = block.first_op, block.last_op
    assert first is not None
    assert last is not None
    first.detach()
    block.insert_op_before(first, last)


def test_a_pass_that_breaks_a_scope_is_caught(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(
        "xdsl.transforms.dead_code_elimination.DeadCodeElimination.apply", use_before_definition
    )
    assert main([program, "-p", "dce"]) == 1
    assert "is used where it is not defined" in capsys.readouterr().err


def test_unknown_extension(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "program.txt"
    path.write_text(PROGRAM)
    assert main([str(path)]) == 1
    assert "name its format with -f, one of: mlir" in capsys.readouterr().err
    assert main([str(path), "-f", "mlir"]) == 0


def test_missing_file(capsys: pytest.CaptureFixture[str]):
    assert main(["missing.mlir"]) == 1
    assert capsys.readouterr().err == "error: missing.mlir: No such file or directory\n"


def test_traceback_is_shown_on_request():
    with pytest.raises(FileNotFoundError):
        main(["missing.mlir", "--traceback"])


def test_a_bug_keeps_its_traceback(program: str, monkeypatch: pytest.MonkeyPatch):
    def bug(*_: object):
        raise ValueError("a bug")

    monkeypatch.setattr("xdsl.transforms.dead_code_elimination.DeadCodeElimination.apply", bug)
    with pytest.raises(ValueError, match="a bug"):
        main([program, "-p", "dce"])


RECURSIVE = """
func.func @f(%x: f64) -> f64 {
  %a = arith.constant 1.0 : f64
  %b = arith.constant 1.0 : f64
  %c = func.call @f(%a) : (f64) -> f64
  func.return %c : f64
}
"""


def test_a_failed_pass_leaves_a_reproducer(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, reproducer = tmp_path / "program.mlir", tmp_path / "reproducer.mlir"
    path.write_text(RECURSIVE)
    passes = "cse,inline-calls,canonicalize"
    assert main([str(path), "-p", passes, "--reproducer", str(reproducer)]) == 1
    first = capsys.readouterr().err
    assert f"{reproducer} reproduces the failure of inline-calls" in first
    text = reproducer.read_text()
    assert text.startswith(f"// ein-opt {reproducer} -p 'inline-calls'\n")
    assert text.count("arith.constant") == 1
    assert main([str(reproducer), "-p", "inline-calls"]) == 1
    assert "func.call: @f is recursive" in capsys.readouterr().err


def test_invalid_ir_after_a_pass_leaves_a_reproducer(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        "xdsl.transforms.dead_code_elimination.DeadCodeElimination.apply", use_before_definition
    )
    reproducer = tmp_path / "reproducer.mlir"
    assert main([program, "-p", "canonicalize,dce", "--reproducer", str(reproducer)]) == 1
    assert reproducer.read_text().startswith(f"// ein-opt {reproducer} -p 'dce'\n")


def test_no_failure_leaves_no_reproducer(program: str, tmp_path: Path):
    reproducer = tmp_path / "reproducer.mlir"
    assert main([program, "-p", "canonicalize", "--reproducer", str(reproducer)]) == 0
    assert not reproducer.exists()
