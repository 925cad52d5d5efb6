#include "load/decoder.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

/* It looks for work that often; nobody wakes it, for that would cost the measuring thread a system
 * call for each reply. */
#define PAUSE_NS        (5 * PP_NS_PER_MS)
#define LOWEST_PRIORITY 19

/* Memory goes back even when decoding has failed: the level ends on its own terms. */
static void decode(pp_decoder *d, pp_worker *w, pp_flight *f)
{
    if (d->st == PP_OK)
        d->st = pp_recorder_add(&d->recorder, f, &d->err);
    if (d->st == PP_OK)
        pp_shared_look(d->shared, &d->recorder);
    else
        pp_shared_end(d->shared, PP_CAUSE_ERROR);
    pp_flight_put(&w->returned, f);
}

static bool decode_landed(pp_decoder *d)
{
    bool any = false;

    for (int64_t i = 0; i < d->shared->worker_count; i++) {
        pp_worker *w = &d->workers[i];
        pp_flight *f = pp_flight_take_all(&w->landed);

        while (f != NULL) {
            pp_flight *next = f->next;

            decode(d, w, f);
            any = true;
            f = next;
        }
    }
    return any;
}

static void *run(void *decoder)
{
    pp_decoder *d = decoder;

    (void)pthread_setname_np(pthread_self(), "load-decoder");
    /* Of this thread alone, as Linux counts it; refused, it competes a little more. */
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), LOWEST_PRIORITY);
    while (!atomic_load(&d->enough)) {
        if (!decode_landed(d))
            pp_clock_sleep_until_ns(pp_clock_now_ns() + PAUSE_NS);
    }
    return NULL;
}

pp_status pp_decoder_start(pp_decoder *decoder, pp_error *err)
{
    int failed = pthread_create(&decoder->thread, NULL, run, decoder);

    if (failed != 0)
        return pp_fail_errno(err, PP_ERR_IO, failed, "starting the thread that decodes");
    decoder->started = true;
    return PP_OK;
}

pp_status pp_decoder_finish(pp_decoder *decoder, pp_error *err)
{
    if (!decoder->started)
        return PP_OK;
    atomic_store(&decoder->enough, true);
    pthread_join(decoder->thread, NULL);
    decoder->started = false;
    (void)decode_landed(decoder);
    if (decoder->st != PP_OK && err != NULL)
        *err = decoder->err;
    return decoder->st;
}
