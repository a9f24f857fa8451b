# ktrace: make help lists the targets. No configure step; O= builds elsewhere, DEBUG=1, SAN=address,undefined, V=1.

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
O        ?= build
PREFIX   ?= /usr/local
CC       := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
VERSION  := 0.1.0
export PYTHON ?= /usr/bin/python3

# What building, the demo and the tests need beyond git and make, as Debian packages: make packages installs what is missing.
BUILD_PACKAGES := gcc libc6-dev libdw-dev libjansson-dev libarchive-dev libzstd-dev libsqlite3-dev libhwloc-dev libprotobuf-c-dev protobuf-c-compiler
DEMO_PACKAGES  := python3-numpy libopenblas0-serial libblas3 liblapack3
CHECK_PACKAGES := libcmocka-dev libpfm4 g++ gfortran libblas-dev liblapack-dev libblis4-serial gdb valgrind cppcheck libblas-test liblapack-test \
                  python3-scipy libblas64-3 liblapack64-3 libopenblas64-0-pthread liblapacke-dev liblapacke64 libblis64-4-serial libatlas3-base \
                  openmpi-bin hpcc zstd xz-utils gnuplot-nox
BENCH_PACKAGES := uftrace lttng-tools liblttng-ust-dev ltrace libpfm4 hpcc valgrind python3-scipy octave r-base-core libsuitesparse-dev
LIBRARY_PACKAGES := libopenblas0-pthread libopenblas0-serial libblis4-pthread libblis4-serial libblas3 liblapack3
PORTABLE_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
PROBE_PACKAGES := likwid mbw
FUZZ_PACKAGES  := clang libclang-rt-dev
TRANSPARENCY_PACKAGES := octave r-base-core libopenblas0-pthread dpkg-dev python3-pytest python3-hypothesis

# Names and lines for backtraces; DEBUG=1 has variables, too, and takes a third longer. What a sanitizer adds takes -O2 three times
# as long to optimise as -O1.
CFLAGS_  := -std=gnu11 -pipe $(if $(DEBUG),-g,-g1) -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -D_GNU_SOURCE \
            -DKT_VERSION='"$(VERSION)"' -I. -Iinclude $(if $(DEBUG),-O0,$(if $(SAN),-O1,-O2)) $(if $(SAN),-fsanitize=$(SAN)) \
            $(if $(WERROR),-Werror) $(CFLAGS)
# Objects depend on this file: other flags make them anew.
FLAGS_NOW := $(CC) $(CFLAGS_)
# Programs have threads and signal handlers with small stacks.
SHIM_FLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-optimize-sibling-calls -Wframe-larger-than=1600
LIBS     := -ldw -lelf -ljansson -larchive -lzstd -lsqlite3 -lhwloc -lprotobuf-c -l:libstdc++.so.6 -ldl -lm -lpthread

