"""The server of the page: on the loopback address only, and for its own page only.

The page sends a program in IR and the names of passes. Nothing that it sends is executed: passes
rewrite the program, and emitted source is shown, not run.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Lock
from typing import Any, cast

from ein_mlir.drawing import GraphvizNotFoundError, draw
from ein_mlir.entry import parse
from ein_mlir.errors import EinError
from ein_mlir.pipelines import PIPELINES
from ein_mlir.tools.explore.programs import Program
from ein_mlir.tools.explore.stages import Run, run

PAGE = {
    "/": ("index.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
"""Path -> file of the page, and its type."""

POLICY = "; ".join(
    ["default-src 'none'", "img-src data:"]
    + [f"{kind}-src 'self'" for kind in ("script", "style", "connect")]
)
"""The page loads nothing from elsewhere, and runs no other script."""

MOST_BYTES = 4 * 2**20
"""The largest request, in bytes."""


class Server(ThreadingHTTPServer):
    """Serves the page for some programs, on a port of the loopback address (0: any free one)."""

    daemon_threads = True

    def __init__(self, programs: list[Program], port: int = 0):
        super().__init__(("127.0.0.1", port), Handler)
        self.programs = programs
        self.one_at_a_time = Lock()

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """The names under which our page asks; one from elsewhere has a name of its own."""
        return f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}"

    def explore(self, request: Any) -> Run:
        """Run the passes that a request names on its text; raises EinError for another request."""
        match request:
            case {"text": str(text), "passes": str(passes), "program": int(number)}:
                with self.one_at_a_time:
                    return run(self._given(text, number), passes)
            case _:
                raise EinError("expected an object with text, passes and program")

    def draw(self, request: Any) -> dict[str, str]:
        """A picture of the program in a request, or its DOT text and the needs of a picture."""
        match request:
            case {"text": str(text)}:
                drawing = draw(parse(text))
            case _:
                raise EinError("expected an object with text")
        try:
            return {"svg": drawing.svg()}
        except GraphvizNotFoundError as error:
            return {"dot": drawing.dot, "needed": str(error)}

    def _given(self, text: str, number: int) -> Any:
        """The module that a text shows, with its places in Python, if the text is unchanged."""
        if 0 <= number < len(self.programs):
            module = self.programs[number].module
            if text == str(module):
                return module
        return text


class Handler(BaseHTTPRequestHandler):
    """Answers the page: its files, the programs, and runs of pipelines."""

    server_version = "ein-explore"

    @property
    def site(self) -> Server:
        """The server, which has the programs."""
        return cast("Server", self.server)

    def do_GET(self) -> None:
        """The files of the page, and ``/programs``."""
        if not self._is_own():
            self._refuse(HTTPStatus.FORBIDDEN)
        elif self.path == "/programs":
            self._send_json(described(self.site.programs))
        elif self.path in PAGE:
            name, type_ = PAGE[self.path]
            self._send(files("ein_mlir.tools.explore").joinpath("page", name).read_bytes(), type_)
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """``/run``, a run of a pipeline, and ``/draw``, a picture. Forms cannot have their type."""
        size = int(self.headers.get("Content-Length") or 0)
        if not self._is_own() or self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.FORBIDDEN)
        elif size > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif self.path in ("/run", "/draw"):
            self._answer(self.rfile.read(size))
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def _answer(self, body: bytes) -> None:
        try:
            request = json.loads(body)
            site = self.site
            answer = site.draw(request) if self.path == "/draw" else asdict(site.explore(request))
        except (ValueError, EinError) as error:
            self.send_error(HTTPStatus.BAD_REQUEST, explain=str(error))
            return
        self._send_json(answer)

    def _is_own(self) -> bool:
        """Whether our page asks: by the name of the host, and by the origin if there is one."""
        origin = self.headers.get("Origin")
        return self.headers.get("Host") in self.site.hosts and (
            origin is None or origin in [f"http://{host}" for host in self.site.hosts]
        )

    def _refuse(self, status: HTTPStatus) -> None:
        self.send_error(status)

    def _send_json(self, value: Any) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, body: bytes, type_: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{type_}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the page shows the requests."""


def described(programs: list[Program]) -> dict[str, Any]:
    """The programs and the pipelines, for the page."""
    return {
        "programs": [
            {"name": p.name, "text": str(p.module), "python": p.python, "file": p.file}
            for p in programs
        ],
        "pipelines": {name: list(passes) for name, passes in PIPELINES.items()},
    }
