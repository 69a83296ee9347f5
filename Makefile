# uv, which pip fetches, fills .venv with the pins of requirements.lock as far as a target needs it.
PYTHON ?= python3
NEWEST ?= 3.14
BIN := .venv/bin
INSTALL = $(BIN)/uv pip install --quiet --editable . --python
QUICKLY := MPLBACKEND=Agg OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=
PYTEST := -m pytest --numprocesses auto --dist worksteal
.PHONY: demo test lint docs versions fuzz mutants bench dist lock
demo: .venv/demo.installed
	$(BIN)/python gallery/plot_main_job.py

test: .venv/test.installed  # TESTS=tests/plots takes a part
	$(QUICKLY) $(BIN)/python $(PYTEST) $(TESTS)

lint: .venv/dev.installed
	$(BIN)/ruff check && $(BIN)/ruff format --check
	$(BIN)/lint-imports && $(BIN)/vulture
	$(BIN)/mypy

docs: .venv/docs.installed  # a warning, a failing example or a link to nowhere stops it
	MPLBACKEND=Agg $(BIN)/python -m sphinx --fail-on-warning --keep-going -d build/doctrees docs build/site

versions: .venv-lowest/installed .venv-newest/installed
	$(QUICKLY) .venv-lowest/bin/python $(PYTEST) --ignore tests/site $(TESTS)
	$(QUICKLY) .venv-newest/bin/python $(PYTEST) --ignore tests/site $(TESTS)

fuzz: .venv/test.installed  # minutes; FOR=hours before a release
	$(QUICKLY) $(BIN)/python $(PYTEST) --hypothesis-profile=$(or $(FOR),minutes) $(TESTS)

mutants: .venv/mutants.installed
	$(QUICKLY) $(BIN)/mutmut run --max-children 1 'pu_accessor.sources.frames.*'
	cd mutants && $(QUICKLY) ../$(BIN)/python -m pytest -p no:cacheprovider -p tests.support.long.mutants --ignore tests/site \
		--ignore tests/sources/test_polars.py tests pu_accessor/questions $(OPTIONS)

bench: .venv/bench.installed  # OPTIONS=--publish replaces the published numbers
	$(BIN)/python -m tests.support.benchmarks $(OPTIONS)

dist: .venv/dev.installed  # tries each where nothing else is installed
	rm -rf dist
	$(BIN)/uv build --quiet
	for built in dist/*.whl dist/*.tar.gz; do .ci/try-built $$built || exit 1; done

lock: $(BIN)/uv
	$(BIN)/uv pip compile --quiet --no-annotate --no-header --upgrade pyproject.toml --output-file requirements.lock \
		--all-extras --group dev --group docs --group bench --group mutants

.venv/%.installed: pyproject.toml requirements.lock | $(BIN)/uv
	$(INSTALL) .venv --group $* --constraint requirements.lock
	touch $@

.venv-lowest/installed: RULE := --resolution lowest-direct
.venv-newest/installed: RULE := --upgrade
.venv-%/installed: pyproject.toml | $(BIN)/uv
	$(BIN)/uv venv --quiet --clear --python $(if $(findstring lowest,$*),3.11,$(NEWEST)) .venv-$*
	$(INSTALL) .venv-$* --group test $(RULE)
	touch $@

$(BIN)/uv:
	$(PYTHON) -m venv .venv && $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