TABLE    := base/error base/plain table/expr table/relation table/notation table/argument table/routine table/symbol
# The parts are the folders' files; those with a main() or a library of their own apart.
parts     = $(filter-out $(2),$(patsubst $(1)%.c,%,$(sort $(wildcard $(1)*.c $(1)*/*.c))))
TRACE    := $(call parts,trace/,verbs/main generate/%)
REPLAY   := $(call parts,replay/)
MODEL    := $(call parts,model/)
SHIM     := $(call parts,preload/,audit block_size $(if $(SAN),strings))
UNIT     := $(call parts,tests/unit/test_)
GEN      := generate/gen generate/gen_wrapper generate/gen_names generate/gen_elements generate/gen_thunk
SPECS    := $(wildcard trace/routines/*.spec)
ALGORITHMS := $(wildcard examples/algorithms/*.kta)
# Routines whose calls go through compiled functions; all others go through the trampoline.
COMPILED := $(filter blas%,$(basename $(notdir $(SPECS))))

OBJECTS  := $(TRACE:%=$(O)/trace/%.o) $(REPLAY:%=$(O)/replay/%.o) $(MODEL:%=$(O)/model/%.o) $(O)/gen/thunks.o $(O)/gen/texts.o $(O)/gen/pprof.pb-c.o
# A sanitizer looks symbols up before its own functions work: its builds do without our dlopen() and dlsym().
SHIM_OBJECTS := $(SHIM:%=$(O)/preload/%.o) $(COMPILED:%=$(O)/gen/wrap_%.o) $(addprefix $(O)/,gen/slots.o gen/elements.o gen/stubs.o preload/trampoline.o preload/cost_call.o preload/jumps.o preload/apart_task.o preload/sandbox_hooks.o $(if $(SAN),,preload/linker_hooks.o))

Q := $(if $(V),,@)
SILENT := $(findstring s,$(firstword $(filter-out --%,$(MAKEFLAGS))))
say = @$(if $(V)$(SILENT),:,printf '  %-6s %s\n' $(1) $(2))

.PHONY: all built kill-test proof help packages packages-demo packages-check check check-fast demo bench transparency deps-check fmt lint sanitize valgrind install clean
# On all processors, unless -j says on how many.
all:
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) built
# What takes longest to compile, and what has to be generated first, come first.
built: $(O)/model/loops/probe_kernels.o $(O)/libktrace.so $(O)/ktrace $(O)/libktrace-audit.so $(O)/libktrace-block.so $(O)/routines.md

help:
	@echo 'make            build $(O)/ktrace, $(O)/libktrace.so and what they need'
	@echo 'make demo       install what is missing, build, trace a NumPy program, replay it, print the report'
	@echo 'make check      install what is missing, build, run all tests'
	@echo 'make check-fast the tests that take seconds'
	@echo 'make proof      the operand ranges of LAPACK in poisoned memory, with the calls of its own test programs'
	@echo 'make kill-test  1,000 programs killed at random times (RUNS=): every trace holds what they counted'
	@echo 'make bench      cost of recording a call, as a ratio to a plain shim, and of other recorders; pauses'
	@echo 'make bench-NAME what is measured more closely: nested (one LAPACK call as the program times it), passed (calls that are not'
	@echo '                recorded), instructions (of a recorded call), programs (slowdown of whole ones), volume (10^8 calls), replay (do two'
	@echo '                agree, a million calls), flush and timers (ways of flushing and timing), sequence (known contexts, calls'
	@echo '                inside LAPACK), tracker (calls per second), diff (how often it is wrong), verify (do programs take on'
	@echo '                other libraries what compare predicts), itself (compare of a library with itself), probe (beside other'
	@echo '                measurements, and ten times), models, predict (against what was measured), roofline (are the roofs right)'
	@echo 'make check-portable  compile for aarch64, run the tests of pure logic in an emulator'
	@echo 'make transparency  all programs whose output must not change: every test of BLAS, LAPACK and OpenBLAS, Octave, R, SciPy'
	@echo 'make deps-check the arrows between the modules (DESIGN.md)'
	@echo 'make lint       compiler warnings as errors, cppcheck, module arrows, function sizes'
	@echo 'make sanitize   unit tests, fuzzers, tools and shim under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make valgrind   the tools under valgrind'
	@echo 'make fuzz       damaged traces for the reader and the verbs, SECONDS= for each fuzzer (clang); fuzz-regression: those found so far'
	@echo 'make profile-long  profile mode for 10^9 calls: some minutes'
	@echo 'make fmt        format the sources with clang-format'
	@echo 'make packages   install the packages that building needs (packages-demo, packages-check: those too)'
	@echo 'make setup-libraries  install OpenBLAS, BLIS, the reference BLAS and, where it can be had, MKL: what compare and run --blas choose from'
	@echo 'make install    into PREFIX=$(PREFIX), below DESTDIR= if given'
	@echo 'make clean      remove what was built'
	@echo 'variables       O=build DEBUG=1 SAN=address,undefined V=1 CC= CFLAGS= WERROR=1'

# What the compiler says stays beside what it made: tests/cppcheck.sh looks for warnings there, and compiles nothing again.
kept = 2>$(basename $@).said; status=$$?; cat $(basename $@).said >&2; exit $$status

# --- building ---------------------------------------------------------------------------------------------------

$(O)/ktrace: $(O)/trace/verbs/main.o $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)

$(O)/libktrace.so: $(SHIM_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -shared -Wl,-soname,libktrace.so -Wl,-z,now -o $@ $^

# Loaded into every program that is traced, beside the C library: does without one.
$(O)/libktrace-audit.so: preload/audit.c preload/elf.c preload/strings.c preload/elf.h $(O)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(filter-out -fsanitize=%,$(CFLAGS_)) -fPIC -fvisibility=hidden -ffreestanding -fno-stack-protector -nostdlib -shared -Wl,-z,now -o $@ $(filter %.c,$^) $(kept)

# Preloaded only where block sizes are to be others.
$(O)/libktrace-block.so: preload/block_size.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -fPIC -fvisibility=hidden -shared -Wl,-soname,libktrace-block.so -Wl,-z,now -o $@ $< $(kept)

$(O)/ktgen: $(O)/trace/generate/ktgen.o $(GEN:%=$(O)/trace/%.o) $(O)/trace/table/spec.o $(TABLE:%=$(O)/trace/%.o)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ -lm

# A missing library is named with its package before the compiler stumbles over its header.
$(O)/prerequisites:
	@mkdir -p $(@D); missing=; for pair in elfutils/libdwfl.h=libdw-dev jansson.h=libjansson-dev archive.h=libarchive-dev zstd.h=libzstd-dev sqlite3.h=libsqlite3-dev hwloc.h=libhwloc-dev protobuf-c/protobuf-c.h=libprotobuf-c-dev; do \
	 echo "#include <$${pair%=*}>" | $(CC) -E -x c - >/dev/null 2>&1 || missing="$$missing $${pair#*=}"; done; \
	 command -v protoc-c >/dev/null || missing="$$missing protobuf-c-compiler"; \
	 if [ -n "$$missing" ]; then echo "make: needed and not there: Debian packages$$missing; 'make packages' installs them"; exit 1; fi; touch $@

$(O)/flags: export FLAGS_TEXT = $(FLAGS_NOW)
$(O)/flags: FORCE
	@mkdir -p $(@D); printf '%s\n' "$$FLAGS_TEXT" | cmp -s - $@ || printf '%s\n' "$$FLAGS_TEXT" >$@
.PHONY: FORCE

compile = $(Q)$(CC) $(CFLAGS_) $(1) -MMD -MP -c -o $@ $< $(kept)
$(O)/%.o: %.c $(O)/flags | $(O)/prerequisites
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(call compile)

# What is timed must be what the optimiser makes of it, and a debugger has no use for thousands of unrolled operations.
$(O)/model/loops/probe_kernels.o $(O)/model/loops/probe_streams.o $(O)/model/probe/probe_registers.o: CFLAGS_ += $(if $(SAN),,-O2) -g0

$(O)/preload/%.o: preload/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(call compile,$(SHIM_FLAGS))

# The register that stubs pass the slot in is nobody else's (preload/wrapper.h); sanitizers would use it.
SLOT_REGISTER := $(if $(findstring aarch64,$(shell $(CC) -dumpmachine 2>/dev/null)),x17,r11)
# Of vector registers that may hold arguments it touches no more than the trampoline keeps.
$(O)/preload/forward.o: private SHIM_FLAGS += $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),-mno-avx)
# A compiler that knows what these functions are would call them in their own loops.
# KTRACE_BLAS: opening a library takes more anyway.
$(O)/preload/substitute.o: private SHIM_FLAGS += -Wno-frame-larger-than
$(O)/preload/strings.o: private CFLAGS_ += -ffreestanding
$(O)/gen/wrap_%.o: private CFLAGS_ += $(SHIM_FLAGS) -ffixed-$(SLOT_REGISTER) $(if $(SAN),-fno-sanitize=all)
$(O)/gen/slots.o $(O)/gen/elements.o: private CFLAGS_ += $(SHIM_FLAGS)
$(O)/gen/stubs.o: $(O)/gen/stubs.S preload/stub.h preload/sizes.h $(O)/flags
	$(call say,AS,$<)
	$(Q)$(CC) $(filter-out -g%,$(CFLAGS_)) -c -o $@ $<
$(O)/preload/%.o: preload/%.S preload/stub.h preload/sizes.h $(O)/flags
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) $(CFLAGS_) -c -o $@ $<
$(O)/gen/%.o: $(O)/gen/%.c $(O)/flags
	$(call say,CC,$<)
	$(call compile)

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
$(O)/gen/elements.c: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,elements)
$(O)/gen/thunks.c: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,thunks)
$(O)/routines.md: $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,manual)
# A format that is described in a language of its own.
$(O)/gen/pprof.pb-c.c: trace/export/pprof.proto | $(O)/prerequisites
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D); protoc-c --c_out=$(@D) --proto_path=$(<D) $<
$(O)/trace/export/pprof.o: private CFLAGS_ += -I$(O)/gen
$(O)/trace/export/pprof.o: $(O)/gen/pprof.pb-c.c
# What the command has with it as text: the routine table, the algorithms of the examples.
quoted = sed 's/[\\"]/\\&/g; s/.*/"&\\n"/'
$(O)/gen/texts.c: $(O)/gen/checked $(ALGORITHMS)
	$(call say,GEN,$@)
	$(Q){ echo 'const char kt_routine_text[] ='; cat $(SPECS) | $(quoted); echo ';'; \
	 echo 'const char *const kt_algorithm_text[] = {'; for f in $(ALGORITHMS); do $(quoted) $$f; echo ','; done; echo '0};'; } > $@.part && mv $@.part $@
.SECONDARY:

-include $(wildcard $(O)/*/*.d $(O)/*/*/*.d)

# --- packages ---------------------------------------------------------------------------------------------------

# Installs those of the packages named that are not there; nothing else is touched and no network used if all are.
define install_packages
@missing=; for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
if [ -n "$$missing" ]; then mkdir -p $(O); echo "installing:$$missing"; as=; [ "$$(id -u)" = 0 ] || as=sudo; \
$$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing \
 >$(O)/apt.log 2>&1 || { tail -n 5 $(O)/apt.log; echo "make: these packages are needed:$$missing"; exit 1; }; fi
endef

packages:
	$(call install_packages,$(BUILD_PACKAGES))
packages-demo: packages
	$(call install_packages,$(DEMO_PACKAGES))
packages-check: packages-demo
	$(call install_packages,$(CHECK_PACKAGES))

# Libraries to compare. MKL only where the package sources have Debian's non-free section.
.PHONY: setup-libraries
setup-libraries: packages
	$(call install_packages,$(LIBRARY_PACKAGES))
	@if apt-cache policy libmkl-rt 2>/dev/null | grep -q 'Candidate: [0-9]'; then $(MAKE) --no-print-directory setup-mkl; else \
	echo "MKL is not available: Debian has it as libmkl-rt in the section non-free, which no package source here includes"; fi
	@$(MAKE) --no-print-directory all
	@$(O)/ktrace info --libraries
	@echo "The library that programs use by default may have changed: update-alternatives --config libblas.so.3-$$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)"
.PHONY: setup-mkl
setup-mkl:
	$(call install_packages,libmkl-rt)

# --- tests ------------------------------------------------------------------------------------------------------

T := $(O)/tests
TEST_PARTS := $(patsubst %,$(O)/tests/%.o,tracegen table_load synth poison prototype) $(O)/trace/table/spec.o
# What several of the unit tests need.
UNIT_PARTS := $(patsubst %.c,$(O)/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))
UNIT_PROGRAMS := $(UNIT:%=$(T)/unit/test_%)
ABI := $(addprefix $(T)/abi/,libfake1.so libfake2.so libfake3.so libfakenested.so libfakef2c.so libfake64.so libbad.so libmiddle.so module_one.so \
       module_two.so module_three.so module_mixed.so module_early.so module_nested.so scopes reload results_gfortran results_f2c life wide \
       module_join.so module_now.so module_any.so module_old.so module_new.so libversions.so libtool.so libmkl_pass.so libbare.so module_bare.so libshort.so short ways \
       ways_linked own own_exported own_static own_static_pie errors bare linked_first linked_last life_now \
       libsysv.so lookup libboth.so both crowd coroutine storm $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),unwind))
export B = $(O)

# An archive, so that each program has only what it uses: a hundred of them are linked in a third of the time, and libFuzzer
# goes through the counters of all there is after each input.
$(T)/tools.a: $(UNIT_PARTS) $(TEST_PARTS) $(OBJECTS)
	$(Q)rm -f $@; ar rcsT $@ $^
$(T)/unit/%: $(O)/tests/unit/%.o $(T)/tools.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -lcmocka
$(T)/unit/test_filter: $(O)/preload/filter.o
# Where names of the shim's are those of the tools' too: without these.
$(T)/unit/test_python: $(O)/tests/unit/test_python.o $(addprefix $(O)/preload/,python.o python_table.o line.o)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ -lcmocka
$(T)/unit/test_elements: $(O)/preload/elements.o $(O)/gen/elements.o

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

$(T)/abi/libbad.so: tests/abi/bad.c
	$(call fake,-pthread)

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
$(T)/abi/libmkl_pass.so: tests/abi/pass.c $(T)/abi/libfake1.so
	$(call abi,-fPIC -shared '-DOTHER="$(abspath $(T))/abi/libfake1.so"' -Wl$(comma)-soname$(comma)libmkl_pass.so $<)
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
$(T)/abi/unwind: tests/abi/unwind.c tests/abi/shim_range.h $(T)/abi/libfake1.so $(T)/abi/libbare.so
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

# Programs that reproduce the table: generated callers of every symbol, the proof of operand ranges.
TEST_TOOLS := $(addprefix $(T)/,footprint list_symbols gen_roundtrip replayable tracker)
# footprint replaces the xerbla of the libraries it loads.
$(filter-out %/gen_roundtrip,$(TEST_TOOLS)): $(T)/%: $(O)/tests/%.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -rdynamic -o $@ $^ $(LIBS)
$(T)/gen_roundtrip: $(patsubst %.c,$(O)/%.o,$(wildcard tests/roundtrip/*.c)) $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)

# Fuzzers: driven by tests/fuzz/driver.c, or by libFuzzer (make fuzz builds them with LIBFUZZER=1).
FUZZERS := $(addprefix $(T)/fuzz/,stream text trace packed spec algorithm profile snapshot machine models result store)
FUZZ_PARTS := $(patsubst %,$(O)/tests/fuzz/%.o,input memory mutate mutate_json look $(if $(LIBFUZZER),,driver)) $(O)/tests/synth.o $(O)/trace/table/spec.o
# What a fuzzer gives its inputs to in the place of a file.
wrapped = $(if $(filter trace packed result,$(1)),kt_files_open)$(if $(filter store,$(1)),sqlite3_open_v2)
$(T)/fuzz/machine $(T)/fuzz/models $(T)/fuzz/result: $(O)/tests/fuzz/document.o
$(T)/fuzz/stream $(T)/fuzz/profile $(T)/fuzz/snapshot: $(O)/tests/fuzz/base.o
$(FUZZERS): $(T)/fuzz/%: $(O)/tests/fuzz/%.o $(FUZZ_PARTS) $(T)/tools.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) $(if $(LIBFUZZER),-fsanitize=fuzzer) $(addprefix -Wl$(comma)--wrap=,$(call wrapped,$*)) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
$(T)/fuzz/seed: $(O)/tests/fuzz/seed.o $(O)/tests/fuzz/input.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)
.PHONY: fuzzers fuzz fuzz-regression
fuzzers: $(FUZZERS)
# With clang, in a folder of its own; what each fuzzer finds is kept there.
SECONDS ?= 60
fuzz: packages
	$(call install_packages,$(FUZZ_PACKAGES))
	@FOR=$(SECONDS) tests/fuzz/run.sh
fuzz-regression: $(FUZZERS)
	@tests/run tests/fuzz.sh

# The proof of LAPACK's operand ranges with the calls of real programs: a checker to preload, its reports, a caller.
PROOF := $(addprefix $(T)/proof/,proof libproof.so drive)
PROOF_TABLE := $(TABLE:%=trace/%.c) trace/table/operand.c trace/table/spec.c
proof = @mkdir -p $(@D); $(CC) $(CFLAGS_) $(1) -o $@ $(filter %.c %.S,$^) -ldl -lm
$(T)/proof/proof: tests/proof/proof.c tests/proof/tally.c $(PROOF_TABLE) $(wildcard tests/proof/*.h trace/*/*.h)
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

# Counters: calls without the shim, a kernel that refuses, one that has other hardware, calls that fault.
EVENTS := $(addprefix $(T)/events/,driver refuse fake.so faults)
$(T)/events/driver: tests/events/driver.c $(addprefix $(O)/preload/,events.o counters.o line.o apart.o apart_task.o)
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -o $@ $^ -lpthread
$(T)/events/refuse: tests/events/refuse.c
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -o $@ $<
$(T)/events/fake.so: tests/events/fake.c
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -fPIC -shared -o $@ $< -ldl
$(T)/events/faults: tests/events/faults.c
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -O1 -o $@ $< $(reference_found)

# Whatever can happen to a traced program: real calls of the reference library.
FAULT := $(addprefix $(T)/fault/,ends crew interrupts refusals xerbla victim killer race storm left cases depth descriptors sandbox)
reference_found = $(foreach l,$(REFERENCE_LAPACK) $(REFERENCE),$(l) -Wl,-rpath,$(dir $(l)))
fault = @mkdir -p $(@D); $(CC) -std=gnu11 -g -O1 -Wall -Wextra -D_GNU_SOURCE -I. -o $@ $< $(1) $(reference_found) -lpthread
$(T)/fault/%: tests/fault/%.c tests/fault/work.h tests/fault/victim.h
	$(call fault)
$(T)/fault/xerbla: tests/fault/xerbla.cpp tests/fault/work.h
	@mkdir -p $(@D); g++ -g -O1 -Wall -Wextra -I. -o $@ $< $(reference_found)
$(T)/fault/killer: $(O)/tests/fault/killer.o $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)

# Calls that nest in others, and what may go wrong with those that are passed on.
NESTED := $(addprefix $(T)/nested/,nest_counts nest_jumps nest_jumps_fortified nest_throws nest_throws_static nest_ends nest_signals nest_switch libnest.so libalone.so nest_flags \
          nest_scopes nest_unwinder libunwinder1.so libunwinder2.so module_unwinder1.so module_unwinder2.so \
          $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),nest_steps libforeign.so nest_foreign module_foreign1.so module_foreign2.so))
nested = @mkdir -p $(@D); $(1) -g -O1 -Wall -Wextra -D_GNU_SOURCE -I. -Iinclude -o $@ $(filter %.c %.cpp,$^)
beside = -L$(@D) -Wl,--no-as-needed $(1) '-Wl,-rpath,$$ORIGIN'
$(T)/nested/%: tests/nested/%.c tests/nested/nest.h tests/fault/work.h
	$(call nested,$(CC) -std=gnu11) $(reference_found) -lpthread
$(T)/nested/nest_jumps_fortified: tests/nested/nest_jumps.c tests/nested/nest.h tests/fault/work.h
	$(call nested,$(CC) -std=gnu11 -D_FORTIFY_SOURCE=2) $(reference_found)
$(T)/nested/nest_throws: tests/nested/nest_throws.cpp tests/nested/nest.h tests/fault/work.h
	$(call nested,g++) $(reference_found)
$(T)/nested/nest_throws_static: tests/nested/nest_throws.cpp tests/nested/nest.h tests/fault/work.h
	$(call nested,g++ -static-libgcc -static-libstdc++) $(reference_found)
$(T)/nested/libnest.so: tests/nested/nest_library.c
	$(call fake,)
$(T)/nested/libalone.so: tests/nested/nest_library.c
	$(call fake,-DALONE)
$(T)/nested/nest_steps $(T)/nested/nest_flags: $(T)/nested/%: tests/nested/%.c tests/abi/shim_range.h tests/nested/nest.h $(T)/nested/libnest.so
	$(call nested,$(CC) -std=gnu11) $(call beside,-lnest) -lm
$(T)/nested/nest_scopes: tests/nested/nest_scopes.c $(T)/nested/libalone.so
	$(call nested,$(CC) -std=gnu11 -rdynamic) $(call beside,-lalone) -lpthread -ldl
$(T)/nested/libforeign.so: tests/nested/nest_foreign_library.c tests/nested/nest_foreign.h
	$(call fake,-mavx -I.)
$(T)/nested/nest_foreign: tests/nested/nest_foreign.c tests/nested/nest_foreign.h $(T)/nested/libforeign.so $(T)/nested/libnest.so
	$(call nested,$(CC) -std=gnu11 -mavx -mno-red-zone -rdynamic) $(call beside,-lforeign -lnest) -Wl,-z,now -ldl
$(T)/nested/module_foreign1.so $(T)/nested/module_foreign2.so: tests/nested/nest_foreign.c tests/nested/nest_foreign.h $(T)/nested/libforeign.so
	$(call nested,$(CC) -std=gnu11 -mavx -mno-red-zone -DMODULE -fPIC -shared) $(call beside,-lforeign) -Wl,-z,now
$(T)/nested/nest_unwinder: tests/nested/nest_unwinder.c
	$(call nested,$(CC) -std=gnu11) -ldl
$(T)/nested/libunwinder%.so: tests/nested/nest_unwinder.c
	$(call fake,-w -DLIBRARY=$*)
$(T)/nested/module_unwinder%.so: tests/nested/nest_unwinder.c $(T)/nested/libunwinder%.so
	$(call nested,$(CC) -std=gnu11 -w -DMODULE -fPIC -shared) $(call beside,-lunwinder$*)

# Calls in numbers that are known.
PROFILE := $(T)/profile/counts
$(T)/profile/counts: tests/profile/counts.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -g -O1 -Wall -Wextra -D_GNU_SOURCE -o $@ $< -l:liblapacke.so.3 $(reference_found) -lpthread

# What a program tells ktrace, in C and in C++, with and without libktrace.
MODES := $(addprefix $(T)/modes/,steps steps_off steps_cpp)
modes = @mkdir -p $(@D); $(1) -g -O1 -Wall -Wextra -D_GNU_SOURCE -I. -Iinclude -o $@ $(2) $(reference_found) -lpthread
$(T)/modes/steps: tests/modes/steps.c tests/fault/work.h include/ktrace/ktrace.h
	$(call modes,$(CC) -std=gnu11,$<)
$(T)/modes/steps_off: tests/modes/steps.c tests/fault/work.h include/ktrace/ktrace.h
	$(call modes,$(CC) -std=gnu11 -DKTRACE_OFF,$<)
$(T)/modes/steps_cpp: tests/modes/steps.cpp tests/fault/work.h include/ktrace/ktrace.h
	$(call modes,g++,$<)

# Stands for a rank of a parallel job.
$(T)/ranks/rank: tests/ranks/rank.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/ranks/libdeath.so: tests/ranks/death.c
	$(call fake,)
RANKS := $(addprefix $(T)/ranks/,rank libdeath.so)

$(T)/flops: tests/flops.f90
	@mkdir -p $(@D); gfortran -O1 -o $@ $< $(REFERENCE_LAPACK) $(REFERENCE)

$(T)/traffic: tests/traffic.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(REFERENCE)

# Libraries that are wrong in one respect each, in front of the reference ones, and a program that calls what they get wrong.
RIGHT := $(addprefix $(T)/right/,calls unusual $(patsubst %,fault%.so,1 2 3 4 5 6 7 8 9 10 11))
in_front = -Wl,--no-as-needed $(REFERENCE_LAPACK) $(REFERENCE) -Wl,--disable-new-dtags,-rpath,$(dir $(REFERENCE_LAPACK)):$(dir $(REFERENCE))
$(T)/right/calls $(T)/right/unusual: $(T)/right/%: tests/right/%.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(in_front)
$(T)/right/fault%.so: tests/right/wrong.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -DFAULT=$* -fPIC -shared -o $@ $< $(in_front) -ldl

# A program to compare with itself, and what makes a part of it slower.
DIFF := $(addprefix $(T)/diff/,rounds slow.so)
$(T)/diff/rounds: tests/diff/rounds.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(reference_found)
$(T)/diff/slow.so: tests/diff/slow.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl

# Calls of two kinds, and LAPACK that runs without blocks.
FINDINGS := $(addprefix $(T)/findings/,fresh_pages factor no_block.so)
$(T)/findings/%: tests/findings/%.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(in_front)
$(T)/findings/no_block.so: tests/findings/no_block.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl

# make bench: programs that make calls, and recorders to compare with. LTTng's only if its headers are there.
$(T)/bench/%: tests/bench/%.c tests/bench/blas.h
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -o $@ $< $(REFERENCE) -lpthread -lm
$(T)/bench/%.so: tests/bench/%.c tests/bench/blas.h tests/bench/ring.h
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< $(if $(filter lttng,$*),-Itests/bench -llttng-ust) -ldl
$(T)/bench/lttng.so: tests/bench/lttng_events.h
$(T)/bench/nested: tests/bench/nested.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -o $@ $< $(REFERENCE_LAPACK) $(REFERENCE)
# A library of routines that do nothing, and what calls it.
$(T)/bench/libnothing.so: tests/bench/nothing.c tests/bench/nothing.h
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -Wl,-soname,$(@F) -o $@ $<
$(T)/bench/one_call: tests/bench/one_call.c tests/bench/nothing.h $(T)/bench/libnothing.so
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -o $@ $< -L$(@D) -lnothing '-Wl,-rpath,$$ORIGIN'
$(T)/bench/cholesky: tests/bench/cholesky.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -o $@ $< -lcholmod
# Those that measure replay have its parts.
REPLAY_BENCH := $(addprefix $(T)/bench/,flush_methods one_percent model_errors)
$(REPLAY_BENCH): $(T)/bench/%: $(O)/tests/bench/%.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)
# Contexts that are known, and a million calls: on the serial OpenBLAS and the reference LAPACK, whatever LD_LIBRARY_PATH says.
SERIAL = $(firstword $(wildcard /usr/lib/*/openblas-serial/libblas.so.3) $(REFERENCE))
$(addprefix $(T)/bench/,leaves known million): $(T)/bench/%: tests/bench/%.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -o $@ $< $(REFERENCE_LAPACK) $(SERIAL) -Wl,--disable-new-dtags,-rpath,$(dir $(REFERENCE_LAPACK)):$(dir $(SERIAL))
BENCH := $(REPLAY_BENCH) $(addprefix $(T)/bench/,calls leaves known million pauses small nested one_call least.so least_nested.so naive.so $(if $(wildcard /usr/include/suitesparse/cholmod.h),cholesky) $(if $(wildcard /usr/include/lttng/tracepoint.h /usr/include/*/lttng/tracepoint.h),lttng.so))
ROUNDTRIP := $(addprefix $(T)/roundtrip_,c cblas lapacke lapacke_work f)

