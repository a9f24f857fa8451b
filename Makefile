# ktrace: make help lists the targets. No configure step; O= builds elsewhere, DEBUG=1, SAN=address,undefined, V=1.

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
O        ?= build
PREFIX   ?= /usr/local
CC       := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
VERSION  := 0.1.0
export PYTHON ?= /usr/bin/python3

# What building, the demo and the tests need beyond git and make, as Debian packages: make packages installs what is missing.
BUILD_PACKAGES := gcc libc6-dev libdw-dev libjansson-dev
DEMO_PACKAGES  := python3-numpy libopenblas0-serial libblas3 liblapack3
CHECK_PACKAGES := libcmocka-dev gfortran libblas-dev liblapack-dev libblis4-serial gdb valgrind cppcheck

CFLAGS_  := -std=gnu11 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -D_GNU_SOURCE \
            -DKT_VERSION='"$(VERSION)"' -I. -Iinclude $(if $(DEBUG),-O0,-O2) $(if $(SAN),-fsanitize=$(SAN)) \
            $(if $(WERROR),-Werror) $(CFLAGS)
SHIM_FLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-optimize-sibling-calls
LIBS     := -ldw -lelf -ljansson -ldl -lm

TABLE    := error expr routine symbol
TRACE    := $(TABLE) operand lines stream definitions origin reader cursor shape state stats text json about verb \
            cmd_run cmd_info cmd_dump cmd_check cmd_env cmd_help
