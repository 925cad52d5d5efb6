/* A reply by a tape. */
#include "base/clock.h"
#include "sim/parts.h"

/* Other connections get their turn in between. */
#define STEPS_PER_TURN 256

static void send_step(pp_sim_call *call, const pp_sim_tape_step *step)
{
    call->events++;
    pp_sim_call_broken(call,
                       pp_http_reply_raw(call->http, step->bytes,
                                         pp_sim_tag(call->events, 0, step->bytes.size), NULL));
}

/* True when there is more to do now. */
static bool play_step(pp_sim_call *call, const pp_sim_tape_step *step)
{
    switch (step->act) {
    case PP_SIM_TAPE_SEND:
        send_step(call, step);
        return true;
    case PP_SIM_TAPE_PAUSE:
        call->due_ns += step->number;
        return pp_clock_now_ns() >= call->due_ns;
    case PP_SIM_TAPE_CLOSE:
        pp_sim_call_close(call);
        return false;
    case PP_SIM_TAPE_RESET:
        pp_sim_call_reset(call);
        return false;
    case PP_SIM_TAPE_HOLD:
        call->section = NULL; /* until the client leaves */
        return false;
    case PP_SIM_TAPE_REPEAT:
    case PP_SIM_TAPE_END:
        break;
    }
    PP_ASSERT(!"a step that pp_sim_tape_next does not give");
    return false;
}

static void on_due(void *user, int64_t now_ns)
{
    pp_sim_call *call = user;
    int left = STEPS_PER_TURN;

    (void)now_ns;
    while (!call->is_over && call->section != NULL) {
        const pp_sim_tape_step *step = pp_sim_tape_next(call->section, &call->place);

        if (step == NULL) {
            call->is_over = true;
            pp_sim_call_broken(call, pp_http_reply_end(call->http, NULL));
        } else if (!play_step(call, step) || --left == 0) {
            break;
        }
    }
    if (!call->is_over && call->section != NULL)
        pp_http_timer_set(call->sim->http, &call->timer, call->due_ns);
}

void pp_sim_play(pp_sim_call *call, const pp_sim_tape_section *section)
{
    call->section = section;
    call->due_ns = call->request->arrived_ns;
    call->timer.fire = on_due;
    call->timer.user = call;
    on_due(call, call->due_ns);
}