# Scripts of tests say in a line of their own when they run and how many seconds they take:
#     # check: fast, 12 s    in make check and check-fast; slow: in make check; never: elsewhere
# Those that take longest come first: the last one is not to run alone.
SLOW_UNIT   := $(T)/unit/test_hierarchy
scripts      = $(shell grep -sHE '^\# check: ($(1)), [0-9]+ s$$' tests/*.sh tests/*/*.sh | sort -t, -k2 -n -r | cut -d: -f1)
FAST_TESTS   = $(call scripts,fast) $(filter-out $(SLOW_UNIT),$(UNIT_PROGRAMS))
ALL_TESTS    = $(call scripts,fast|slow) $(SLOW_UNIT) $(filter-out $(SLOW_UNIT),$(UNIT_PROGRAMS))

check: packages-check
	@$(MAKE) --no-print-directory -j$(shell nproc) check-built
	@$(MAKE) --no-print-directory check-all
.PHONY: check-all check-built
check-built: built $(UNIT_PROGRAMS) $(ABI) $(TEST_TOOLS) $(FUZZERS) $(ROUNDTRIP) $(BENCH) $(T)/flops $(T)/traffic $(PROOF) $(EVENTS) $(PROFILE) $(MODES) $(RANKS) $(DIFF) $(FAULT) $(NESTED) $(RIGHT) $(FINDINGS)
check-all: check-built
	@tests/run $(ALL_TESTS)
