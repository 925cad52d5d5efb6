/* Splice then parse equals parse then change, and no other byte changes. */
#include <stdint.h>
#include <string.h>

#include "json/json.h"
#include "json/splice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char key[] = "model";
static const char value[] = "\"spliced\"";

static pp_json *changed(pp_arena *arena, const pp_json *root)
{
    pp_json *object = pp_json_new_object(arena);
    pp_json *text = pp_json_new_string(arena, "spliced");

    for (size_t i = 0; i < root->object.count; i++) {
        pp_text name = root->object.members[i].key;

        if (!pp_text_is(name, key))
            pp_json_set_text_key(arena, object, name, root->object.members[i].value);
    }
    pp_json_set(arena, object, key, text);
    return object;
}

/* What stands around the change is what stood there. */
static void check_surroundings(pp_bytes text, const pp_json_edit *edit, const pp_buf *out)
{
    size_t behind = text.size - edit->at.end;

    PP_ASSERT(out->size >= edit->at.begin + behind);
    PP_ASSERT(memcmp(out->data, text.data, edit->at.begin) == 0);
    PP_ASSERT(memcmp(out->data + out->size - behind, text.data + edit->at.end, behind) == 0);
}

static void check_object(pp_arena *arena, pp_bytes text, const pp_json *root)
{
    pp_json_span object = pp_json_span_root(text);
    pp_json_span at = pp_json_span_member(text, object, key);
    pp_json_edit edit =
        at.begin < at.end ? pp_json_edit_replace(at, pp_text_of(value))
                          : pp_json_edit_insert(text, object, pp_text_of("\"model\":\"spliced\""));
    const pp_json *back = NULL;
    pp_error err = {0};
    pp_buf out;
    pp_status st;

    PP_ASSERT((at.begin < at.end) == (pp_json_find(root, key) != NULL));
    pp_buf_init(&out, text.size + 64);
    pp_json_splice(text, &edit, 1, &out);
    PP_ASSERT(out.status == PP_OK);
    check_surroundings(text, &edit, &out);
    st = pp_json_parse(arena, "spliced", out.data, out.size, &back, &err);
    PP_ASSERT(st == PP_OK);
    PP_ASSERT(pp_json_equal(back, changed(arena, root)));
    pp_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_bytes text = {data, size};
    pp_arena arena = {0};
    const pp_json *root = NULL;
    pp_json_span at;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, NULL) == PP_OK) {
        if (root->kind == PP_JSON_OBJECT)
            check_object(&arena, text, root);
    } else { /* nothing outside, whatever it is */
        at = pp_json_span_member(text, pp_json_span_root(text), key);
        PP_ASSERT(at.begin <= at.end && at.end <= size);
    }
    pp_arena_done(&arena);
    return 0;
}
