/* load_endpoint.h - what a server says of itself before it is loaded: asked in studies, too. */
#ifndef PP_CLI_LOAD_ENDPOINT_H
#define PP_CLI_LOAD_ENDPOINT_H

#include <stdio.h>

#include "study/endpoint.h"

/** The origin of figures that were measured from here: on an emulated CPU times are the emulator's,
 * the server's among them where it runs beside us. */
pp_origin pp_origin_of_host(pp_origin origin);

/** Note that a proxy of the environment is not used: neither what asks nor what loads goes through
 * one (F09, B153). */
void pp_tell_proxy(FILE *out);

#endif
