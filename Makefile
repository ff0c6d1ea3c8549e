# Two commands on a fresh machine: `make site` and `make test`. Both set up what they need in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
APT := env DEBIAN_FRONTEND=noninteractive apt-get
ROOT := $(shell id -u | grep -qx 0 && echo yes)

.PHONY: site test lint vectors bench clean
.DEFAULT_GOAL := site

site: $(VENV)/.run  ## Analyse the bundled scenarios and build the site.
	for scenario in quickstart refund-policy stochastic-rag eight-step; do \
	  $(BIN)/agentblame analyze $$scenario --out games || exit 1; done
	$(BIN)/agentblame build games --out site
	@echo "Open $(CURDIR)/site/index.html"

test: $(VENV)/.test browser  ## Run every test, those in a browser included.
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

lint: $(VENV)/.test $(VENV)/.lint  ## Check style, types and import rules.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

vectors: $(VENV)/.test  ## Write the rules' test vectors again.
	$(BIN)/python -m tests.vectors.regenerate

bench: $(VENV)/.test browser  ## Print every benchmark's table.
	for script in benchmarks/*.py; do echo; echo "## $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) games site report.html dist

# Debian splits venv off from python3, and a bare machine lacks it.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed (make PYTHON=python3.12 …)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  test -n "$(ROOT)" || { echo "Install python3-venv first: sudo apt-get install python3-venv"; exit 1; }; \
	  $(APT) update -q && $(APT) install -qy python3-venv; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.test: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

$(VENV)/.lint: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[lint]'
	touch $@

# A browser of the system's where there is one or root can install it; Playwright's own otherwise. As root also the
# shell of a second JavaScript engine, which runs the rules' vectors too; the tests do without where it is not to be had.
.PHONY: browser
browser: $(VENV)/.test
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
	  if test -n "$(ROOT)" && command -v apt-get >/dev/null; then $(APT) update -q && $(APT) install -qy chromium; \
	  else $(BIN)/python -m playwright install chromium; fi; }
	@command -v jsc >/dev/null || { \
	  if test -n "$(ROOT)" && command -v apt-get >/dev/null; then $(APT) update -q; $(APT) install -qy libjavascriptcoregtk-4.0-bin \
	  || $(APT) install -qy libjavascriptcoregtk-4.1-bin || true; fi; }
