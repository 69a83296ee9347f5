# Everything happens in .venv, which each target makes and fills as far as it needs, with the pins of
# requirements.lock. Environments of other versions stand beside it, without these pins.
PYTHON ?= python3
NEWEST ?= $(shell .ci/newest-python)
BIN := .venv/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
INTO = $(BIN)/python -m pip --python $(1)/bin/python install --quiet --disable-pip-version-check
PINNED := --constraint requirements.lock
# Two workers count: threads of their own for each would be in each other's way. A machine may forbid to
# keep bytecode; then each worker reads each test anew.
QUICKLY := MPLBACKEND=Agg OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=
PYTEST := -m pytest --numprocesses auto --dist worksteal

.DELETE_ON_ERROR:
.PHONY: demo test coverage test-long test-versions test-lowest test-newest test-distributed fuzz mutants lint format
.PHONY: docs bench bench-costs bench-dask dist lock audit clean

demo: .venv/demo.installed
	$(BIN)/python gallery/plot_main_job.py

test: .venv/test.installed
	@echo "Some 6,400 tests: under three minutes on two idle cores. TESTS=tests/methods takes some alone."
	$(QUICKLY) $(BIN)/python $(PYTEST) $(TESTS)

# Which lines and branches of the package the suite reaches; the last line is that of docs/contributing.md.
coverage: .venv/coverage.installed
	$(QUICKLY) $(BIN)/coverage run $(PYTEST)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Simulations of coverage, and what is counted by enumeration for seconds.
test-long: .venv/test.installed
	$(QUICKLY) $(BIN)/python $(PYTEST) -m long tests

# The suite here, on exactly the lowest versions that pyproject.toml allows, and on the newest of
# everything on the newest Python there is. The lines printed are those of docs/support.md.
test-versions: test test-lowest test-newest
	@$(BIN)/python tests/support/versions.py row locked
	@.venv-lowest/bin/python tests/support/versions.py row lowest
	@.venv-newest/bin/python tests/support/versions.py row newest

# TESTS=... takes some tests alone. Studies and pages of the manual are tried on the locked versions.
ELSEWHERE := --ignore tests/quick --ignore tests/site
test-lowest: .venv-lowest/installed
	$(QUICKLY) .venv-lowest/bin/python $(PYTEST) $(ELSEWHERE) $(TESTS)

test-newest: ELSEWHERE += --ignore tests/plots  # drawn here by the same matplotlib
test-newest: .venv-newest/installed
	$(QUICKLY) .venv-newest/bin/python $(PYTEST) $(ELSEWHERE) $(TESTS)

# A worker is killed during each question, then all are.
test-distributed: .venv/test.installed
	MPLBACKEND=Agg $(BIN)/python -m pytest tests/support/long/distributed_deaths.py

# Minutes; FOR=hours for a release. The seed is printed: SEED=... draws the same once more.
FOR ?= minutes
SEED ?= $(shell date +%s)
fuzz: .venv/test.installed
	@echo "SEED=$(SEED)"
	$(QUICKLY) $(BIN)/python $(PYTEST) --hypothesis-profile=$(FOR) --hypothesis-seed=$(SEED) \
		$(wildcard tests/support/long/fuzz_*.py)

# Tries a sample of mutants, functions with one change each, against the tests that reach them. SEED=...
# draws the same once more, ONLY="pu_accessor.plots.*" of some alone; `rm -r mutants` lets it note anew which
# tests reach what.
SAMPLE ?= 1500
ONLY ?= *
REACHING := tests/accessors tests/arguments tests/datasets tests/methods tests/numerics tests/plots tests/quick \
	tests/sources pu_accessor/questions
mutants: .venv/mutants.installed
	$(QUICKLY) $(BIN)/mutmut run --max-children 1 'pu_accessor.sources.frames.*'
	cd mutants && $(QUICKLY) ../$(BIN)/python -m pytest -p tests.support.long.mutants -p no:cacheprovider \
		--sample=$(SAMPLE) --seed=$(SEED) --only="$(ONLY)" $(REACHING) --ignore tests/sources/test_polars.py

# The examples of the manual are checked as a user of types sees them.
lint: .venv/dev.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	rm -rf build/snippets
	$(BIN)/python docs/snippets.py build/snippets
	$(BIN)/mypy --config-file docs/snippets.ini build/snippets
	$(BIN)/basedpyright

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
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest tests/support/benchmarks/bench_speed.py tests/support/benchmarks/bench_memory.py \
		--benchmark-json=build/bench.json
	MPLBACKEND=Agg $(BIN)/python -m tests.support.benchmarks.report build/bench.json

# Processor time and memory of each question as rows, groups, models and betas grow, for an hour.
bench-costs: .venv/bench.installed
	$(QUICKLY) $(BIN)/python -m tests.support.benchmarks.costs

# 100,000,000 rows of Parquet on two workers; PU_BENCH_FILES=5 takes a tenth of them.
bench-dask: .venv/bench.installed
	mkdir -p build
	$(BIN)/python -m pytest tests/support/benchmarks/bench_dask.py --benchmark-json=build/bench-dask.json
	$(BIN)/python -m tests.support.benchmarks.report build/bench-dask.json

# Builds, and tests what was built where nothing else is: first as a user would, then with the tests.
dist: .venv/dist.installed
	rm -rf dist
	$(BIN)/python -m build
	for built in dist/*.whl dist/*.tar.gz; do PYTHON=$(PYTHON) .ci/try-built $$built || exit 1; done

# Pins for all groups, as the index gives them today; no address of it is kept.
lock: .venv/pip.installed
	mkdir -p build
	$(INSTALL) --dry-run --ignore-installed --report build/lock.json --editable . pip \
		--group dev --group docs --group bench --group dist --group audit --group mutants --group coverage
	$(BIN)/python tests/support/versions.py pins build/lock.json > build/requirements.lock
	mv build/requirements.lock requirements.lock

# Asks a public list of weaknesses about each pin; needs the network.
audit: .venv/audit.installed
	$(BIN)/python -m pip_audit --disable-pip --no-deps --requirement requirements.lock

clean:
	rm -rf .venv .venv-lowest .venv-newest build dist .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf docs/gallery docs/generated gallery/build

.venv/%.installed: pyproject.toml requirements.lock | .venv/pip.installed
	$(INSTALL) --editable . --group $* $(PINNED)
	touch $@

.venv-lowest/installed: pyproject.toml tests/support/versions.py | .venv/pip.installed
	test -x $(@D)/bin/python || $(PYTHON) -m venv --without-pip $(@D)
	$(BIN)/python tests/support/versions.py lowest > $(@D)/pins
	$(call INTO,$(@D)) --editable . --group test --constraint $(@D)/pins
	touch $@

.venv-newest/installed: pyproject.toml | .venv/pip.installed
	test -x $(@D)/bin/python || $(NEWEST) -m venv --without-pip $(@D)
	$(call INTO,$(@D)) --upgrade --upgrade-strategy eager --editable . --group test
	touch $@

# Dependency groups need pip 25.1; the one that comes with an older Python is too old.
.venv/pip.installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pu_accessor needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(INSTALL) pip $(PINNED)
	touch $@