REPLAY   := library call arena data cache setup sample job worker schedule ratio comparison result cmd_replay cmd_compare
MODEL    := summary callers decomposition report report_tables cmd_report
SHIM     := bind forward objects line meta process record settings
GEN      := gen gen_wrapper gen_names gen_thunk
SPECS    := $(wildcard trace/routines/*.spec)
# Routines whose calls go through compiled functions; all others go through the trampoline.
COMPILED := $(filter blas%,$(basename $(notdir $(SPECS))))
UNIT     := expr routine symbol operand reader shape stats text json about arena data schedule call library \
            summary decomposition callers

OBJECTS  := $(TRACE:%=$(O)/trace/%.o) $(REPLAY:%=$(O)/replay/%.o) $(MODEL:%=$(O)/model/%.o) $(O)/gen/thunks.o
SHIM_OBJECTS := $(SHIM:%=$(O)/preload/%.o) $(COMPILED:%=$(O)/gen/wrap_%.o) $(addprefix $(O)/,gen/slots.o gen/stubs.o preload/trampoline.o)

Q := $(if $(V),,@)
SILENT := $(findstring s,$(firstword $(filter-out --%,$(MAKEFLAGS))))
say = @$(if $(V)$(SILENT),:,printf '  %-6s %s\n' $(1) $(2))

.PHONY: all help packages packages-demo packages-check check check-fast demo bench deps-check fmt lint sanitize valgrind install clean
all: $(O)/ktrace $(O)/libktrace.so $(O)/routines.md

help:
	@echo 'make            build $(O)/ktrace and $(O)/libktrace.so'
	@echo 'make demo       install what is missing, build, trace a NumPy program, replay it, print the report'
	@echo 'make check      install what is missing, build, run all tests'
	@echo 'make check-fast the tests that take seconds'
	@echo 'make bench      cost of recording a call, as a ratio to the least possible shim'
	@echo 'make deps-check the arrows between the modules (DESIGN.md)'
	@echo 'make lint       compiler warnings as errors, cppcheck, module arrows, function sizes'
	@echo 'make sanitize   unit tests and fuzzers under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make valgrind   the tools under valgrind'
	@echo 'make fmt        format the sources with clang-format'
	@echo 'make packages   install the packages that building needs (packages-demo, packages-check: those too)'
	@echo 'make install    into PREFIX=$(PREFIX), below DESTDIR= if given'
	@echo 'variables       O=build DEBUG=1 SAN=address,undefined V=1 CC= CFLAGS= WERROR=1'

# --- building ---------------------------------------------------------------------------------------------------

$(O)/ktrace: $(O)/trace/main.o $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)

$(O)/libktrace.so: $(SHIM_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -shared -Wl,-soname,libktrace.so -Wl,-z,now -o $@ $^

$(O)/ktgen: $(O)/trace/ktgen.o $(GEN:%=$(O)/trace/%.o) $(O)/trace/spec.o $(TABLE:%=$(O)/trace/%.o)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ -lm

# A missing library is named with its package before the compiler stumbles over its header.
$(O)/prerequisites:
	@mkdir -p $(@D); missing=; for pair in elfutils/libdwfl.h=libdw-dev jansson.h=libjansson-dev; do \
	 echo "#include <$${pair%=*}>" | $(CC) -E -x c - >/dev/null 2>&1 || missing="$$missing $${pair#*=}"; done; \
	 if [ -n "$$missing" ]; then echo "make: needed and not there: Debian packages$$missing; 'make packages' installs them"; exit 1; fi; touch $@

$(O)/%.o: %.c | $(O)/prerequisites
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_) -MMD -MP -c -o $@ $<

$(O)/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_) $(SHIM_FLAGS) -MMD -MP -c -o $@ $<

# The register that stubs pass the slot in is nobody else's (preload/wrapper.h); sanitizers would use it.
SLOT_REGISTER := $(if $(findstring aarch64,$(shell $(CC) -dumpmachine)),x17,r11)
$(O)/gen/wrap_%.o: CFLAGS_ += $(SHIM_FLAGS) -ffixed-$(SLOT_REGISTER) $(if $(SAN),-fno-sanitize=all)
$(O)/gen/slots.o: CFLAGS_ += $(SHIM_FLAGS)
$(O)/gen/stubs.o: $(O)/gen/stubs.S preload/stub.h
	$(call say,AS,$<)
	$(Q)$(CC) $(filter-out -g,$(CFLAGS_)) -c -o $@ $<
$(O)/preload/trampoline.o: preload/trampoline.S preload/stub.h
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) $(CFLAGS_) -c -o $@ $<
$(O)/gen/%.o: $(O)/gen/%.c
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_) -MMD -MP -c -o $@ $<

generate = @mkdir -p $(@D); $(O)/ktgen trace/routines $(1) > $@.part && mv $@.part $@
$(O)/gen/checked: $(O)/ktgen $(SPECS)
	$(call say,CHECK,trace/routines)
	$(call generate,check)
$(COMPILED:%=$(O)/gen/wrap_%.c): $(O)/gen/wrap_%.c: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,wrappers $*)
$(O)/gen/stubs.S: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,stubs)
$(O)/gen/slots.c: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,slots)
$(O)/gen/thunks.c: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,thunks)
$(O)/routines.md: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,manual)
.SECONDARY:

-include $(wildcard $(O)/*/*.d $(O)/*/*/*.d)

# --- packages ---------------------------------------------------------------------------------------------------

# Installs those of the packages named that are not there; nothing else is touched and no network used if all are.
define install_packages
@missing=; for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
if [ -n "$$missing" ]; then echo "installing:$$missing"; as=; [ "$$(id -u)" = 0 ] || as=sudo; \
$$as apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$as apt-get install -y -qq --no-install-recommends $$missing \
 >/tmp/ktrace-apt.log 2>&1 || { tail -n 5 /tmp/ktrace-apt.log; echo "make: these packages are needed:$$missing"; exit 1; }; fi
endef

packages:
	$(call install_packages,$(BUILD_PACKAGES))
packages-demo: packages
	$(call install_packages,$(DEMO_PACKAGES))
packages-check: packages-demo
	$(call install_packages,$(CHECK_PACKAGES))

# --- tests ------------------------------------------------------------------------------------------------------

