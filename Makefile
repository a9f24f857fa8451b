# ktrace: make help lists the targets. No configure step; O= builds elsewhere, DEBUG=1, SAN=address,undefined, V=1.

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
O        ?= build
PREFIX   ?= /usr/local
CC       := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
VERSION  := 0.2.0
export PYTHON ?= /usr/bin/python3

# What building, the demo and the tests need beyond git and make, as Debian packages: make packages installs what is missing.
BUILD_PACKAGES := gcc libc6-dev libdw-dev libjansson-dev libarchive-dev libzstd-dev libsqlite3-dev libhwloc-dev libprotobuf-c-dev protobuf-c-compiler node-d3 libotf2-trace-dev
DEMO_PACKAGES  := python3-numpy libopenblas0-serial libblas3 liblapack3
CHECK_PACKAGES := libcmocka-dev libpfm4 g++ gfortran libblas-dev liblapack-dev libblis4-serial gdb valgrind cppcheck libblas-test liblapack-test \
                  python3-scipy python3-jsonschema libblas64-3 liblapack64-3 libopenblas64-0-pthread liblapacke-dev liblapacke64 libblis64-4-serial libatlas3-base \
                  openmpi-bin hpcc slurmctld slurmd slurm-client munge libpmix-dev zstd xz-utils gnuplot-nox libfftw3-dev clang-format python3-pandas otf2-tools pkgconf man-db
BENCH_PACKAGES := uftrace lttng-tools liblttng-ust-dev ltrace libpfm4 hpcc valgrind python3-scipy octave r-base-core libsuitesparse-dev
FIGURE_PACKAGES := gnuplot-nox
LIBRARY_PACKAGES := libopenblas0-pthread libopenblas0-serial libblis4-pthread libblis4-serial libblas3 liblapack3
PORTABLE_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
PROBE_PACKAGES := likwid mbw
FUZZ_PACKAGES  := clang libclang-rt-dev
TRANSPARENCY_PACKAGES := octave r-base-core libopenblas0-pthread dpkg-dev python3-pytest python3-hypothesis

# The OTF2 library, which export uses; without it the verb names the package. OTF2=yes: where it is elsewhere.
OTF2     ?= $(wildcard /usr/include/otf2/otf2.h)
# Names and lines for backtraces; DEBUG=1 has variables, too, and takes a third longer. What a sanitizer adds takes -O2 three times
# as long to optimise as -O1; where a program does not go on after a report a third less than where it does.
CFLAGS_  := -std=gnu11 -pipe $(if $(DEBUG),-g,-g1) -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -D_GNU_SOURCE \
            -DKT_VERSION='"$(VERSION)"' $(if $(OTF2),-DKT_WITH_OTF2) -I. -Iinclude $(if $(DEBUG),-O0,$(if $(SAN),-O1,-O2)) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all) \
            $(if $(WERROR),-Werror) $(CPPFLAGS) $(CFLAGS)
