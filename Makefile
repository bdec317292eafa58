# One command does format check, lint, types and tests: `make check`, the same as CI.

# Child processes of the tests start faster with compiled modules, whatever the shell asks for.
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
PY := $(VENV)/bin/python

$(VENV)/.ready: pyproject.toml requirements.txt
	python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

.PHONY: check check-all check-bare services docs format lint mutants thorough types test
check: services lint types test

# What the tests talk to is their own; here are the programs they start, installed where that may be done.
services: $(VENV)/.ready
	$(PY) -m tests.services

format: $(VENV)/.ready
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

lint: $(VENV)/.ready
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .

types: $(VENV)/.ready
	$(VENV)/bin/mypy

# Wheel and sdist in dist/, from a clean tree whose version stands in the changelog, after every check.
.PHONY: release
release: $(VENV)/.ready
	git diff --quiet HEAD || { echo "commit or stash your changes first" >&2; exit 1; }
	@version=$$($(PY) -c 'import footnoted; print(footnoted.__version__)'); \
	  grep -q "^## $$version$$" CHANGELOG.md || { echo "CHANGELOG.md has no section \"## $$version\"" >&2; exit 1; }
	$(MAKE) check
	rm -rf dist && $(PY) -m build && $(PY) -m twine check --strict dist/*

# The documentation as a site in build/site; a broken link or name is an error.
docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict --quiet

test: $(VENV)/.ready
	$(VENV)/bin/pytest -n 2 --cov --cov-report=term --cov-fail-under=94

# At night: each law on twenty times as many examples, new ones every time.
thorough: services
	FOOTNOTED_TESTS=thorough $(VENV)/bin/pytest -n 2 --timeout 1200

# The tests under each Python that pyproject promises; what cannot be had here is named at the end.
check-all: services
	$(PY) -m tests.pythons

# An hour before a release: requests bent byte by byte to every endpoint, then what the document allows and forbids.
MINUTES ?= 50
.PHONY: fuzz
fuzz: services
	$(PY) -m tests.fuzz --minutes $(MINUTES)
	FOOTNOTED_TESTS=thorough $(VENV)/bin/pytest --timeout 1200 tests/service/test_fuzz.py

# How many small faults, sown one at a time into a sample of three rooms, their tests notice.
mutants: services
	$(PY) -m tests.mutants

# Debian 12 with nothing but what a newcomer has: the README's two commands are typed there (as root, with debootstrap).
check-bare:
	./tests/bare.sh