# What tests/sanitize.sh needs besides all; it builds in a folder of its own.
.PHONY: sanitized-tests
sanitized-tests: $(UNIT_PROGRAMS) $(FUZZERS)
check-fast: packages-check
	@$(MAKE) --no-print-directory built $(UNIT_PROGRAMS) $(FUZZERS) $(ABI) $(EVENTS) $(PROFILE) $(MODES) $(RANKS) $(NESTED) $(FINDINGS)
	@tests/run $(FAST_TESTS)

# The trace of the demo program, its replay and the report.
demo: packages-demo
	@$(MAKE) --no-print-directory all
	@rm -rf $(O)/demo.trace
	$(O)/ktrace run -o $(O)/demo.trace -- $(PYTHON) examples/demo.py
	$(O)/ktrace replay $(O)/demo.trace
	$(O)/ktrace report $(O)/demo.trace
# Other recorders are compared with as far as they can be installed.
.PHONY: bench-programs bench-volume bench-replay bench-sequence bench-tracker bench-timers bench-flush bench-predict bench-diff packages-bench bench-tools
packages-bench: packages-demo
	$(call install_packages,$(BENCH_PACKAGES))
bench-tools: built $(BENCH) $(DIFF) $(T)/tracker
bench:
	-@$(MAKE) --no-print-directory packages-bench
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/run.sh
	@tests/bench/pauses.sh
	@tests/bench/nested.sh
	@tests/bench/passed.sh
	@tests/bench/instructions.sh
