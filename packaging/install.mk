# Installation: make install, make uninstall.

BIN_DIR  ?= $(PREFIX)/bin
LIB_DIR  ?= $(PREFIX)/lib
MAN_DIR  ?= $(PREFIX)/share/man/man1
DOC_DIR  ?= $(PREFIX)/share/doc/ktrace
DATA_DIR ?= $(PREFIX)/share/ktrace
PYTHON_DIR ?= $(DATA_DIR)/python
PC_DIR   ?= $(PREFIX)/share/pkgconfig
BASH_DIR ?= $(PREFIX)/share/bash-completion/completions
ZSH_DIR  ?= $(PREFIX)/share/zsh/site-functions
INCLUDE_DIR = $(PREFIX)/include/ktrace

INSTALLED_LIBRARIES := libktrace.so libktrace-audit.so libktrace-block.so
# Regions for R and Octave; the last one is built.
HOOKS := examples/ktrace.R examples/ktrace_region.m $(O)/ktrace_api.mex
# One page for each verb, and one for the command.
MANUALS := ktrace.1 $(patsubst doc/man/%.man,ktrace-%.1,$(filter-out doc/man/ktrace.man,$(wildcard doc/man/*.man)))
# Documents with all that they link to.
DOCUMENTS := $(wildcard *.md doc/*.md doc/design/*.md) LICENSE tests/bench/RESULTS.md trace/routines/README.md trace/routines/left_alone.list \
             include/ktrace/ktrace.h include/ktrace/kernel.h share/python/ktrace.py \
             $(filter-out examples/algorithms examples/ci examples/figures examples/kernels examples/workloads,$(wildcard examples/* examples/algorithms/* examples/ci/* examples/figures/*.py examples/kernels/* examples/workloads/*))

# Prose by hand, lists of options from the command.
$(O)/man/ktrace.1: doc/man/ktrace.man $(O)/ktrace
	$(call say,MAN,$@)
	$(Q)mkdir -p $(@D); $(O)/ktrace help --man <$< >$@.part && mv $@.part $@
$(O)/man/ktrace-%.1: doc/man/%.man $(O)/ktrace
	$(call say,MAN,$@)
	$(Q)mkdir -p $(@D); $(O)/ktrace help --man $* <$< >$@.part && mv $@.part $@

.PHONY: manuals install install-documents uninstall
manuals: $(MANUALS:%=$(O)/man/%)

install-documents: $(O)/routines.md
	install -D -m 644 -t $(DESTDIR)$(DOC_DIR) $<
	for file in $(DOCUMENTS); do install -D -m 644 $$file $(DESTDIR)$(DOC_DIR)/$$file || exit 1; done

#: make install          into PREFIX=/usr/local, below DESTDIR= if given
install: built manuals install-documents
	install -D -t $(DESTDIR)$(BIN_DIR) $(O)/ktrace
	install -D -m 644 -t $(DESTDIR)$(LIB_DIR) $(INSTALLED_LIBRARIES:%=$(O)/%)
	install -D -m 644 -t $(DESTDIR)$(LIB_DIR)/ktrace $(HOOKS)
	$(if $(D3),install -D -m 644 -t $(DESTDIR)$(DATA_DIR) $(O)/report.html)
	install -D -m 644 -t $(DESTDIR)$(PYTHON_DIR) share/python/ktrace.py
	install -D -m 644 -t $(DESTDIR)$(INCLUDE_DIR) include/ktrace/ktrace.h include/ktrace/kernel.h
	install -D -m 644 -t $(DESTDIR)$(MAN_DIR) $(MANUALS:%=$(O)/man/%)
	install -D -m 644 packaging/completion/ktrace.bash $(DESTDIR)$(BASH_DIR)/ktrace
	install -D -m 644 -t $(DESTDIR)$(ZSH_DIR) packaging/completion/_ktrace
	install -d $(DESTDIR)$(PC_DIR)
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' packaging/ktrace.pc.in >$(DESTDIR)$(PC_DIR)/ktrace.pc

#: make uninstall        remove what was installed with the same PREFIX and DESTDIR
# Folders that hold what others installed stay.
uninstall:
	rm -f $(DESTDIR)$(BIN_DIR)/ktrace $(DESTDIR)$(DATA_DIR)/report.html $(DESTDIR)$(PYTHON_DIR)/ktrace.py $(INSTALLED_LIBRARIES:%=$(DESTDIR)$(LIB_DIR)/%) $(addprefix $(DESTDIR)$(LIB_DIR)/ktrace/,$(notdir $(HOOKS))) $(addprefix $(DESTDIR)$(INCLUDE_DIR)/,ktrace.h kernel.h) \
	 $(MANUALS:%=$(DESTDIR)$(MAN_DIR)/%) $(DESTDIR)$(BASH_DIR)/ktrace $(DESTDIR)$(ZSH_DIR)/_ktrace $(DESTDIR)$(PC_DIR)/ktrace.pc \
	 $(DESTDIR)$(DOC_DIR)/routines.md $(DOCUMENTS:%=$(DESTDIR)$(DOC_DIR)/%)
	for folder in $(DESTDIR)$(LIB_DIR)/ktrace $(DESTDIR)$(DOC_DIR) $(DESTDIR)$(PYTHON_DIR) $(DESTDIR)$(DATA_DIR) $(DESTDIR)$(INCLUDE_DIR); do \
	 [ ! -d $$folder ] || find $$folder -depth -type d -empty -delete || exit 1; done

# --- a Debian package -------------------------------------------------------------------------------------------

DEB_PACKAGES := debhelper dpkg-dev lintian debootstrap
DEB ?= $(O)/deb
DEB_TREE = $(DEB)/ktrace-$(VERSION)
# gcc and the C library's headers are there wherever Debian packages are built.
DEB_NEEDS := $(filter-out gcc libc6-dev,$(BUILD_PACKAGES))
empty :=
comma := ,
filled = sed -e 's|@VERSION@|$(VERSION)|' -e 's|@BUILD_PACKAGES@|$(subst $(empty) ,$(comma) ,$(strip $(DEB_NEEDS)))|' -e "s|@DATE@|$$(date -R)|" packaging/debian/$(1).in >$(DEB_TREE)/debian/$(1)

.PHONY: deb deb-made deb-lintian deb-test
#: make deb              a Debian package in build/deb, checked with lintian; deb-test: it lives in a minimal Debian (needs root)
deb: packages
	$(call install_packages,$(DEB_PACKAGES))
	@$(MAKE) --no-print-directory built manuals
	@$(MAKE) --no-print-directory deb-made
	@$(MAKE) --no-print-directory deb-lintian
# The project has no address for mail.
deb-lintian:
	lintian --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog $(DEB)/*.changes
# A copy of the sources with the folder debian/ at its top, which takes what is built from here.
deb-made: built manuals
	rm -rf $(DEB)
	mkdir -p $(DEB_TREE)
	git ls-files -z | xargs -0 cp --parents --no-dereference --preserve=timestamps -t $(DEB_TREE)
	cp -r packaging/debian $(DEB_TREE)/debian
	$(call filled,control)
	$(call filled,changelog)
	rm $(DEB_TREE)/debian/*.in
	cd $(DEB_TREE) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL O=$(abspath $(O)) CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
	 dpkg-buildpackage --build=binary --no-sign --no-pre-clean --no-check-builddeps
deb-test: deb
	@TAP=1 tests/run tests/install/deb_minimal.sh
