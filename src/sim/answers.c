#include "sim/answers.h"

#include <string.h>

#include "model/document_kinds.h"

pp_status pp_sim_answers_read(pp_arena *arena, const pp_json *root, pp_sim_answers *ret_answers,
                              pp_error *err)
{
    const pp_document_kind *kind = pp_document_kind_find("sim-answers");
    const pp_json *list;
    pp_status st = pp_document_check(kind, root, err);

    if (st != PP_OK)
        return st;
    list = pp_checked_list(root, "answers");
    ret_answers->count = list->array.count;
    ret_answers->items = PP_ARENA_NEW(arena, pp_sim_answer, list->array.count);
    if (ret_answers->items == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; i < list->array.count; i++) {
        const pp_json *item = list->array.items[i];

        if (pp_json_find(item, "contains") != NULL)
            ret_answers->items[i].contains = pp_checked_text(item, "contains");
        ret_answers->items[i].answer = pp_checked_text(item, "answer");
    }
    return PP_OK;
}

const pp_sim_answer *pp_sim_answers_find(const pp_sim_answers *answers, pp_text prompt)
{
    for (size_t i = 0; i < answers->count; i++) {
        const pp_sim_answer *item = &answers->items[i];

        if (item->contains.size == 0 ||
            memmem(prompt.data, prompt.size, item->contains.data, item->contains.size) != NULL)
            return item;
    }
    return NULL;
}
