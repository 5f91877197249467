# The Python package: docs/python.md.

.PHONY: python test-python test-python-long test-python-empty test-python-versions test-python-pip

# A wheel with OpenBLAS inside, in target/wheels. maturin is installed for it, into an environment of its own.
WHEELS := $(TARGET)/wheels
PYTHON_FOLDER := $(TARGET)/python
python: requirements
	@.ci/setup-python $(PYTHON_FOLDER)/build maturin
	rm -rf $(WHEELS)
	{ cat LICENSE-MIT; echo; echo "The extension contains OpenBLAS and LAPACK, with these notices."; packaging/openblas-notices.sh; } >python/geoms/NOTICES
	RUSTFLAGS="$(BUILD_FLAGS)" CARGO_TARGET_DIR=$(abspath $(TARGET)) $(PYTHON_FOLDER)/build/bin/maturin build --release --locked \
	    --quiet --manifest-path python/Cargo.toml --out $(WHEELS)
	@ls -l $(WHEELS)

# The wheel in two new environments, one of them without compilers and with NumPy alone. The long form runs all problems by all methods, and
# measures.
test-python: setup lib python
	python/test.sh $(WHEELS)/*.whl $(RELEASE) $(PYTHON_FOLDER) -m 'not long'

test-python-long: setup lib python
	python/test.sh $(WHEELS)/*.whl $(RELEASE) $(PYTHON_FOLDER) -s

# The wheel on machines with Python and nothing else: no compiler, no BLAS, no network (as root, with mmdebstrap); the suites of Debian have Python
# 3.11 and 3.13.
EMPTY_SUITES ?= bookworm trixie
test-python-empty: python
	python/test-empty.sh $(WHEELS)/*.whl $(PYTHON_FOLDER)/empty $(EMPTY_SUITES) -- -m 'not long'

# The wheel with other versions of Python, those of PYTHONS that are there.
PYTHONS ?= python3.10 python3.11 python3.12 python3.13 python3.14
test-python-versions: python
	python/test-versions.sh $(WHEELS)/*.whl $(PYTHON_FOLDER) $(PYTHONS)

# `pip install ./python`, as a user does it; what is built already is taken.
test-python-pip: requirements
	rm -rf $(PYTHON_FOLDER)/pip
	.ci/setup-python $(PYTHON_FOLDER)/pip numpy
	RUSTFLAGS="$(BUILD_FLAGS)" CARGO_TARGET_DIR=$(abspath $(TARGET)) $(PYTHON_FOLDER)/pip/bin/pip install --quiet ./python
	cd $(PYTHON_FOLDER)/pip && bin/python -c 'import geoms; p = geoms.problems.get("andrews"); e = p.errors(p.solve(rtol=1e-8, atol=1e-8)); \
	    print("pip:", geoms.__file__, e); assert e["p"] < 1e-5'
