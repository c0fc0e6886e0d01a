# `make demo` and `make test` need Python 3.11 or newer; a C compiler makes gradwalk fast. The tests of
# the page need Node 20 and a browser as well; without them they are left out, and `make test` says so.
PYTHON ?= python3
VENV   := .venv
PEERS  := .venv-peers
BIN    := $(VENV)/bin
PIP     = -m pip install --quiet --disable-pip-version-check

# Everything from which the installed package is made.
SOURCES := pyproject.toml setup.py $(shell find src -name '*.py' -o -name '*.[ch]' ! -name '*kernels.h')

# The page as users get it: made from web/ and kept, for users have no Node.
STATIC  := src/gradwalk/studio/static
MODULES := web/node_modules/.package-lock.json
NODE    := $(if $(shell command -v npm),$(MODULES))

PYTEST   = $(BIN)/python -m pytest -q -n auto --dist worksteal
OTHERS  := not peer and not browser and not types and not install and not long
QUICK   := $(OTHERS) and not prove
ALL     := $(OTHERS)

.PHONY: demo test test-engines test-web test-browser test-pyodide release prove prove-engines prove-browser prove-coverage prove-mutants \
        sanitize test-install test-notebooks test-foreign test-places test-peers lint types stubs bench bench-past docs web clean

demo: $(VENV)/demo        ## install, train the moons classifier, draw the pictures
	$(BIN)/gradwalk train moons --out demo

test: test-engines test-foreign test-places test-web test-browser ## the tests, in minutes; what they leave out is in `make prove`

test-engines: $(VENV)/dev $(NODE) ## the tests of the library, and on the Python engine those that it can fail
	GRADWALK_PURE=0 $(PYTEST) -m "$(QUICK)" --doctest-modules src tests
	GRADWALK_PURE=1 $(PYTEST) -m "$(QUICK) and engine" tests

# More of the same: all examples and both engines with branch coverage, every screen, the peers,
# mutants. Each of them runs alone, and in slices (SLICE=2/12) of at most 20 minutes on two cores;
# `make prove` runs the slice of today of each, the schedule all of them in a week.
ENGINES := 12
MUTANTS := 12
SCREENS := 4
TODAY    = $(if $(SLICE),$(SLICE),$(shell $(BIN)/python -m tests.helpers.slices $(1)))
SLICED   = $(if $(SLICE),GRADWALK_SLICE=$(SLICE))
THOROUGH = GRADWALK_TESTS=thorough $(SLICED)

prove: lint types $(VENV)/dev ## the slices of today of everything, in an hour
	$(MAKE) prove-engines SLICE=$(call TODAY,$(ENGINES))
	$(MAKE) prove-mutants SLICE=$(call TODAY,$(MUTANTS))
	$(MAKE) prove-browser SLICE=$(call TODAY,$(SCREENS))
	$(MAKE) test-web test-peers test-pyodide

# The second run would erase what the first has left in .coverage*, so it lies elsewhere.
prove-engines: $(VENV)/dev $(NODE) ## all tests of the library on both engines, or SLICE=2/12 of them
	$(THOROUGH) GRADWALK_PURE=0 $(PYTEST) -m "$(ALL)" --cov --cov-report= --doctest-modules src tests
	mv .coverage $(VENV)/coverage.native.$(subst /,-,$(or $(SLICE),whole))
	$(THOROUGH) GRADWALK_PURE=1 $(PYTEST) -m "$(ALL)" --cov --cov-report= tests
	mv .coverage $(VENV)/coverage.python.$(subst /,-,$(or $(SLICE),whole))
	$(THOROUGH) $(PYTEST) -m long tests || test $$? -eq 5 # a slice may have none

prove-coverage: $(VENV)/dev ## branches that all slices of prove-engines have reached: 95 %
	$(BIN)/coverage combine --quiet --keep $(VENV)/coverage.*.*
	$(BIN)/coverage report --fail-under=95

# The compiled engine with the sanitizers of GCC, in a copy of the package.
SANITIZE  := -fsanitize=address,undefined -fno-sanitize-recover=undefined -g
SANITIZED := build/sanitized/lib

sanitize: $(VENV)/dev ## the compiled engine under AddressSanitizer and UndefinedBehaviorSanitizer
	$(BIN)/python setup.py -q build_py --build-lib $(SANITIZED)
	CFLAGS="$(SANITIZE)" LDFLAGS="$(SANITIZE)" \
	    $(BIN)/python setup.py -q build_ext --build-temp build/sanitized --build-lib $(SANITIZED)
	export ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc GRADWALK_PURE=0 PYTHONPATH=$(SANITIZED) \
	    LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" && \
	$(BIN)/python -c "from gradwalk.native import _engine; assert '$(SANITIZED)' in _engine.__file__" && \
	$(BIN)/python -m pytest -q -m "not (long or prove or memory)" tests/engine tests/native tests/levels \
	    tests/program tests/tensor/graph && \
	$(BIN)/python -m pytest -q tests/native/test_stress.py

prove-mutants: $(VENV)/dev ## mistakes put into the source on purpose, or SLICE=1/24 of them
	GRADWALK_TESTS=quick $(BIN)/python -m tests.mutants $(if $(SLICE),--slice $(SLICE))