# Objects depend on this file: other flags make them anew.
FLAGS_NOW := $(CC) $(CFLAGS_)
# Programs have threads and signal handlers with small stacks.
SHIM_FLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-optimize-sibling-calls -Wframe-larger-than=1600
LIBS      = $(LDFLAGS) -ldw -lelf -ljansson -larchive -lzstd -lsqlite3 -lhwloc -lprotobuf-c $(if $(OTF2),-lotf2) -l:libstdc++.so.6 -ldl -lm -lpthread

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
# What the HTML page draws with; without it report --html names the package.
D3       := $(wildcard /usr/share/nodejs/d3/dist/d3.min.js)
PAGE     := $(addprefix model/html/,page.html page.css base.js tables.js icicle.js roofline.js times.js timeline.js answer.js others.js page.js)
ALGORITHMS := $(wildcard examples/algorithms/*.kta)
# Routines whose calls go through compiled functions; all others go through the trampoline.
COMPILED := $(filter blas%,$(basename $(notdir $(SPECS))))

OBJECTS  := $(TRACE:%=$(O)/trace/%.o) $(REPLAY:%=$(O)/replay/%.o) $(MODEL:%=$(O)/model/%.o) $(O)/gen/thunks.o $(O)/gen/texts.o $(O)/gen/pprof.pb-c.o
# A sanitizer looks symbols up before its own functions work: its builds do without our dlopen() and dlsym().
SHIM_OBJECTS := $(SHIM:%=$(O)/preload/%.o) $(COMPILED:%=$(O)/gen/wrap_%.o) $(addprefix $(O)/,gen/slots.o gen/elements.o gen/stubs.o preload/trampoline.o preload/map_ops.o preload/cost_call.o preload/jumps.o preload/apart_task.o preload/system_call.o preload/sandbox_hooks.o $(if $(SAN),,preload/linker_hooks.o))

Q := $(if $(V),,@)
SILENT := $(findstring s,$(firstword $(filter-out --%,$(MAKEFLAGS))))
# By make itself, as folders are looked for below: on some machines a process costs as much as a tenth of a compilation.
say = $(if $(V)$(SILENT),,$(info $()  $(1)	$(2)))
folder = $(if $(wildcard $(@D)/.),,@mkdir -p $(@D))

.PHONY: all built help
#: make                  build build/ktrace, build/libktrace.so and what they need; O=build DEBUG=1 SAN=address,undefined V=1 CC= CPPFLAGS= CFLAGS= LDFLAGS= WERROR=1
# On all processors, unless -j says on how many. If there are other goals, the same make has to see to all of them.
others := $(filter-out all,$(MAKECMDGOALS))
all: $(if $(others),built)
	$(if $(others),,@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) built)
# What takes longest to compile, and what has to be generated first, come first.
built: $(O)/model/loops/probe_kernels.o $(O)/libktrace.so $(O)/ktrace $(O)/libktrace-audit.so $(O)/libktrace-block.so $(O)/ktrace_api.mex $(O)/routines.md $(if $(D3),$(O)/report.html)
help:
	@sed -n 's/^#: //p' Makefile packaging/install.mk examples/kernels/kernels.mk tests/tests.mk tests/bench/bench.mk

# What the compiler says stays beside what it made: tests/lint/cppcheck.sh looks for warnings there, and compiles nothing again.
kept = 2>$(basename $@).said; status=$$?; [ ! -s $(basename $@).said ] || cat $(basename $@).said >&2; exit $$status

# --- building ---------------------------------------------------------------------------------------------------

$(O)/ktrace: $(O)/trace/verbs/main.o $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)

$(O)/libktrace.so: $(SHIM_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -shared -Wl,-soname,libktrace.so -Wl,-z,now $(LDFLAGS) -o $@ $^

# Loaded into every program that is traced, beside the C library: does without one.
$(O)/libktrace-audit.so: preload/audit.c preload/elf.c preload/strings.c preload/elf.h $(O)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(filter-out -fsanitize=%,$(CFLAGS_)) -fPIC -fvisibility=hidden -ffreestanding -fno-stack-protector -nostdlib -shared -Wl,-z,now $(LDFLAGS) -o $@ $(filter %.c,$^) $(kept)

# Preloaded only where block sizes are to be others.
$(O)/libktrace-block.so: preload/block_size.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -fPIC -fvisibility=hidden -shared -Wl,-soname,libktrace-block.so -Wl,-z,now $(LDFLAGS) -o $@ $< $(kept)

# For Octave, which has the functions that it calls.
$(O)/ktrace_api.mex: examples/ktrace_api.c include/ktrace/ktrace.h $(O)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(filter-out -fsanitize=%,$(CFLAGS_)) -fPIC -fvisibility=hidden -shared $(LDFLAGS) -o $@ $< -Wl,--no-as-needed -lc $(kept)

$(O)/ktgen: $(O)/trace/generate/ktgen.o $(GEN:%=$(O)/trace/%.o) $(O)/trace/table/spec.o $(TABLE:%=$(O)/trace/%.o)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $^ -lm

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
	$(folder)
	$(call say,CC,$<)
	$(call compile)

# What is timed must be what the optimiser makes of it, and a debugger has no use for thousands of unrolled operations.
$(O)/model/loops/probe_kernels.o $(O)/model/loops/probe_streams.o $(O)/model/probe/probe_registers.o: CFLAGS_ += $(if $(SAN),,-O2) -g0

$(O)/preload/%.o: preload/%.c $(O)/flags
	$(folder)
	$(call say,CC,$<)
	$(call compile,$(SHIM_FLAGS))

# The register that stubs pass the slot in is nobody else's (preload/wrapper.h); sanitizers would use it.
SLOT_REGISTER := $(if $(findstring aarch64,$(shell $(CC) -dumpmachine 2>/dev/null)),x17,r11)
# Of vector registers that may hold arguments it touches no more than the trampoline keeps.
$(O)/preload/forward.o: private SHIM_FLAGS += $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),-mno-avx)
# A compiler that knows what these functions are would call them in their own loops.
# Opening a library takes more of the stack anyway.
$(O)/preload/substitute.o $(O)/preload/beside.o: private SHIM_FLAGS += -Wno-frame-larger-than
$(O)/preload/strings.o: private CFLAGS_ += -ffreestanding
$(O)/gen/wrap_%.o: private CFLAGS_ += $(SHIM_FLAGS) -ffixed-$(SLOT_REGISTER) $(if $(SAN),-fno-sanitize=all)
$(O)/gen/slots.o $(O)/gen/elements.o: private CFLAGS_ += $(SHIM_FLAGS)
$(O)/gen/stubs.o: $(O)/gen/stubs.S preload/stub.h preload/sizes.h $(O)/flags
	$(call say,AS,$<)
	$(Q)$(CC) $(filter-out -g%,$(CFLAGS_)) -c -o $@ $<
$(O)/preload/%.o: preload/%.S preload/stub.h preload/sizes.h preload/map_ops.h $(O)/flags
	$(folder)
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
$(addprefix $(O)/gen/,stubs.S slots.c elements.c thunks.c): $(O)/gen/checked
	$(call say,GEN,$@)
	$(call generate,$(basename $(@F)))
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
# Lines of page.html that are a name in @ are replaced by files; words and meanings are those of the glossary.
$(O)/report.html: $(PAGE) $(D3) doc/glossary.md
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D); { echo 'const GLOSSARY = {'; sed -n 's/["\\]/\\&/g; s/^| \([^|]*\) | \([^|]*\) | .*/"\1": "\2",/p' doc/glossary.md; echo '};'; cat $(filter-out model/html/page.js,$(filter %.js,$(PAGE))) model/html/page.js; } >$@.js
	$(Q)sed -e '/^@CSS@$$/{r model/html/page.css' -e 'd}' -e '/^@D3@$$/{r $(D3)' -e 'd}' -e '/^@LICENSE@$$/{r /usr/share/doc/node-d3/copyright' -e 'd}' -e '/^@JS@$$/{r $@.js' -e 'd}' model/html/page.html >$@.part && mv $@.part $@
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

.PHONY: packages packages-demo packages-check setup-libraries setup-mkl
#: make packages         install the packages that building needs (packages-demo, packages-check: those too)
packages:
	$(call install_packages,$(BUILD_PACKAGES))
packages-demo: packages
	$(call install_packages,$(DEMO_PACKAGES))
packages-check: packages-demo
	$(call install_packages,$(CHECK_PACKAGES))

#: make setup-libraries  install OpenBLAS, BLIS, the reference BLAS and, where it can be had, MKL: what compare and run --blas choose from
# MKL only where the package sources have Debian's non-free section.
setup-libraries: packages
	$(call install_packages,$(LIBRARY_PACKAGES))
	@if apt-cache policy libmkl-rt 2>/dev/null | grep -q 'Candidate: [0-9]'; then $(MAKE) --no-print-directory setup-mkl; else \
	echo "MKL is not available: Debian has it as libmkl-rt in the section non-free, which no package source here includes"; fi
	@$(MAKE) --no-print-directory all
	@$(O)/ktrace info --libraries
	@echo "The library that programs use by default may have changed: update-alternatives --config libblas.so.3-$$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)"
setup-mkl:
	$(call install_packages,libmkl-rt)

# --- other targets ------------------------------------------------------------------------------------------------

.PHONY: demo figures workloads leaderboard lint deps-check fmt fmt-check clean
#: make demo             install what is missing, build, explain where a NumPy program's time goes, in two minutes
demo: packages-demo
	@mkdir -p $(O); echo "building: what make says goes to $(O)/demo.log"
	@$(MAKE) --no-print-directory all >$(O)/demo.log 2>&1 || { cat $(O)/demo.log; exit 1; }
	@rm -rf $(O)/demo.trace
	$(O)/ktrace explain -o $(O)/demo.trace --html $(O)/demo.html -- $(PYTHON) examples/demo.py
#: make figures          draw the papers' figures on this machine, beside what the papers say: half an hour; QUICK=1: below 6 minutes
figures: packages-demo
	$(call install_packages,$(FIGURE_PACKAGES))
	@$(MAKE) --no-print-directory all
	@B=$(O) $(PYTHON) examples/figures/all.py $(if $(QUICK),--quick) -o $(O)/figures
#: make workloads        record programs of Debian and make a workload of each (examples/workloads): a quarter of an hour; NAMES="cholmod hpl": only these
workloads: built
	@PYTHON=$(PYTHON) KTRACE=$(O)/ktrace examples/workloads/make.sh $(NAMES)
#: make leaderboard      all installed libraries on examples/workloads, with one thread and two, to build/leaderboard.txt, .json and .md; BUDGET=1800: seconds; goes on where it was interrupted
leaderboard: built
	@BUDGET=$(BUDGET) KTRACE=$(O)/ktrace PYTHON=$(PYTHON) examples/workloads/leaderboard.sh $(O)/leaderboard
#: make deps-check       the arrows between the modules (DESIGN.md)
deps-check: built
	@tests/run tests/lint/lint_modules.sh
#: make lint             compiler warnings as errors, cppcheck, module arrows, function sizes, format
lint: packages-check
	@$(MAKE) --no-print-directory built
	@tests/run tests/lint/lint_modules.sh tests/lint/lint_circles.sh tests/lint/lint_names.sh tests/lint/lint_calls.sh tests/lint/lint_functions.sh tests/lint/lint_format.sh tests/lint/cppcheck.sh
#: make fmt              format the sources with clang-format; fmt-check: are they?
fmt:
	clang-format -i $$(git ls-files '*.c' '*.h' ':!preload/stub.h')
fmt-check:
	@tests/run tests/lint/lint_format.sh

#: make clean            remove what was built
clean:
	rm -rf $(O) build-san build-tsan build-fuzz

include packaging/install.mk examples/kernels/kernels.mk tests/tests.mk tests/bench/bench.mk
