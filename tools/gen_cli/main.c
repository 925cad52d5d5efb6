/* gen_cli man|bash|zsh|fish|docs - writes what is made from the command table. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

static const struct {
    const char *name;
    void (*write)(void);
} outputs[] = {
    {"man", gen_man}, {"bash", gen_bash}, {"zsh", gen_zsh}, {"fish", gen_fish}, {"docs", gen_docs},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < PP_COUNT_OF(outputs); i++) {
        if (strcmp(argv[1], outputs[i].name) == 0) {
            outputs[i].write();
            return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
        }
    }
    fprintf(stderr, "usage: gen_cli man|bash|zsh|fish|docs\n");
    return 2;
}