# The page that users get was made of this very source: it is made once more, and compared.
test-web:                 ## types and tests of the page, and that its bundle is current
	@if ! command -v npm >/dev/null; then \
	    echo "NOT TESTED: the page. Its tests need Node 20 and npm, which are not installed."; \
	else \
	    $(MAKE) --no-print-directory $(MODULES) && cd web && npx tsc && npx vitest run && \
	    rm -rf build && GRADWALK_STATIC=build npm run --silent build && diff -r build ../$(STATIC); \
	fi

test-browser: $(VENV)/dev $(NODE) ## every room of the page in a real browser
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "browser and not prove" tests/browser

prove-browser: $(VENV)/dev $(NODE) ## the page in a real browser, with every screen size
	$(THOROUGH) $(BIN)/python -m pytest -q -n 2 --dist loadfile -m browser tests/browser

# Pure Python, installed into a folder that the interpreter of Pyodide sees.
PYODIDE := tests/pyodide
WHEELS  := --only-binary=:all: --platform any --implementation py --abi none --python-version 3.14

test-pyodide: $(PYODIDE)/node_modules/.package-lock.json ## the tests of Values in WebAssembly, without NumPy
	cd $(PYODIDE) && node run.mjs ../../build/pyodide

$(PYODIDE)/node_modules/.package-lock.json: $(PYODIDE)/package-lock.json $(PYODIDE)/requirements.txt | $(BIN)/python
	$(BIN)/python $(PIP) --upgrade --target build/pyodide $(WHEELS) -r $(PYODIDE)/requirements.txt
	cd $(PYODIDE) && npm ci
	@touch $@

# What is uploaded; then the source distribution is unpacked elsewhere, built there, and tests itself.
release: $(VENV)/dev      ## both distributions in dist/, checked; the source distribution tests itself
	$(BIN)/python $(PIP) build twine
	rm -rf dist build/unpacked && $(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	mkdir -p build/unpacked && tar xzf dist/*.tar.gz -C build/unpacked --strip-components=1
	$(MAKE) -C build/unpacked test-engines

test-install: $(VENV)/dev ## a wheel in fresh environments, with each extra alone
	$(BIN)/python -m pytest -q -m install tests/release

test-notebooks: $(VENV)/notebooks ## the walk in JupyterLab, Notebook 7 and marimo
	GRADWALK_NOTEBOOKS=require $(BIN)/python -m pytest -q -m browser tests/browser/test_notebooks.py

web: $(MODULES) $(VENV)/dev ## the page in the package, from its source, the table, the language and the phases
	$(BIN)/python -m gradwalk.studio.printed web/src/engine/table.ts
	$(BIN)/python -m gradwalk.expression.printed web/src/expression/language.ts
	$(BIN)/python -m gradwalk.workshop.printed web/src/workshop/phases.ts
	cd web && GRADWALK_STATIC=../$(STATIC) npm run --silent build

$(MODULES): web/package.json web/package-lock.json
	cd web && npm ci
	@touch $@

lint: $(VENV)/dev         ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev        ## mypy --strict; programs of users, by mypy and pyright
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m types tests/typing

stubs: $(VENV)/dev        ## what type checkers read of methods and functions that are made at run time
	$(BIN)/python -m gradwalk.tensor.printed

test-foreign: $(PEERS)/dev ## eight broken programs of PyTorch and JAX, which gradwalk explains
	$(PEERS)/bin/python -m pytest -q -n 2 -m "peer and quick" tests/foreign

test-places: $(PEERS)/dev ## the table and whole programs on arrays of PyTorch and JAX, compiled by them; INDUCTOR=all
	GRADWALK_INDUCTOR=$(or $(INDUCTOR),few) $(PEERS)/bin/python -m pytest -q -n 2 -m peer tests/libraries

test-peers: $(PEERS)/dev  ## the same numbers as PyTorch, JAX and micrograd, and all of their programs
	$(PEERS)/bin/python -m pytest -q -n auto -m peer tests/peers tests/matrix tests/foreign

bench: $(PEERS)/dev       ## the table of ratios, as text, JSON and picture
	$(PEERS)/bin/python -m benchmarks

bench-past: $(VENV)/dev    ## usual loops beside the commit of a week before: what has become slower
	$(BIN)/python -m benchmarks.past

docs: $(VENV)/docs        ## the manual and the reference, as a web site in site/
	$(BIN)/python docs/build.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo: $(BIN)/python $(SOURCES)
	@echo "Installing gradwalk, its command line and its pictures into $(VENV):"
	$(BIN)/python $(subst --quiet,,$(PIP)) ".[cli,plot]"
	@touch $@

$(VENV)/dev: $(BIN)/python $(SOURCES)
	$(BIN)/python $(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/demo

$(VENV)/notebooks: $(VENV)/dev
	$(BIN)/python $(PIP) --editable ".[notebooks]"
	@touch $@

$(VENV)/docs: $(BIN)/python $(SOURCES)
	$(BIN)/python $(PIP) --editable ".[docs]"
	@touch $@

$(PEERS)/bin/python:
	$(PYTHON) -m venv $(PEERS)

$(PEERS)/dev: $(PEERS)/bin/python $(SOURCES)
	$(PEERS)/bin/python $(PIP) torch==2.13.0
	$(PEERS)/bin/python $(PIP) --editable ".[dev,peers]"
	@touch $@

clean:
	rm -rf build web/build web/node_modules dist site demo $(VENV) $(PEERS) src/*.egg-info .coverage* .*_cache .hypothesis src/gradwalk/native/*kernels.h
	find src -name '*.so' -delete
