/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/right_store.h"

#include "replay/machine/processor.h"
#include "replay/store/identity.h"
#include "trace/shape/fingerprint.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { TEXT = 128 };

struct kept {
    int32_t verdict;
    char why[TEXT]; /* UNCHECKED, UNFINISHED */
    double residual;
};

/* Shares are checked on any host of the kind. */
static char *setting_of(const struct kt_library *library, bool of_kind)
{
    char *text = NULL;
    char *identity = kt_identity_setting(library, KT_NO_PROCESSOR);
    if (of_kind)
        kt_identity_make_kind(identity);
    if (identity && asprintf(&text, "%s%s", identity, library->in_order ? " | in order" : "") < 0)
        abort();
    free(identity);
    return text;
}

void kt_right_store_open(const struct kt_right_options *options, const struct kt_library *const *library,
                         bool has_reference, const struct kt_right *right, struct kt_right_store *out)
{
    *out = (struct kt_right_store){.store = options->store, .has_reference = has_reference};
    if (!options->store)
        return;
    out->setting = kt_resize(NULL, right->libraries, sizeof *out->setting);
    for (size_t l = 0; l < right->libraries; l++)
        out->setting[l] = setting_of(library[l], options->owner);
    out->known = kt_zeros(right->libraries * right->jobs->count, sizeof *out->known);
}

/* What relations there are follows from the family's line. */
static char *name_of(const struct kt_right_store *s, const struct kt_job *job)
{
    char *name;
    char *shape = kt_identity_shape(job);
    const char *line = job->shape->first.entry->symbol.routine->text;
    if (asprintf(&name, "result %d %016" PRIx64 "%s of %s", KT_RESULT_METHOD, kt_bytes_number(line, strlen(line)),
                 s->has_reference ? ", compared," : "", shape) < 0)
        abort();
    free(shape);
    return name;
}

static enum kt_verdict_of_result verdict_of(int32_t kept)
{
    bool is_one = kept == KT_RESULT_RIGHT || kept == KT_RESULT_WRONG || kept == KT_RESULT_UNFINISHED;
    return is_one ? (enum kt_verdict_of_result)kept : KT_RESULT_UNCHECKED;
}

/* What another look may see otherwise: the library, or the machine, may be another one by then. */
static bool is_looked_at_again(int32_t verdict)
{
    return verdict == KT_RESULT_WRONG || verdict == KT_RESULT_UNFINISHED;
}

bool kt_rightness_read(struct kt_store *store, const char *setting, const char *name, bool takes_all,
                       struct kt_rightness *out)
{
    struct kept kept;
    if (!kt_store_fact(store, setting, name, &kept, sizeof kept) || (is_looked_at_again(kept.verdict) && !takes_all))
        return false;
    kept.why[TEXT - 1] = '\0';
    *out = (struct kt_rightness){
        .verdict = verdict_of(kept.verdict), .residual = kept.residual, .what = *kept.why ? kt_copy(kept.why) : NULL};
    return true;
}

bool kt_right_store_read(struct kt_right_store *s, size_t library, size_t job, const struct kt_right *right)
{
    size_t place = library * right->jobs->count + job;
    if (!s->store || !s->setting[library])
        return false;
    char *name = name_of(s, &right->jobs->job[job]);
    s->known[place] = kt_rightness_read(s->store, s->setting[library], name, s->takes_all, &right->of[place]);
    free(name);
    return s->known[place];
}

static enum kt_status write_one(const struct kt_right_store *s, const struct kt_right *right, size_t library,
                                size_t job, struct kt_error *error)
{
    const struct kt_rightness *r = kt_right_of(right, library, job);
    struct kept kept = {.verdict = (int32_t)r->verdict, .residual = r->residual};
    if (!s->setting[library] || s->known[library * right->jobs->count + job] || !r->lasts)
        return KT_OK;
    snprintf(kept.why, sizeof kept.why, "%s", r->what ? r->what : "");
    char *name = name_of(s, &right->jobs->job[job]);
    enum kt_status status = kt_store_set_fact(s->store, s->setting[library], name, &kept, sizeof kept, error);
    free(name);
    return status;
}

static enum kt_status write_all(const struct kt_right_store *s, const struct kt_right *right, struct kt_error *error)
{
    KT_TRY(kt_store_begin(s->store, true, error));
    enum kt_status status = KT_OK;
    for (size_t l = 0; l < right->libraries; l++)
        for (size_t i = 0; i < right->jobs->count && status == KT_OK; i++)
            status = write_one(s, right, l, i, error);
    struct kt_error end = {0};
    return kt_store_commit(s->store, status == KT_OK ? error : &end) == KT_OK ? status : KT_SYSTEM;
}

void kt_right_store_close(struct kt_right_store *s, const struct kt_right *right)
{
    struct kt_error error = {0};
    if (s->store && write_all(s, right, &error) != KT_OK)
        kt_notice("checks of results are not kept for later comparisons: %s", error.text);
    for (size_t l = 0; s->setting && l < right->libraries; l++)
        free(s->setting[l]);
    free(s->setting);
    free(s->known);
    *s = (struct kt_right_store){0};
}
