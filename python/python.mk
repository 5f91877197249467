# The Python package: docs/python.md.

.PHONY: python test-python test-python-long

# A wheel with OpenBLAS inside, in target/wheels. maturin is installed for it, into an environment of its own.
WHEELS := $(TARGET)/wheels
PYTHON_FOLDER := $(TARGET)/python
python: requirements
	@.ci/setup-python $(PYTHON_FOLDER)/build maturin
	rm -rf $(WHEELS)
	{ cat LICENSE-MIT; echo; echo "The extension contains OpenBLAS and LAPACK, with these notices."; packaging/openblas-notices.sh; } >python/geoms/NOTICES
	RUSTFLAGS="$(BUILD_FLAGS)" CARGO_TARGET_DIR=$(abspath $(PYTHON_FOLDER)) $(PYTHON_FOLDER)/build/bin/maturin build --release --locked \
	    --quiet --manifest-path python/Cargo.toml --out $(WHEELS)
	@ls -l $(WHEELS)

# The wheel in two new environments, one of them without compilers and with NumPy alone. The long form runs all problems by all methods, and
# measures.
test-python: setup lib python
	python/test.sh $(WHEELS)/*.whl $(RELEASE) $(PYTHON_FOLDER) -m 'not long'

test-python-long: setup lib python
	python/test.sh $(WHEELS)/*.whl $(RELEASE) $(PYTHON_FOLDER) -s
