# The two commands of the README, and what developers run. Plain pip; safe to repeat; quick the second time.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
STAMPS := $(VENV)/.installed

.PHONY: detect test test-slow check format clean

detect: $(STAMPS)/base
	$(BIN)/paiad example --out paiad-out/example.csv
	$(BIN)/paiad detect paiad-out/example.csv --out paiad-out/example
	@echo "Open paiad-out/example/report.html in a browser."

test: $(STAMPS)/dev
	$(BIN)/python -m pytest -n auto --dist loadfile -q

test-slow: $(STAMPS)/dev
	$(BIN)/python -m pytest -q -m "slow or ray or browser_heavy"

check: $(STAMPS)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMPS)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) paiad-out build dist .pytest_cache .mypy_cache .ruff_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMPS)/base: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -c constraints.txt -e ".[plot]"
	@mkdir -p $(STAMPS) && touch $@

# torch goes in first and alone: any other package that wants it would choose a build of its own.
$(STAMPS)/dev: $(STAMPS)/base
	$(PIP) -c constraints.txt torch
	$(PIP) -c constraints.txt -e ".[dev,torch]"
	@mkdir -p $(STAMPS) && touch $@
