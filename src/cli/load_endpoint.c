#include "cli/load_endpoint.h"

#include <stdlib.h>

#include "base/text.h"
#include "machine/host.h"

pp_origin pp_origin_of_host(pp_origin origin)
{
    const pp_host_options options = {.root = "/"};
    pp_host_facts host;

    pp_host_read(&options, &host);
    return host.emulated.known && host.emulated.value ? pp_origin_worst(origin, PP_ORIGIN_EMULATED)
                                                      : origin;
}

void pp_tell_proxy(FILE *out)
{
    static const char *const names[] = {"http_proxy",  "HTTP_PROXY", "https_proxy",
                                        "HTTPS_PROXY", "all_proxy",  "ALL_PROXY"};

    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);

        if (value != NULL && value[0] != '\0') {
            fprintf(out, "note: %s is set; proxies are not used\n", names[i]);
            return;
        }
    }
}
