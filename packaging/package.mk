# Libraries besides the one that cargo links, installation, source archive.

MAJOR       := $(firstword $(subst ., ,$(VERSION)))
MINOR       := $(word 2,$(subst ., ,$(VERSION)))
SONAME      := libgeoms.so.$(MAJOR)
SONAME64    := libgeoms64.so.$(MAJOR)
SYMBOLS     := abi/symbols.txt
# What a program that links the archive has to add.
STATIC_LIBS := openblas pthread m dl
STRIP       ?= strip

# BLAS=private installs shared libraries with an OpenBLAS of their own.
BLAS        ?= system
BUILT       := $(if $(filter private,$(BLAS)),$(RELEASE)/private,$(RELEASE))

DATADIR     ?= $(PREFIX)/share
PC_DIR      := $(LIBDIR)/pkgconfig
# Ours alone: uninstall removes these folders.
OUR_DOCS    := $(DATADIR)/doc/geoms
OUR_DATA    := $(DATADIR)/geoms
OUR_CMAKE   := $(LIBDIR)/cmake/geoms

.PHONY: command lib64 lib-private symbols test-symbols test-install test-archive test-dist install uninstall dist

# The command; it has the library inside and takes OpenBLAS from the system.
command: lib
	$(CARGO) build --release --bin geoms

# The archive with 64-bit INTEGER behind the names of the manual, and a shared library of it.
lib64: lib
	objcopy --redefine-sym geoms_=geoms_32_ --redefine-sym geoms_64_=geoms_ \
	    --redefine-sym gedensout_=gedensout_32_ --redefine-sym gedensout_64_=gedensout_ \
	    $(RELEASE)/libgeoms.a $(RELEASE)/libgeoms64.a
	grep -v '_64_$$' $(SYMBOLS) | packaging/link-shared.sh $(RELEASE)/libgeoms64.so $(SONAME64) - \
	    $(RELEASE)/libgeoms64.a $(STATIC_LIBS:%=-l%)

# The shared libraries with OpenBLAS inside and hidden. one-thread.c comes last so that its initialisation does.
lib-private: lib64
	$(CC) -O2 -Wall -Wextra -fPIC -c packaging/one-thread.c -o $(RELEASE)/one-thread.o
	blas=`packaging/static-openblas.sh` && set -- -Wl,-u,openblas_set_num_threads $$blas $(RELEASE)/one-thread.o \
	    -lgfortran $(filter-out -lopenblas,$(STATIC_LIBS:%=-l%)) && \
	packaging/link-shared.sh $(RELEASE)/private/libgeoms.so $(SONAME) $(SYMBOLS) $(RELEASE)/libgeoms.a "$$@" && \
	grep -v '_64_$$' $(SYMBOLS) | packaging/link-shared.sh $(RELEASE)/private/libgeoms64.so $(SONAME64) - \
	    $(RELEASE)/libgeoms64.a "$$@"

# Freeze what the library exports now.
symbols: lib
	packaging/symbols.sh $(RELEASE)/libgeoms.so --update

test-symbols: lib
	packaging/symbols.sh $(RELEASE)/libgeoms.so

# From an empty folder: install, find, build, run, uninstall.
test-install: lib64 lib-private
	packaging/test-install.sh

# Short: the archive has every committed file, and its makefile finds what it installs.
test-archive: dist
	rm -rf $(TARGET)/archive-test && mkdir -p $(TARGET)/archive-test
	tar xzf $(TARGET)/geoms-$(VERSION).tar.gz -C $(TARGET)/archive-test
	git ls-tree -r --name-only HEAD | LC_ALL=C sort >$(TARGET)/archive-test/committed
	cd $(TARGET)/archive-test/geoms-$(VERSION) && find . -type f -o -type l | sed 's|^\./||' | LC_ALL=C sort | diff ../committed -
	$(MAKE) -n -C $(TARGET)/archive-test/geoms-$(VERSION) install PREFIX=/usr/local >/dev/null
	rm -rf $(TARGET)/archive-test

# Long, and not part of `make test` for that reason. The archive is all that is needed: unpack, build, install, run. Compiles everything anew, so the crates come from the
# folder of cargo; nothing is downloaded if they are there.
test-dist: dist
	rm -rf $(TARGET)/dist-test
	mkdir -p $(TARGET)/dist-test
	tar xzf $(TARGET)/geoms-$(VERSION).tar.gz -C $(TARGET)/dist-test
	CARGO_TARGET_DIR=$(abspath $(TARGET))/dist-test/target $(MAKE) -C $(TARGET)/dist-test/geoms-$(VERSION) \
	    install PREFIX=$(abspath $(TARGET))/dist-test/prefix DESTDIR=
	$(TARGET)/dist-test/prefix/bin/geoms run pendulum-2.8 --tol 1e-8
	rm -rf $(TARGET)/dist-test

