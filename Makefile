# `make demo` and `make test` need Python 3.11 or newer; a C compiler makes gradwalk fast.
PYTHON ?= python3
VENV   := .venv
PEERS  := .venv-peers
BIN    := $(VENV)/bin
PIP     = -m pip install --quiet --disable-pip-version-check

# Everything from which the installed package is made.
SOURCES := pyproject.toml setup.py $(shell find src -name '*.py' -o -name '*.[ch]' ! -name kernels.h)

.PHONY: demo test lint types test-peers bench docs clean

demo: $(VENV)/demo        ## install, train the moons classifier, draw the pictures
	@$(BIN)/python -c "import gradwalk; gradwalk.ENGINE == 'native' or print('No compiled engine (is a C compiler installed?): the Python engine computes the same, slower.')"
	$(BIN)/gradwalk train moons --out demo

# The second run would erase what the first has left in .coverage*, so it lies elsewhere.
test: $(VENV)/dev         ## every test on both engines, with branch coverage
	GRADWALK_PURE=0 $(BIN)/python -m pytest -q -n auto -m "not peer and not long" --cov --cov-report= --doctest-modules src tests
	mv .coverage $(VENV)/coverage.native
	GRADWALK_PURE=1 $(BIN)/python -m pytest -q -n auto -m "not peer and not long" --cov --cov-report= tests
	mv .coverage $(VENV)/coverage.python
	$(BIN)/python -m pytest -q -n auto -m long tests
	$(BIN)/coverage combine --quiet $(VENV)/coverage.native $(VENV)/coverage.python
	$(BIN)/coverage report --fail-under=95

lint: $(VENV)/dev         ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev        ## mypy --strict
	$(BIN)/mypy

test-peers: $(PEERS)/dev  ## the same numbers as PyTorch, JAX and micrograd
	$(PEERS)/bin/python -m pytest -q -n auto -m peer tests/peers

bench: $(PEERS)/dev       ## the table of ratios, as text, JSON and picture
	$(PEERS)/bin/python -m benchmarks

docs: $(VENV)/docs        ## the manual, as a web site in site/
	$(BIN)/python docs/build.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo: $(BIN)/python $(SOURCES)
	$(BIN)/python $(PIP) ".[cli,plot]"
	@touch $@

$(VENV)/dev: $(BIN)/python $(SOURCES)
	$(BIN)/python $(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/demo

$(VENV)/docs: $(VENV)/dev
	$(BIN)/python $(PIP) --editable ".[docs]"
	@touch $@

$(PEERS)/bin/python:
	$(PYTHON) -m venv $(PEERS)

$(PEERS)/dev: $(PEERS)/bin/python $(SOURCES)
	$(PEERS)/bin/python $(PIP) torch==2.13.0
	$(PEERS)/bin/python $(PIP) --editable ".[dev,peers]"
	@touch $@

clean:
	rm -rf build dist site demo $(VENV) $(PEERS) src/*.egg-info .coverage* .*_cache .hypothesis src/gradwalk/native/kernels.h
	find src -name '*.so' -delete
