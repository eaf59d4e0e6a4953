# Everything here needs python3 (3.11 or later), its venv and pip, make, and a package index that pip knows.
# PYTHON and VENV can be set: `make test PYTHON=python3.12 VENV=/tmp/venv`.
# The demo installs what a user needs; tests, checks and benchmarks bring the rest into the same folder.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
PIP := $(BIN)/python -m pip --disable-pip-version-check

# Tests start many processes: what one compiles the next finds, also where images of containers switch that off.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-change test-all test-inspect tests-apart check docs bench fuzz oracle setup lock clean
.DEFAULT_GOAL := demo

demo: $(INSTALLED)  ## the bundled sample: a conversation with its sources, then the score table
	@$(BIN)/quaestor demo

# Each process loads all that it tests. Quick tests compute: one process for each of the two cores that they are measured
# on. Slow ones wait for servers, browsers and clusters too: one more.
PYTEST := $(BIN)/python -m pytest --dist worksteal
test: $(INSTALLED_DEV)  ## the tests without those that are marked as slow; of what is drawn by chance, an eighth
	@$(PYTEST) -n 2 -m "not slow and not very_slow" --hypothesis-profile quick

test-change: $(INSTALLED_DEV)  ## the tests without those that are marked as very slow: what every change has to pass
	@$(PYTEST) -n 3 -m "not very_slow" --hypothesis-profile quick

test-all: $(INSTALLED_DEV) test-inspect  ## all tests, for a release and for changes of what the very slow ones are about
	@$(PYTEST) -n 3
	@$(BIN)/python -m benchmarks.fresh_installs --here --plain

# Inspect wants older versions of what other extras bring, so it has an environment of its own.
APART = $(VENV)-inspect
INSTALLED_INSPECT := $(VENV)/.installed-inspect
test-inspect:  ## the tests of the extra `inspect`, in a virtual environment beside the other
	@$(MAKE) --no-print-directory VENV=$(APART) tests-apart
tests-apart: $(INSTALLED_INSPECT)
	@$(BIN)/python -m pytest tests/unit/inspect_task tests/unit/application/inspect_log

check: $(INSTALLED_DEV) docs  ## format, lint, types, layers, the documentation; the types of the examples as editors see them
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/basedpyright --pythonpath $(BIN)/python
	@$(BIN)/lint-imports
	@test ! -x $(BIN)/hadolint || $(BIN)/hadolint Dockerfile
	@$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff --quiet

# The theme's word about its own successor is no warning about these pages.
docs: $(INSTALLED_DEV)  ## the documentation as a site, in site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

BASE ?=
bench: $(INSTALLED_DEV)  ## speed and memory, one figure per benchmark; BASE=REVISION compares the installation with another commit's
	@$(BIN)/python -m benchmarks
	@test -z "$(BASE)" || $(BIN)/python -m benchmarks.install --base $(BASE)

INPUTS ?= 1000000
fuzz: $(INSTALLED_DEV)  ## inputs in the millions for whatever reads what others wrote, and what they came to
	@$(BIN)/python tests/support/run_fuzz.py --inputs $(INPUTS)

SOLVER ?= agent
FILE ?=
oracle: $(INSTALLED_DEV)  ## a solver whose model makes the tool calls of a perfect one: what is wrong then is ours
	@$(BIN)/python tests/support/run_oracle.py $(SOLVER) $(FILE)

setup: $(INSTALLED_DEV)  ## the virtual environment, with all that development needs

# Modules are compiled when they are first imported: most never are, and what pip would make of them is 30 MB.
$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "quaestor needs Python 3.11 or later: make PYTHON=...")'
	@echo "making $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(call install,requirements.lock)
	@touch $@

$(INSTALLED_DEV): requirements-dev.lock pyproject.toml | $(INSTALLED)
	@$(call install,requirements-dev.lock)
	@touch $(INSTALLED) $@

$(INSTALLED_INSPECT): requirements-inspect.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(call install,requirements-inspect.lock)
	@touch $@

# A lock names all that is needed: nothing is left to resolve. pip's report is cut down to one line a package, so that a
# person sees it going on; its errors pass as they are.
define install
echo "installing $(1) into $(VENV)"; rm -f $(VENV)/.failed; \
{ PYTHONUNBUFFERED=1 $(PIP) install --no-deps --no-compile --progress-bar off --require-hashes -r $(1) || touch $(VENV)/.failed; } | awk ' \
	$$1 == "Downloading" || $$1 == "Using" || $$1 == "Processing" { \
		file = $$1 == "Using" ? $$3 : $$2; sub(".*/", "", file); split(file, part, "-"); \
		size = match($$0, "[(][0-9.]+ [kMG]?B[)]") ? substr($$0, RSTART, RLENGTH) : ""; \
		if (file !~ "[.]metadata$$") { print "  " part[1] " " part[2] " " size; fflush() } } \
	$$1 == "Installing" && $$2 == "collected" { print "  unpacking"; fflush() }'; \
test ! -e $(VENV)/.failed && $(PIP) install --quiet --no-compile --no-deps --no-build-isolation -e .
endef

# Hashes of every platform and no addresses: pip takes the files from whatever index it is set up with.
# What users get is a part of what the tests ran with: the second lock takes its versions from the first.
# The third, of the extra `inspect`, too, but for what Inspect wants in another version.
UV_COMPILE = $(BIN)/uv pip compile pyproject.toml --group build --universal --python-version 3.11 --upgrade --quiet \
	--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links
lock: $(INSTALLED)  ## the locks, anew from pyproject.toml
	@$(PIP) install --quiet uv
	@$(UV_COMPILE) --extra dev --output-file requirements-dev.lock
	@$(UV_COMPILE) --constraint requirements-dev.lock --output-file requirements.lock
	@sed '/^python-dateutil==/,/[^\\]$$/d' requirements-dev.lock >$(VENV)/shared.lock
	@$(UV_COMPILE) --extra inspect --group inspect-tests --constraint $(VENV)/shared.lock \
		--output-file requirements-inspect.lock

clean:  ## all that make has made
	@rm -rf $(VENV) $(APART) site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
