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

# For another machine: CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu CROSS=aarch64-linux-gnu-
CROSS ?=
ifneq ($(CROSS),)
CC := $(CROSS)gcc
CXX := $(CROSS)g++
FC := $(CROSS)gfortran
AR := $(CROSS)ar
STRIP ?= $(CROSS)strip
export PKG_CONFIG ?= $(CROSS)pkg-config
endif
OBJCOPY ?= $(CROSS)objcopy
ifneq ($(CARGO_BUILD_TARGET),)
TRIPLE := $(subst -,_,$(CARGO_BUILD_TARGET))
export CARGO_TARGET_$(shell echo $(TRIPLE) | tr a-z A-Z)_LINKER ?= $(firstword $(CC))
endif

TARGET  := $(or $(CARGO_TARGET_DIR),target)
# Cargo puts what it builds for a named target into a folder of that name.
RELEASE := $(TARGET)/$(if $(CARGO_BUILD_TARGET),$(CARGO_BUILD_TARGET)/)release
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# Many small matrices: threads inside BLAS only cost time.
export OPENBLAS_NUM_THREADS = 1
export CARGO FC CC CXX AR OBJCOPY CFLAGS FFLAGS LDFLAGS MPICC

.PHONY: all setup requirements lib header docs demo test bench bench-quick bench-settings bench-against bench-setup accuracy accuracy-against which-method newmark newton-study newton-library starts singular clean \
        test-instructions instructions \
        test-format test-lint test-rust test-doc test-header test-drivers test-memory test-valgrind test-asan \
        test-faults test-kernels test-threads test-identity profile test-profile test-defects test-random-calls random-calls random mutants mpi test-mpi

all: lib

# For demo, tests and benchmarks: install what is missing on a Debian-like machine; say what to install elsewhere. Nothing is
# downloaded if nothing is missing. Building and installing ask for less and install nothing (`requirements`).
setup:
	@.ci/setup

requirements:
	@packaging/requirements.sh $(BLAS) $(FORTRAN)

header docs: setup
	$(CARGO) run --locked --release --quiet --bin gendocs

demo: setup lib
	fortran-tests/run.sh --demo

# Random mechanisms in all settings against an independent reference, the seed of every bad case printed: RANDOM_FIRST and
# RANDOM_COUNT give the seeds. `make test` has a hundred of them in a few settings each.
RANDOM_FIRST ?= 1
RANDOM_COUNT ?= 1000
random: setup
	RANDOM_FIRST=$(RANDOM_FIRST) RANDOM_COUNT=$(RANDOM_COUNT) RANDOM_SETTINGS=0 \
	    $(CARGO) test --release --test random -- --nocapture

# Mutation testing: slips planted into the numerics, and how many of them the tests notice. All of them are compiled into one copy in
# target/mutants and switched at run time. MUTANTS is the size of the sample (0: all), SEED draws it; a run that was stopped goes on.
mutants: setup
	nice -n 19 $(CARGO) run --release --quiet --manifest-path .ci/mutants/Cargo.toml -- \
	    sample=$(or $(MUTANTS),300) seed=$(or $(SEED),1) $(MUTANTS_OPTIONS)

# Every suite with its counts; logs in target/suites. The targets below are its parts. MEMBERS: packaging/package.mk.
test: export MEMBERS := --package geoms --package geoms-problems --package geoms-documents
test: setup lib
	@MAKE="$(MAKE)" CARGO="$(CARGO)" RUSTFLAGS="$(BUILD_FLAGS)" .ci/suites

test-format: setup
	$(CARGO) fmt --all --check

test-lint: setup
	$(CARGO) clippy --locked --release --all-targets -- -D warnings

# Also compares include/geoms.h and the generated pages of docs/ with the tables they are made from.
test-rust: setup
	$(CARGO) test --locked --release

test-doc: setup
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --release --no-deps

WARNINGS := -Wall -Wextra -Wpedantic -Werror -fsyntax-only
test-header: setup
	$(CC) -std=c99 $(WARNINGS) -x c -include include/geoms.h /dev/null
	$(CC) -std=c11 $(WARNINGS) -x c -include include/geoms.h /dev/null
	$(CXX) -std=c++17 $(WARNINGS) -x c++ -include include/geoms.h /dev/null
	$(CXX) -std=c++17 $(WARNINGS) -x c++ -include include/geoms.hpp /dev/null

test-drivers: setup lib
	fortran-tests/run.sh
	c-examples/run.sh

test-memory: test-valgrind test-asan test-faults

test-valgrind: setup lib
	fortran-tests/run.sh --valgrind

test-asan: setup lib
	fortran-tests/run.sh --asan

# A part of the fault suite under valgrind.
test-faults: setup
	@CARGO="$(CARGO)" .ci/fault-memory

