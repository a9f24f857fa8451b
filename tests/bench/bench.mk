# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks: their programs and targets; part of the Makefile, after tests/tests.mk.

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
# All programs here but those that the scripts compile themselves and those whose library is not there.
BENCH_LEFT := nothing probe_loops whaley_harness $(if $(wildcard /usr/include/suitesparse/cholmod.h),,cholesky) \
              $(if $(wildcard /usr/include/lttng/tracepoint.h /usr/include/*/lttng/tracepoint.h),,lttng)
BENCH_LIBRARIES := least least_nested naive lttng
BENCH := $(foreach b,$(filter-out $(BENCH_LEFT),$(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))),$(T)/bench/$(b)$(if $(filter $(b),$(BENCH_LIBRARIES)),.so))
check-built: $(BENCH)
bench-tools: built $(BENCH) $(call room,diff) $(T)/replay/tracker

.PHONY: packages-bench bench-tools bench
# Other recorders are compared with as far as they can be installed.
packages-bench: packages-demo
	$(call install_packages,$(BENCH_PACKAGES))
#: make bench            cost of recording a call, as a ratio to a plain shim, and of other recorders; pauses
bench:
	-@$(MAKE) --no-print-directory packages-bench
	@$(MAKE) --no-print-directory bench-tools
	@for b in run pauses nested passed instructions; do tests/bench/$$b.sh || exit 1; done

# On programs of which none was looked at when the corrections were made.
#: make ablation         what each correction of compare does to the errors of its predictions
.PHONY: ablation
ablation: packages-transparency
	@$(MAKE) --no-print-directory bench-tools
	@THREADS=1 tests/bench/verify.sh 6 30 Kalman process squares components Riccati

# make bench-NAME runs tests/bench/NAME.sh, and more scripts if some are named here.
#: make bench-NAME       what is measured more closely: nested (one LAPACK call as the program times it), passed (calls that are not
#:                       recorded), instructions (of a recorded call), stacks (lines and paths in R), programs (slowdown of whole ones), volume (10^8 calls), replay (do
#:                       two agree, a million calls), flush and timers (ways of flushing and timing), sequence (known contexts, calls
#:                       inside LAPACK), tracker (calls per second), diff, regression (how often it and the example for CI are
#:                       wrong), verify (do programs take on other libraries what compare predicts), itself (compare of a library with itself), probe (beside other measurements,
#:                       and ten times), models, predict (against what was measured), roofline (are the roofs right)
BENCHES := nested passed instructions stacks programs volume replay flush timers sequence tracker diff regression verify itself probe models predict roofline
.PHONY: $(BENCHES:%=bench-%)
bench-programs bench-instructions bench-models: packages-bench
bench-verify: packages-transparency
bench-probe: packages-probe
$(BENCHES:%=bench-%): bench-%: packages-check
	@$(MAKE) --no-print-directory bench-tools
	@for b in $(or $(bench_$*),$*); do tests/bench/$$b.sh || exit 1; done
bench_sequence := leaves known
bench_replay   := replay million
bench_predict  := predict predict_programs
bench_probe    := probe probe_repeat
packages-transparency: packages-check
	$(call install_packages,$(TRANSPARENCY_PACKAGES))
packages-probe: packages-check
	-$(call install_packages,$(PROBE_PACKAGES))
