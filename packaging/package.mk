# Libraries besides the one that cargo links, installation, source archive.

MAJOR       := $(firstword $(subst ., ,$(VERSION)))
MINOR       := $(word 2,$(subst ., ,$(VERSION)))
SONAME      := libgeoms.so.$(MAJOR)
SONAME64    := libgeoms64.so.$(MAJOR)
SYMBOLS     := abi/symbols.txt
STRIP       ?= strip
export STRIP

# BLAS=openblas: -lopenblas of the machine. BLAS=system: -llapack -lblas, so that its alternatives apply. BLAS=private: shared
# libraries with an OpenBLAS of their own; archive and command as with openblas.
BLAS        ?= openblas
BLAS_LIBS   := $(if $(filter system,$(BLAS)),lapack blas,openblas)
BUILT       := $(if $(filter private,$(BLAS)),$(RELEASE)/private,$(RELEASE))
# What a program that links the archive has to add.
STATIC_LIBS := $(BLAS_LIBS) pthread m dl
# GEWRIT compiled (libgeomsf.a): yes, no, or if there is a Fortran compiler.
FORTRAN     ?= auto
GEWRIT      := $(if $(filter auto,$(FORTRAN)),$(shell command -v $(firstword $(FC)) >/dev/null 2>&1 && echo yes),$(filter yes,$(FORTRAN)))

# No folder of this machine in what is built: a build elsewhere gives the same bytes. The last match counts. Vendored crates are
# below the sources, or somewhere at home.
CARGO_FILES := $(or $(CARGO_HOME),$(HOME)/.cargo)
REMAP       := $(HOME)=/home $(shell rustc --print sysroot 2>/dev/null)=/rust $(CARGO_FILES)=/cargo $(CURDIR)=/geoms $(abspath $(TARGET))=/target
REMAP_FLAGS := $(REMAP:%=--remap-path-prefix=%)
# `make test` exports them, so that tests and what is installed are built once.
BUILD_FLAGS := $(RUSTFLAGS) $(if $(findstring $(lastword $(REMAP_FLAGS)),$(RUSTFLAGS)),,$(REMAP_FLAGS) $(LDFLAGS:%=-Clink-arg=%))
BUILD        = RUSTFLAGS="$(BUILD_FLAGS)" $(CARGO) $(1) --release --locked
# More packages to build in each call: `make test` names those of the tests, because the features of crates, and so what has to be compiled
# anew, depend on all packages of a call.
MEMBERS     ?=
# The same for archives and command, so that the library is compiled once.
BLAS_FEATURE := $(if $(filter system,$(BLAS)),lapack)

DATADIR     ?= $(PREFIX)/share
MANDIR      ?= $(DATADIR)/man
PC_DIR      := $(LIBDIR)/pkgconfig
# Ours alone: uninstall removes these folders.
OUR_DOCS    := $(DATADIR)/doc/geoms
OUR_DATA    := $(DATADIR)/geoms
OUR_CMAKE   := $(LIBDIR)/cmake/geoms

.PHONY: command problems lib64 lib-private symbols test-symbols test-install test-archive test-dist install install-mpi uninstall dist check-paths \
        release release-check deb crate test-crate abi test-abi test-reproducible test-requirements test-offline test-toolchains test-toolchains-short test-aarch64 sizes

# An archive, and a shared library of it: that has symbol versions, which rustc cannot give. Programs look for it under its
# SONAME, also in the build tree.
lib: requirements
	$(call BUILD,build) --package geoms-archive $(MEMBERS) $(BLAS_FEATURE:%=--features geoms-archive/%)
	ln -f $(RELEASE)/libgeoms_archive.a $(RELEASE)/libgeoms.a
	packaging/link-shared.sh $(RELEASE)/libgeoms.so $(SONAME) GEOMS $(SYMBOLS) $(RELEASE)/libgeoms.a $(STATIC_LIBS:%=-l%)

# The command; it has the library inside and takes BLAS from the system.
command: requirements
	$(call BUILD,build) --package geoms-problems --bin geoms $(MEMBERS) $(BLAS_FEATURE:%=--features geoms/%)

