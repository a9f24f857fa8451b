/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libproof.so: preloaded into any program, proves the table's operand ranges with the calls that the program makes.
 *
 *     PROOF_STATE=FILE PROOF_TABLE=FOLDER LD_PRELOAD=libproof.so COMMAND
 *
 * PROOF_PART=4: with a quarter of the calls, where these show that no operand may be an element shorter.
 *
 * At a call of a kind that was not proven yet, a child process is forked, which makes the call on the application's
 * data, and on copies of them in poisoned memory (copies.h). Then
 *   - no byte of the copies may have changed that the table does not call written,
 *   - no byte outside may have been touched, and
 *   - all outputs, info and the result must be those of the call on the application's data.
 * If so, the child takes an element off each operand in turn and sees whether that shows. It leaves what it found in
 * the state (state.h) and ends. The application itself goes on undisturbed to the real routine, whatever happened.
 *
 * A call that the routine refuses (info < 0, or it ends the process or fails on the application's own data) proves
 * nothing and is counted apart.
 */
#include "tests/proof/copies.h"
#include "trace/table/spec.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CALLS = 1 << 22, IDLE_CALLS = 2000, ONE_IN = 13, MILLISECONDS = 20000, SLOWER = 10, STACK = 1 << 16 };

/* One symbol as the library exports it; enter.S knows the first two members. */
struct proof_slot {
    void *target; /* where a call goes: proof_enter, or the real routine */
    void *real;
    const char *name;
    struct kt_symbol *symbol;
    size_t words; /* passed to it */
    struct proof_record *record;
    uint64_t calls, proven; /* so far, and how many when the last one was proven */
};

void proof_enter(void);
void proof_call(struct proof_slot *slot, const uint64_t *registers, const uint64_t *stack);

static struct kt_table table;
static struct proof_state state;
static bool active;

/* What the child is at, for the handler of faults. */
static struct {
    struct proof_copies *copies;
    struct proof_record *record;
    sigjmp_buf *resume; /* while a mutation is tried */
    int64_t limit;      /* of a mutation's runs, in milliseconds */
    enum { SAVING, ORIGINAL, COPYING } phase;
} now;

/* --- the child --------------------------------------------------------------------------------------------- */

static void count(struct proof_record *record, enum proof_verdict verdict)
{
    __atomic_fetch_add(&record->verdict[verdict], 1, __ATOMIC_RELAXED);
}

static size_t print_place(const struct proof_call *call, struct proof_finding f, char *out, size_t room)
{
    if (f.operand < 0)
        return f.byte < 0 ? 0 : (size_t)snprintf(out, room, ": %s", call->symbol->routine->arg[f.byte].name);
    const struct kt_operand *o = &call->operand[f.operand];
    int64_t element = f.byte / (int64_t)o->elem;
    int used = snprintf(out, room, ": %s%+lld bytes, element %lld", o->name, (long long)f.byte, (long long)element);
    if (o->ld > 1 && element >= 0)
        used += snprintf(out + used, room - (size_t)used, " (row %lld column %lld of %lldx%lld)",
                         (long long)(element % o->ld), (long long)(element / o->ld), (long long)o->rows,
                         (long long)o->cols);
    else
        used += snprintf(out + used, room - (size_t)used, " of %lld", (long long)o->elements);
    return (size_t)used;
}

/* The first failure of a routine is kept. */
static void record_failure(struct proof_record *record, const struct proof_call *call, struct proof_finding f)
{
    count(record, PROOF_FAILED);
    if (*record->text)
        return;
    char text[PROOF_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", f.what);
    used += print_place(call, f, text + used, sizeof text - used);
    used += (size_t)snprintf(text + used, sizeof text - used, ";");
    proof_call_print(call, text + used, sizeof text - used);
    memcpy(record->text, text, sizeof text);
}

/* The fault of a call on the application's own data is the application's. */
static void record_fault(const siginfo_t *about)
{
    static const struct proof_finding unreadable = {"the application's memory cannot be read as declared", -1, -1};
    static const struct proof_finding endless = {"does not return", -1, -1};
    const struct proof_call *call = now.copies->call;
    if (now.phase == ORIGINAL)
        count(now.record, PROOF_REFUSED);
    else if (about->si_signo == SIGVTALRM)
        record_failure(now.record, call, endless);
    else
        record_failure(now.record, call,
                       now.phase == SAVING ? unreadable : proof_copies_fault(now.copies, about->si_addr));
}

/* With an element missing, a fault or an endless loop is what is looked for. */
static void on_fault(int number, siginfo_t *about, void *context)
{
    (void)number, (void)context;
    if (now.resume)
        siglongjmp(*now.resume, 1);
    record_fault(about);
    _exit(0);
}

/* Of the processor, so that a busy machine is not taken for an endless loop. */
static int64_t milliseconds_used(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void limit_time(int64_t milliseconds)
{
    struct itimerval limit = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static void catch_faults(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM};
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &action, NULL);
    signal(SIGABRT, SIG_DFL);
    limit_time(MILLISECONDS);
}

/* What the routine prints about illegal arguments was or will be printed by the application's own call. */
static void be_silent(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
}

static bool mutation_noticed(struct proof_copies *c, struct proof_mutation m)
{
    sigjmp_buf here;
    limit_time(now.limit);
    now.resume = &here;
    bool noticed = sigsetjmp(here, 1) != 0 || proof_copies_mutate(c, m);
    now.resume = NULL;
    limit_time(MILLISECONDS);
    return noticed;
}

/* Mutations of this call that no earlier call has shown. */
static void try_mutations(struct proof_copies *c, struct proof_record *record)
{
    for (int i = 0; i < c->call->operands; i++) {
        if (c->call->operand[i].access == KT_WORK || c->call->operand[i].elements == 0)
            continue;
        for (enum proof_end end = PROOF_FIRST; end <= PROOF_LAST; end++) {
            uint64_t bit = UINT64_C(1) << (2 * i + (int)end);
            __atomic_fetch_or(&record->possible, bit, __ATOMIC_RELAXED);
            if (!(record->noticed & bit) && mutation_noticed(c, (struct proof_mutation){i, end}))
                __atomic_fetch_or(&record->noticed, bit, __ATOMIC_RELAXED);
        }
    }
}

static void prove(struct proof_copies *c, struct proof_record *record)
{
    if (!proof_copies_make(c->call, c)) {
        count(record, PROOF_TOO_LARGE);
        return;
    }
    now.phase = ORIGINAL;
    proof_copies_original(c);
    if (proof_copies_info(c) < 0) {
        count(record, PROOF_REFUSED);
        return;
    }
    struct proof_finding found = {0};
    int64_t begin = milliseconds_used();
    now.phase = COPYING;
    for (int run = 0; run < PROOF_RUNS && !found.what; run++)
        found = proof_copies_run(c, run);
    now.limit = SLOWER * (milliseconds_used() - begin + 2);
    if (!found.what)
        found = proof_copies_compare(c);
    if (found.what) {
        record_failure(record, c->call, found);
        return;
    }
    count(record, proof_call_kind(c->call).magnitude ? PROOF_PASSED : PROOF_EMPTY);
    try_mutations(c, record);
}

static void run_child(struct proof_call *call, struct proof_record *record)
{
    static struct proof_copies copies;
    copies.call = call;
    now.copies = &copies;
    now.record = record;
    be_silent();
    catch_faults();
    prove(&copies, record);
    _exit(0);
}

static unsigned verdicts(const struct proof_record *record)
{
    unsigned sum = 0;
    for (int i = 0; i < PROOF_VERDICTS; i++)
        sum += record->verdict[i];
    return sum;
}

/* A child that ends without a verdict was ended by the routine. */
static void prove_in_child(struct proof_call *call, struct proof_record *record)
{
    unsigned before = verdicts(record);
    pid_t child = fork();
    if (child == 0) {
        active = false;
        run_child(call, record);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && verdicts(record) == before)
        count(record, PROOF_REFUSED);
}

/* --- the application --------------------------------------------------------------------------------------- */

/* Libraries that were linked come after this one; others are found through the scope of all. */
static void *find_real(const char *name)
{
    void *real = dlsym(RTLD_NEXT, name);
    if (!real) {
        fprintf(stderr, "libproof: no library defines %s\n", name);
        abort();
    }
    return real;
}

static void bind_slot(struct proof_slot *slot)
{
    char name[KT_NAME];
    slot->real = find_real(slot->name);
    snprintf(name, sizeof name, "%.*s", (int)strlen(slot->name) - 1, slot->name);
    const struct kt_routine *routine = kt_table_find(&table, name);
    if (!routine)
        return;
    slot->symbol = malloc(sizeof *slot->symbol);
    kt_symbol_make(routine, KT_FORTRAN, slot->symbol);
    slot->words = proof_words(slot->symbol);
    slot->record = proof_state_find(&state, name);
}

static bool is_over(const struct proof_slot *slot)
{
    return !slot->record || proof_state_is_full(&state, slot->record) || slot->calls > MOST_CALLS;
}

/* Calls that are chosen whatever they are like: the 1st, 4th, 16th, ..., so that some of each part of a program are. */
static bool is_chosen(uint64_t calls)
{
    return (calls & (calls - 1)) == 0 && calls & UINT64_C(0x5555555555555555);
}

/* Where no call was new for long, one in some is looked at. */
static bool is_worth_a_look(const struct proof_slot *slot)
{
    return slot->calls - slot->proven < IDLE_CALLS || slot->calls % ONE_IN == 0 || is_chosen(slot->calls);
}

void proof_call(struct proof_slot *slot, const uint64_t *registers, const uint64_t *stack)
{
    int error = errno;
    if (!slot->real)
        bind_slot(slot);
    slot->calls++;
    if (is_over(slot))
        slot->target = slot->real;
    if (!active || slot->target == slot->real || !is_worth_a_look(slot))
        return;
    struct proof_call call; /* of which most is set if it is proven */
    call.symbol = slot->symbol;
    call.function = slot->real;
    call.words = slot->words;
    for (size_t i = 0; i < call.words; i++)
        call.word[i] = i < 6 ? registers[i] : stack[i - 6];
    if (proof_call_read(&call) &&
        proof_state_claim(&state, slot->record, proof_call_kind(&call), is_chosen(slot->calls))) {
        slot->proven = slot->calls;
        proof_call_lay_out(&call);
        prove_in_child(&call, slot->record);
    }
    errno = error;
}

__attribute__((constructor)) static void start(void)
{
    struct kt_error error = {0};
    const char *folder = getenv("PROOF_TABLE");
    const char *path = getenv("PROOF_STATE");
    if (!folder || !path)
        return;
    if (kt_spec_load(folder, &table, &error) != KT_OK)
        fprintf(stderr, "libproof: %s\n", error.text);
    else if (!proof_state_open(path, &table, &state))
        fprintf(stderr, "libproof: %s: %s\n", path, strerror(errno));
    else
        active = true;
    const char *part = getenv("PROOF_PART");
    if (part && atoi(part) > 0)
        state.part = atoi(part);
}
