#include "net/deadline_heap.h"

#include <stdlib.h>

#include "shared.h"

#define NODES 200

static int64_t slowly_first(const pp_deadline_node *nodes, size_t n)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < n; i++)
        if (nodes[i].slot != 0 && nodes[i].at_ns < first)
            first = nodes[i].at_ns;
    return first;
}

/* Any order of setting, moving and removing, against a walk over all nodes. */
static void the_earliest_is_first_whatever_happened(void **state)
{
    pp_deadline_heap heap = {0};
    pp_deadline_node nodes[NODES] = {{0}};
    unsigned random = 1;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_deadline_reserve(&heap, NODES, &err), err);
    assert_null(pp_deadline_first(&heap));
    for (int step = 0; step < 20000; step++) {
        pp_deadline_node *node = &nodes[rand_r(&random) % NODES];

        if (rand_r(&random) % 3 == 0)
            pp_deadline_remove(&heap, node);
        else
            pp_deadline_set(&heap, node, rand_r(&random) % 1000); /* many equal ones */
        if (heap.count == 0)
            assert_null(pp_deadline_first(&heap));
        else
            assert_int_equal(pp_deadline_first(&heap)->at_ns, slowly_first(nodes, NODES));
    }
    while (pp_deadline_first(&heap) != NULL) {
        assert_int_equal(pp_deadline_first(&heap)->at_ns, slowly_first(nodes, NODES));
        pp_deadline_remove(&heap, pp_deadline_first(&heap));
    }
    pp_deadline_heap_done(&heap);
}

static void of_equal_instants_the_first_set_comes_first(void **state)
{
    pp_deadline_heap heap = {0};
    pp_deadline_node nodes[NODES] = {{0}};
    pp_error err = {0};

    (void)state;
    assert_ok(pp_deadline_reserve(&heap, NODES, &err), err);
    for (size_t i = 0; i < NODES; i++)
        pp_deadline_set(&heap, &nodes[i], 7);
    pp_deadline_set(&heap, &nodes[0], 7); /* set again: behind the others */
    for (size_t i = 1; i <= NODES; i++) {
        assert_ptr_equal(pp_deadline_first(&heap), &nodes[i % NODES]);
        pp_deadline_remove(&heap, pp_deadline_first(&heap));
    }
    pp_deadline_heap_done(&heap);
}

static void room_grows_and_nodes_stay(void **state)
{
    pp_deadline_heap heap = {0};
    pp_deadline_node nodes[NODES] = {{0}};
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < NODES; i++) {
        assert_ok(pp_deadline_reserve(&heap, i + 1, &err), err);
        pp_deadline_set(&heap, &nodes[i], (int64_t)(NODES - i));
        assert_ptr_equal(pp_deadline_first(&heap), &nodes[i]);
    }
    assert_int_equal(heap.count, NODES);
    pp_deadline_heap_done(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_is_first_whatever_happened),
        cmocka_unit_test(of_equal_instants_the_first_set_comes_first),
        cmocka_unit_test(room_grows_and_nodes_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
