#include "intake/gnu_time.h"

#include <string.h>

#include "shared.h"

/* As GNU time 1.9 wrote it; figures before and behind the peak are those of a run of "true". */
#define BEFORE                                                                                     \
    "\tUser time (seconds): 0.00\n\tSystem time (seconds): 0.00\n"                                 \
    "\tPercent of CPU this job got: 1%\n"                                                          \
    "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:00.05\n"                                     \
    "\tAverage shared text size (kbytes): 0\n\tAverage unshared data size (kbytes): 0\n"           \
    "\tAverage stack size (kbytes): 0\n\tAverage total size (kbytes): 0\n"
#define BEHIND                                                                                     \
    "\tAverage resident set size (kbytes): 0\n\tMajor (requiring I/O) page faults: 1\n"            \
    "\tMinor (reclaiming a frame) page faults: 70\n\tVoluntary context switches: 3\n"              \
    "\tInvoluntary context switches: 1\n\tSwaps: 0\n\tFile system inputs: 72\n"                    \
    "\tFile system outputs: 0\n\tSocket messages sent: 0\n\tSocket messages received: 0\n"         \
    "\tSignals delivered: 0\n\tPage size (bytes): 4096\n"
#define PEAK(n)     "\tMaximum resident set size (kbytes): " #n "\n"
#define STATUS(n)   "\tExit status: " #n "\n"
#define TIMED(argv) "\tCommand being timed: \"" argv "\"\n"
#define BLOCK       BEFORE PEAK(992) BEHIND

static const struct {
    const char *name;
    const char *text;
    int64_t peak_rss_kib;
    int64_t signal; /* 0: none */
    int64_t exit_status;
} readable[] = {
    {"a whole text", TIMED("true") BLOCK STATUS(0), 992, 0, 0},
    {"lines may be left out", TIMED("true") PEAK(3520062) STATUS(0), 3520062, 0, 0},
    {"any indentation",
     "Command being timed: \"true\"\n  Maximum resident set size (kbytes): 7\n"
     " \tExit status: 0\n",
     7, 0, 0},
    {"a failure", "Command exited with non-zero status 3\n" TIMED("false") BLOCK STATUS(3), 992, 0,
     3},
    {"B172: killed, and yet status 0",
     "Command terminated by signal 9\n" TIMED("llama-server") BLOCK STATUS(0), 992, 9, 0},
    {"B172: stopped, and yet status 0",
     "Command stopped by signal 19\n" TIMED("llama-server") BLOCK STATUS(0), 992, 19, 0},
    {"B173: a figure in the command",
     TIMED("sh -c exit 0 x\n\tMaximum resident set size (kbytes): 12\n") BLOCK STATUS(0), 992, 0,
     0},
    {"B173: a whole report in the command", TIMED("a\"\n" PEAK(12) STATUS(0) "b") BLOCK STATUS(0),
     992, 0, 0},
    {"B173: a kill in the command", TIMED("a\nCommand terminated by signal 9\n") BLOCK STATUS(0),
     992, 0, 0},
    {"B173: quotes in the command", TIMED("echo \"a\"\"\n\"") BLOCK STATUS(0), 992, 0, 0},
    {"B173: killed, with a figure in the command",
     "Command terminated by signal 9\n" TIMED("a\n" PEAK(12)) BLOCK STATUS(0), 992, 9, 0},
};

static void what_gnu_time_says_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(readable); i++) {
        pp_gnu_time time = {0};
        pp_error err = {0};
        pp_status st = pp_gnu_time_parse(readable[i].text, strlen(readable[i].text), &time, &err);

        if (st != PP_OK || time.peak_rss_kib != readable[i].peak_rss_kib ||
            time.signal.known != (readable[i].signal != 0) ||
            time.signal.value != readable[i].signal || time.exit_status != readable[i].exit_status)
            fail_msg("%s: %lld KiB, signal %lld, status %lld; %s", readable[i].name,
                     (long long)time.peak_rss_kib, (long long)time.signal.value,
                     (long long)time.exit_status, err.text);
        assert_true(pp_gnu_time_is(readable[i].text, strlen(readable[i].text)));
    }
}

