/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/elements.h"

#include <string.h>

/* Sizes beyond are nonsense from a wrong call. */
enum { MOST_SIZE = INT32_MAX, DEPTH = 26, ROW_MAJOR = 101 };

static unsigned take_byte(struct kt_element_walk *e)
{
    return *e->at++;
}

static unsigned take_half(struct kt_element_walk *e)
{
    unsigned low = take_byte(e);
    return low | take_byte(e) << 8;
}

/* --- programs ---------------------------------------------------------------------------------------------- */

static int64_t product(int64_t a, int64_t b)
{
    int64_t out;
    return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t out;
    return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

static int64_t difference(int64_t a, int64_t b)
{
    int64_t out;
    return __builtin_sub_overflow(a, b, &out) ? INT64_MAX : out;
}

/* Rounded down. */
static int64_t quotient(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return difference(0, a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Halvings until no part has more than 25 rows, as trace/table/expr.c has it. */
static int64_t levels(int64_t n)
{
    int64_t halvings = n > 0 ? 2 : 0;
    int64_t size = n;
    for (; size >= 2 * 26; size /= 2)
        halvings++;
    for (; size > 0 && size < 26 && halvings > 0; size *= 2)
        halvings--;
    return halvings;
}

static int64_t lg(int64_t n)
{
    int64_t k = 0;
    while (k < 62 && (int64_t)1 << k < n)
        k++;
    return k;
}

static int64_t comparison(unsigned code, int64_t a, int64_t b)
{
    switch (code) {
    case KT_X_LESS:
        return a < b;
    case KT_X_GREATER:
        return a > b;
    case KT_X_EQUAL:
        return a == b;
    case KT_X_MOST:
        return a <= b;
    case KT_X_LEAST:
        return a >= b;
    case KT_X_AND:
        return a && b;
    case KT_X_OR:
        return a || b;
    case KT_X_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

static int64_t binary(unsigned code, int64_t a, int64_t b)
{
    switch (code) {
    case KT_X_ADD:
        return sum(a, b);
    case KT_X_SUB:
        return difference(a, b);
    case KT_X_MUL:
        return product(a, b);
    case KT_X_DIV:
        return quotient(a, b);
    default:
        return comparison(code, a, b);
    }
}

static int64_t letter_at(const struct kt_element_walk *e, unsigned offset)
{
    unsigned char letter = ((const unsigned char *)e->args)[offset];
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter;
}

static int32_t code_at(const struct kt_element_walk *e, unsigned offset)
{
    int32_t code;
    memcpy(&code, (const unsigned char *)e->args + offset, sizeof code);
    return code;
}

static int64_t letter_of_code(int32_t code)
{
    static const char letter[] = {[111 - 111] = 'N', [112 - 111] = 'T', [113 - 111] = 'C', [114 - 111] = 'R',
                                  [121 - 111] = 'U', [122 - 111] = 'L', [131 - 111] = 'N', [132 - 111] = 'U',
                                  [141 - 111] = 'L', [142 - 111] = 'R'};
    return code >= 111 && code <= 142 && letter[code - 111] ? letter[code - 111] : ' ';
}

static bool is_in(int64_t letter, uint32_t letters)
{
    if (letter >= 'A' && letter <= 'Z')
        return letters >> (letter - 'A') & 1;
    return letter >= '0' && letter <= '5' && letters >> (26 + letter - '0') & 1;
}

/* What begins a value of its own. */
static int64_t take_leaf(struct kt_element_walk *e, unsigned code)
{
    if (code == KT_X_NUMBER)
        return take_half(e);
    if (code == KT_X_INT)
        return (int64_t)e->args[take_byte(e)];
    unsigned offset = take_half(e);
    return code == KT_X_LETTER ? letter_at(e, offset) : letter_of_code(code_at(e, offset));
}

static int64_t take_unary(struct kt_element_walk *e, unsigned code, int64_t value)
{
    if (code == KT_X_IN) {
        uint32_t letters = take_half(e);
        return is_in(value, letters | (uint32_t)take_half(e) << 16);
    }
    return code == KT_X_LG ? lg(value) : levels(value);
}

/* The generator has seen to it that programs do not need more room. */
static int64_t take_program(struct kt_element_walk *e)
{
    int64_t stack[DEPTH + 1] = {0};
    int64_t *top = stack; /* the first is below all */
    for (unsigned code; (code = take_byte(e)) != KT_X_END;) {
        if (code <= KT_X_CODE) {
            *++top = take_leaf(e, code);
        } else if (code <= KT_X_LG) {
            *top = take_unary(e, code, *top);
        } else if (code == KT_X_SELECT) {
            top -= 2;
            *top = top[0] ? top[1] : top[2];
        } else {
            top--;
            *top = binary(code, top[0], top[1]);
        }
    }
    return *top;
}

/* --- operands ---------------------------------------------------------------------------------------------- */

/* What the seven programs say, as trace/table/operand.c takes them. */
struct shape {
    int64_t dim[4], step, uplo, diag;
};

static int64_t clamp(int64_t x)
{
    return x > 0 ? x < MOST_SIZE ? x : MOST_SIZE : 0;
}

static struct shape take_shape(struct kt_element_walk *e)
{
    struct shape s;
    for (int i = 0; i < 4; i++)
        s.dim[i] = clamp(take_program(e));
    s.step = take_program(e);
    s.uplo = take_program(e);
    s.diag = take_program(e);
    return s;
}

/* Elements side by side are one column; elements are counted by address. */
static void set_vector(struct kt_elements *o, const struct shape *s)
{
    int64_t n = s->dim[0];
    int64_t step = clamp(s->step < 0 ? difference(0, s->step) : s->step);
    o->form = KT_X_MATRIX;
    o->rows = step == 1 ? n : n > 0;
    o->cols = step > 1 ? n : n > 0;
    o->ld = step;
    o->below = o->rows;
    o->above = o->cols;
}

static void transpose(struct kt_elements *o)
{
    int64_t rows = o->rows;
    int64_t below = o->below;
    o->rows = o->cols;
    o->cols = rows;
    o->below = o->above;
    o->above = below;
}

static void leave_out_diagonal(struct kt_elements *o)
{
    if (o->below == 0)
        o->below = -1;
    if (o->above == 0)
        o->above = -1;
}

static void set_matrix(struct kt_elements *o, const struct shape *s, bool row_major)
{
    bool packed = o->form == KT_X_PACKED;
    bool band = o->form == KT_X_BAND;
    o->rows = s->dim[0];
    o->cols = packed ? o->rows : s->dim[1];
    o->ld = packed ? 0 : clamp(s->step);
    o->below = band ? s->dim[2] : s->uplo == 'U' ? 0 : o->rows;
    o->above = band ? s->dim[3] : s->uplo == 'L' ? 0 : o->cols;
    if (row_major)
        transpose(o);
    o->diagonal = o->above;
    if (s->diag == 'U')
        leave_out_diagonal(o);
}

/* LAPACKE transposes the array that holds the band. */
static void set_stored_band(struct kt_elements *o, const struct shape *s)
{
    o->form = KT_X_MATRIX;
    o->rows = s->dim[1];
    o->cols = s->dim[2] + s->dim[3] + 1;
    o->ld = clamp(s->step);
    o->below = o->rows;
    o->above = o->cols;
}

/* Is the number at that place 0, without regard to signs? */
static bool is_zero(const struct kt_element_walk *e, unsigned offset, unsigned bytes, unsigned part)
{
    const unsigned char *at = (const unsigned char *)e->args + offset;
    unsigned char any = 0;
    for (unsigned i = 0; i < bytes; i++)
        any |= i % part == part - 1 ? at[i] & 0x7f : at[i];
    return !any;
}

static void take_beta(struct kt_element_walk *e, struct kt_elements *o)
{
    unsigned offset = take_half(e);
    unsigned bytes = take_byte(e);
    unsigned part = take_byte(e);
    if (bytes && is_zero(e, offset, bytes, part))
        o->access = KT_X_WRITE;
}

void kt_elements_begin(unsigned interface, const uint64_t *args, bool wide, struct kt_element_walk *out)
{
    *out = (struct kt_element_walk){.at = kt_element_bytes + kt_elements_at[interface], .args = args, .wide = wide};
    unsigned layout = take_half(out);
    out->row_major = layout != KT_X_NOWHERE && code_at(out, layout) == ROW_MAJOR;
    out->lapacke = take_byte(out);
    out->result = (uint8_t)take_byte(out);
    for (unsigned lengths = take_byte(out); lengths; lengths--) {
        int64_t length = (int64_t)args[take_byte(out)];
        out->is_query |= length == -1 || length == -2;
    }
    out->left = out->is_query ? 0 : *out->at;
    out->at++;
}

bool kt_elements_next(struct kt_element_walk *e, struct kt_elements *out)
{
    if (!e->left)
        return false;
    e->left--;
    unsigned word = take_byte(e);
    *out = (struct kt_elements){.offset = (uint16_t)(8 * word), .base = e->args[word]};
    out->access = (uint8_t)take_byte(e);
    out->form = (uint8_t)take_byte(e);
    out->elem = take_byte(e);
    if (!out->elem)
        out->elem = e->wide ? 8 : 4;
    take_beta(e, out);
    struct shape shape = take_shape(e);
    if (out->form == KT_X_VECTOR)
        set_vector(out, &shape);
    else if (out->form == KT_X_BAND && e->row_major && e->lapacke)
        set_stored_band(out, &shape);
    else
        set_matrix(out, &shape, e->row_major);
    return true;
}

static int64_t column_start(const struct kt_elements *o, int64_t j)
{
    if (o->form == KT_X_PACKED)
        return o->below <= 0 ? j * (j + 1) / 2 : j * o->rows - j * (j + 1) / 2;
    return j * o->ld + (o->form == KT_X_BAND ? o->diagonal - j : 0);
}

int64_t kt_elements_column(const struct kt_elements *o, int64_t j, int64_t *at)
{
    int64_t first = j - o->above > 0 ? j - o->above : 0;
    int64_t end = j + o->below + 1 < o->rows ? j + o->below + 1 : o->rows;
    *at = column_start(o, j) + first;
    return end > first ? end - first : 0;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* In bytes; 0 if that is beyond all memory. */
static uint64_t end_of_column(const struct kt_elements *o, int64_t j)
{
    int64_t at;
    uint64_t bytes;
    int64_t count = kt_elements_column(o, j, &at);
    bool possible =
        at >= 0 && !__builtin_mul_overflow((uint64_t)(at + count), o->elem, &bytes) && bytes <= UINT64_MAX - o->base;
    return possible ? bytes : 0;
}

uint64_t kt_elements_end(const struct kt_elements *o)
{
    int64_t first = o->below < 0 ? -o->below : 0;
    int64_t last = least(o->cols, o->rows + o->above) - 1;
    if (o->rows == 0 || o->above + o->below < 0 || first > last)
        return 0;
    uint64_t a = end_of_column(o, first);
    uint64_t b = end_of_column(o, last);
    return a && b ? (a > b ? a : b) : 0;
}