# The problem library as a shared library, for programs in other languages (problems/geoms_problems.h). No part of what is installed
# but for Octave.
problems: requirements
	$(call BUILD,build) --package geoms-problems-archive $(MEMBERS)
	sed -n 's/.*\(geoms_problem_[a-z]*\)(.*/\1/p' problems/geoms_problems.h | packaging/link-shared.sh \
	    $(RELEASE)/libgeoms_problems.so libgeoms_problems.so.$(MAJOR) GEOMS - $(RELEASE)/libgeoms_problems_archive.a $(STATIC_LIBS:%=-l%)

# The archive with 64-bit INTEGER behind the names of the manual, and a shared library of it.
lib64: lib
	$(OBJCOPY) --redefine-sym geoms_=geoms_32_ --redefine-sym geoms_64_=geoms_ \
	    --redefine-sym gedensout_=gedensout_32_ --redefine-sym gedensout_64_=gedensout_ \
	    $(RELEASE)/libgeoms.a $(RELEASE)/libgeoms64.a
	grep -v '_64_$$' $(SYMBOLS) | packaging/link-shared.sh $(RELEASE)/libgeoms64.so $(SONAME64) GEOMS64 - \
	    $(RELEASE)/libgeoms64.a $(STATIC_LIBS:%=-l%)

# The shared libraries with OpenBLAS inside and hidden. one-thread.c comes last so that its initialisation does.
lib-private: lib64
	$(CC) -O2 -Wall -Wextra $(CFLAGS) -fPIC -c packaging/one-thread.c -o $(RELEASE)/one-thread.o
	blas=`packaging/static-openblas.sh` && set -- -Wl,-u,openblas_set_num_threads $$blas $(RELEASE)/one-thread.o \
	    -lgfortran -lpthread -lm -ldl && \
	packaging/link-shared.sh $(RELEASE)/private/libgeoms.so $(SONAME) GEOMS $(SYMBOLS) $(RELEASE)/libgeoms.a "$$@" && \
	grep -v '_64_$$' $(SYMBOLS) | packaging/link-shared.sh $(RELEASE)/private/libgeoms64.so $(SONAME64) GEOMS64 - \
	    $(RELEASE)/libgeoms64.a "$$@"

# Freeze what the header declares (`make docs` makes it); the library is linked by that list.
symbols:
	packaging/symbols.sh --update
	$(MAKE) test-symbols

test-symbols: lib
	packaging/symbols.sh $(RELEASE)/libgeoms.so
	packaging/module-hashes.sh $(RELEASE)/libgeoms.a

# From an empty folder: install, find, build, run, uninstall.
test-install: setup lib64 lib-private
	@.ci/setup-mpi
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
# A file that a command writes has the rights of the umask otherwise.
fill = umask 022 && sed -e 's|@NAME@|$(1)|; s|@PREFIX@|$(PREFIX)|; s|@PC_LIBDIR@|$(call under_prefix,$(LIBDIR))|' \
    -e 's|@PC_INCLUDEDIR@|$(call under_prefix,$(INCLUDEDIR))|; s|@DESCRIPTION@|$(2)|' \
    -e 's|@VERSION@|$(VERSION)|g; s|@MAJOR@|$(MAJOR)|g; s|@MINOR@|$(MINOR)|g; s|@STATIC_LIBS@|$(3)|' \
    -e 's|@RELATIVE_INCLUDEDIR@|$(call relative,$(INCLUDEDIR))|; s|@RELATIVE_FORTRANDIR@|$(call relative,$(OUR_DATA)/fortran)|'
DESCRIPTION := $(shell sed -n 's/^description = "\(.*\)"/\1/p' Cargo.toml)
empty :=
semicolons = $(subst $(empty) $(empty),;,$(1))

