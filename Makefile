# geoms: `make demo` and `make test` do everything, set-up included.

CARGO      ?= cargo
FC         ?= gfortran
CC         ?= cc
CXX        ?= c++
PREFIX     ?= /usr/local
DESTDIR    ?=
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR     ?= $(PREFIX)/bin

ifeq ($(origin FC),default)
FC := gfortran
endif

TARGET  := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET)/release
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# Many small matrices: threads inside BLAS only cost time.
export OPENBLAS_NUM_THREADS = 1
export FC CC CXX

.PHONY: all setup lib header docs demo test bench bench-quick bench-settings bench-setup accuracy which-method clean \
        test-instructions instructions \
        test-format test-lint test-rust test-doc test-header test-drivers test-memory test-valgrind test-asan \
        test-faults test-threads test-identity profile test-profile

all: lib

# Install what is missing on a Debian-like machine; say what to install elsewhere. Nothing is downloaded if
# nothing is missing.
setup:
	@.ci/setup

# Programs look for the library under its SONAME, also in the build tree.
lib: setup
	$(CARGO) build --release --lib
	ln -sf libgeoms.so $(RELEASE)/$(SONAME)

header docs: setup
	$(CARGO) run --release --quiet --example gendocs

demo: lib
	fortran-tests/run.sh --demo

# Every suite with its counts; logs in target/suites. The targets below are its parts.
test: lib
	@MAKE="$(MAKE)" CARGO="$(CARGO)" .ci/suites

test-format: setup
	$(CARGO) fmt --check

test-lint: setup
	$(CARGO) clippy --release --all-targets -- -D warnings

# Also compares include/geoms.h and the generated pages of docs/ with the tables they are made from.
test-rust: setup
	$(CARGO) test --release

test-doc: setup
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps

WARNINGS := -Wall -Wextra -Wpedantic -Werror -fsyntax-only
test-header: setup
	$(CC) -std=c99 $(WARNINGS) -x c -include include/geoms.h /dev/null
	$(CC) -std=c11 $(WARNINGS) -x c -include include/geoms.h /dev/null
	$(CXX) -std=c++17 $(WARNINGS) -x c++ -include include/geoms.h /dev/null
	$(CXX) -std=c++17 $(WARNINGS) -x c++ -include include/geoms.hpp /dev/null

test-drivers: lib
	fortran-tests/run.sh
	c-examples/run.sh

test-memory: test-valgrind test-asan test-faults

test-valgrind: lib
	fortran-tests/run.sh --valgrind

test-asan: lib
	fortran-tests/run.sh --asan

# A part of the fault suite under valgrind.
test-faults: setup
	@CARGO="$(CARGO)" .ci/fault-memory

# Runs on threads: bitwise as alone, and without races.
test-threads: lib
	fortran-tests/run.sh --threads

# The same compiled subroutines through Fortran, C and Rust.
test-identity: lib
	$(CARGO) build --release --example identity
	fortran-tests/run.sh --identity

# Instructions of a run against the numbers kept in abi/instructions.txt; `make instructions` keeps them anew.
test-instructions:
	@.ci/instructions

instructions:
	@.ci/instructions --update

# Instructions and floating point operations of the parts of a step: docs/profile.md. The test makes two of its runs and
# looks whether the page names the parts that there are.
profile: setup
	$(CARGO) run --release --quiet --example profile

test-profile: setup
	$(CARGO) run --release --quiet --example profile -- --check

# Errors, residuals and counters over the problem set: docs/accuracy.{md,csv,svg}.
accuracy: setup
	$(CARGO) run --release --quiet --example accuracy

# CPU time at equal accuracy against RADAU5, RADAU, HEM5 and IDA: a table, bench/results.csv, bench/*.svg. The peers are
# installed for it (as root); only bench/ is linked to them. PROBLEMS="pendulum andrews" selects, bench-quick is coarser.
PROBLEMS ?=
BENCH := $(CARGO) run --release --quiet --manifest-path bench/Cargo.toml --target-dir $(TARGET) --
bench: setup bench-setup
	@$(BENCH) $(PROBLEMS)

bench-quick: setup bench-setup
	@$(BENCH) --quick $(PROBLEMS)

# Our settings against each other: what the defaults of the handle and of Rust are chosen from.
bench-settings: setup bench-setup
	@$(BENCH) --settings $(PROBLEMS)

bench-setup:
	@.ci/setup-bench

# CPU time of each method over kinds of problems: the table in the README.
which-method: setup
	$(CARGO) run --release --quiet --example which_method

include packaging/package.mk

clean:
	$(CARGO) clean
