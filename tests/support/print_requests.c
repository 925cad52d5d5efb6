/* print_requests - the requests of a load, for tests that send them by other means.
 *
 * print_requests URL ENDPOINT REUSE PROMPT_TOKENS SHARED_TOKENS COUNT
 *
 * Prints the path, then one body a line; exit 2 with the reason when they cannot be made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/source.h"

static pp_load_reuse reuse_of(const char *name)
{
    size_t i = 0;

    while (pp_load_reuse_name(i) != NULL && strcmp(pp_load_reuse_name(i), name) != 0)
        i++;
    return (pp_load_reuse)i;
}

static pp_status print_bodies(const pp_load_source *source, long count, pp_error *err)
{
    pp_status st = PP_OK;
    pp_buf body;

    pp_buf_init(&body, PP_LOAD_BODY_MAX_BYTES);
    printf("%s\n", pp_load_source_path(source));
    for (long i = 1; i <= count && st == PP_OK; i++) {
        pp_load_item item;

        st = pp_load_source_make(source, 1, PP_PHASE_MEASURED, i, &body, &item, err);
        if (st == PP_OK)
            printf("%.*s\n", (int)item.body.size, (const char *)item.body.data);
    }
    pp_buf_done(&body);
    return st;
}

int main(int argc, char **argv)
{
    pp_load_source_options options;
    pp_load_source *source = NULL;
    pp_http_loop *loop = NULL;
    pp_arena arena = {0};
    pp_error err = {0};
    pp_status st;

    pp_load_source_options_default(&options);
    if (argc != 7 || !pp_endpoint_find(argv[2], &options.dialect.endpoint))
        return 4;
    options.base_url = argv[1];
    options.reuse = reuse_of(argv[3]);
    options.prompt_tokens = atol(argv[4]);
    options.shared_prefix_tokens = atol(argv[5]);
    options.output = pp_lengths_fixed(4);
    st = pp_http_loop_new(NULL, &loop, &err);
    if (st == PP_OK)
        st = pp_load_source_prepare(&arena, loop, &options, &source, &err);
    if (st == PP_OK)
        st = print_bodies(source, atol(argv[6]), &err);
    if (st != PP_OK)
        fprintf(stderr, "print_requests: %s\n", err.text);
    pp_http_loop_free(loop);
    pp_arena_done(&arena);
    return st == PP_OK ? 0 : 2;
}
