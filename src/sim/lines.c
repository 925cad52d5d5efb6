#include "sim/lines.h"

/* A stored block of deflate holds no more. */
#define BLOCK_MAX 65535u

static const char *line_end(const pp_sim_quirks *q, int64_t number)
{
    static const char *const ends[] = {"\n", "\r\n", "\r"};

    if (q->line_end == PP_SIM_LINE_MIXED)
        return ends[number % 3];
    return ends[q->line_end == PP_SIM_LINE_CRLF ? 1 : q->line_end == PP_SIM_LINE_CR ? 2 : 0];
}

static void put_line(const pp_sim_quirks *q, const char *field, pp_text value, const char *end,
                     pp_buf *out)
{
    pp_buf_append_text(out, field);
    pp_buf_append_text(out, q->no_blank ? ":" : ": ");
    pp_buf_append(out, value.data, value.size);
    pp_buf_append_text(out, end);
}

/* JSON may be cut wherever a blank may stand; here behind the commas outside of strings. */
static size_t line_size(pp_text data)
{
    bool in_string = false;

    for (size_t i = 0; i < data.size; i++) {
        if (in_string && data.data[i] == '\\')
            i++;
        else if (data.data[i] == '"')
            in_string = !in_string;
        else if (!in_string && data.data[i] == ',')
            return i + 1;
    }
    return data.size;
}

static void put_lines(const pp_sim_quirks *q, const char *field, pp_text data, const char *end,
                      pp_buf *out)
{
    while (q->multi_line && data.size > 0) {
        size_t size = line_size(data);

        put_line(q, field, (pp_text){data.data, size}, end, out);
        data.data += size;
        data.size -= size;
        if (data.size == 0)
            return;
    }
    put_line(q, field, data, end, out);
}

/* Legal lines that are no events. */
static void put_noise(const pp_sim_quirks *q, const char *end, pp_buf *out)
{
    if (!q->comments)
        return;
    pp_buf_printf(out, ": noise%s%s:%s%sdata:%s%s", end, end, end, end, end, end);
    pp_buf_printf(out, "event: message%sid: 7%sretry: 10%s", end, end, end);
}

static void put_mark(const pp_sim_quirks *q, int64_t number, pp_buf *out)
{
    if (q->byte_order_mark && number == 1)
        pp_buf_append_text(out, "\xef\xbb\xbf");
}

void pp_sim_lines_event(const pp_sim_quirks *q, int64_t number, pp_text data, pp_buf *out)
{
    const char *end = line_end(q, number);

    put_mark(q, number, out);
    put_noise(q, end, out);
    put_lines(q, "data", data, end, out);
    pp_buf_append_text(out, end);
}

void pp_sim_lines_named(const pp_sim_quirks *q, const char *name, bool is_event, pp_text data,
                        pp_buf *out)
{
    const char *end = line_end(q, 0);

    if (is_event)
        put_line(q, "event", pp_text_of(name), end, out);
    put_lines(q, is_event ? "data" : name, data, end, out);
    pp_buf_append_text(out, end);
}

void pp_sim_lines_done(const pp_sim_quirks *q, int64_t number, pp_buf *out)
{
    const char *end = q->done_no_end ? "" : line_end(q, number);

    put_line(q, "data", pp_text_of("[DONE]"), end, out);
    pp_buf_append_text(out, end);
}

void pp_sim_lines_ping(const pp_sim_quirks *q, pp_buf *out)
{
    pp_buf_append_char(out, ':');
    pp_buf_append_text(out, line_end(q, 0));
    pp_buf_append_text(out, line_end(q, 0));
}

/* ---- gzip, RFC 1951 and 1952 ------------------------------------------------------------------
 */

static uint32_t crc_of(uint32_t crc, const unsigned char *bytes, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

static void put_little_endian(pp_buf *out, uint32_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        pp_buf_append_char(out, (char)(unsigned char)(value >> (8 * i) & 255));
}

static void put_block(pp_buf *out, const unsigned char *bytes, size_t size, bool is_last)
{
    pp_buf_append_char(out, is_last ? 1 : 0);
    put_little_endian(out, (uint32_t)size, 2);
    put_little_endian(out, ~(uint32_t)size, 2);
    pp_buf_append(out, bytes, size);
}

void pp_sim_gzip_put(pp_sim_gzip *gzip, const void *bytes, size_t size, bool is_last, pp_buf *out)
{
    static const char header[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff";
    const unsigned char *at = bytes;

    if (!gzip->begun)
        pp_buf_append(out, header, sizeof header - 1);
    gzip->begun = true;
    gzip->crc = crc_of(gzip->crc, at, size);
    gzip->size += (uint32_t)size;
    while (size > 0) {
        size_t n = size < BLOCK_MAX ? size : BLOCK_MAX;

        put_block(out, at, n, false);
        at += n;
        size -= n;
    }
    if (!is_last)
        return;
    put_block(out, at, 0, true);
    put_little_endian(out, gzip->crc, 4);
    put_little_endian(out, gzip->size, 4);
}

/* ---- chunks -----------------------------------------------------------------------------------
 */

void pp_sim_chunks(const pp_sim_quirks *q, const void *bytes, size_t size, pp_buf *out)
{
    const unsigned char *at = bytes;

    while (size > 0) {
        size_t n = q->chunk_size > 0 && size > (size_t)q->chunk_size ? (size_t)q->chunk_size : size;

        if (q->odd_chunks)
            pp_buf_printf(out, "0%zX;a=1;b=\"x\"\r\n", n);
        else
            pp_buf_printf(out, "%zx\r\n", n);
        pp_buf_append(out, at, n);
        pp_buf_append_text(out, "\r\n");
        at += n;
        size -= n;
    }
}

void pp_sim_last_chunk(const pp_sim_quirks *q, pp_buf *out)
{
    if (q->odd_chunks)
        pp_buf_append_text(out, "000;end\r\nX-Trailer: 1\r\nX-Trailer-Two: 2\r\n\r\n");
    else
        pp_buf_append_text(out, "0\r\n\r\n");
}