# One LAPACK call by the program's own clock, ten minutes; calls that are not recorded; instructions of a call.
.PHONY: bench-nested bench-passed bench-instructions
bench-nested: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/nested.sh
bench-passed: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/passed.sh
bench-instructions: packages-check
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/instructions.sh
bench-programs: packages-bench
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/programs.sh
bench-volume: bench-tools
	@tests/bench/volume.sh
bench-timers: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/timers.sh
bench-diff: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/diff.sh
bench-tracker: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/tracker.sh
bench-predict: packages-demo
	@$(MAKE) --no-print-directory all
	@tests/bench/predict.sh
	@tests/bench/predict_programs.sh
.PHONY: bench-models
bench-models: packages-check
	@$(MAKE) --no-print-directory built $(T)/bench/model_errors
	@tests/bench/models.sh
bench-sequence: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/leaves.sh
	@tests/bench/known.sh
bench-replay: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/replay.sh
	@tests/bench/million.sh
# Predictions of compare and what programs then take; a library against itself: an hour or so each, on a calm machine.
.PHONY: bench-verify bench-itself
bench-verify: packages-check
	$(call install_packages,octave r-base-core)
	@$(MAKE) --no-print-directory all
	@tests/bench/verify.sh
bench-itself: packages-demo
	@$(MAKE) --no-print-directory all
	@tests/bench/itself.sh
