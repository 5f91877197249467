# The interface for Octave and MATLAB: docs/octave.md.

.PHONY: octave test-octave octave-problems octave-overhead

# All of it in target/octave, for `addpath`. The library has a BLAS of its own inside: that of the interpreter may have other integers.
OCTAVE_FOLDER := $(TARGET)/octave
octave: lib-private problems
	@.ci/setup-octave
	octave/build.sh $(RELEASE)/private/libgeoms.so $(RELEASE)/libgeoms_problems.so $(OCTAVE_FOLDER)

# The short form has a few problems; `make octave-problems` runs all problems by all methods against what is known of them.
test-octave: octave
	octave/tests/run.sh $(OCTAVE_FOLDER)

octave-problems: octave
	octave/tests/run.sh $(OCTAVE_FOLDER) --problems

# What a call of a function of Octave costs beside its own work.
octave-overhead: octave
	octave/tests/run.sh $(OCTAVE_FOLDER) --overhead
