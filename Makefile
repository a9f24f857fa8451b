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
CHECK_PACKAGES := libcmocka-dev gfortran libblas-dev liblapack-dev libblis4-serial gdb valgrind cppcheck libblas-test liblapack-test \
                  python3-scipy libblas64-3 liblapack64-3 libopenblas64-0-pthread liblapacke-dev liblapacke64 libblis64-4-serial libatlas3-base
TRANSPARENCY_PACKAGES := octave r-base-core libopenblas0-pthread dpkg-dev python3-pytest python3-hypothesis

CFLAGS_  := -std=gnu11 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -D_GNU_SOURCE \
            -DKT_VERSION='"$(VERSION)"' -I. -Iinclude $(if $(DEBUG),-O0,-O2) $(if $(SAN),-fsanitize=$(SAN)) \
            $(if $(WERROR),-Werror) $(CFLAGS)
SHIM_FLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-optimize-sibling-calls
LIBS     := -ldw -lelf -ljansson -ldl -lm

TABLE    := error expr notation argument routine symbol
TRACE    := $(TABLE) operand lines stream definitions origin reader cursor shape state stats text json about verb \
            cmd_run cmd_info cmd_dump cmd_check cmd_env cmd_help
REPLAY   := library call arena data cache setup sample job worker schedule ratio comparison result repro repro_comment \
            repro_data repro_helpers repro_program cmd_replay cmd_compare cmd_repro
