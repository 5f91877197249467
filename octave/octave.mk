# The interface for Octave and MATLAB: docs/octave.md.

.PHONY: octave install-octave test-octave octave-problems octave-overhead

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

# With `make install OCTAVE=yes`, or alone. The folder is ours alone: uninstall removes it.
OCTAVEDIR ?= $(LIBDIR)/octave
OUR_OCTAVE = $(OCTAVEDIR)/geoms
install-octave: check-paths octave
	install -d $(DESTDIR)$(OUR_OCTAVE)/private
	install -m 644 $(OCTAVE_FOLDER)/*.m $(DESTDIR)$(OUR_OCTAVE)
	install -m 644 $(OCTAVE_FOLDER)/private/* $(DESTDIR)$(OUR_OCTAVE)/private
	$(STRIP) --strip-unneeded $(DESTDIR)$(OUR_OCTAVE)/private/libgeoms*.so* $(DESTDIR)$(OUR_OCTAVE)/private/*.mex
	@echo "in Octave: addpath $(OUR_OCTAVE)"
