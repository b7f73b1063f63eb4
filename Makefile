# make setup | make demo [PORT=8000] | make check | make test [PART=…] | make fuzz | make messages | make schema | make error-codes
# make pictures | make documentation | make audit | make studies | make mutants | make coverage | make release
# Needs only Python 3.11 or newer with pip, and make.

PORT ?= 8000
.DEFAULT_GOAL := help
.PHONY: help setup demo check test fuzz messages schema error-codes pictures documentation audit studies mutants coverage release clean

help:
	@echo "make setup            make the environment, in .venv, and the tools for scripts, in node_modules"
	@echo "make demo [PORT=8000] start everything with the demo campaign and print the address"
	@echo "make check            lint, format, types, import contracts, tests of scripts, the kernels' quick tests"
	@echo "make test [PART=…]    all checks and all tests, or those parts of them that PART names"
	@echo "make fuzz [FUZZ=20]   property tests and the API's fuzzer on new examples, FUZZ times as many"
	@echo "make messages         bring the catalogues of translations in locale/ up to date"
	@echo "make schema           bring the API's description, campaigns/api/schema.yaml, up to date"
	@echo "make error-codes      write error codes, settings, limits and commands into docs/, from the code"
	@echo "make pictures         renew the pictures of docs/, from the demo in a browser"
	@echo "make documentation    build docs/ and the library's reference as a site of its own, in .documentation/"
	@echo "make audit            ask OSV about known vulnerabilities of all locked packages (needs a network)"
	@echo "make mutants [SAMPLE=200] [SEED=1] [MODULES='FILE…']"
	@echo "                      change the kernels at random, and show what no test notices (needs a network)"
	@echo "make coverage         measure the branches of the kernels that their tests run (needs a network)"
	@echo "make release [DRY=1]  check everything and tag the version (docs/releasing.md)"
	@echo "make studies COLLECTIONS='DIR…'"
	@echo "                      renew the tables and pictures of docs/evidence/studies*.md"
	@echo "make clean            remove the environment; the data in .embedded stays"

setup: .venv/synced node_modules/.installed

# The stamp is older than the lock file whenever there is something to bring up to date.
.venv/synced: uv.lock pyproject.toml bin/setup
	@sh bin/setup
	@touch $@

# The tools that check scripts and style sheets. The site needs none of them; without npm's registry they are left out.
node_modules/.installed: .venv/synced package-lock.json bin/setup-front-end
	@sh bin/setup-front-end && touch $@ || true

demo: .venv/synced
	@.venv/bin/python manage.py demo --port $(PORT)

check: setup
	@.venv/bin/python -m tests.plumbing.checks check

test: setup
	@.venv/bin/python -m tests.plumbing.checks $(PART)

# Tools that no test needs, so they are not locked with the others.
WITH = .tools/bin/uv run --no-sync --frozen --quiet --with
SAMPLE ?= 200
SEED ?= 1
mutants: setup
	@$(WITH) cosmic-ray==8.7.0 python -m tests.plumbing.releases.mutants --sample $(SAMPLE) --seed $(SEED) $(MODULES)

coverage: setup
	@FUZZ=0.2 $(WITH) coverage==7.17.5 coverage run --branch --source=evaluation,selection --data-file=.venv/coverage \
	  -m pytest -q --noconftest -p no:django -p tests.plumbing.releases.mutants tests/evaluation tests/selection
	@$(WITH) coverage==7.17.5 coverage report --data-file=.venv/coverage --skip-covered

release: setup
	@.venv/bin/python -m tests.plumbing.releases.release $(if $(DRY),--dry-run)

# A variable of make's command line is in the environment of what it runs.
fuzz: setup
	@.venv/bin/python -m tests.plumbing.checks fuzz

messages: setup
	@.venv/bin/python -m config.messages

schema: setup
	@.venv/bin/python manage.py spectacular --validate --fail-on-warn --file campaigns/api/schema.yaml

error-codes: setup
	@.venv/bin/python -m tests.docs.generated

pictures: setup
	@.venv/bin/python -m tests.docs.pictures

# Sphinx reads a copy, to which the pages of the reference are added.
documentation: setup
	@mkdir -p .documentation && rm -rf .documentation/.source && cp -R docs .documentation/.source
	@.venv/bin/python -m sphinx -q -W --keep-going -j 2 -c deploy/documentation .documentation/.source \
	  ".documentation/$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)"

audit: setup
	@.venv/bin/python -m tests.plumbing.dependency_audit refresh

# Each folder holds runs/, qrels.txt and, where participants are known, groups.txt.
STUDIES = topic-selection topic-selection-p100 topics-needed topics-at-once \
  topic-generalisation metric-transfer initialisation \
  relevant-found persistence-overlap persistence-residual separability score-ranges \
  pool-depth p-sweep metric-correlation metric-separability
STUDIES += score-estimates pessimistic-separability convergence background-rate
STUDIES += agreement variance-components stability cost reusability early-stopping
studies: setup
	@for folder in $(COLLECTIONS); do for name in $(STUDIES); do \
	  page=$$(grep -l "<!-- study $$name $$(basename $$folder) -->" docs/evidence/studies*.md) || continue; \
	  .venv/bin/python manage.py study $$name --runs $$folder/runs --qrels $$folder/qrels.txt --page $$page \
	    $$(test ! -f $$folder/groups.txt || echo --groups $$folder/groups.txt) || exit 1; done; done

clean:
	rm -rf .venv .tools node_modules
