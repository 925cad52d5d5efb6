#include "shared.h"
#include "sim/slots.h"

static void init(pp_sim_slots *slots, int64_t count, int64_t queue_max)
{
    pp_error err = {0};

    assert_ok(pp_sim_slots_init(slots, count, queue_max, &err), err);
}

static void the_first_come_is_the_first_served(void **state)
{
    pp_sim_slots slots;
    pp_sim_job jobs[5] = {{0}};

    (void)state;
    init(&slots, 2, 3);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(pp_sim_slots_enter(&slots, &jobs[i], 100 + (int64_t)i),
                         i < 2 ? PP_SIM_PLACE_SLOT : PP_SIM_PLACE_QUEUE);
    assert_int_equal(jobs[0].slot, 0);
    assert_int_equal(jobs[1].slot, 1);
    assert_int_equal(jobs[1].start_ns, 101);
    assert_ptr_equal(pp_sim_slots_leave(&slots, &jobs[1], 500), &jobs[2]);
    assert_int_equal(jobs[2].slot, 1);
    assert_int_equal(jobs[2].start_ns, 500); /* not one nanosecond is lost between two */
    assert_ptr_equal(pp_sim_slots_leave(&slots, &jobs[0], 600), &jobs[3]);
    assert_ptr_equal(pp_sim_slots_leave(&slots, &jobs[2], 700), &jobs[4]);
    assert_null(pp_sim_slots_leave(&slots, &jobs[3], 800));
    assert_int_equal(pp_sim_slots_busy(&slots), 1);
    assert_null(pp_sim_slots_leave(&slots, &jobs[4], 900));
    assert_int_equal(pp_sim_slots_busy(&slots), 0);
    pp_sim_slots_done(&slots);
}

static void a_full_queue_refuses(void **state)
{
    pp_sim_slots slots;
    pp_sim_job jobs[3] = {{0}};

    (void)state;
    init(&slots, 1, 1);
    assert_int_equal(pp_sim_slots_enter(&slots, &jobs[0], 0), PP_SIM_PLACE_SLOT);
    assert_int_equal(pp_sim_slots_enter(&slots, &jobs[1], 0), PP_SIM_PLACE_QUEUE);
    assert_int_equal(pp_sim_slots_enter(&slots, &jobs[2], 0), PP_SIM_PLACE_NONE);
    assert_null(pp_sim_slots_leave(&slots, &jobs[2], 1)); /* it is nowhere: nothing happens */
    assert_int_equal(slots.queue_count, 1);
    pp_sim_slots_done(&slots);
}

/* first, middle and last of a queue of three */
static void who_leaves_the_queue_is_not_served(void **state)
{
    (void)state;
    for (size_t gone = 1; gone <= 3; gone++) {
        pp_sim_slots slots;
        pp_sim_job jobs[4] = {{0}};
        pp_sim_job *at = &jobs[0];
        size_t served = 0;

        init(&slots, 1, 10);
        for (size_t i = 0; i < 4; i++)
            (void)pp_sim_slots_enter(&slots, &jobs[i], 0);
        assert_null(pp_sim_slots_leave(&slots, &jobs[gone], 1));
        assert_int_equal(slots.queue_count, 2);
        while ((at = pp_sim_slots_leave(&slots, at, 2)) != NULL) {
            assert_ptr_not_equal(at, &jobs[gone]);
            served++;
        }
        assert_int_equal(served, 2);
        pp_sim_slots_done(&slots);
    }
}

static pp_status try_init(const void *context, pp_error *err)
{
    pp_sim_slots slots;
    pp_status st = pp_sim_slots_init(&slots, 4, 4, err);

    (void)context;
    pp_sim_slots_done(&slots);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_int_equal(check_missing_memory(try_init, NULL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_come_is_the_first_served),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(who_leaves_the_queue_is_not_served),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
