"""Print the passes of a level as a table, in the order of the pipelines.

python tools/pass_table.py {common,phi,yarr,emitpy,loops,conversions}
"""

from __future__ import annotations

import argparse
import inspect

from ein_mlir import universe
from ein_mlir.pipelines import PIPELINES


def documentation(flag: str) -> str:
    """The docstring of a pass, which shows IR before and after."""
    return inspect.getdoc(universe.PASSES[flag]()) or ""


def summary(flag: str) -> str:
    """The first sentence of the documentation."""
    return " ".join(documentation(flag).split("\n\n")[0].split())


def in_order(level: str) -> list[str]:
    """The passes of a level as pipelines run them, then those that no pipeline runs."""
    runs = [spec.partition("{")[0] for passes in PIPELINES.values() for spec in passes]
    return sorted(
        (flag for flag, folder in universe.FOLDERS.items() if folder == level),
        key=lambda flag: runs.index(flag) if flag in runs else len(runs),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="The passes of a level, as a table.")
    parser.add_argument("level", choices=sorted(set(universe.FOLDERS.values())))
    print("| pass | effect |\n| --- | --- |")
    for flag in in_order(parser.parse_args().level):
        print(f"| `{flag}` | {summary(flag)} |")


if __name__ == "__main__":
    main()
