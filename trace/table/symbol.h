/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A symbol is one way to call a routine: its Fortran, CBLAS or LAPACKE interface. It follows from the routine by rule,
 * and so does the place of every argument in a record:
 *
 *     parameters that are recorded are stored by decreasing size (16, 8, 4, 1 bytes), those of equal size in the
 *     order of the interface; the whole is padded with zeros to a multiple of 8 bytes.
 */
#ifndef KT_SYMBOL_H
#define KT_SYMBOL_H

#include "trace/table/routine.h"

enum kt_view { KT_FORTRAN, KT_CBLAS, KT_LAPACKE, KT_LAPACKE_WORK, KT_UNDESCRIBED, KT_VIEWS };

/* How a parameter is stored in a record. Integers are widened to 64 bits whatever the library's width. */
enum kt_stored { KT_CHAR, KT_ENUM, KT_INT, KT_FLOAT, KT_DOUBLE, KT_CFLOAT, KT_CDOUBLE, KT_ADDRESS, KT_CODE };

enum { KT_ARG_LAYOUT = -1, KT_ARG_RESULT = -2, KT_MAX_PARAMS = KT_MAX_ARGS + 2, KT_SYMBOL_NAME = 64 };

struct kt_param {
    char name[KT_NAME]; /* in this interface */
    int arg;            /* argument of the routine, or KT_ARG_LAYOUT, KT_ARG_RESULT */
    bool by_value;
    bool returned; /* not passed but returned by the function: info of LAPACKE */
    enum kt_stored stored;
    uint16_t offset; /* behind the record's head */
};

struct kt_symbol {
    char name[KT_SYMBOL_NAME];
    enum kt_view view;
    const struct kt_routine *routine; /* borrowed */
    int params;
    const struct kt_param *param; /* borrowed, from the routine */
    uint16_t arg_bytes;           /* of all stored parameters, a multiple of 8 */
};

/* The values of one call, by argument of the routine, whatever the interface. */
struct kt_values {
    bool row_major;
    double v[KT_MAX_ARGS];         /* sizes and scalars; options as their upper-case letter, ' ' if none */
    double imaginary[KT_MAX_ARGS]; /* of complex scalars */
    uint64_t address[KT_MAX_ARGS]; /* of arrays */
    uint64_t result;               /* where a CBLAS function stores a complex result, otherwise 0 */
};

bool kt_symbol_exists(const struct kt_routine *routine, enum kt_view view);

/* What all symbols of a routine share, by interface; made when it is first asked for. */
struct kt_made {
    struct kt_param *param[KT_VIEWS];
};

/* Under its usual name. False if the routine has no such interface. */
bool kt_symbol_make(const struct kt_routine *routine, enum kt_view view, struct kt_symbol *out);

/*
 * All names of the symbol that libraries have, the usual one first: calls VISIT for each. Compilers add underscores
 * or not, 64-bit integers have suffixes of two schools, and the libraries in Python packages a prefix. COMMON:
 * functions of other people may have that name.
 */
typedef void kt_name_visit(const struct kt_symbol *symbol, const char *name, bool common, void *context);
void kt_symbol_names(const struct kt_symbol *symbol, kt_name_visit *visit, void *context);

/* The parameter in which the routine tells how it went, or NULL. */
const struct kt_param *kt_symbol_info(const struct kt_symbol *symbol);

size_t kt_stored_bytes(enum kt_stored stored);

/* The value is an address in the traced process, of data or of code. */
bool kt_stored_is_address(enum kt_stored stored);

/* One stored parameter; the imaginary part goes to *IMAGINARY if that is not NULL. Not for addresses. */
double kt_stored_value(const unsigned char *args, const struct kt_param *param, double *imaginary);
uint64_t kt_stored_address(const unsigned char *args, const struct kt_param *param);
/* The same of what is an integer or a letter, exactly. */
int64_t kt_stored_integer(const unsigned char *args, const struct kt_param *param);

/* ARGS: the bytes that follow the record's head. */
void kt_values_decode(const struct kt_symbol *symbol, const unsigned char *args, struct kt_values *out);

/* Letter of a CBLAS enumeration value (N T C, U L, N U, L R), ' ' if it is none. */
char kt_cblas_letter(int value);
/* The reverse: the CBLAS value of a letter for an option of that role, 0 if there is none. */
int kt_cblas_value(enum kt_role role, char letter);

extern const char *const kt_view_name[KT_VIEWS]; /* fortran, cblas, lapacke, lapacke_work, undescribed */

#endif
