#include "shared.h"

#include <math.h>
#include <string.h>

#include "markup.h"
#include "report/chart_labels.h"
#include "report/chart_lines.h"

/* ---- labels ---------------------------------------------------------------------------------- */

static void heights_are_spread_and_keep_their_order(void **state)
{
    static const struct {
        const char *name;
        double heights[5];
        size_t count;
        double gap, low, high;
        double want[5];
    } rows[] = {
        {"free ones stay", {10, 40, 70}, 3, 20, 0, 100, {10, 40, 70}},
        {"a pair moves down", {50, 50}, 2, 20, 0, 100, {50, 70}},
        {"the last pushes up", {95, 95, 95}, 3, 20, 0, 100, {60, 80, 100}},
        {"unsorted keep their order", {90, 10, 12}, 3, 20, 0, 100, {90, 10, 30}},
        {"outside comes inside", {-5, 130}, 2, 20, 0, 100, {0, 100}},
        {"five in too little room", {1, 1, 1, 1, 1}, 5, 50, 0, 100, {0, 25, 50, 75, 100}},
        {"one", {30}, 1, 20, 0, 100, {30}},
        {"none", {0}, 0, 20, 0, 100, {0}},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        double heights[5];

        memcpy(heights, rows[i].heights, sizeof heights);
        pp_labels_spread(heights, rows[i].count, rows[i].gap, rows[i].low, rows[i].high);
        for (size_t j = 0; j < rows[i].count; j++) {
            if (fabs(heights[j] - rows[i].want[j]) > 1e-9)
                fail_msg("%s: height %zu is %g, want %g", rows[i].name, j, heights[j],
                         rows[i].want[j]);
        }
    }
}

/* A small generator, so that the next test sees many layouts and always the same. */
static double next_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

static void any_heights_end_apart_and_inside(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (int round = 0; round < 500; round++) {
        size_t count = 2 + (size_t)(next_number(&seed) * (PP_LABELS_MAX - 2));
        double heights[PP_LABELS_MAX], before[PP_LABELS_MAX];
        double gap = fmin(12.0, 300.0 / (double)(count - 1));

        for (size_t i = 0; i < count; i++)
            heights[i] = before[i] = -20.0 + 340.0 * next_number(&seed);
        pp_labels_spread(heights, count, 12.0, 0.0, 300.0);
        for (size_t i = 0; i < count; i++) {
            assert_true(heights[i] >= -1e-9 && heights[i] <= 300.0 + 1e-9);
            for (size_t j = 0; j < count; j++) {
                assert_true(i == j || fabs(heights[i] - heights[j]) >= gap - 1e-9);
                assert_true(!(before[i] < before[j]) || heights[i] < heights[j]);
            }
        }
    }
}

static pp_chart_box box_of(const pp_label_place *place, size_t chars)
{
    double width = PP_LABEL_CHAR_WIDTH * (double)chars;
    double left = strcmp(place->anchor, "start") == 0 ? place->x
                  : strcmp(place->anchor, "end") == 0 ? place->x - width
                                                      : place->x - width / 2.0;

    return (pp_chart_box){left, place->y - 11.0, left + width, place->y + 3.0};
}

static bool are_apart(const pp_chart_box *a, const pp_chart_box *b)
{
    return a->right <= b->left || b->right <= a->left || a->bottom <= b->top || b->bottom <= a->top;
}

