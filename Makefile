# make setup | make demo [PORT=8000] | make test | make messages | make schema
# Needs only Python 3.11 or newer with pip, and make.

PORT ?= 8000
.DEFAULT_GOAL := help
.PHONY: help setup demo test messages schema clean

help:
	@echo "make setup            make the environment, in .venv"
	@echo "make demo [PORT=8000] start everything with the demo campaign and print the address"
	@echo "make test             lint, types, import contracts and all tests"
	@echo "make messages         bring the catalogues of translations in locale/ up to date"
	@echo "make schema           bring the API's description, campaigns/api/schema.yaml, up to date"
	@echo "make clean            remove the environment; the data in .embedded stays"

setup: .venv/synced

# The stamp is older than the lock file whenever there is something to bring up to date.
.venv/synced: uv.lock pyproject.toml bin/setup
	@sh bin/setup
	@touch $@

demo: setup
	@.venv/bin/python manage.py demo --port $(PORT)

test: setup
	@.venv/bin/python -m tests.plumbing.checks

messages: setup
	@.venv/bin/python -m config.messages

schema: setup
	@.venv/bin/python manage.py spectacular --validate --fail-on-warn --file campaigns/api/schema.yaml

clean:
	rm -rf .venv .tools
