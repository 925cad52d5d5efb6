/* receipt.h - a passport as people read it: one Markdown file, docs/formats/receipt.md.
 *
 * A pure function of the passport, which may come from a file: the same passport gives the same
 * bytes. It says what the passport holds and no more; a passport that contradicts itself gets no
 * receipt. */
#ifndef PP_REPORT_RECEIPT_H
#define PP_REPORT_RECEIPT_H

#include "base/buffer.h"
#include "json/json.h"

/* 5,000 candidates with six metrics each need about 5 MiB. */
#define PP_RECEIPT_MAX_BYTES ((size_t)128 << 20)

/**
 * Check the passport (decide/passport_check.h) and append its receipt.
 *
 * ret_markdown   initialised by the caller; nothing is appended when the passport is refused
 *
 * Fails with PP_ERR_SCHEMA "$.path: ..." for a passport that is invalid or contradicts itself,
 * PP_ERR_LIMIT when the buffer is full, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_receipt_write(const pp_json *passport, pp_buf *ret_markdown,
                                         pp_error *err);

#endif
