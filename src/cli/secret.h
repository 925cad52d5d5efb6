/* secret.h - a key must not reach an output of a command, nor of a study. */
#ifndef PP_CLI_SECRET_H
#define PP_CLI_SECRET_H

#include "base/secret.h"

#endif