bench-flush: packages-demo
	@$(MAKE) --no-print-directory all
	@tests/bench/flush.sh
.PHONY: bench-roofline
bench-roofline: packages-demo
	@$(MAKE) --no-print-directory bench-tools
	@tests/bench/roofline.sh

# Every program that must not notice, in about ten minutes; one line for each.
transparency: packages-check
	$(call install_packages,$(TRANSPARENCY_PACKAGES))
	@$(MAKE) --no-print-directory all
	@TAP=1 TIME_LIMIT=3600 tests/run tests/transparency.sh $(patsubst %,tests/transparency/%.sh,programs interpreters openblas netlib)

# Programs killed at random times; RUNS=1000 takes about a minute.
RUNS ?= 1000
kill-test: packages-check
	@$(MAKE) --no-print-directory built $(FAULT)
	@TAP=1 RUNS=$(RUNS) tests/run tests/kill.sh

# Profile mode for 10^9 calls: some minutes.
.PHONY: profile-long
profile-long: packages-check
	@$(MAKE) --no-print-directory built $(PROFILE)
	@TAP=1 TIME_LIMIT=7200 tests/run tests/profile_long.sh

# Compiles for aarch64, and tests of pure logic in an emulator.
.PHONY: check-portable bench-probe
check-portable: packages
	$(call install_packages,$(PORTABLE_PACKAGES))
	@$(MAKE) --no-print-directory all
	@TAP=1 tests/run tests/portable.sh
