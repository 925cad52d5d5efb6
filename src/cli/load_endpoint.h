/* load_endpoint.h - what a server says of itself before it is loaded: asked in studies, too. */
#ifndef PP_CLI_LOAD_ENDPOINT_H
#define PP_CLI_LOAD_ENDPOINT_H

#include "study/endpoint.h"

#endif