MODEL    := summary callers decomposition report report_tables cmd_report
SHIM     := ask bind elf forward line linker meta objects process record redirect settings
GEN      := gen gen_wrapper gen_names gen_thunk
SPECS    := $(wildcard trace/routines/*.spec)
# Routines whose calls go through compiled functions; all others go through the trampoline.
COMPILED := $(filter blas%,$(basename $(notdir $(SPECS))))
UNIT     := expr routine symbol operand cost reader shape stats text json about arena data schedule call library \
            summary decomposition callers repro

OBJECTS  := $(TRACE:%=$(O)/trace/%.o) $(REPLAY:%=$(O)/replay/%.o) $(MODEL:%=$(O)/model/%.o) $(O)/gen/thunks.o
# A sanitizer looks symbols up before its own functions work: its builds do without our dlopen() and dlsym().
SHIM_OBJECTS := $(SHIM:%=$(O)/preload/%.o) $(COMPILED:%=$(O)/gen/wrap_%.o) $(addprefix $(O)/,gen/slots.o gen/stubs.o preload/trampoline.o $(if $(SAN),,preload/linker_hooks.o))

Q := $(if $(V),,@)
SILENT := $(findstring s,$(firstword $(filter-out --%,$(MAKEFLAGS))))
say = @$(if $(V)$(SILENT),:,printf '  %-6s %s\n' $(1) $(2))

.PHONY: proof all help packages packages-demo packages-check check check-fast demo bench transparency deps-check fmt lint sanitize valgrind install clean
all: $(O)/ktrace $(O)/libktrace.so $(O)/libktrace-audit.so $(O)/routines.md

help:
	@echo 'make            build $(O)/ktrace and $(O)/libktrace.so'
	@echo 'make demo       install what is missing, build, trace a NumPy program, replay it, print the report'
	@echo 'make check      install what is missing, build, run all tests'
	@echo 'make check-fast the tests that take seconds'
	@echo 'make proof      the operand ranges of LAPACK in poisoned memory, with the calls of its own test programs'
	@echo 'make bench      cost of recording a call, as a ratio to the least possible shim'
	@echo 'make transparency  all programs whose output must not change: every test of BLAS, LAPACK and OpenBLAS, Octave, R, SciPy'
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

# Loaded into every program that is traced, beside the C library: does without one.
$(O)/libktrace-audit.so: preload/audit.c preload/elf.c preload/elf.h
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(filter-out -fsanitize=%,$(CFLAGS_)) -fPIC -fvisibility=hidden -ffreestanding -fno-stack-protector -nostdlib -shared -Wl,-z,now -o $@ $(filter %.c,$^)

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
$(O)/gen/stubs.o: $(O)/gen/stubs.S preload/stub.h preload/sizes.h
	$(call say,AS,$<)
	$(Q)$(CC) $(filter-out -g,$(CFLAGS_)) -c -o $@ $<
$(O)/preload/%.o: preload/%.S preload/stub.h preload/sizes.h
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) $(CFLAGS_) -c -o $@ $<
$(O)/gen/%.o: $(O)/gen/%.c
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_) -MMD -MP -c -o $@ $<

generate = @mkdir -p $(@D); $(O)/ktgen trace/routines $(1) > $@.part && mv $@.part $@
$(O)/gen/checked: $(O)/ktgen $(SPECS) trace/routines/counted.list
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
       module_two.so module_three.so module_mixed.so module_early.so module_nested.so scopes reload results_gfortran results_f2c life wide \
       module_join.so module_now.so module_any.so module_old.so module_new.so libversions.so libtool.so libbare.so module_bare.so libshort.so short ways \
       ways_linked own own_exported own_static own_static_pie errors bare linked_first linked_last life_now \
       libsysv.so lookup libboth.so both crowd coroutine storm $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),unwind))
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
$(T)/abi/module_join.so: tests/abi/early.c $(T)/abi/libfake1.so
	$(call abi,-fPIC -shared -DJOIN $<,-lfake1)
$(T)/abi/module_now.so: tests/abi/module.c $(T)/abi/libfake2.so
	$(call abi,-fPIC -shared -Wl$(comma)-z$(comma)now $<,-lfake2)
# Its routine is that of whoever is in the global scope.
$(T)/abi/module_any.so: tests/abi/module.c
	$(call abi,-fPIC -shared $<)
# A library with two versions of a routine; modules that were linked with the old one, which is not kept, and the new one.
versions = @mkdir -p $(@D)/old; $(CC) -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -Wl,--version-script=tests/abi/versions.map -Wl,-soname,libversions.so
$(T)/abi/libversions.so: tests/abi/versions.c tests/abi/versions.map
	$(versions) -o $@ $<
$(T)/abi/old/libversions.so: tests/abi/versions.c tests/abi/versions.map
	$(versions) -DONLY_OLD -o $@ $<
$(T)/abi/module_new.so: tests/abi/module.c $(T)/abi/libversions.so
	$(call abi,-fPIC -shared $<,-lversions)
$(T)/abi/module_old.so: tests/abi/module.c $(T)/abi/old/libversions.so $(T)/abi/libversions.so
	$(call abi,-fPIC -shared $<,$(T)/abi/old/libversions.so)
$(T)/abi/libtool.so: tests/abi/tool.c
	$(call abi,-fPIC -shared -Wl$(comma)-soname$(comma)libtool.so $<)
$(T)/abi/libbare.so: tests/abi/bare.c
	$(call abi,-fPIC -shared -Wl$(comma)-soname$(comma)libbare.so $<)
$(T)/abi/libshort.so: tests/abi/short.c
	$(call abi,-fPIC -shared -Wl$(comma)-soname$(comma)libshort.so $<)
$(T)/abi/short: tests/abi/short.c $(T)/abi/libshort.so
	$(call abi,-DMAIN $<,-lshort)
$(T)/abi/module_bare.so: tests/abi/module.c $(T)/abi/libfake1.so $(T)/abi/libbare.so
	$(call abi,-fPIC -shared -Wl$(comma)-soname$(comma)module_bare.so $<,-lfake1 -lbare)
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
$(T)/abi/storm: tests/abi/storm.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(REFERENCE_LAPACK) $(REFERENCE) -lpthread
$(T)/abi/coroutine: tests/abi/coroutine.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/abi/unwind: tests/abi/unwind.c $(T)/abi/libfake1.so $(T)/abi/libbare.so
	$(call abi,$<,-lfake1 -lbare)
# An older kind of symbol table.
$(T)/abi/libsysv.so: tests/abi/fake.c
	$(call fake,-Wl$(comma)--hash-style=sysv)
$(T)/abi/libboth.so: tests/abi/both.c
	$(call fake,)
$(T)/abi/both: tests/abi/both.c $(T)/abi/libboth.so
	$(call abi,-DMAIN $<,-lboth)
$(T)/abi/lookup: tests/abi/lookup.c preload/elf.c preload/elf.h
	$(call abi,-D_GNU_SOURCE -I. $(filter %.c,$^))
$(T)/abi/life_now: tests/abi/life.c $(T)/abi/libfake1.so
	$(call abi,-Wl$(comma)-z$(comma)now $<,-lfake1)
$(T)/abi/crowd: tests/abi/crowd.c
	$(call abi,$<)
$(T)/abi/ways: tests/abi/ways.c
	$(call abi,$<)
$(T)/abi/ways_linked: tests/abi/ways.c $(T)/abi/libfake1.so
	$(call abi,-DLINKED $<,-lfake1)
$(T)/abi/errors: tests/abi/errors.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/abi/bare: tests/abi/bare.c $(T)/abi/module_bare.so $(T)/abi/libbare.so
	$(call abi,-DMAIN $<,-lbare -l:module_bare.so -lfake1)
# A routine in the program itself, seen by the dynamic linker or not.
$(T)/abi/own_exported: tests/abi/own.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/abi/own: tests/abi/own.c
	$(call abi,$<,-Wl$(comma)--no-export-dynamic)
$(T)/abi/own_static: tests/abi/own.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -DSTATIC -static -o $@ $<
$(T)/abi/own_static_pie: tests/abi/own.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -DSTATIC -static-pie -fPIE -o $@ $<
# Programs that are linked with the shim, before and behind the library.
$(T)/abi/linked_%: tests/abi/life.c $(T)/abi/libfake1.so $(O)/libktrace.so
	$(call abi,$<,$(if $(filter first,$*),-L$(O) -lktrace -lfake1,-lfake1 -L$(O) -lktrace) -Wl$(comma)-rpath$(comma)$(abspath $(O)))
$(T)/abi/wide: tests/abi/wide.c $(T)/abi/libfake64.so
	$(call abi,$<,-lfake64)
comma := ,

# Programs that reproduce the table: generated callers of every symbol, the proof of operand ranges, fuzzers.
TEST_TOOLS := $(addprefix $(T)/,footprint list_symbols fuzz_reader fuzz_spec gen_roundtrip)
# footprint replaces the xerbla of the libraries it loads.
$(TEST_TOOLS): $(T)/%: $(O)/tests/%.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -rdynamic -o $@ $^ $(LIBS)

# The proof of LAPACK's operand ranges with the calls of real programs: a checker to preload, its reports, a caller.
PROOF := $(addprefix $(T)/proof/,proof libproof.so drive)
PROOF_TABLE := $(TABLE:%=trace/%.c) trace/operand.c trace/spec.c
proof = @mkdir -p $(@D); $(CC) $(CFLAGS_) $(1) -o $@ $(filter %.c %.S,$^) -ldl -lm
$(T)/proof/proof: tests/proof/proof.c tests/proof/tally.c $(PROOF_TABLE) $(wildcard tests/proof/*.h trace/*.h)
	$(call proof)
$(T)/proof/stubs.S: $(T)/proof/proof $(wildcard trace/routines/*)
	@$< stubs trace/routines > $@.part && mv $@.part $@
$(T)/proof/libproof.so: $(T)/proof/stubs.S $(addprefix tests/proof/,enter.S forward.S check.c copies.c passing.c tally.c) $(PROOF_TABLE)
	$(call proof,-fPIC -shared -fvisibility=hidden)
$(T)/proof/drive: $(addprefix tests/proof/,drive.c passing.c forward.S) tests/poison.c tests/synth.c $(PROOF_TABLE)
	$(call proof,-rdynamic)

REFERENCE = $(firstword $(wildcard /usr/lib/*/blas/libblas.so.3 /usr/lib64/blas/libblas.so.3))
REFERENCE_LAPACK = $(firstword $(wildcard /usr/lib/*/lapack/liblapack.so.3 /usr/lib64/lapack/liblapack.so.3))
roundtrip = $(O)/tests/gen_roundtrip trace/routines $(1) > $@
$(T)/roundtrip_%.c: $(T)/gen_roundtrip $(SPECS)
	@$(call roundtrip,$*)
$(T)/roundtrip_f.f90: $(T)/gen_roundtrip $(SPECS)
	@$(call roundtrip,fortran)
# The library of all names passes calls on to the first of these that has the usual name.
NAMED := $(REFERENCE) $(REFERENCE_LAPACK) $(wildcard /usr/lib/*/liblapacke.so.3 /usr/lib/*/openblas-serial/libopenblas.so.0 \
         /usr/lib/*/blis-serial/libblis.so.4)
$(T)/libnames.so: $(T)/roundtrip_names.c
	$(Q)$(CC) -std=gnu11 -w -fPIC -shared '-DLIBRARIES=$(foreach l,$(NAMED),"$(l)"$(comma))' -o $@ $< -ldl
with_all_names = -rdynamic -o $@ $< -Wl,--no-as-needed -L$(T) -lnames -Wl,-rpath,$(abspath $(T)) -ldl
$(T)/roundtrip_f: $(T)/roundtrip_f.f90 $(T)/libnames.so
	$(Q)gfortran -O0 -w -fallow-argument-mismatch -J $(@D) $(with_all_names)
$(T)/roundtrip_%: $(T)/roundtrip_%.c $(T)/libnames.so
	$(Q)$(CC) -std=gnu11 -O0 -w -D_GNU_SOURCE $(with_all_names)

$(T)/flops: tests/flops.f90
	@mkdir -p $(@D); gfortran -O1 -o $@ $< $(REFERENCE_LAPACK) $(REFERENCE)

$(T)/bench/calls: tests/bench/calls.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -o $@ $< $(REFERENCE)
$(T)/bench/least.so: tests/bench/least.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl
BENCH := $(T)/bench/calls $(T)/bench/least.so
ROUNDTRIP := $(addprefix $(T)/roundtrip_,c cblas lapacke lapacke_work f)

FAST_TESTS := $(UNIT_PROGRAMS) tests/lint_modules.sh tests/lint_functions.sh tests/shim_abi.sh tests/shim_load.sh tests/shim_life.sh \
              $(wildcard tests/cli/*.sh)
SLOW_TESTS := tests/table.sh tests/names.sh tests/roundtrip.sh tests/proof.sh tests/repro.sh tests/flops.sh tests/transparency.sh tests/transparency/programs.sh tests/demo.sh tests/replay.sh tests/sanitize.sh tests/valgrind.sh tests/cppcheck.sh

check: packages-check
	@$(MAKE) --no-print-directory check-all
.PHONY: check-all
check-all: all $(UNIT_PROGRAMS) $(ABI) $(TEST_TOOLS) $(ROUNDTRIP) $(BENCH) $(T)/flops $(PROOF)
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

# Every program that must not notice, in about ten minutes; one line for each.
transparency: packages-check
	$(call install_packages,$(TRANSPARENCY_PACKAGES))
	@$(MAKE) --no-print-directory all
	@TAP=1 TIME_LIMIT=3600 tests/run tests/transparency.sh $(patsubst %,tests/transparency/%.sh,programs interpreters openblas netlib)

# The operand ranges of LAPACK alone: some minutes.
proof: packages-check
	@$(MAKE) --no-print-directory $(PROOF)
	@tests/run tests/proof.sh
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
	install $(O)/libktrace.so $(O)/libktrace-audit.so $(DESTDIR)$(PREFIX)/lib
	install -m 644 README.md FORMAT.md $(O)/routines.md $(DESTDIR)$(PREFIX)/share/doc/ktrace

clean:
	rm -rf $(O) build-san
