# Everything here needs python3 (3.11 or later), its venv and pip, make, and a package index that pip knows.
# PYTHON and VENV can be set: `make test PYTHON=python3.12 VENV=/tmp/venv`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test check bench oracle setup lock clean
.DEFAULT_GOAL := demo

demo: $(INSTALLED)  ## the bundled sample: a conversation with its sources, then the score table
	@$(BIN)/quaestor demo

test: $(INSTALLED)  ## all tests
	@$(BIN)/python -m pytest

check: $(INSTALLED)  ## format, lint, types, layers
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(INSTALLED)  ## each figure that the README quotes
	@$(BIN)/python -m benchmarks

SOLVER ?= agent
FILE ?=
oracle: $(INSTALLED)  ## a solver whose model makes the tool calls of a perfect one: what is wrong then is ours
	@$(BIN)/python tests/support/run_oracle.py $(SOLVER) $(FILE)

setup: $(INSTALLED)  ## the virtual environment

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "quaestor needs Python 3.11 or later: make PYTHON=...")'
	@echo "installing into $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --require-hashes -r requirements.lock
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# Hashes of every platform and no addresses: pip takes the files from whatever index it is set up with.
lock: $(INSTALLED)  ## requirements.lock, anew from pyproject.toml
	@$(PIP) install --quiet uv
	@$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --quiet \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements.lock

clean:  ## all that make has made
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