# relative to the folder of the CMake files
relative = $(shell realpath -m --relative-to=$(OUR_CMAKE) $(1))
# under ${prefix} where possible, so that `pkg-config --define-prefix` can move it
under_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
fill = sed -e 's|@NAME@|$(1)|; s|@PREFIX@|$(PREFIX)|; s|@PC_LIBDIR@|$(call under_prefix,$(LIBDIR))|' \
    -e 's|@PC_INCLUDEDIR@|$(call under_prefix,$(INCLUDEDIR))|; s|@DESCRIPTION@|$(2)|' \
    -e 's|@VERSION@|$(VERSION)|g; s|@MAJOR@|$(MAJOR)|g; s|@MINOR@|$(MINOR)|g; s|@STATIC_LIBS@|$(3)|' \
    -e 's|@RELATIVE_INCLUDEDIR@|$(call relative,$(INCLUDEDIR))|; s|@RELATIVE_FORTRANDIR@|$(call relative,$(OUR_DATA)/fortran)|'
DESCRIPTION := $(shell sed -n 's/^description = "\(.*\)"/\1/p' Cargo.toml)
empty :=
semicolons = $(subst $(empty) $(empty),;,$(1))

INSTALLED_LIBS := $(foreach name,libgeoms libgeoms64,$(name).so.$(VERSION) $(name).so.$(MAJOR) $(name).so $(name).a) \
    libgeomsf.a
HEADERS := $(notdir $(wildcard include/*.h include/*.hpp))

install: command lib64 $(if $(filter private,$(BLAS)),lib-private)
	@case "$(BLAS)" in system|private) ;; *) echo "BLAS is system or private, not $(BLAS)" >&2; exit 1;; esac
	install -d $(addprefix $(DESTDIR),$(PC_DIR) $(OUR_CMAKE) $(INCLUDEDIR) $(OUR_DATA)/fortran $(OUR_DOCS)/docs $(BINDIR))
	install -m 755 $(RELEASE)/geoms $(DESTDIR)$(BINDIR)/geoms
	$(STRIP) $(DESTDIR)$(BINDIR)/geoms
	for name in libgeoms libgeoms64; do \
	    install -m 755 $(BUILT)/$$name.so $(DESTDIR)$(LIBDIR)/$$name.so.$(VERSION) && \
	    install -m 644 $(RELEASE)/$$name.a $(DESTDIR)$(LIBDIR)/$$name.a && \
	    $(STRIP) -g $(DESTDIR)$(LIBDIR)/$$name.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$$name.a && \
	    ln -sf $$name.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$$name.so.$(MAJOR) && \
	    ln -sf $$name.so.$(MAJOR) $(DESTDIR)$(LIBDIR)/$$name.so || exit 1; \
	done
	$(FC) -std=legacy -O2 -fPIC -c fortran/gewrit.f -o $(RELEASE)/gewrit.o
	rm -f $(DESTDIR)$(LIBDIR)/libgeomsf.a
	ar rcs $(DESTDIR)$(LIBDIR)/libgeomsf.a $(RELEASE)/gewrit.o
	install -m 644 $(HEADERS:%=include/%) $(DESTDIR)$(INCLUDEDIR)
	install -m 644 fortran/* $(DESTDIR)$(OUR_DATA)/fortran
	$(call fill,geoms,$(DESCRIPTION),$(STATIC_LIBS:%=-l%)) packaging/geoms.pc.in >$(DESTDIR)$(PC_DIR)/geoms.pc
	$(call fill,geoms64,$(DESCRIPTION) (64-bit INTEGER),$(STATIC_LIBS:%=-l%)) packaging/geoms.pc.in \
	    >$(DESTDIR)$(PC_DIR)/geoms64.pc
	for file in geomsConfig geomsConfigVersion; do \
	    $(call fill,geoms,,$(call semicolons,$(STATIC_LIBS))) packaging/$$file.cmake.in \
	        >$(DESTDIR)$(OUR_CMAKE)/$$file.cmake || exit 1; \
	done
	install -m 644 README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE $(DESTDIR)$(OUR_DOCS)
	install -m 644 docs/* $(DESTDIR)$(OUR_DOCS)/docs
	cp -r c-examples $(DESTDIR)$(OUR_DOCS)
	install -D -m 644 -t $(DESTDIR)$(OUR_DOCS)/fortran-tests \
	    fortran-tests/pendulum.f fortran-tests/module_pendulum.f90 fortran-tests/handle.f90

# With the PREFIX, LIBDIR, ... that were given to install.
uninstall:
	rm -f $(INSTALLED_LIBS:%=$(DESTDIR)$(LIBDIR)/%) $(HEADERS:%=$(DESTDIR)$(INCLUDEDIR)/%) \
	    $(DESTDIR)$(PC_DIR)/geoms.pc $(DESTDIR)$(PC_DIR)/geoms64.pc $(DESTDIR)$(BINDIR)/geoms
	rm -rf $(DESTDIR)$(OUR_CMAKE) $(DESTDIR)$(OUR_DATA) $(DESTDIR)$(OUR_DOCS)

# What is committed, as a source archive.
dist:
	mkdir -p $(TARGET)
	git archive --format=tar.gz --prefix=geoms-$(VERSION)/ -o $(TARGET)/geoms-$(VERSION).tar.gz HEAD
	@echo "wrote $(TARGET)/geoms-$(VERSION).tar.gz"
