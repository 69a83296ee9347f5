# Everything happens in .venv, which each target makes and fills as far as it needs.
PYTHON ?= python3
BIN := .venv/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DELETE_ON_ERROR:
.PHONY: demo test lint format docs bench bench-dask clean

demo: .venv/demo.installed
	$(BIN)/python gallery/plot_main_job.py

test: .venv/test.installed
	MPLBACKEND=Agg $(BIN)/python -m pytest --numprocesses auto

lint: .venv/dev.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/dev.installed
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Runs the gallery; any warning, failing example or link to nowhere stops it.
docs: .venv/docs.installed
	MPLBACKEND=Agg $(BIN)/python -m sphinx --fail-on-warning --keep-going -b html -d build/doctrees docs build/site
	$(BIN)/python docs/check_links.py build/site

# Races against scikit-learn and a bootstrap; writes the tables and the picture of docs/benchmarks.md.
bench: .venv/bench.installed
	mkdir -p build
	$(BIN)/python -m pytest tests/benchmarks/bench_speed.py tests/benchmarks/bench_memory.py \
		--benchmark-json=build/bench.json
	MPLBACKEND=Agg $(BIN)/python -m tests.benchmarks.report build/bench.json

# 100,000,000 rows of Parquet on two workers; PU_BENCH_FILES=5 takes a tenth of them.
bench-dask: .venv/bench.installed
	mkdir -p build
	$(BIN)/python -m pytest tests/benchmarks/bench_dask.py --benchmark-json=build/bench-dask.json
	$(BIN)/python -m tests.benchmarks.report build/bench-dask.json

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf docs/gallery docs/generated gallery/build

.venv/%.installed: pyproject.toml | .venv/pip.installed
	$(INSTALL) --editable . --group $*
	touch $@

# Dependency groups need pip 25.1; the one that comes with an older Python is too old.
.venv/pip.installed:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pu_accessor needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(INSTALL) "pip>=25.1"
	touch $@