/* 24 points in a heap: whoever gets a label stands apart from every other label and every mark. */
static void placed_labels_cover_nothing(void **state)
{
    pp_spot spots[PP_LABELS_MAX];
    pp_chart_box boxes[PP_LABELS_MAX];
    pp_labels labels = {.area = {0, 0, 800, 400}, .spots = spots, .spot_count = PP_LABELS_MAX};
    unsigned seed = 3;
    size_t placed = 0;

    (void)state;
    for (size_t i = 0; i < PP_LABELS_MAX; i++)
        spots[i] = (pp_spot){300.0 + 200.0 * next_number(&seed), 150 + 100 * next_number(&seed)};
    for (size_t i = 0; i < PP_LABELS_MAX; i++) {
        pp_label_place place;

        if (!pp_labels_place(&labels, i, 10, &place))
            continue;
        boxes[placed] = box_of(&place, 10);
        for (size_t j = 0; j < placed; j++)
            assert_true(are_apart(&boxes[placed], &boxes[j]));
        for (size_t j = 0; j < PP_LABELS_MAX; j++) {
            pp_chart_box mark = {spots[j].x - 7, spots[j].y - 7, spots[j].x + 7, spots[j].y + 7};

            assert_true(j == i || are_apart(&boxes[placed], &mark));
        }
        placed++;
    }
    assert_true(placed >= 5 && placed < PP_LABELS_MAX); /* the heap has room for some, not all */
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void axes_begin_at_zero_where_zero_belongs(void **state)
{
    static const double rows[][3] = {
        {10, 100, 0}, {49.9, 100, 0}, {50, 100, 50}, {90, 100, 90}, {0, 5, 0}, {-3, 5, -3},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_true(pp_scale_origin(rows[i][0], rows[i][1]) == rows[i][2]);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;

    for (const char *at = strstr(text, needle); at != NULL; at = strstr(at + 1, needle))
        count++;
    return count;
}

static void lines_are_drawn_and_stand_in_their_table(void **state)
{
    pp_arena arena = {0};
    pp_buf out;
    pp_view v = {.arena = &arena, .out = &out};
    const pp_line_point fast[] = {{1, {true, 10.5}}, {2, {false, 0}}, {4, {true, 41.25}}};
    const pp_line_point slow[] = {{1, {true, 7.125}}, {4, {true, 9.75}}};
    const pp_line lines[] = {{pp_text_of("fast <one>"), fast, 3}, {pp_text_of("slow"), slow, 2}};
    const pp_lines chart = {"speed", "Speed", " tok/s", "Clients", lines, 2, {true, 20.0}};
    pp_error err = {0};
    const char *text;

    (void)state;
    pp_buf_init(&out, 1 << 20);
    pp_buf_append_text(&out, "<!DOCTYPE html>\n");
    assert_ok(pp_chart_lines(&v, &chart, &err), err);
    text = pp_buf_text(&out);
    if (markup_fault(out.data, out.size) != NULL)
        fail_msg("%s", markup_fault(out.data, out.size));
    /* the scale is 0 to 50 on 290 to 18 and 0 to 4 on 84 to 560: 10.5 of 50, 1 of 4 */
    assert_contains(text, "<path class=\"s0\" d=\"M203.00 232.88M560.00 65.60\"/>");
    assert_contains(text, "<path class=\"s1\" d=\"M203.00 251.24L560.00 236.96\"/>");
    assert_contains(text, "<line class=\"limit\" x1=\"84.00\" y1=\"181.20\"");
    assert_contains(text, "fast &lt;one&gt;</text>");
    assert_contains(text, "<td class=\"num\">10.5 tok/s</td><td class=\"num\"><span "
                          "class=\"absent\">not measured</span></td><td class=\"num\">41.25 tok/s");
    assert_int_equal(count_of(text, "<title id=\"speed-title\">Speed</title>"), 1);
    assert_int_equal(count_of(text, "class=\"f0\""), 3); /* two values and the name */
    pp_buf_done(&out);
    pp_arena_done(&arena);
}

static void lines_without_values_say_so(void **state)
{
    pp_arena arena = {0};
    pp_buf out;
    pp_view v = {.arena = &arena, .out = &out};
    const pp_line_point points[] = {{1, {false, 0}}};
    const pp_line lines[] = {{pp_text_of("a"), points, 1}};
    const pp_lines chart = {"none", "None", "", "Clients", lines, 1, {0}};
    pp_error err = {0};

    (void)state;
    pp_buf_init(&out, 1 << 20);
    pp_buf_append_text(&out, "<!DOCTYPE html>\n");
    assert_ok(pp_chart_lines(&v, &chart, &err), err);
    assert_contains(pp_buf_text(&out), "No value of it was measured");
    assert_int_equal(count_of(pp_buf_text(&out), "<svg"), 0);
    assert_true(markup_fault(out.data, out.size) == NULL);
    pp_buf_done(&out);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_are_spread_and_keep_their_order),
        cmocka_unit_test(any_heights_end_apart_and_inside),
        cmocka_unit_test(placed_labels_cover_nothing),
        cmocka_unit_test(axes_begin_at_zero_where_zero_belongs),
        cmocka_unit_test(lines_are_drawn_and_stand_in_their_table),
        cmocka_unit_test(lines_without_values_say_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
