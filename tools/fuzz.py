"""Search for defects with random programs and random texts.

    python tools/fuzz.py --count 1000 --seed 3            # random programs, on all backends
    python tools/fuzz.py --backends torch --count 1000    # on some backends, each sample
    python tools/fuzz.py --only 3000017                   # one sample, by its number
    python tools/fuzz.py --text --count 1000 --seed 3     # mutants of the tests' IR, for the tools
    python tools/fuzz.py --soak 10                        # compile and drop functions, 10 minutes

A program runs on the reference interpreter and in other ways: on each backend, without random
passes, in tiny blocks. Values, dtypes, shapes, aliases and arguments are compared. The first
finding of each kind is made small and printed as a script, once for each sample; a sample has a
number, with which it is made again. The number of sample ``k`` is ``seed * 1000000 + k``.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("EIN_CACHE_DIR", "")

from tests.fuzzing import soak, texts
from tests.fuzzing.check import Finding, check
from tests.fuzzing.reduction import reduced
from tests.fuzzing.samples import KINDS, Sample, sample
from tests.fuzzing.ways import Way, choose_ways
from tests.libraries import INSTALLED
from tests.limits import TooLong, limited

if "torch" in INSTALLED:
    from ein_mlir.backends.torch import runtime

    runtime.FEW = 0  # small tensors run code of PyTorch, not of NumPy

SECONDS = 120
"""The longest time for a sample."""
EVERY = {"numpy": 1, "native": 6, "torch": 6, "jax": 30}
"""Each backend takes one of so many samples: all but NumPy are slow to compile."""
LAWS = 24
"""One of so many samples is checked after each pass of a pipeline."""


def ways_of(given: Sample, k: int, backends: Sequence[str] | None) -> list[Way]:
    """The ways to run a sample: on the given backends, or on each that takes it."""
    chosen = backends or [name for name in INSTALLED if k % EVERY[name] == 0]
    return choose_ways(chosen, random.Random(given.seed + 1))


def outcome(
    seed: int, k: int, options: argparse.Namespace, runs: Counter[str]
) -> tuple[str, list[Finding]]:
    """The outcome of the sample of a number; the ways in which it runs are counted."""
    try:
        with limited(SECONDS):
            made = sample(seed, options.kind)
            ways = ways_of(made, k, options.backends)
            result, findings = check(made, ways, laws=k % LAWS == 0)
            if result in ("agrees", "fails", "differs"):
                runs.update(name_of(way) for way in ways)
            return result, findings
    except TooLong:
        print(f"# sample {seed}: no answer in {SECONDS} s", flush=True)
        return f"no answer in {SECONDS} s", []
    except Exception:
        print(f"# sample {seed}\n{traceback.format_exc()}", flush=True)
        return "not made", []


def name_of(way: Way) -> str:
    """The name of a way in the summary."""
    if way.passes:
        return "the interpreter after passes"
    if way.recorded:
        return f"{way.backend} with recorded derivatives"
    if way.call:
        return f"{way.backend} in forms of calls"
    return f"{way.backend} without passes" if way.left_out or way.block else way.backend


def show(finding: Finding) -> None:
    """Print a finding, as a small program if one is found soon."""
    print(finding, flush=True)
    if finding.way.backend == "naive" and not finding.way.passes:
        return
    try:
        with limited(SECONDS):
            small = reduced(finding)
    except (TooLong, Exception) as error:
        print(f"# not reduced: {error!r}", flush=True)
        return
    print(f"# reduced\n{small}", flush=True)


def progress(k: int, count: int, findings: int, start: float) -> None:
    """A line on a terminal."""
    if sys.stderr.isatty():
        rate = k / (time.monotonic() - start)
        line = f"\r{k} of {count}, {findings} findings, {rate:.1f} a second "
        print(line, end="", file=sys.stderr, flush=True)


def listed(counts: Counter[str]) -> str:
    """Counts with their names, the largest first."""
    return ", ".join(f"{number} {name}" for name, number in counts.most_common())


def run_programs(options: argparse.Namespace) -> int:
    """Check samples, print findings and a summary; 1 if there are findings."""
    outcomes, runs, kinds = Counter[str](), Counter[str](), dict[str, list[int]]()
    start = time.monotonic()
    first = options.seed * 1_000_000
    for k in range(options.count):
        result, findings = outcome(first + k, k, options, runs)
        outcomes[result] += 1
        for number, finding in enumerate(findings):
            numbers = kinds.setdefault(finding.kind, [])
            numbers.append(first + k)
            if len(numbers) <= options.show and not number:
                show(finding)
        progress(k + 1, options.count, len(kinds), start)
    print(f"{options.count} programs in {time.monotonic() - start:.0f} s: {listed(outcomes)}")
    print(f"compared with the interpreter: {listed(runs)}")
    for kind, numbers in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"{len(numbers):5} {kind}: {numbers[:6]}")
    return 1 if kinds or outcomes["not made"] else 0


def run_one(options: argparse.Namespace) -> int:
    """Show a sample, and its findings."""
    made = sample(options.only, options.kind)
    k = options.only % 1_000_000
    print(made)
    result, findings = check(made, ways_of(made, k, options.backends), laws=k % LAWS == 0)
    print(f"# {result}")
    for finding in findings:
        show(finding)
    return 1 if findings else 0


def run_texts(options: argparse.Namespace) -> int:
    """Give mutants to the tools, print the findings and a summary; 1 if there are findings."""
    reasons, start = Counter[str](), time.monotonic()
    for k, found in enumerate(texts.findings(options.count, options.seed), 1):
        if found is not None:
            last = found.reason.strip().splitlines()[-1]
            reasons[last] += 1
            if reasons[last] == 1:
                print(f"{' '.join(found.command)}\n{found.text}\n{found.reason}\n", flush=True)
        progress(k, options.count, len(reasons), start)
    print(f"{options.count} mutants, {reasons.total()} findings, {len(reasons)} reasons")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    return 1 if reasons else 0


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000, help="the number of samples or mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=sorted(KINDS), help="only programs of this kind")
    parser.add_argument("--backends", nargs="+", choices=INSTALLED, help="only these backends")
    parser.add_argument("--show", type=int, default=1, help="findings of a kind that are printed")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="the sample of this number")
    parser.add_argument("--text", action="store_true", help="mutants of textual IR")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="compile and drop functions")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen search; 1 if there are findings."""
    options = parsed(arguments)
    if options.soak is not None:
        return soak.run(options.soak, options.seed)
    if options.only is not None:
        return run_one(options)
    return run_texts(options) if options.text else run_programs(options)


if __name__ == "__main__":
    sys.exit(main())