# ktrace probe beside other measurements, and ten probes: some minutes.
bench-probe: packages-demo
	-$(call install_packages,$(PROBE_PACKAGES))
	@$(MAKE) --no-print-directory all
	@tests/bench/probe.sh
	@tests/bench/probe_repeat.sh

# The operand ranges of LAPACK alone, with four times as many calls as in check: a quarter of an hour.
proof: packages-check
	@$(MAKE) --no-print-directory $(PROOF)
	@PROOF_PART=1 tests/run tests/proof.sh
deps-check: built
	@tests/run tests/lint_modules.sh
lint: packages-check
	@$(MAKE) --no-print-directory built
	@tests/run tests/lint_modules.sh tests/lint_functions.sh tests/cppcheck.sh
sanitize: packages-check
	@$(MAKE) --no-print-directory built $(ABI)
	@tests/run tests/sanitize.sh
valgrind: packages-check
	@$(MAKE) --no-print-directory built $(ABI)
	@tests/run tests/valgrind.sh
fmt:
	clang-format -i $$(git ls-files '*.c' '*.h' ':!preload/stub.h')

# Documents with all that they link to.
DOCUMENTS := README.md DESIGN.md FORMAT.md SECURITY.md LICENSE $(wildcard doc/*.md doc/design/*.md) tests/bench/RESULTS.md trace/routines/README.md \
             trace/routines/left_alone.list include/ktrace/ktrace.h $(filter-out examples/algorithms,$(wildcard examples/* examples/algorithms/*))
DOCUMENTS_IN = $(DESTDIR)$(PREFIX)/share/doc/ktrace
.PHONY: install-documents
install-documents: $(O)/routines.md
	install -D -m 644 -t $(DOCUMENTS_IN) $<
	for file in $(DOCUMENTS); do install -D -m 644 $$file $(DOCUMENTS_IN)/$$file || exit 1; done

install: built install-documents
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib
	install $(O)/ktrace $(DESTDIR)$(PREFIX)/bin/ktrace
	install $(O)/libktrace.so $(O)/libktrace-audit.so $(O)/libktrace-block.so $(DESTDIR)$(PREFIX)/lib
	install -d $(DESTDIR)$(PREFIX)/include/ktrace
	install -m 644 include/ktrace/ktrace.h $(DESTDIR)$(PREFIX)/include/ktrace

clean:
	rm -rf $(O) build-san build-tsan build-fuzz
