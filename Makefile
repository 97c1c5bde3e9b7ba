# Holdfast's commands. Needs make and Python 3.11 or later with pip and venv; everything else goes into .venv.

PYTHON ?= python3
VENV ?= .venv
VERSIONS ?= 3.11 3.12 3.13
# More than the machine has cores: some tests wait for processes that they killed.
WORKERS ?= 4

# Hundreds of tests start a process, which would otherwise compile the library again.
export PYTHONDONTWRITEBYTECODE :=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
MADE := $(VENV)/.made
RUN := $(VENV)/.run
TEST := $(VENV)/.test
FAILOVER := $(VENV)/.failover
LANGGRAPH_SUITE := $(VENV)/.langgraph-suite
BENCH := $(VENV)/.bench

PYTEST := $(BIN)/python -m pytest -q -rs
PARALLEL := -n $(WORKERS) --dist worksteal

# A folder of tests is run by the target of its name. `make test` runs the first list; the second takes minutes each.
QUICK := unit growth contract runs interrupts cli files postgres adapters seeds docs stateful hostile crash
SLOW := faults lifecycle transfer

.DEFAULT_GOAL := help
.PHONY: help demo check test lint imports types quick pytest format bench test-all lock clean $(QUICK:%=test-%) $(SLOW:%=test-%) test-failover test-langgraph-suite

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo "  make test-FOLDER    the tests of one folder: $(QUICK) $(SLOW)"

demo: $(RUN) ## kill an agent in the middle of a step, resume, rewind, fork and diff
	@$(BIN)/holdfast demo

check: $(TEST) ## in a minute: lint, types, imports, most unit tests, the contract on memory and SQLite
	@$(MAKE) --no-print-directory -j 2 lint types imports quick

test: lint types imports pytest ## lint, types, import rules and every test but those of faults, lifecycle, transfer, failover and langgraph_suite

lint: $(TEST) ## ruff: rules and formatting
	@echo "== ruff"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format"; exit 1; }

types: $(TEST) ## mypy, strict
	@echo "== mypy"
	@$(BIN)/mypy

imports: $(TEST) ## import-linter: which package may import which
	@echo "== import-linter"
	@$(BIN)/lint-imports --no-logo

# What proves most in a minute. Left to `make test`: the modes for the engine's cache and SQLite's worker threads, and the
# unit tests that measure sizes or start many processes.
quick: $(TEST)
	@echo "== pytest, the quick part"
	@$(PYTEST) -n 2 --dist worksteal tests/unit tests/contract/test_facades.py tests/contract/test_memory.py \
	  tests/contract/test_sqlite.py -k "not uncached and not OnWorkers" \
	  --ignore tests/unit/test_sizes.py --ignore tests/unit/test_processes.py

pytest: $(TEST) ## every test of make test, in parallel; or what you ask for: make pytest ARGS='tests/unit -k fork'
	@echo "== pytest"
	@$(PYTEST) $(or $(ARGS),$(PARALLEL))

$(QUICK:%=test-%) $(SLOW:%=test-%): test-%: $(TEST)
	@$(PYTEST) $(PARALLEL) tests/$*

test-failover: $(FAILOVER) ## kill the leader of three PostgreSQL servers under load, in one process
	@$(PYTEST) tests/failover

test-langgraph-suite: $(LANGGRAPH_SUITE) ## LangGraph's own tests of checkpointers, on every backend; about seven minutes
	@WORKERS=$(WORKERS) $(BIN)/python -m tests.langgraph_suite

format: $(TEST) ## rewrite the code as ruff formats it
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

bench: $(BENCH) ## measure
	@$(BIN)/python -m bench

test-all: ## make test on each Python of VERSIONS, each in its own .venv-3.x
	@for version in $(VERSIONS); do $(find_python); done
	@set -e; for version in $(VERSIONS); do $(find_python); \
	  echo "==== Python $$version"; \
	  $(MAKE) --no-print-directory test VENV=.venv-$$version PYTHON="$$python"; \
	done

# Sets $python to an interpreter of $version. A pyenv shim on PATH may be there and not run, so each candidate is tried.
define find_python
python=; for candidate in python$$version "$$(ls -d "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$version.*/bin/python 2>/dev/null | tail -n 1)"; do \
    if [ -z "$$python" ] && [ -n "$$candidate" ] && "$$candidate" -c "" 2>/dev/null; then python=$$candidate; fi; \
  done; \
  if [ -z "$$python" ]; then echo "make test-all needs Python $$version: no python$$version on PATH, none in pyenv" >&2; exit 1; fi
endef

lock: ## pin the requirements again, with hashes
	@rm -rf .venv-lock
	@$(PYTHON) -m venv .venv-lock
	@.venv-lock/bin/python -m pip -qq --disable-pip-version-check install uv
	@.venv-lock/bin/uv $(COMPILE) --group build -o requirements/run.txt
	@.venv-lock/bin/uv $(COMPILE) --group build --group test -c requirements/run.txt -o requirements/test.txt
	@.venv-lock/bin/uv $(COMPILE) --group failover -c requirements/test.txt -o requirements/failover.txt
	@.venv-lock/bin/uv $(COMPILE) --group langgraph-suite -c requirements/test.txt -o requirements/langgraph-suite.txt
	@.venv-lock/bin/uv $(COMPILE) --group bench -c requirements/test.txt -o requirements/bench.txt
	@rm -rf .venv-lock

COMPILE := pip compile pyproject.toml --extra cli --quiet --upgrade --universal --python-version 3.11 \
  --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links

clean: ## remove environments, caches and build results
	@rm -rf .venv .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Holdfast needs Python 3.11 or later; $(PYTHON) is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12")'
	@echo "== making $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(RUN): requirements/run.txt pyproject.toml src/holdfast/_version.py | $(MADE)
	@echo "== installing requirements/run.txt"
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(TEST): requirements/test.txt $(RUN)
	@echo "== installing requirements/test.txt"
	@$(PIP) install --require-hashes -r requirements/test.txt
	@touch $@

$(FAILOVER): requirements/failover.txt $(TEST)
	@echo "== installing requirements/failover.txt"
	@$(PIP) install --require-hashes -r requirements/failover.txt
	@touch $@

$(LANGGRAPH_SUITE): requirements/langgraph-suite.txt $(TEST)
	@echo "== installing requirements/langgraph-suite.txt"
	@$(PIP) install --require-hashes -r requirements/langgraph-suite.txt
	@touch $@

$(BENCH): requirements/bench.txt $(TEST)
	@echo "== installing requirements/bench.txt"
	@$(PIP) install --require-hashes -r requirements/bench.txt
	@touch $@
