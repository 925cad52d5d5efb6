/* Prints metrics of a known history; metrics_text.py reads them and knows it, too. */
#include <stdio.h>

#include "gateway/metrics.h"

#define MS PP_NS_PER_MS

static const pp_text models[] = {{"small", 5}, {"odd \"\\\n name", 12}, {"unused", 6}};
static const pp_text backends[] = {{"plain", 5}, {"drafting", 8}};

/* G31: ten streams and ten plain ones, each of 101 tokens in 4 s, the first after 2 s (G59). */
static void count_twenty(pp_metrics *m)
{
    for (int i = 0; i < 20; i++) {
        pp_metrics_request r = {
            .endpoint = PP_METRICS_CHAT,
            .is_stream = i % 2 == 0,
            .status = 200,
            .total_ns = 4000 * MS,
            .queue_ns = pp_known_int(i == 0 ? 5 * MS : 5 * MS + 1),
            .prompt_tokens = pp_known_int(10),
            .completion_tokens = pp_known_int(101),
        };

        if (r.is_stream) {
            r.ttft_ns = pp_known_int(2000 * MS);
            r.upstream_ttft_ns = pp_known_int(1900 * MS);
            r.text_ns = pp_known_int(2000 * MS);
        }
        pp_metrics_count(m, &r);
        pp_metrics_attempt(m, 0, PP_METRICS_ANSWERED, false);
    }
}

static void count_others(pp_metrics *m)
{
    const pp_metrics_request gone = {.endpoint = PP_METRICS_TEXT,
                                     .model_index = 1,
                                     .backend_index = 1,
                                     .is_stream = true,
                                     .status = 200,
                                     .client_gone = true,
                                     .total_ns = 700000 * MS,
                                     .completion_tokens = pp_known_int(3),
                                     .drafted_tokens = pp_known_int(8),
                                     .accepted_tokens = pp_known_int(0)};
    const pp_metrics_request never = {.model_index = 0,
                                      .backend_index = PP_METRICS_NONE,
                                      .status = PP_STATUS_CLIENT_GONE,
                                      .client_gone = true,
                                      .total_ns = MS};
    const pp_metrics_request unknown = {.model_index = PP_METRICS_NONE,
                                        .backend_index = PP_METRICS_NONE,
                                        .status = 404,
                                        .failed = true,
                                        .problem = PP_PROBLEM_UNKNOWN_MODEL,
                                        .total_ns = MS};

    pp_metrics_count(m, &gone);
    pp_metrics_count(m, &never);
    pp_metrics_count(m, &unknown);
    pp_metrics_attempt(m, 1, PP_METRICS_FAILED, false);
    pp_metrics_attempt(m, 0, PP_METRICS_CALLED_OFF, true);
}

int main(void)
{
    const pp_metrics_backend_now of_backends[] = {
        {true, 3, 4, PP_BREAKER_CLOSED, 0, 0},
        {false, 0, 2, PP_BREAKER_OPEN, 5, 2},
    };
    const int64_t depths[] = {0, 7, 0};
    const pp_metrics_now now = {of_backends, depths, 12, 34};
    pp_metrics *m = NULL;
    pp_error err = {0};
    pp_buf out;

    if (pp_metrics_new(models, 3, backends, 2, &m, &err) != PP_OK)
        return 1;
    count_twenty(m);
    count_others(m);
    pp_buf_init(&out, PP_METRICS_MAX_BYTES);
    pp_metrics_write(m, &now, &out);
    if (pp_buf_check(&out, "metrics", &err) != PP_OK ||
        fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout) != 0)
        return 1;
    pp_buf_done(&out);
    pp_metrics_free(m);
    return 0;
}