T := $(O)/tests
TEST_PARTS := $(patsubst %,$(O)/tests/%.o,tracegen table_load synth poison prototype) $(O)/trace/spec.o
UNIT_PROGRAMS := $(UNIT:%=$(T)/unit/test_%)
ABI := $(addprefix $(T)/abi/,libfake1.so libfake2.so libfake3.so libfakenested.so libfakef2c.so libfake64.so libmiddle.so module_one.so \
       module_two.so module_three.so module_mixed.so module_early.so module_nested.so scopes reload results_gfortran results_f2c life wide)
export B = $(O)

$(T)/unit/%: $(O)/tests/unit/%.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS) -lcmocka

fake = @mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -Wl,-soname,$(@F) $(1) -o $@ $<
$(T)/abi/libfake1.so: tests/abi/fake.c
	$(call fake,-DANSWER=1)
$(T)/abi/libfake2.so: tests/abi/fake.c
	$(call fake,-DANSWER=2)
# Laid out differently, and linked for an address above the one it gets.
$(T)/abi/libfake3.so: tests/abi/fake.c
	$(call fake,-DANSWER=3 -falign-functions=65536 -Wl$(comma)-Ttext-segment=0x7fffffff0000)
$(T)/abi/libfakenested.so: tests/abi/fake.c
	$(call fake,-DNESTED)
$(T)/abi/libfakef2c.so: tests/abi/fake.c
	$(call fake,-DF2C)
$(T)/abi/libfake64.so: tests/abi/fake.c
	$(call fake,-DILP64)

# $(1): sources and libraries in the order in which they are needed
abi = @mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -rdynamic -o $@ $(1) -Wl,--no-as-needed -L$(T)/abi -Wl,-rpath,$(abspath $(T)/abi) $(2) -lpthread -ldl
$(T)/abi/libmiddle.so: tests/abi/middle.c $(T)/abi/libfake2.so
	$(call abi,-fPIC -shared -Wl$(comma)-soname$(comma)libmiddle.so $<,-lfake2)
$(T)/abi/module_one.so: tests/abi/module.c $(T)/abi/libfake1.so
	$(call abi,-fPIC -shared $<,-lfake1)
$(T)/abi/module_two.so: tests/abi/module.c $(T)/abi/libfake2.so
	$(call abi,-fPIC -shared $<,-lfake2)
$(T)/abi/module_three.so: tests/abi/module.c $(T)/abi/libfake3.so
	$(call abi,-fPIC -shared $<,-lfake3)
$(T)/abi/module_nested.so: tests/abi/module.c $(T)/abi/libfakenested.so
	$(call abi,-fPIC -shared $<,-lfakenested)
$(T)/abi/module_early.so: tests/abi/early.c $(T)/abi/libfake1.so
	$(call abi,-fPIC -shared -Wl$(comma)-z$(comma)nodelete $<,-lfake1)
$(T)/abi/module_mixed.so: tests/abi/module.c $(T)/abi/libfake1.so $(T)/abi/libmiddle.so
	$(call abi,-fPIC -shared $<,-lfake1 -lmiddle)
$(T)/abi/scopes: tests/abi/scopes.c
	$(call abi,$<)
$(T)/abi/reload: tests/abi/reload.c
	$(call abi,$<)
$(T)/abi/results_gfortran: tests/abi/results.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/abi/results_f2c: tests/abi/results.c $(T)/abi/libfakef2c.so
	$(call abi,-DF2C $<,-lfakef2c)
$(T)/abi/life: tests/abi/life.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/abi/wide: tests/abi/wide.c $(T)/abi/libfake64.so
	$(call abi,$<,-lfake64)
comma := ,

# Programs that reproduce the table: generated callers of every symbol, the proof of operand ranges, fuzzers.
TEST_TOOLS := $(addprefix $(T)/,footprint list_symbols fuzz_reader fuzz_spec gen_roundtrip)
# footprint replaces the xerbla of the libraries it loads.
$(TEST_TOOLS): $(T)/%: $(O)/tests/%.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -rdynamic -o $@ $^ $(LIBS)

