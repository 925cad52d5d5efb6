/* The line of those who wait: order, ceiling, leaving from anywhere. */
#include "gateway/wait_queue.h"

#include <string.h>

#include "shared.h"

#define PEOPLE 6

/* Steps: "a" comes, "A" comes to the front, "-a" leaves. '!' behind one: it is refused. */
static const struct {
    const char *name;
    size_t max_count;
    const char *steps;
    const char *want; /* who stands there, in order */
    size_t want_highest;
} rows[] = {
    {"first come, first served", 3, "abc", "abc", 3},
    {"a full line refuses", 2, "abc!", "ab", 2},
    {"none may wait where the ceiling is 0", 0, "a!", "", 0},
    {"the first leaves", 3, "abc-a", "bc", 3},
    {"the last leaves", 3, "abc-c", "ab", 3},
    {"one in the middle leaves", 3, "abc-b", "ac", 3},
    {"who leaves makes room", 2, "ab-ac", "bc", 2},
    {"all leave, and the line works again", 2, "ab-a-bcd", "cd", 2},
    {"one that had its turn comes to the front", 3, "abC", "cab", 3},
    {"also when the line is full", 2, "abC", "cab", 3},
    {"then nobody else comes in", 2, "abCd!", "cab", 3},
    {"to the front of an empty line", 1, "A", "a", 1},
    {"to leave twice is to leave once", 2, "ab-a-a", "b", 2},
};

static char name_of(const pp_waiter *people, const pp_waiter *who)
{
    return (char)('a' + (who - people));
}

static void stand(const pp_wait_queue *queue, const pp_waiter *people, char *out)
{
    const pp_waiter *before = NULL;

    for (const pp_waiter *w = queue->first; w != NULL; before = w, w = w->next) {
        assert_ptr_equal(w->previous, before);
        *out++ = name_of(people, w);
    }
    assert_ptr_equal(queue->last, before);
    *out = '\0';
}

static const char *step(pp_wait_queue *queue, pp_waiter *people, const char *at)
{
    bool leaves = *at == '-';
    char who = leaves ? *++at : *at;
    bool to_front = who >= 'A' && who <= 'Z';
    pp_waiter *one = &people[(to_front ? who - 'A' : who - 'a')];
    bool came = true;

    if (leaves)
        pp_waiter_leave(one);
    else if (to_front)
        pp_wait_queue_push_front(queue, one);
    else
        came = pp_wait_queue_push(queue, one);
    assert_int_equal(came, at[1] != '!');
    return at + (at[1] == '!' ? 2 : 1);
}

static void those_who_wait_stand_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_waiter people[PEOPLE];
        pp_wait_queue queue = {.max_count = rows[i].max_count};
        char got[PEOPLE + 1];

        memset(people, 0, sizeof people);
        for (const char *at = rows[i].steps; *at != '\0';)
            at = step(&queue, people, at);
        stand(&queue, people, got);
        if (strcmp(got, rows[i].want) != 0 || queue.count != strlen(rows[i].want) ||
            queue.highest != rows[i].want_highest)
            fail_msg("%s: expected '%s' and at most %zu, got '%s', %zu and at most %zu",
                     rows[i].name, rows[i].want, rows[i].want_highest, got, queue.count,
                     queue.highest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_wait_stand_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
