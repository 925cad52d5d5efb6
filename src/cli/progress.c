#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define BAR_WIDTH 20

void pp_progress_init(pp_progress_view *view, bool quiet)
{
    const char *term = getenv("TERM");

    memset(view, 0, sizeof *view);
    view->out = stderr;
    view->quiet = quiet;
    view->terminal = isatty(STDERR_FILENO) == 1 && getenv("NO_COLOR") == NULL && term != NULL &&
                     strcmp(term, "dumb") != 0;
}

const char *pp_progress_time(int64_t ns, char out[24])
{
    int64_t seconds = ns / PP_NS_PER_S;

    if (seconds >= 3600)
        (void)snprintf(out, 24, "%lld:%02d:%02d", (long long)(seconds / 3600),
                       (int)(seconds / 60 % 60), (int)(seconds % 60));
    else
        (void)snprintf(out, 24, "%d:%02d", (int)(seconds / 60), (int)(seconds % 60));
    return out;
}

static void show_line(pp_progress_view *view, const pp_progress_state *state)
{
    char elapsed[24];
    char left[24];

    fprintf(view->out, "[%2llu/%llu] %6s  %-10s  %s", (unsigned long long)state->done,
            (unsigned long long)state->total, pp_progress_time(state->elapsed_ns, elapsed),
            state->group, state->what);
    if (state->note != NULL)
        fprintf(view->out, ": %s", state->note);
    if (state->remaining_ns > 0)
        fprintf(view->out, "  (about %s left)", pp_progress_time(state->remaining_ns, left));
    fprintf(view->out, "\n");
}

static void show_bar(pp_progress_view *view, const pp_progress_state *state)
{
    char bar[BAR_WIDTH + 1];
    char elapsed[24];
    char left[24];
    size_t filled = state->total == 0 ? 0 : (size_t)(state->done * BAR_WIDTH / state->total);

    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', filled < BAR_WIDTH ? filled : BAR_WIDTH);
    bar[BAR_WIDTH] = '\0';
    fprintf(view->out, "\r\x1b[K[%s] %s", bar, pp_progress_time(state->elapsed_ns, elapsed));
    if (state->remaining_ns >= 0)
        fprintf(view->out, ", about %s left", pp_progress_time(state->remaining_ns, left));
    fprintf(view->out, "  %s %s", state->group, state->what);
    (void)fflush(view->out);
    view->open_line = true;
}

void pp_progress_show(pp_progress_view *view, const pp_progress_state *state)
{
    if (view->quiet)
        return;
    if (!view->terminal) {
        if (state->note != NULL)
            show_line(view, state);
        return;
    }
    if (state->note != NULL) {
        pp_progress_end(view);
        show_line(view, state);
    } else {
        show_bar(view, state);
    }
}

void pp_progress_end(pp_progress_view *view)
{
    if (view->open_line)
        fprintf(view->out, "\r\x1b[K");
    view->open_line = false;
}
