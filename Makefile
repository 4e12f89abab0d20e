# Every target sets up what it needs in .venv; a second run finds it ready.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PINNED := --constraint .ci/constraints.txt
SOURCES := pyproject.toml CMakeLists.txt $(shell find src native -type f -not -name '*.pyc')

.PHONY: run test lint native-tests thorough bench ablate faults sanitize fuzz platforms check-gallery docs wheel interpreters clean

run: $(VENV)/.installed
	$(BIN)/acltwin run

test: $(VENV)/.installed-test
	$(MAKE) --no-print-directory --output-sync -j2 lint native-tests  # mypy uses one core, and so does the last C++ test
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --durations 15 --durations-min 3

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $$(find native examples tests -name '*.h' -o -name '*.cpp')
	$(BIN)/mypy

native-tests: $(VENV)/.installed-test
	$(BIN)/python tools/native_tests.py

# What a merge cannot wait for: ten times the random examples, and all layouts and threads on every instruction set.
thorough: $(VENV)/.installed-test
	TESTS_THOROUGH=1 $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

bench: $(VENV)/.installed-test
	PYTHONPATH=benchmarks $(BIN)/python -m bench $(BENCH)

# What each specialisation of the kernels earns: a table for docs/development/ablation.md.
ablate: $(VENV)/.installed-test
	$(BIN)/python tools/ablate.py $(ABLATE)

# Whether the tests notice faults that are put into the library one by one (tools/faults). `make faults
# FAULTS="NAME --look-only"` tries one of them.
faults: $(VENV)/.installed-test
	$(BIN)/python tools/faults.py $(FAULTS)

sanitize: $(VENV)/.installed-test
	$(BIN)/python tools/sanitize.py

# Ten minutes for each target, or as long as FUZZ="--seconds N" says; needs clang.
fuzz: $(VENV)/.installed-test
	$(BIN)/python tools/fuzz.py $(FUZZ)

# Other compilers and processors; needs clang, g++-aarch64-linux-gnu and qemu-user. `make platforms SHORT=--short` takes a
# few minutes, and leaves out what is not installed.
platforms: $(VENV)/.installed-test
	$(BIN)/python tools/compilers.py $(SHORT)
	$(BIN)/python tools/aarch64.py $(SHORT)

# Every wrong program must be found, and every right one left alone, in 20 of 20 runs.
check-gallery: $(VENV)/.installed-test
	$(BIN)/python tools/check_gallery.py

docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W -q docs docs/_build/html
	@echo "open docs/_build/html/index.html"

wheel: $(VENV)/.created
	$(BIN)/pip install --quiet $(PINNED) build auditwheel abi3audit twine
	rm -rf dist
	$(BIN)/python -m build --wheel --no-isolation --outdir dist
	$(BIN)/auditwheel show dist/*.whl
	$(BIN)/abi3audit --strict dist/*.whl
	$(BIN)/twine check --strict dist/*.whl
	$(BIN)/python tools/sbom.py dist/*.whl

# The wheel on other Pythons: make interpreters PYTHONS="/usr/bin/python3.12 /usr/bin/python3.14"
interpreters: wheel
	$(BIN)/python tools/interpreters.py dist/*.whl $(PYTHONS)

clean:
	rm -rf $(VENV) build docs/_build

# The build tools stay in .venv: pip's own throw-away ones would have everything compiled anew at each install.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "acltwin needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1); try: make PYTHON=python3.12 $(MAKECMDGOALS)"; \
		exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(PINNED) scikit-build-core cmake ninja
	touch $@

$(VENV)/.installed: $(VENV)/.created $(SOURCES)
	@echo "building acltwin into $(VENV) (a few minutes the first time)"
	$(BIN)/pip install --quiet --no-build-isolation .
	touch $@

$(VENV)/.installed-docs: $(VENV)/.created $(SOURCES)
	@echo "building acltwin and installing Sphinx into $(VENV) (a few minutes the first time)"
	$(BIN)/pip install --quiet $(PINNED) --no-build-isolation '.[docs]'
	touch $(VENV)/.installed $@

$(VENV)/.installed-test: $(VENV)/.created $(SOURCES)
	@echo "building acltwin and installing the test tools into $(VENV) (PyTorch and JAX among them: a few minutes the first time)"
	$(BIN)/python tools/install.py $(PINNED) test
	touch $(VENV)/.installed $@
