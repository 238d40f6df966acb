# `make demo` and `make test` start from nothing: they build .venv themselves.
# Another interpreter: make PYTHON=/path/to/python3.11 setup

VENV := .venv
BIN := $(VENV)/bin
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for candidate in python3.11 python3 python3.12 python3.13; do \
	"$$candidate" -c '$(NEW_ENOUGH)' 2>/dev/null && { echo "$$candidate"; break; }; done)
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
BENCHMARKS := $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py))

.PHONY: help setup demo test lint bench clean

help:
	@echo "make demo   crawl the sample web and print what was found"
	@echo "make test   the whole test-suite"
	@echo "make lint   ruff and mypy"
	@echo "make bench  every benchmark in turn (QUICK=1 for the short form)"
	@echo "make setup  the environment alone, in $(VENV)"
	@echo "make clean  remove $(VENV) and what the tools left behind"

setup: $(VENV)/.dev-installed

# Two stamps, so that the demo does not wait for the tools of the tests.
$(VENV)/.installed: requirements.txt
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "focuscrawl needs Python 3.11 or newer, found" \
			"$$($(or $(PYTHON),python3) --version 2>&1 | tail -n 1):" \
			"install it, or name it: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Installing focuscrawl's packages into $(VENV) (once) ..."
	@"$(PYTHON)" -m venv $(VENV)
	@$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.dev-installed: requirements-dev.txt $(VENV)/.installed
	@echo "Installing the tools for tests, lint and benchmarks into $(VENV) (once) ..."
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

demo: $(VENV)/.installed
	@$(BIN)/scrapy demo

test: setup
	$(BIN)/python -m pytest -n 2 -q

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup
	@for benchmark in $(BENCHMARKS); do \
		echo "== $$benchmark"; $(BIN)/python "$$benchmark" $(if $(QUICK),--quick) || exit 1; done

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