static const struct {
    const char *name;
    const char *text;
    const char *why;
} refused[] = {
    {"nothing", "", "line 1 does not end"},
    {"the first line only", "Command terminated by signal 9\n", "broke off behind line 1"},
    {"no signal number", "Command terminated by signal nine\n" TIMED("a") BLOCK STATUS(0),
     "line 1: expected a whole number of 1 or more, got 'nine'"},
    {"an echo without end", "\tCommand being timed: \"a\n" BLOCK STATUS(0),
     "closing quote is missing"},
    {"no peak", TIMED("a") BEFORE BEHIND STATUS(0), "no line 'Maximum resident set size"},
    {"B173: a peak in the command only", TIMED("a\n" PEAK(12)) BEFORE BEHIND STATUS(0),
     "no line 'Maximum resident set size"},
    {"two peaks", TIMED("a") PEAK(1) PEAK(2) STATUS(0), "line 3: expected a line of GNU time"},
    {"a peak of nothing", TIMED("a") PEAK(0) STATUS(0), "line 2: expected a whole number of 1"},
    {"a negative peak", TIMED("a") PEAK(-4) STATUS(0), "line 2: expected a whole number of 1"},
    {"a broken peak", TIMED("a") PEAK(1.5) STATUS(0), "line 2: expected a whole number of 1"},
    {"a peak beyond all machines", TIMED("a") PEAK(9999999999999999999) STATUS(0),
     "line 2: expected a whole number of 1"},
    {"no status: cut off between lines", TIMED("a") BLOCK, "the text broke off"},
    {"cut off in the last line", TIMED("a") BLOCK "\tExit status: 0", "the text broke off"},
    {"cut off in the peak", TIMED("a") BEFORE "\tMaximum resident set size (kbytes): 99",
     "no line 'Maximum resident set size"},
    {"two programs", TIMED("a") BLOCK STATUS(0) "\tCommand being timed: \"b\n" BLOCK STATUS(0),
     "line 24: expected a line of GNU time"},
    {"lines in another order", TIMED("a") STATUS(0) PEAK(4),
     "line 3: expected a line of GNU time -v that may stand here"},
    {"translated", TIMED("a") "\tMaximale Größe (KByte): 4\n" STATUS(0),
     "line 2: expected a line of GNU time"},
    {"B140: BSD, which counts bytes",
     "        0.00 real         0.00 user\n   1015808  maximum "
     "resident set size\n",
     "line 1: expected 'Command being timed"},
    {"status and first line disagree",
     "Command exited with non-zero status 3\n" TIMED("a") BLOCK STATUS(0), "the first line says 3"},
    {"a failure without its line", TIMED("a") BLOCK STATUS(3), "the first line says 0"},
    {"not UTF-8", TIMED("\xff") BLOCK STATUS(0), "expected UTF-8"},
};

static void what_cannot_be_relied_on_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_gnu_time time = {0};
        pp_error err = {0};
        pp_status st = pp_gnu_time_parse(refused[i].text, strlen(refused[i].text), &time, &err);

        if (st != PP_ERR_SYNTAX || strstr(err.text, refused[i].why) == NULL)
            fail_msg("%s: '%s', expected '%s'", refused[i].name, err.text, refused[i].why);
    }
}

/* However a text breaks off, it gives no figure. */
static void a_text_that_breaks_off_anywhere_is_refused(void **state)
{
    static const char text[] =
        "Command terminated by signal 9\n" TIMED("a\n" PEAK(12) STATUS(0)) BLOCK STATUS(0);

    (void)state;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        pp_gnu_time time = {0};
        pp_error err = {0};

        if (pp_gnu_time_parse(text, size, &time, &err) != PP_ERR_SYNTAX)
            fail_msg("read after %zu bytes: %lld KiB", size, (long long)time.peak_rss_kib);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_gnu_time_says_is_read),
        cmocka_unit_test(what_cannot_be_relied_on_is_refused),
        cmocka_unit_test(a_text_that_breaks_off_anywhere_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
