/* decoder.h - inside load/ only: the thread that turns landed flights into samples while others
 * measure. It runs at the lowest priority and is never waited for by a worker (F95). */
#ifndef PP_LOAD_DECODER_H
#define PP_LOAD_DECODER_H

#include "load/worker.h"

typedef struct pp_decoder {
    pp_shared *shared;
    pp_worker *workers;
    pp_recorder recorder;
    pthread_t thread;
    bool started;
    atomic_bool enough; /* the thread shall end, though flights may be left */
    pp_status st;
    pp_error err;
} pp_decoder;

/** The recorder has been initialised. Fails with PP_ERR_IO when there is no thread to be had. */
PP_MUST_CHECK pp_status pp_decoder_start(pp_decoder *decoder, pp_error *err);

/** Ends the thread and decodes what is left, at the caller's priority. Fails as the thread did. */
PP_MUST_CHECK pp_status pp_decoder_finish(pp_decoder *decoder, pp_error *err);

#endif