# Blanks and special characters in paths would have to be quoted differently in the makefile, in .pc and in CMake files; a
# relative path would mean something else in each of them.
check-paths:
	@for path in '$(PREFIX)' '$(LIBDIR)' '$(INCLUDEDIR)' '$(BINDIR)' '$(DATADIR)' '$(MANDIR)' '$(or $(DESTDIR),/)'; do \
	    case "$$path" in \
	        *[!-A-Za-z0-9/._+~@%:,=]*) echo "PREFIX, DESTDIR, ...: \"$$path\" has a blank or a special character" >&2; exit 1;; \
	        /*) ;; \
	        *) echo "PREFIX, DESTDIR, ...: \"$$path\" is not an absolute path" >&2; exit 1;; \
	    esac; \
	done

INSTALLED_LIBS := $(foreach name,libgeoms libgeoms64,$(name).so.$(VERSION) $(name).so.$(MAJOR) $(name).so $(name).a) \
    libgeomsf.a
HEADERS := $(notdir $(wildcard include/*.h include/*.hpp))

install: check-paths requirements command lib64 $(if $(filter private,$(BLAS)),lib-private) $(if $(filter yes,$(OCTAVE)),install-octave)
	install -d $(addprefix $(DESTDIR),$(PC_DIR) $(OUR_CMAKE) $(INCLUDEDIR) $(OUR_DATA)/fortran $(OUR_DOCS)/docs $(BINDIR) $(MANDIR)/man1)
	install -m 755 $(RELEASE)/geoms $(DESTDIR)$(BINDIR)/geoms
	$(STRIP) $(DESTDIR)$(BINDIR)/geoms
	umask 022 && sed 's/@VERSION@/$(VERSION)/' packaging/geoms.1.in | gzip -9n >$(DESTDIR)$(MANDIR)/man1/geoms.1.gz
	for name in libgeoms libgeoms64; do \
	    install -m 644 $(BUILT)/$$name.so $(DESTDIR)$(LIBDIR)/$$name.so.$(VERSION) && \
	    install -m 644 $(RELEASE)/$$name.a $(DESTDIR)$(LIBDIR)/$$name.a && \
	    $(STRIP) --strip-unneeded $(DESTDIR)$(LIBDIR)/$$name.so.$(VERSION) && \
	    $(STRIP) -g --enable-deterministic-archives $(DESTDIR)$(LIBDIR)/$$name.a && \
	    ln -sf $$name.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$$name.so.$(MAJOR) && \
	    ln -sf $$name.so.$(MAJOR) $(DESTDIR)$(LIBDIR)/$$name.so || exit 1; \
	done
ifeq ($(GEWRIT),yes)
	$(FC) -O2 $(FFLAGS) -fPIC -c fortran/gewrit.f -o $(RELEASE)/gewrit.o
	rm -f $(DESTDIR)$(LIBDIR)/libgeomsf.a
	umask 022 && $(AR) rcsD $(DESTDIR)$(LIBDIR)/libgeomsf.a $(RELEASE)/gewrit.o
else
	@echo "libgeomsf.a is left out (FORTRAN=$(FORTRAN), no $(FC)): compile gewrit.f with the program instead"
endif
	install -m 644 $(HEADERS:%=include/%) $(DESTDIR)$(INCLUDEDIR)
	install -m 644 fortran/* $(DESTDIR)$(OUR_DATA)/fortran
	$(call fill,geoms,$(DESCRIPTION),$(STATIC_LIBS:%=-l%)) packaging/geoms.pc.in >$(DESTDIR)$(PC_DIR)/geoms.pc
	$(call fill,geoms64,$(DESCRIPTION) (64-bit INTEGER),$(STATIC_LIBS:%=-l%)) packaging/geoms.pc.in \
	    >$(DESTDIR)$(PC_DIR)/geoms64.pc
	for file in geomsConfig geomsConfigVersion; do \
	    $(call fill,geoms,,$(call semicolons,$(STATIC_LIBS))) packaging/$$file.cmake.in \
	        >$(DESTDIR)$(OUR_CMAKE)/$$file.cmake || exit 1; \
	done
	packaging/install-documents.sh $(DESTDIR)$(OUR_DOCS) $(BLAS) $(RELEASE)

# Glued runs across processes, beside what `install` has put there: the library, its header, its Fortran module and a .pc file. MPICC is
# the compiler wrapper of the MPI that programs will use. Nothing is installed by a package manager.
SONAME_MPI := libgeoms_mpi.so.$(MAJOR)
install-mpi: check-paths lib
	packaging/link-mpi.sh $(RELEASE)/mpi $(SONAME_MPI) $(RELEASE)
	install -d $(addprefix $(DESTDIR),$(PC_DIR) $(INCLUDEDIR) $(OUR_DATA)/fortran)
	install -m 644 $(RELEASE)/mpi/libgeoms_mpi.so $(DESTDIR)$(LIBDIR)/libgeoms_mpi.so.$(VERSION)
	$(STRIP) --strip-unneeded $(DESTDIR)$(LIBDIR)/libgeoms_mpi.so.$(VERSION)
	ln -sf libgeoms_mpi.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME_MPI)
	ln -sf $(SONAME_MPI) $(DESTDIR)$(LIBDIR)/libgeoms_mpi.so
	install -m 644 mpi/geoms_mpi.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 mpi/geoms_mpi.f90 $(DESTDIR)$(OUR_DATA)/fortran
	$(call fill,geoms_mpi,,) packaging/geoms_mpi.pc.in >$(DESTDIR)$(PC_DIR)/geoms_mpi.pc

# With the PREFIX, LIBDIR, ... that were given to install.
uninstall: check-paths
	rm -f $(INSTALLED_LIBS:%=$(DESTDIR)$(LIBDIR)/%) $(HEADERS:%=$(DESTDIR)$(INCLUDEDIR)/%) \
	    $(DESTDIR)$(INCLUDEDIR)/geoms_mpi.h $(wildcard $(DESTDIR)$(LIBDIR)/libgeoms_mpi.so*) \
	    $(DESTDIR)$(PC_DIR)/geoms.pc $(DESTDIR)$(PC_DIR)/geoms64.pc $(DESTDIR)$(PC_DIR)/geoms_mpi.pc $(DESTDIR)$(BINDIR)/geoms \
	    $(DESTDIR)$(MANDIR)/man1/geoms.1.gz
	rm -rf $(DESTDIR)$(OUR_CMAKE) $(DESTDIR)$(OUR_DATA) $(DESTDIR)$(OUR_DOCS) $(DESTDIR)$(OUR_OCTAVE)

# What is committed, as a source archive, with its checksum; SIGN=<key> signs it with gpg. Only from a clean tree and with
# one version everywhere.
dist: release-check
	mkdir -p $(TARGET)
	git archive --format=tar --prefix=geoms-$(VERSION)/ HEAD | gzip -9n >$(TARGET)/geoms-$(VERSION).tar.gz
	cd $(TARGET) && sha256sum geoms-$(VERSION).tar.gz >geoms-$(VERSION).tar.gz.sha256
	$(if $(SIGN),cd $(TARGET) && gpg --batch --yes --local-user '$(SIGN)' --armor --detach-sign geoms-$(VERSION).tar.gz)
	@echo "wrote $(TARGET)/geoms-$(VERSION).tar.gz"

release-check:
	@packaging/release-check.sh

# What a release consists of: archive, Debian package (in a clean chroot, as root), crate.
release: dist deb crate

DEBIAN ?= trixie
deb:
	@.ci/setup-chroot
	packaging/deb.sh $(TARGET)/deb $(DEBIAN)

# The crate, and from its archive alone: check, the tests, and a program that depends on it.
crate:
	$(CARGO) package --package geoms --locked --no-verify --allow-dirty

test-crate: crate
	packaging/test-crate.sh $(TARGET)/package/geoms-$(VERSION).crate

# The binary interface: functions, structures, constants with their types. `make abi` keeps it anew.
abi:
	packaging/abi.sh --update

test-abi:
	packaging/test-abi.sh

# What building asks for, and what it says if that is missing.
test-requirements: requirements
	packaging/test-requirements.sh

# A machine with cargo, cc and libopenblas-dev alone, without a network: a chroot (as root). Minutes.
test-offline:
	@.ci/setup-chroot
	packaging/test-offline.sh $(TARGET)/offline $(DEBIAN)

# Two builds in two folders, with other settings: the same bytes. Minutes.
test-reproducible:
	packaging/test-reproducible.sh $(TARGET)/reproducible

# Other compilers, other BLAS libraries, aarch64 under qemu: long (half an hour); the short form is part of `make test`.
test-toolchains: setup lib
	@.ci/setup-toolchains
	RELEASE=$(abspath $(RELEASE)) SONAME=$(SONAME) packaging/test-toolchains.sh

test-aarch64:
	@.ci/setup-toolchains
	RELEASE=$(abspath $(RELEASE)) packaging/test-toolchains.sh --aarch64

test-toolchains-short: setup lib
	@.ci/setup-toolchains --short
	RELEASE=$(abspath $(RELEASE)) SONAME=$(SONAME) packaging/test-toolchains.sh --short

# The sizes of docs/install.md.
sizes: lib-private
	@packaging/sizes.sh $(RELEASE)
