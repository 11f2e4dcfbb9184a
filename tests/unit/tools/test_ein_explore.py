"""`ein-explore`: runs of pipelines, programs in files, who may ask the server, and the page."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from ein_mlir.errors import EinError
from ein_mlir.pipelines import NATIVE, NUMPY
from ein_mlir.tools.ein_explore import main
from ein_mlir.tools.explore.programs import programs_of
from ein_mlir.tools.explore.server import Server
from ein_mlir.tools.explore.stages import Line, compared, run, specs_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
TEXT = (EXAMPLES / "pairwise_l1.mlir").read_text()


def test_a_run_has_the_ir_after_each_pass() -> None:
    result = run(TEXT, ",".join(NUMPY))
    assert result.mistake == ""
    assert [stage.name for stage in result.stages[1:]] == [spec.partition("{")[0] for spec in NUMPY]
    yarr = next(stage for stage in result.stages if stage.name == "convert-phi-to-yarr")
    texts = [line.text for line in yarr.lines if line.kind == "new"]
    assert any("yarr.fold" in text for text in texts)
    assert "def pairwise_l1(a):" in result.output


@pytest.mark.one_turn
def test_a_run_for_llvm_ends_in_its_text() -> None:
    assert "define" in run(TEXT, ",".join(NATIVE)).output


def test_notes_have_the_lines_of_the_text() -> None:
    notes = run(TEXT, "raise-reductions").notes
    line = next(n for n, text in enumerate(TEXT.splitlines(), 1) if "phi.fold" in text)
    assert line in {note.line for note in notes if note.file == "program"}


def test_lines_are_compared() -> None:
    assert compared(["a", "b", "c"], ["a", "d", "c"]) == (
        Line("same", "a"),
        Line("old", "b"),
        Line("new", "d"),
        Line("same", "c"),
    )


@pytest.mark.parametrize(
    ("text", "passes", "mistake"),
    [
        ("func.func", "cse", "program:1"),
        (TEXT, "csee", "there is no pass 'csee' here"),
        (TEXT, "cse,,", ""),
        (TEXT, "unroll-folds{most=3}", "pass 'unroll-folds'"),
        (TEXT, "convert-yarr-to-numpy", "phi"),
    ],
)
def test_mistakes_are_told(text: str, passes: str, mistake: str) -> None:
    assert mistake in run(text, passes).mistake


@pytest.mark.parametrize("name", ["mlir-opt{executable=sh}", 'apply-pdl{pdl-file="rules.mlir"}'])
def test_passes_that_reach_outside_do_not_run(name: str) -> None:
    with pytest.raises(EinError, match="there is no pass"):
        specs_of(name)


def test_passes_are_separated_by_commas_or_lines() -> None:
    expected = ("cse", "raise-writes{scans=false}", "dce")
    assert specs_of("cse, raise-writes{scans=false},\ndce\n") == expected


def test_functions_of_a_python_file_are_traced() -> None:
    programs = programs_of(EXAMPLES / "pairwise_l1.py")
    assert "pairwise_l1" in [program.name for program in programs]
    notes = run(programs[0].module, "raise-reductions").notes
    assert {Path(note.file).name for note in notes} == {"pairwise_l1.py"}


def test_a_file_without_functions_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "empty.py"
    file.write_text("x = 1\n")
    with pytest.raises(SystemExit):
        main([str(file)])
    assert capsys.readouterr().err == (
        "ein-explore: empty.py defines no function under @function\n"
    )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(programs_of(EXAMPLES / "pairwise_l1.mlir")) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def ask(
    server: Server, path: str, body: Any = None, host: str = "", **headers: str
) -> tuple[int, bytes]:
    """The status and the body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    headers = {"Host": host or server.hosts[0], **headers}
    data = None if body is None else json.dumps(body)
    connection.request("GET" if body is None else "POST", path, data, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


JSON = {"Content-Type": "application/json"}
REQUEST = {"text": TEXT, "passes": "cse", "program": 0}


def test_the_server_listens_on_the_loopback_address(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_the_page_is_served(server: Server) -> None:
    for path in ("/", "/page.js", "/page.css", "/programs"):
        assert ask(server, path)[0] == 200
    assert ask(server, "/../server.py")[0] == 404


def test_a_pipeline_runs(server: Server) -> None:
    status, body = ask(server, "/run", REQUEST, **JSON)
    assert status == 200
    assert [stage["name"] for stage in json.loads(body)["stages"]] == ["program", "cse"]


def test_a_program_is_drawn(server: Server) -> None:
    status, body = ask(server, "/draw", {"text": TEXT}, **JSON)
    assert status == 200
    assert {"svg", "dot"} & set(json.loads(body))


def test_other_pages_are_refused(server: Server) -> None:
    assert ask(server, "/programs", host="elsewhere.example")[0] == 403
    assert ask(server, "/run", REQUEST, Origin="http://elsewhere.example", **JSON)[0] == 403
    assert ask(server, "/run", REQUEST, **{"Content-Type": "text/plain"})[0] == 403


@pytest.mark.parametrize("body", [[], {"text": 1}, {"text": "x", "passes": [], "program": 0}])
def test_other_requests_are_refused(server: Server, body: Any) -> None:
    assert ask(server, "/run", body, **JSON)[0] == 400


@pytest.fixture
def browser() -> Iterator[Any]:
    """A headless Chromium, where the system has one and its driver."""
    webdriver = pytest.importorskip("selenium.webdriver")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("Chromium and its driver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1500,900"):
        options.add_argument(flag)
    started = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield started
    started.quit()


def test_the_page_in_a_browser(server: Server, browser: Any) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    def by_id(name: str) -> Any:
        return browser.find_element(By.ID, name)

    def wait_for(text: str) -> None:
        WebDriverWait(browser, 60).until(lambda _: text in by_id("status").text)

    browser.get(server.url)
    wait_for(f"{len(NUMPY)} passes")
    stages = by_id("stages")
    last = stages.find_element(By.CSS_SELECTOR, "[aria-selected=true]").text
    stages.send_keys(Keys.ARROW_UP)
    assert stages.find_element(By.CSS_SELECTOR, "[aria-selected=true]").text != last
    browser.find_element(By.CSS_SELECTOR, "button[data-pane=output]").click()
    assert "def pairwise_l1(a):" in by_id("output").text
    passes = by_id("passes")
    passes.clear()
    passes.send_keys("cse\nno-such-pass", Keys.CONTROL, Keys.ENTER)
    wait_for("there is no pass 'no-such-pass' here")
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe
