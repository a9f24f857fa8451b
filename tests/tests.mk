# SPDX-License-Identifier: BSD-3-Clause
# Test programs, and the targets that run tests; part of the Makefile. Unit tests, fuzzers and scripts are found by their names. Each
# other program that has a rule of its own here, with its name after $(T)/, is built for make check.

T := $(O)/tests
# What several of the programs need.
TEST_PARTS := $(patsubst %.h,$(O)/%.o,$(wildcard tests/parts/*.h)) $(O)/trace/table/spec.o
X86 := $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null))
ONLY_X86 := $(addprefix $(T)/,abi/unwind nested/nest_steps nested/libforeign.so nested/nest_foreign nested/module_foreign1.so nested/module_foreign2.so)
RULES := $(shell sed -n '/^\$$(T)\//{s/:.*//;s|\$$(T)|$(T)|g;s|[^ ]*%[^ ]*||g;p}' tests/tests.mk)
RULES += $(patsubst %.c,$(O)/%,$(filter-out %_library.c %/no_block.c,$(wildcard tests/fault/*.c tests/nested/*.c tests/findings/*.c)))
RULES += $(patsubst %,$(T)/right/fault%.so,$(filter-out FAULT ==,$(shell grep -o 'FAULT == [0-9]*' tests/right/wrong.c)))
RULES := $(filter-out %.a %.S %.f90 $(if $(X86),,$(ONLY_X86)),$(sort $(RULES)))
# $(call room,abi fault): the programs of these folders
room = $(foreach r,$(1),$(filter $(T)/$(r)/%,$(RULES)))
# What several of the unit tests need.
UNIT_PARTS := $(patsubst %.c,$(O)/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))
UNIT_PROGRAMS := $(UNIT:%=$(T)/unit/test_%)
export B = $(O)
# Links a hundred programs in a third of the time; what is installed is linked with the usual one.
FAST_LINKER := $(if $(LIBFUZZER),,$(if $(shell command -v ld.gold),-fuse-ld=gold))

# An archive, so that each program has only what it uses: a hundred of them are linked in a third of the time, and libFuzzer
# goes through the counters of all there is after each input.
$(T)/tools.a: $(UNIT_PARTS) $(TEST_PARTS) $(OBJECTS)
	$(Q)rm -f $@; ar rcsT $@ $^
$(T)/unit/%: $(O)/tests/unit/%.o $(T)/tools.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) $(FAST_LINKER) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -lcmocka
$(T)/unit/test_filter: $(O)/preload/filter.o
# Where names of the shim's are those of the tools' too: without these.
$(T)/unit/test_python: $(O)/tests/unit/test_python.o $(addprefix $(O)/preload/,python.o python_table.o line_numbers.o readable.o line.o)
$(T)/unit/test_r: $(O)/tests/unit/test_r.o $(addprefix $(O)/preload/,r.o r_context.o r_bytecode.o r_source.o line_numbers.o readable.o line.o)
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
$(T)/abi/linked_first $(T)/abi/linked_last: $(T)/abi/linked_%: tests/abi/life.c $(T)/abi/libfake1.so $(O)/libktrace.so
	$(call abi,$<,$(if $(filter first,$*),-L$(O) -lktrace -lfake1,-lfake1 -L$(O) -lktrace) -Wl$(comma)-rpath$(comma)$(abspath $(O)))
$(T)/abi/wide: tests/abi/wide.c $(T)/abi/libfake64.so
	$(call abi,$<,-lfake64)
comma := ,

# Programs that reproduce the table: generated callers of every symbol, the proof of operand ranges.
TEST_TOOLS := $(T)/gen_roundtrip $(filter-out $(RULES) $(T)/replay/repro_calls,$(patsubst %.c,$(O)/%,$(wildcard tests/table/*.c tests/replay/*.c)))
# footprint replaces the xerbla of the libraries it loads.
$(filter-out %/gen_roundtrip,$(TEST_TOOLS)): $(T)/%: $(O)/tests/%.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -rdynamic -o $@ $^ $(LIBS)
$(T)/gen_roundtrip: $(patsubst %.c,$(O)/%.o,$(wildcard tests/roundtrip/*.c)) $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)

# Fuzzers: each has a folder with its inputs; driven by tests/fuzz/driver.c, or by libFuzzer (make fuzz builds them with LIBFUZZER=1).
FUZZERS := $(patsubst tests/fuzz/corpus/%,$(T)/fuzz/%,$(wildcard tests/fuzz/corpus/*))
FUZZ_PARTS := $(patsubst %,$(O)/tests/fuzz/%.o,input memory mutate mutate_json look $(if $(LIBFUZZER),,driver)) $(O)/tests/parts/synth.o $(O)/trace/table/spec.o
# What a fuzzer gives its inputs to in the place of a file.
WRAPPED_trace  := kt_files_open
WRAPPED_packed := kt_files_open kt_free_memory
WRAPPED_result := kt_files_open
WRAPPED_store  := sqlite3_open_v2 sqlite3_prepare_v2 sqlite3_finalize
$(T)/fuzz/machine $(T)/fuzz/models $(T)/fuzz/result: $(O)/tests/fuzz/document.o
$(T)/fuzz/stream $(T)/fuzz/profile $(T)/fuzz/snapshot: $(O)/tests/fuzz/base.o
$(FUZZERS): $(T)/fuzz/%: $(O)/tests/fuzz/%.o $(FUZZ_PARTS) $(T)/tools.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) $(FAST_LINKER) $(if $(LIBFUZZER),-fsanitize=fuzzer) $(addprefix -Wl$(comma)--wrap=,$(WRAPPED_$*)) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
$(T)/fuzz/seed: $(O)/tests/fuzz/seed.o $(O)/tests/fuzz/input.o $(TEST_PARTS) $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_) -o $@ $^ $(LIBS)
fuzzers: $(FUZZERS)

# The proof of LAPACK's operand ranges with the calls of real programs: a checker to preload, its reports, a caller.
PROOF_TABLE := $(TABLE:%=trace/%.c) trace/table/operand.c trace/table/spec.c
proof = @mkdir -p $(@D); $(CC) $(CFLAGS_) $(1) -o $@ $(filter %.c %.S,$^) -ldl -lm
$(T)/proof/proof: tests/proof/proof.c tests/proof/tally.c $(PROOF_TABLE) $(wildcard tests/proof/*.h trace/*/*.h)
	$(call proof)
$(T)/proof/stubs.S: $(T)/proof/proof $(wildcard trace/routines/*)
	@$< stubs trace/routines > $@.part && mv $@.part $@
$(T)/proof/libproof.so: $(T)/proof/stubs.S $(addprefix tests/proof/,enter.S forward.S check.c copies.c passing.c tally.c) $(PROOF_TABLE)
	$(call proof,-O3 -fPIC -shared -fvisibility=hidden)
$(T)/proof/drive: $(addprefix tests/proof/,drive.c passing.c forward.S) tests/parts/poison.c tests/parts/synth.c $(PROOF_TABLE)
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
$(T)/events/driver: tests/events/driver.c tests/events/system_call.c $(T)/events/kernel.o $(addprefix $(O)/preload/,events.o counters.o counter_files.o line.o apart.o apart_task.o)
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -o $@ $^ -lpthread
$(T)/events/kernel.o: $(O)/preload/system_call.o
	@mkdir -p $(@D); objcopy --redefine-sym kt_system_call=kernel_system_call $< $@
$(T)/events/libktrace.so: tests/events/system_call.c $(T)/events/kernel.o $(filter-out %/system_call.o,$(SHIM_OBJECTS))
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -fPIC -fvisibility=hidden -shared -Wl,-soname,libktrace.so -Wl,-z,now -o $@ $^
$(T)/events/refuse: tests/events/refuse.c
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -o $@ $<
$(T)/events/fake.so: tests/events/fake.c
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -fPIC -shared -o $@ $< -ldl
$(T)/events/faults: tests/events/faults.c
	@mkdir -p $(@D); $(CC) $(CFLAGS_) -O1 -o $@ $< $(reference_found)

# Whatever can happen to a traced program: real calls of the reference library.
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
$(T)/nested/libunwinder1.so $(T)/nested/libunwinder2.so: $(T)/nested/libunwinder%.so: tests/nested/nest_unwinder.c
	$(call fake,-w -DLIBRARY=$*)
$(T)/nested/module_unwinder1.so $(T)/nested/module_unwinder2.so: $(T)/nested/module_unwinder%.so: tests/nested/nest_unwinder.c $(T)/nested/libunwinder%.so
	$(call nested,$(CC) -std=gnu11 -w -DMODULE -fPIC -shared) $(call beside,-lunwinder$*)

# Calls in numbers that are known.
$(T)/profile/counts: tests/profile/counts.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -g -O1 -Wall -Wextra -D_GNU_SOURCE -o $@ $< -l:liblapacke.so.3 $(reference_found) -lpthread

# What a program tells ktrace, in C and in C++, with and without libktrace.
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
# Makes calls until it is killed.
$(T)/ranks/paced: tests/ranks/paced.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/ranks/libdeath.so: tests/ranks/death.c
	$(call fake,)
$(T)/ranks/turns: tests/ranks/turns.c $(T)/abi/libfake1.so
	$(call abi,$<,-lfake1)
$(T)/ranks/libother_clock.so: tests/ranks/other_clock.c
	$(call fake,)

$(T)/table/flops: tests/table/flops.f90
	@mkdir -p $(@D); gfortran -O1 -o $@ $< $(REFERENCE_LAPACK) $(REFERENCE)

$(T)/replay/traffic: tests/replay/traffic.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(REFERENCE)

# Libraries that are wrong in one respect each, in front of the reference ones, and a program that calls what they get wrong.
in_front = -Wl,--no-as-needed $(REFERENCE_LAPACK) $(REFERENCE) -Wl,--disable-new-dtags,-rpath,$(dir $(REFERENCE_LAPACK)):$(dir $(REFERENCE))
$(T)/right/calls $(T)/right/unusual: $(T)/right/%: tests/right/%.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(in_front)
$(T)/right/fault%.so: tests/right/wrong.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -DFAULT=$* -fPIC -shared -o $@ $< $(in_front) -ldl

# A program to compare with itself, and what makes a part of it slower.
$(T)/diff/rounds: tests/diff/rounds.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(reference_found)
$(T)/diff/slow.so: tests/diff/slow.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl
# The same as a library, in front of the reference ones.
$(T)/diff/slower.so: tests/diff/slow.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< $(in_front) -ldl

# Calls of two kinds, and LAPACK that runs without blocks.
$(T)/findings/%: tests/findings/%.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(in_front)
$(T)/findings/no_block.so: tests/findings/no_block.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl

# Programs with known faults, and without them.
$(T)/advise/faults: tests/advise/faults.c
	@mkdir -p $(@D); $(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $< $(in_front)

ROUNDTRIP := $(addprefix $(T)/roundtrip_,c cblas lapacke lapacke_work f)

# Scripts of tests say in a line of their own when they run and how many seconds they take:
#     # check: fast, 12 s    in make check and check-fast; slow: in make check; never: elsewhere
# Those that take longest come first: the last one is not to run alone.
SLOW_UNIT   := $(T)/unit/test_hierarchy
scripts      = $(shell grep -sHE '^\# check: ($(1)), [0-9]+ s$$' tests/*.sh tests/*/*.sh | sort -t, -k2 -n -r | cut -d: -f1)
FAST_TESTS   = $(call scripts,fast) $(filter-out $(SLOW_UNIT),$(UNIT_PROGRAMS))
ALL_TESTS    = $(call scripts,fast|slow) $(SLOW_UNIT) $(filter-out $(SLOW_UNIT),$(UNIT_PROGRAMS))

.PHONY: check check-built check-all check-fast sanitized-tests
#: make check            install what is missing, build, run all tests
check: packages-check
	@$(MAKE) --no-print-directory -j$(shell nproc) check-built
	@$(MAKE) --no-print-directory check-all
check-built: built $(UNIT_PROGRAMS) $(TEST_TOOLS) $(FUZZERS) $(ROUNDTRIP) $(RULES)
check-all: check-built
	@tests/run $(ALL_TESTS)
# What tests/sanitizers/sanitize.sh needs besides all; it builds in a folder of its own.
sanitized-tests: $(UNIT_PROGRAMS) $(FUZZERS)
#: make check-fast       the tests that take seconds
check-fast: packages-check
	@$(MAKE) --no-print-directory built $(UNIT_PROGRAMS) $(FUZZERS) $(call room,abi events profile modes ranks nested findings advise)
	@tests/run $(FAST_TESTS)

.PHONY: transparency kill-test profile-long check-portable proof sanitize valgrind fuzzers fuzz fuzz-regression
#: make transparency     all programs whose output must not change: every test of BLAS, LAPACK and OpenBLAS, Octave, R, SciPy; ten minutes
transparency: packages-check
	$(call install_packages,$(TRANSPARENCY_PACKAGES))
	@$(MAKE) --no-print-directory all
	@TAP=1 TIME_LIMIT=3600 tests/run tests/transparency/transparency.sh $(patsubst %,tests/transparency/%.sh,programs interpreters openblas netlib)

#: make kill-test        1,000 programs killed at random times (RUNS=): every trace holds what they counted; a minute
RUNS ?= 1000
kill-test: packages-check
	@$(MAKE) --no-print-directory built $(call room,fault)
	@TAP=1 RUNS=$(RUNS) tests/run tests/fault/kill.sh

#: make profile-long     profile mode for 10^9 calls: some minutes
profile-long: packages-check
	@$(MAKE) --no-print-directory built $(call room,profile)
	@TAP=1 TIME_LIMIT=7200 tests/run tests/profile/profile_long.sh

#: make check-portable   compile for aarch64, run the tests of pure logic in an emulator
check-portable: packages
	$(call install_packages,$(PORTABLE_PACKAGES))
	@$(MAKE) --no-print-directory all
	@TAP=1 tests/run tests/portable/portable.sh
#: make proof            the operand ranges of LAPACK in poisoned memory, with four times as many calls as in check: a quarter of an hour
proof: packages-check
	@$(MAKE) --no-print-directory $(call room,proof)
	@PROOF_PART=1 tests/run tests/proof/proof.sh
#: make sanitize         unit tests, fuzzers, tools and shim under AddressSanitizer and UndefinedBehaviorSanitizer
sanitize: packages-check
	@$(MAKE) --no-print-directory built $(call room,abi)
	@tests/run tests/sanitizers/sanitize.sh
#: make valgrind         the tools under valgrind
valgrind: packages-check
	@$(MAKE) --no-print-directory built $(call room,abi)
	@tests/run tests/sanitizers/valgrind.sh
#: make fuzz             damaged traces for the reader and the verbs, SECONDS= for each fuzzer (clang); fuzz-regression: those found so far
SECONDS ?= 60
fuzz: packages
	$(call install_packages,$(FUZZ_PACKAGES))
	@FOR=$(SECONDS) tests/fuzz/run.sh
fuzz-regression: $(FUZZERS)
	@tests/run tests/fuzz/fuzz.sh
