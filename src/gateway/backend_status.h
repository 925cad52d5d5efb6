/* backend_status.h - what is known of a back end that the gateway starts itself. The supervisor
 * writes it, the gateway reads it. */
#ifndef PP_GATEWAY_BACKEND_STATUS_H
#define PP_GATEWAY_BACKEND_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/origin.h"

/* "http://[...]:65535" of any numeric address, with much to spare. */
#define PP_BACKEND_URL_MAX 128

typedef enum pp_backend_state {
    PP_BACKEND_STARTING, /* its process is on the way: a request would be refused as loading */
    PP_BACKEND_READY,
    PP_BACKEND_DOWN /* it ended, or did not come up; another start follows by itself */
} pp_backend_state;

/** "starting", "ready", "down" */
const char *pp_backend_state_name(pp_backend_state state);

typedef struct pp_backend_status {
    pp_backend_state state;
    char url[PP_BACKEND_URL_MAX]; /* root of the server, while it is ready */
    int64_t slots;                /* that it proved to have; 0: not known */
    pp_origin origin;
    uint64_t restarts;
    bool speculation_asked;
} pp_backend_status;

#endif