REFERENCE = $(firstword $(wildcard /usr/lib/*/blas/libblas.so.3 /usr/lib64/blas/libblas.so.3))
REFERENCE_LAPACK = $(firstword $(wildcard /usr/lib/*/lapack/liblapack.so.3 /usr/lib64/lapack/liblapack.so.3))
roundtrip = $(O)/tests/gen_roundtrip trace/routines $(1) > $@
$(T)/roundtrip_c.c: $(T)/gen_roundtrip $(SPECS)
	@$(call roundtrip,c)
$(T)/roundtrip_cblas.c: $(T)/gen_roundtrip $(SPECS)
	@$(call roundtrip,cblas)
$(T)/roundtrip_f.f90: $(T)/gen_roundtrip $(SPECS)
	@$(call roundtrip,fortran)
$(T)/roundtrip_%: $(T)/roundtrip_%.c
	$(Q)$(CC) -std=gnu11 -O1 -w -o $@ $< $(REFERENCE_LAPACK) $(REFERENCE)
$(T)/roundtrip_f: $(T)/roundtrip_f.f90
	$(Q)gfortran -O0 -w -fallow-argument-mismatch -J $(@D) -o $@ $< $(REFERENCE_LAPACK) $(REFERENCE)

$(T)/bench/calls: tests/bench/calls.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -o $@ $< $(REFERENCE)
$(T)/bench/least.so: tests/bench/least.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl
BENCH := $(T)/bench/calls $(T)/bench/least.so
ROUNDTRIP := $(addprefix $(T)/,roundtrip_c roundtrip_cblas roundtrip_f)

FAST_TESTS := $(UNIT_PROGRAMS) tests/lint_modules.sh tests/lint_functions.sh tests/shim_abi.sh tests/shim_life.sh \
              $(wildcard tests/cli/*.sh)
SLOW_TESTS := tests/table.sh tests/demo.sh tests/replay.sh tests/sanitize.sh tests/valgrind.sh tests/cppcheck.sh

check: packages-check
	@$(MAKE) --no-print-directory check-all
.PHONY: check-all
check-all: all $(UNIT_PROGRAMS) $(ABI) $(TEST_TOOLS) $(ROUNDTRIP) $(BENCH)
	@tests/run $(FAST_TESTS) $(SLOW_TESTS)
# What tests/sanitize.sh needs besides all; it builds in a folder of its own.
.PHONY: sanitized-tests
sanitized-tests: $(UNIT_PROGRAMS) $(T)/fuzz_reader $(T)/fuzz_spec
check-fast: all $(UNIT_PROGRAMS) $(ABI)
	@tests/run $(FAST_TESTS)

# The trace of the demo program, its replay and the report.
demo: packages-demo
	@$(MAKE) --no-print-directory all
	@rm -rf $(O)/demo.trace
	$(O)/ktrace run -o $(O)/demo.trace -- $(PYTHON) examples/demo.py
	$(O)/ktrace replay $(O)/demo.trace
	$(O)/ktrace report $(O)/demo.trace
bench: all $(BENCH)
	@tests/bench/run.sh

deps-check: all
	@tests/run tests/lint_modules.sh
lint: all
	@tests/run tests/lint_modules.sh tests/lint_functions.sh tests/cppcheck.sh
sanitize: all $(ABI)
	@tests/run tests/sanitize.sh
valgrind: all
	@tests/run tests/valgrind.sh
fmt:
	clang-format -i $$(git ls-files '*.c' '*.h')

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share/doc/ktrace
	install $(O)/ktrace $(DESTDIR)$(PREFIX)/bin/ktrace
	install $(O)/libktrace.so $(DESTDIR)$(PREFIX)/lib/libktrace.so
	install -m 644 README.md FORMAT.md $(O)/routines.md $(DESTDIR)$(PREFIX)/share/doc/ktrace

clean:
	rm -rf $(O) build-san
