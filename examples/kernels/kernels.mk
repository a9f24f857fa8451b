# Kernels of one's own, for ktrace kernel.

# What one of them needs is there, or it is left out.
KERNELS := $(filter-out $(if $(wildcard /usr/include/fftw3.h),,fft),$(patsubst examples/kernels/%.c,%,$(sort $(wildcard examples/kernels/*.c))))

.PHONY: kernels
#: make kernels          the examples of ktrace kernel, into build/kernels: those of FFTW only where libfftw3-dev is installed
kernels: $(KERNELS:%=$(O)/kernels/%.so)
# What is timed is what the optimiser makes of it for this machine.
$(O)/kernels/%.so: examples/kernels/%.c examples/kernels/square.h include/ktrace/kernel.h $(O)/flags
	$(folder)
	$(call say,LINK,$@)
	$(Q)$(CC) $(filter-out -fsanitize=%,$(CFLAGS_)) -O3 -march=native -fPIC -shared $(LDFLAGS) -o $@ $< $(if $(filter fft,$*),-lfftw3) -lm $(kept)
