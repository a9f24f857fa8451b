# SPDX-License-Identifier: BSD-3-Clause
# Regions for R: ktrace_region("fit", lm(y ~ x)) is lm(y ~ x), in a region of that name. Without ktrace it is just that.
#
#     source("ktrace.R")
ktrace_region <- local({
  shim <- grep("/libktrace\\.so$", strsplit(Sys.getenv("LD_PRELOAD"), "[ :]")[[1]], value = TRUE)
  for (file in shim) dyn.load(file) # it is there already; R looks functions up in what it loaded itself
  function(name, expression) {
    if (length(shim)) {
      .C("ktrace_api_begin", c(charToRaw(name), as.raw(0)), PACKAGE = "libktrace")
      on.exit(.C("ktrace_api_end", PACKAGE = "libktrace"))
    }
    expression # evaluated here, where its value is asked for
  }
})
