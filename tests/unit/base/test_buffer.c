#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "shared.h"

static void buffer_grows_to_its_ceiling_and_not_beyond(void **state)
{
    pp_buf buf;
    pp_error err = {0};

    (void)state;
    pp_buf_init(&buf, 1000);
    for (int i = 0; i < 1000; i++)
        pp_buf_append_char(&buf, 'x');
    assert_ok(pp_buf_check(&buf, "test", &err), err);
    pp_buf_append_char(&buf, 'y');
    assert_int_equal(buf.size, 1000);
    assert_int_equal(pp_buf_check(&buf, "test", &err), PP_ERR_LIMIT);
    assert_string_equal(err.text, "test: larger than the ceiling of 1000 bytes");
    pp_buf_done(&buf);
}

static void buffer_refuses_an_append_whole(void **state)
{
    pp_buf buf;

    (void)state;
    pp_buf_init(&buf, 4);
    pp_buf_append_text(&buf, "abc");
    pp_buf_printf(&buf, "%s", "de");
    assert_string_equal(pp_buf_text(&buf), "abc");
    pp_buf_clear(&buf);
    pp_buf_append_text(&buf, "wxyz");
    assert_string_equal(pp_buf_text(&buf), "wxyz");
    pp_buf_consume(&buf, 3);
    assert_string_equal(pp_buf_text(&buf), "z");
    pp_buf_done(&buf);
}

/* The room is 256 bytes at first, one of them for the NUL: texts that just fit, and that just do
 * not, behind others and in front of a ceiling. */
static void printing_gives_the_same_whatever_room_there_is(void **state)
{
    (void)state;
    for (int before = 0; before <= 260; before++) {
        for (int size = 0; size <= 260; size += 13) {
            char want[600];
            pp_buf buf;

            pp_buf_init(&buf, 400);
            for (int i = 0; i < before; i++)
                pp_buf_append_char(&buf, 'x');
            pp_buf_printf(&buf, "%0*d", size, 0);
            (void)snprintf(want, sizeof want, "%.*s%0*d", before, pp_buf_text(&buf), size, 0);
            if (strlen(want) > 400)
                want[before] = '\0';
            assert_string_equal(pp_buf_text(&buf), want);
            assert_int_equal(buf.size, strlen(want));
            pp_buf_done(&buf);
        }
    }
}

static void room_is_made_once_and_exactly(void **state)
{
    const char *before;
    pp_buf buf;

    (void)state;
    pp_buf_init(&buf, 5000);
    pp_buf_reserve(&buf, 3000);
    before = buf.data;
    assert_int_equal(buf.capacity, 3001); /* and the NUL */
    assert_int_equal(buf.size, 0);
    for (int i = 0; i < 3000; i++)
        pp_buf_append_char(&buf, 'a');
    assert_ptr_equal(buf.data, before);
    assert_int_equal(buf.capacity, 3001);
    pp_buf_reserve(&buf, 100); /* is there already */
    assert_ptr_equal(buf.data, before);
    pp_buf_reserve(&buf, 10000);
    assert_int_equal(buf.capacity, 5001);
    assert_int_equal(buf.size, 3000);
    assert_int_equal(strlen(pp_buf_text(&buf)), 3000);
    pp_buf_done(&buf);
}

static void buffer_hands_its_memory_over(void **state)
{
    pp_buf buf;
    char *text;

    (void)state;
    pp_buf_init(&buf, 100);
    text = pp_buf_take(&buf);
    assert_string_equal(text, "");
    free(text);
    pp_buf_append_text(&buf, "mine");
    text = pp_buf_take(&buf);
    assert_string_equal(text, "mine");
    assert_string_equal(pp_buf_text(&buf), "");
    free(text);
    pp_buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffer_grows_to_its_ceiling_and_not_beyond),
        cmocka_unit_test(buffer_refuses_an_append_whole),
        cmocka_unit_test(printing_gives_the_same_whatever_room_there_is),
        cmocka_unit_test(room_is_made_once_and_exactly),
        cmocka_unit_test(buffer_hands_its_memory_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
