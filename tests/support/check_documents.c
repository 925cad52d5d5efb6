/* check_documents - checks documents by the tables of fields, for the tests.
 *
 * check_documents FILE...      recognise and check each file; "<kind> ok <file>" or
 *                              "<kind> refused <file>: <why>" a file; exit 1 when any was refused
 * check_documents --kind KIND  check each line of standard input; "ok" or "refused <why>" a line */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "model/document_kinds.h"

static pp_status check_text(const pp_document_kind **kind, const char *name, const char *text,
                            size_t size, pp_error *err)
{
    pp_arena arena = {0};
    const pp_json *root;
    pp_status st = pp_json_parse(&arena, name, text, size, &root, err);

    if (st == PP_OK && *kind == NULL)
        *kind = pp_document_kind_of(root);
    if (st == PP_OK && *kind == NULL)
        st = pp_fail(err, PP_ERR_SCHEMA, "none of our documents");
    if (st == PP_OK)
        st = pp_document_check(*kind, root, err);
    pp_arena_done(&arena);
    return st;
}

static pp_status check_lines(const pp_document_kind **kind, const char *name, const pp_buf *bytes,
                             pp_error *err)
{
    const char *at = pp_buf_text(bytes);
    const char *end = at + bytes->size;
    pp_status st = PP_OK;

    for (size_t number = 1; st == PP_OK && at < end; number++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));

        if (line_end == NULL)
            line_end = end;
        st = pp_wrap(err, check_text(kind, name, at, (size_t)(line_end - at), err), "line %zu",
                     number);
        at = line_end + 1;
    }
    return st;
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t size = strlen(text);

    return size >= strlen(suffix) && strcmp(text + size - strlen(suffix), suffix) == 0;
}

static bool check_file(const char *path)
{
    const pp_document_kind *kind = NULL;
    pp_error err = {0};
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    st = pp_file_read(path, &bytes, &err);
    if (st == PP_OK && ends_with(path, ".jsonl"))
        st = check_lines(&kind, path, &bytes, &err);
    else if (st == PP_OK)
        st = check_text(&kind, path, pp_buf_text(&bytes), bytes.size, &err);
    printf("%s %s %s%s%s\n", kind == NULL ? "?" : kind->name, st == PP_OK ? "ok" : "refused", path,
           st == PP_OK ? "" : ": ", st == PP_OK ? "" : err.text);
    pp_buf_done(&bytes);
    return st == PP_OK;
}

static int check_input(const char *name)
{
    const pp_document_kind *kind = pp_document_kind_find(name);
    char *line = NULL;
    size_t room = 0;
    ssize_t size;

    if (kind == NULL) {
        fprintf(stderr, "check_documents: no kind '%s'\n", name);
        return 2;
    }
    while ((size = getline(&line, &room, stdin)) > 0) {
        pp_error err = {0};

        if (check_text(&kind, "line", line, (size_t)size, &err) == PP_OK)
            printf("ok\n");
        else
            printf("refused %s\n", err.text);
    }
    free(line);
    return 0;
}

int main(int argc, char **argv)
{
    bool all_ok = argc > 1;

    if (argc == 3 && strcmp(argv[1], "--kind") == 0)
        return check_input(argv[2]);
    for (int i = 1; i < argc; i++)
        all_ok = check_file(argv[i]) && all_ok;
    return all_ok ? 0 : 1;
}
