"""Print the rules of scalar operations as a table of docs/derivatives.md."""

from __future__ import annotations

from ein_mlir.rewriting.phi.derivatives.scalars import DERIVATIVES


def main() -> None:
    """Print a row for each operation."""
    print("| operation | derivative in `x` | in `y` | in `z` |")
    print("| --- | --- | --- | --- |")
    for name, formulas in DERIVATIVES.items():
        cells = [f"`{formula}`" for formula in formulas] + [""] * (3 - len(formulas))
        print(f"| `{name}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
