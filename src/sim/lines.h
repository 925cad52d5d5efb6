/* lines.h - events as lines, in the form that the quirks ask for; pure. */
#ifndef PP_SIM_LINES_H
#define PP_SIM_LINES_H

#include "base/buffer.h"
#include "base/text.h"
#include "sim/quirks.h"

/** An event with this data (one JSON text, or [DONE]). number: of the event, from 1. */
void pp_sim_lines_event(const pp_sim_quirks *quirks, int64_t number, pp_text data, pp_buf *out);

/** An event whose data stands under another name: `event: NAME` beside it (is_event), or a field
 * NAME instead of data. */
void pp_sim_lines_named(const pp_sim_quirks *quirks, const char *name, bool is_event, pp_text data,
                        pp_buf *out);

/** The last event. */
void pp_sim_lines_done(const pp_sim_quirks *quirks, int64_t number, pp_buf *out);

/** A comment that keeps a connection alive. */
void pp_sim_lines_ping(const pp_sim_quirks *quirks, pp_buf *out);

/* A gzip stream of stored blocks: what a client must recognise, not what saves bytes. */
typedef struct pp_sim_gzip {
    uint32_t crc;
    uint32_t size;
    bool begun;
} pp_sim_gzip;

/** Append these bytes as blocks, the header in front of the first; `is_last` ends the stream. */
void pp_sim_gzip_put(pp_sim_gzip *gzip, const void *bytes, size_t size, bool is_last, pp_buf *out);

/** `bytes` as chunks: of quirks->chunk_size, with odd size lines where asked. */
void pp_sim_chunks(const pp_sim_quirks *quirks, const void *bytes, size_t size, pp_buf *out);
/** The last chunk and its trailers. */
void pp_sim_last_chunk(const pp_sim_quirks *quirks, pp_buf *out);

#endif
