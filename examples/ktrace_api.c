/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ktrace_region.m needs, as a MEX function: ktrace_api("fit") enters a region, ktrace_api() leaves it. Octave's
 * own functions are declared here, so that neither its headers nor mkoctfile are needed.
 */
#include <ktrace/ktrace.h>
#include <stddef.h>

char *mxArrayToString(const void *array);
void mxFree(void *bytes);

__attribute__((visibility("default"))) void mexFunction(int results, void **result, int arguments,
                                                        const void **argument);

void mexFunction(int results, void **result, int arguments, const void **argument)
{
    char *name = arguments ? mxArrayToString(argument[0]) : NULL;
    (void)results;
    (void)result;
    if (arguments)
        ktrace_begin(name ? name : "?");
    else
        ktrace_end();
    if (name)
        mxFree(name);
}
