# Holdfast's commands. Needs make and Python 3.11 or later with pip and venv; everything else goes into .venv.

PYTHON ?= python3
VENV ?= .venv
VERSIONS ?= 3.11 3.12 3.13
# More than this has cores: some tests wait for processes that they killed.
WORKERS ?= 5

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
MADE := $(VENV)/.made
RUN := $(VENV)/.run
TEST := $(VENV)/.test
FAILOVER := $(VENV)/.failover
BENCH := $(VENV)/.bench

.DEFAULT_GOAL := help
.PHONY: help demo test lint imports types pytest test-crash test-lifecycle test-failover format bench test-all lock clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(RUN) ## kill an agent in the middle of a step, go on, rewind, fork and diff
	@$(BIN)/holdfast demo

test: lint types imports pytest ## lint, types, import rules and every test

lint: $(TEST) ## ruff: rules and formatting
	@echo "== ruff"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format"; exit 1; }

types: $(TEST) ## mypy, strict
	@echo "== mypy"
	@$(BIN)/mypy

imports: $(TEST) ## who may import whom
	@echo "== import-linter"
	@$(BIN)/lint-imports --no-logo

pytest: $(TEST) ## every test, in parallel; skips are listed with their reasons
	@echo "== pytest"
	@$(BIN)/python -m pytest -q -rs -n $(WORKERS) --dist worksteal

test-crash: $(TEST) ## kill more processes, cut more connections: make test-crash ROUNDS=5000, and SEED=… to repeat a run
	@ROUNDS=$(or $(ROUNDS),2000) SEED=$(SEED) $(BIN)/python -m pytest -q -rs -n $(WORKERS) --dist worksteal tests/crash tests/faults

test-lifecycle: $(TEST) ## collect, damage, repair and move stores: LIVE=60 (seconds beside writers) DAMAGES=780 EXAMPLES=30 make test-lifecycle
	@$(BIN)/python -m pytest -q -rs -n $(WORKERS) --dist worksteal tests/lifecycle tests/transfer tests/stateful

test-failover: $(FAILOVER) ## kill the leader of three PostgreSQL servers under load: the next one holds everything
	@$(BIN)/python -m pytest -q -rs tests/failover

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

lock: ## pin the requirements anew, with hashes
	@rm -rf .venv-lock
	@$(PYTHON) -m venv .venv-lock
	@.venv-lock/bin/python -m pip -qq --disable-pip-version-check install uv
	@.venv-lock/bin/uv $(COMPILE) --group build -o requirements/run.txt
	@.venv-lock/bin/uv $(COMPILE) --group build --group test -c requirements/run.txt -o requirements/test.txt
	@.venv-lock/bin/uv $(COMPILE) --group failover -c requirements/test.txt -o requirements/failover.txt
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

$(BENCH): requirements/bench.txt $(TEST)
	@echo "== installing requirements/bench.txt"
	@$(PIP) install --require-hashes -r requirements/bench.txt
	@touch $@
