# Two commands for a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CLIENTS := .venv-clients
SOCIETY := .venv-society
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test soak check clients society docs bench licences requirements clean

# A debate as it goes, then a study of eight questions, then its report.
demo: $(VENV)/run.stamp
	$(BIN)/moot ask "Is the sun a star?" --kind boolean --max-tokens 60
	$(BIN)/moot run demo --limit 8; code=$$?; $(BIN)/moot report demo; exit $$code

# What one waits for: every promise, in minutes. Four workers for two cores: a test that waits for
# a process holds nobody up. With no bytecode kept, many processes would compile all they import.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 4 --dist worksteal

test: check
	$(PYTEST) -m "not soak"

# The rest: effects at size, kills, Ray, long fuzzing, browsers, frameworks, the embedded model.
soak: $(VENV)/test.stamp clients society
	$(PYTEST) -m soak

# Programs that read what moot writes or talk to it, in an environment of their own.
clients: $(CLIENTS)/pinned.stamp

# The frameworks that moot can run.
society: $(SOCIETY)/pinned.stamp

check: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/contract.py

# The documentation site, in site/, with the pages as Markdown beside it for language models.
docs: $(VENV)/test.stamp
	$(BIN)/python tools/docs/build_site.py
	@echo "open site/index.html"

bench: $(VENV)/test.stamp
	$(BIN)/python bench/overhead.py

# What is installed with moot and with each of its extras, under which licence.
licences: $(VENV)/test.stamp
	$(BIN)/python requirements/licences.py

$(VENV)/%.stamp: requirements/%.txt pyproject.toml
	@echo "installing moot into $(VENV), for this folder alone"
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --no-deps --require-hashes -r requirements/$*.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

.venv-%/pinned.stamp: requirements/%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

# Pins every version with its hashes; uv is needed only here.
requirements:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate pyproject.toml requirements/build.in --extra local \
	  -o requirements/run.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate pyproject.toml requirements/test.in --extra local --extra embed --extra data \
	  --extra cluster --extra postgresql --extra report --extra serve --extra mcp --extra tune --extra essays --extra chess --extra math --extra imports \
	  -o requirements/test.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate requirements/clients.in -o requirements/clients.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate pyproject.toml requirements/society.in --extra math -o requirements/society.txt
	uv pip compile --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate requirements/bench.in -o requirements/bench.txt

clean:
	rm -rf $(VENV) $(CLIENTS) $(SOCIETY) .moot site
