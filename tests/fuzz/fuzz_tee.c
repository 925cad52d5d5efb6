/* However a reply is cut, the same bytes go on and the same facts are found; without an event of
 * usage to strip, they are the bytes that came. */
#include <stdint.h>
#include <string.h>

#include "gateway/tee.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_facts(const pp_tee_facts *f, pp_buf *out)
{
    const pp_maybe_int *counts[] = {&f->counts.predicted_n,
                                    &f->counts.prompt_n,
                                    &f->counts.cache_n,
                                    &f->counts.draft_n,
                                    &f->counts.draft_n_accepted,
                                    &f->counts.usage_completion_tokens,
                                    &f->counts.usage_prompt_tokens,
                                    &f->counts.usage_cached_tokens};
    const pp_text *texts[] = {&f->error_message, &f->error_type, &f->finish_reason};
    const uint64_t numbers[] = {f->first,
                                f->error_seen,
                                (uint64_t)f->error_status,
                                (uint64_t)f->first_text_ns,
                                (uint64_t)f->last_text_ns,
                                f->event_count,
                                f->comment_count,
                                f->unread_count,
                                f->stripped_count,
                                f->end_mark,
                                f->plain_is_error};

    for (size_t i = 0; i < PP_COUNT_OF(numbers); i++)
        pp_buf_printf(out, " %llu", (unsigned long long)numbers[i]);
    for (size_t i = 0; i < PP_COUNT_OF(counts); i++)
        pp_buf_printf(out, " %d:%lld", counts[i]->known, (long long)counts[i]->value);
    for (size_t i = 0; i < PP_COUNT_OF(texts); i++)
        pp_buf_append(out, texts[i]->data, texts[i]->size);
}

/* What went on and what is known, in pieces of `step` bytes. */
static bool pass(const uint8_t *data, size_t size, pp_tee_options options, size_t step, pp_buf *out,
                 pp_buf *facts)
{
    pp_tee *tee = NULL;
    pp_error err = {0};
    pp_status st = pp_tee_new(&options, &tee, &err);

    for (size_t at = 0; at < size && st == PP_OK; at += step) {
        pp_bytes piece = {data + at, step < size - at ? step : size - at};

        st = pp_tee_feed(tee, piece, 7, out, &err);
        PP_ASSERT(options.strip_usage || out->size == at + piece.size); /* nothing waits */
    }
    if (st == PP_OK)
        st = pp_tee_finish(tee, 7, out, &err);
    PP_ASSERT(st == PP_OK);
    write_facts(pp_tee_facts_of(tee), facts);
    st = pp_tee_facts_of(tee)->stripped_count > 0 ? PP_ERR_DOMAIN : PP_OK;
    pp_tee_free(tee);
    return st != PP_OK;
}

static void check(const uint8_t *data, size_t size, pp_tee_options options)
{
    static const size_t steps[] = {1, 2, 7, 1000};
    pp_buf whole, whole_facts;
    bool stripped;

    pp_buf_init(&whole, size);
    pp_buf_init(&whole_facts, 1 << 16);
    stripped = pass(data, size, options, size + 1, &whole, &whole_facts);
    PP_ASSERT(!stripped || options.strip_usage);
    PP_ASSERT(stripped ||
              (whole.size == size && (size == 0 || memcmp(whole.data, data, size) == 0)));
    for (size_t i = 0; i < PP_COUNT_OF(steps); i++) {
        pp_buf cut, facts;

        pp_buf_init(&cut, size);
        pp_buf_init(&facts, 1 << 16);
        (void)pass(data, size, options, steps[i], &cut, &facts);
        PP_ASSERT(cut.size == whole.size &&
                  memcmp(pp_buf_text(&cut), pp_buf_text(&whole), cut.size) == 0);
        PP_ASSERT(facts.size == whole_facts.size &&
                  memcmp(facts.data, whole_facts.data, facts.size) == 0);
        pp_buf_done(&cut);
        pp_buf_done(&facts);
    }
    pp_buf_done(&whole);
    pp_buf_done(&whole_facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size, (pp_tee_options){true, false});
    check(data, size, (pp_tee_options){true, true});
    check(data, size, (pp_tee_options){false, true});
    return 0;
}
