/* X-Forwarded-For: whatever stands in it, the client is the peer or a numeric address out of a
 * header, and without a trusted peer always the peer. */
#include "base/error.h"
#include "gateway/client_address.h"
#include "gateway/rate_limit.h"
#include "header_sets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const pp_text trusted[] = {{"127.0.0.1", 9}, {"2001:db8::1", 11}, {"10.0.0.1", 8}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const pp_text stranger = {"198.51.100.1", 12};
    pp_ip_address address;
    pp_rate_key key;
    header_set set;
    pp_text got;

    header_set_read(&set, data, size);
    got = pp_client_address(set.headers, set.count, stranger, trusted, PP_COUNT_OF(trusted));
    PP_ASSERT(got.data == stranger.data);
    got = pp_client_address(set.headers, set.count, trusted[0], trusted, PP_COUNT_OF(trusted));
    PP_ASSERT(pp_client_ip_parse(got, &address) && pp_rate_key_of_address(got, &key));
    for (size_t i = 0; i < got.size; i++)
        PP_ASSERT(strchr("0123456789abcdefABCDEF.:", got.data[i]) != NULL);
    return 0;
}
