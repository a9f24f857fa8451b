/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>

#ifdef __x86_64__
enum { OUR_ARCH = (int)AUDIT_ARCH_X86_64 };
#else
enum { OUR_ARCH = (int)AUDIT_ARCH_AARCH64 };
#endif

/* What is known when a line is reached: jumps go forward only, so each line is looked at once, when all that lead there
 * have been. Scratch memory is taken for unknown. */
struct value {
    uint32_t is;
    bool known;
};
struct knowledge {
    struct value a, x;
    bool reached;
};
static struct knowledge at[BPF_MAXINSNS];

static struct value join(struct value one, struct value other)
{
    one.known &= other.known && one.is == other.is;
    return one;
}

/* False: behind the end. */
static bool reach(unsigned lines, unsigned line, const struct knowledge *how)
{
    if (line >= lines)
        return false;
    struct knowledge *k = &at[line];
    k->a = k->reached ? join(k->a, how->a) : how->a;
    k->x = k->reached ? join(k->x, how->x) : how->x;
    k->reached = true;
    return true;
}

static struct value load(uint32_t offset, uint32_t number)
{
    if (offset == offsetof(struct seccomp_data, nr))
        return (struct value){number, true};
    if (offset == offsetof(struct seccomp_data, arch))
        return (struct value){(uint32_t)OUR_ARCH, true};
    return (struct value){0, false};
}

static struct value loaded(const struct sock_filter *line, uint32_t number)
{
    switch (BPF_MODE(line->code)) {
    case BPF_IMM:
        return (struct value){line->k, true};
    case BPF_ABS:
        return load(line->k, number);
    case BPF_LEN:
        return (struct value){sizeof(struct seccomp_data), true};
    default:
        return (struct value){0, false};
    }
}

static struct value calculated(const struct sock_filter *line, struct value a, struct value x)
{
    uint32_t by = BPF_SRC(line->code) == BPF_X ? x.is : line->k;
    a.known &= BPF_SRC(line->code) == BPF_K || x.known;
    switch (BPF_OP(line->code)) {
    case BPF_ADD:
        a.is += by;
        break;
    case BPF_SUB:
        a.is -= by;
        break;
    case BPF_AND:
        a.is &= by;
        break;
    case BPF_OR:
        a.is |= by;
        break;
    case BPF_XOR:
        a.is ^= by;
        break;
    default:
        a.known = false;
    }
    return a;
}

static bool holds(const struct sock_filter *line, uint32_t a, uint32_t with)
{
    switch (BPF_OP(line->code)) {
    case BPF_JEQ:
        return a == with;
    case BPF_JGT:
        return a > with;
    case BPF_JGE:
        return a >= with;
    default:
        return a & with;
    }
}

/* Both ways, where it is not known which. */
static bool jump(const struct sock_filter *line, unsigned lines, unsigned from)
{
    const struct knowledge *k = &at[from];
    bool known = k->a.known && (BPF_SRC(line->code) == BPF_K || k->x.known);
    uint32_t with = BPF_SRC(line->code) == BPF_X ? k->x.is : line->k;
    if (BPF_OP(line->code) == BPF_JA)
        return line->k < lines && reach(lines, from + 1 + line->k, k);
    bool yes = known && holds(line, k->a.is, with);
    return ((known && !yes) || reach(lines, from + 1u + line->jt, k)) && (yes || reach(lines, from + 1u + line->jf, k));
}

static bool is_harm(struct value answer)
{
    uint32_t action = answer.is & SECCOMP_RET_ACTION_FULL;
    return !answer.known || (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG && action != SECCOMP_RET_ERRNO);
}

/* What comes behind a line that is no jump and does not return. */
static struct knowledge behind(const struct sock_filter *line, struct knowledge k, uint32_t number)
{
    switch (BPF_CLASS(line->code)) {
    case BPF_LD:
        k.a = loaded(line, number);
        break;
    case BPF_LDX:
        k.x = loaded(line, number);
        break;
    case BPF_ALU:
        k.a = calculated(line, k.a, k.x);
        break;
    case BPF_MISC:
        if (BPF_MISCOP(line->code) == BPF_TAX)
            k.x = k.a;
        else
            k.a = k.x;
        break;
    default:
        break; /* stores */
    }
    return k;
}

bool kt_filter_harms(const struct sock_filter *line, unsigned lines, uint32_t number)
{
    if (lines == 0 || lines > BPF_MAXINSNS)
        return true;
    memset(at, 0, lines * sizeof *at);
    at[0].reached = true;
    for (unsigned i = 0; i < lines; i++) {
        if (!at[i].reached)
            continue;
        bool returns = BPF_CLASS(line[i].code) == BPF_RET;
        struct value answer = BPF_RVAL(line[i].code) == BPF_A ? at[i].a : (struct value){line[i].k, true};
        if (returns && is_harm(answer))
            return true;
        struct knowledge next = behind(&line[i], at[i], number);
        bool fine = returns                              ? true
                    : BPF_CLASS(line[i].code) == BPF_JMP ? jump(&line[i], lines, i)
                                                         : reach(lines, i + 1, &next);
        if (!fine)
            return true;
    }
    return false;
}