# The tests of mended defects as a set: which is which, and what each did before, is in .ci/defects.md.
test-defects: setup lib
	$(CARGO) test --locked --release --test handle -- unchanged:: saved::no_number_of_a_state_may_be_nan \
	    saved::a_flipped_bit_is_refused_and_the_run_goes_on parts::the_check_of_the_jacobian_looks_at_parts
	$(CARGO) test --locked --release --test starts -- defects:: far_from_zero:: nearly_dependent::
	$(CARGO) test --locked --release --test check -- messages::
	$(CARGO) test --locked --release --test diagnosis -- the_rows_that_are_named_can_be_dropped
	$(CARGO) test --locked --release --test random -- cases_that_went_wrong_once
	ONLY="lifetime sanitized" c-examples/run.sh

# Random calls of the handle and mutated saved states under the sanitizers: a refused one changes nothing. The long form has a
# million of each, 4 and 8 minutes of CPU time on a busy machine; CALLS, STATES and SEED select.
test-random-calls: lib
	random-tests/run.sh $(or $(CALLS),10000) $(or $(STATES),5000) $(or $(SEED),1)

random-calls: lib
	random-tests/run.sh $(or $(CALLS),1000000) $(or $(STATES),1000000) $(or $(SEED),1)

# OpenBLAS takes its kernels by the processor, and their rounding errors differ: what holds must hold with all of them.
test-kernels: setup
	@CARGO="$(CARGO)" .ci/kernels

# Runs on threads: bitwise as alone, and without races.
test-threads: setup lib
	fortran-tests/run.sh --threads

# The same compiled subroutines through Fortran, C and Rust.
test-identity: setup lib
	$(CARGO) build --locked --release --example identity
	fortran-tests/run.sh --identity

# Glued runs across processes: libgeoms_mpi and the examples of gluing in target/mpi; the test runs them on 1 to 8 processes.
mpi: lib
	@.ci/setup-mpi
	gluing-examples/run.sh --build

test-mpi: lib
	@.ci/setup-mpi
	gluing-examples/run.sh

# Instructions of a run against the numbers kept in abi/instructions.txt; `make instructions` keeps them anew.
test-instructions:
	@.ci/instructions

instructions:
	@.ci/instructions --update

# Instructions and floating point operations of the parts of a step: docs/profile.md. The test makes two of its runs and
# looks whether the page names the parts that there are.
profile: setup
	$(CARGO) run --locked --release --quiet --example profile

test-profile: setup
	$(CARGO) run --locked --release --quiet --example profile -- --check

# Errors, residuals and counters over the problem set: docs/accuracy.{md,csv,svg}.
accuracy: setup
	$(CARGO) run --locked --release --quiet --example accuracy

# Its errors beside those of an earlier revision: make accuracy-against REVISION=75a324e
accuracy-against:
	@.ci/accuracy-against $(REVISION)

# CPU time at equal accuracy against RADAU5, RADAU, HEM5 and IDA: a table, bench/results.csv, bench/*.svg. The peers are
# installed for it (as root); only bench/ is linked to them. PROBLEMS="pendulum andrews" selects, bench-quick is coarser.
PROBLEMS ?=
BENCH := $(CARGO) run --locked --release --quiet --manifest-path bench/Cargo.toml --target-dir $(TARGET) --
bench: setup bench-setup
	@$(BENCH) $(PROBLEMS)

bench-quick: setup bench-setup
	@$(BENCH) --quick $(PROBLEMS)

# Our settings against each other: what the defaults of the handle and of Rust are chosen from.
bench-settings: setup bench-setup
	@$(BENCH) --settings $(PROBLEMS)

# The default beside that of an earlier revision, in instructions at equal accuracy: make bench-against REVISION=75a324e
bench-against: setup bench-setup
	@.ci/default-against $(REVISION) $(PROBLEMS)

bench-setup:
	@.ci/setup-bench

# Random equilibria, and runs at every power of ten of T: the long form of problems/tests/starts.
starts: setup
	GEOMS_EQUILIBRIA=1000 GEOMS_FAR=1 $(CARGO) test --locked --release --test starts -- --nocapture

# Past positions where the constraints lose rank, all tolerances, decompositions and forms: the long form of problems/tests/singular.
singular: setup
	GEOMS_LONG=1 $(CARGO) test --locked --release --test singular -- --nocapture

# CPU time of each method over kinds of problems: docs/which-method.md.
# Figures of the paper on the null-space method and CPU times of its benchmarks, in docs/newmark.md.
newmark: setup
	$(CARGO) run --locked --release --quiet --example null_space

which-method: setup
	$(CARGO) run --locked --release --quiet --example which_method

# What Newton's method costs: FORM=0 beside FORM=1 over random mechanisms, and method 0 with NWTMULT=0 and by default over the library.
newton-study: setup
	OPENBLAS_NUM_THREADS=1 $(CARGO) run --locked --release --quiet --example newton_study

newton-library: setup
	OPENBLAS_NUM_THREADS=1 $(CARGO) run --locked --release --quiet --example newton_study library

include packaging/package.mk
include octave/octave.mk
include python/python.mk

clean:
	$(CARGO) clean
