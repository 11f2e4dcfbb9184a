"""`ein-explore FILE`: a page on this machine that shows a program after each pass."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from ein_mlir.errors import EinError
from ein_mlir.tools.explore.programs import programs_of
from ein_mlir.tools.explore.server import Server
from ein_mlir.tools.mistakes import summary


def main(argv: Sequence[str] | None = None) -> None:
    """Run the tool until it is interrupted; exits with 1 and one message for a user's mistake."""
    arguments = _parser().parse_args(argv)
    try:
        server = Server(programs_of(Path(arguments.file)), arguments.port)
    except (EinError, OSError) as error:
        print(f"ein-explore: {summary(error)}", file=sys.stderr)
        sys.exit(1)
    print(f"{server.url}  (Ctrl-C ends it)", flush=True)
    if arguments.browser:
        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ein-explore",
        description="Show a program after each pass, on a page of this machine. The page edits the "
        "program and the pipeline, and runs no Python.",
    )
    parser.add_argument(
        "file",
        help="a module in textual IR (.mlir), or a Python file: it runs once, and its functions "
        "are traced for the types of their annotations",
    )
    parser.add_argument("--port", type=int, default=0, help="the port (default: any free one)")
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address"
    )
    return parser


if __name__ == "__main__":
    main()
