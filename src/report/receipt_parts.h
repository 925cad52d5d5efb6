/* receipt_parts.h - inside report/ only: what the sections of a receipt share. The passport has
 * passed its check, so members are there and of their kind. */
#ifndef PP_REPORT_RECEIPT_PARTS_H
#define PP_REPORT_RECEIPT_PARTS_H

#include "decide/passport.h"
#include "model/fields.h"
#include "report/markdown.h"
#include "report/number_text.h"

typedef struct pp_receipt {
    pp_arena *arena;
    const pp_json *passport;
    pp_buf *out;
} pp_receipt;

/* Each returns Markdown in the arena; never NULL, "" when memory is short (the arena remembers). */
const char *pp_receipt_text(const pp_receipt *r, pp_text text);
/** Text or null. */
const char *pp_receipt_text_of(const pp_receipt *r, const pp_json *value);
/** "Label (id)" */
const char *pp_receipt_candidate(const pp_receipt *r, const pp_json *label, const pp_json *id);
const char *pp_receipt_yes_no(bool yes);

/* Numbers or null: four decimals, or two and a percent sign; signed ones show "+". */
const char *pp_receipt_value(const pp_receipt *r, const pp_json *value);
const char *pp_receipt_signed_value(const pp_receipt *r, const pp_json *value);
const char *pp_receipt_percent(const pp_receipt *r, const pp_json *value);
const char *pp_receipt_signed_percent(const pp_receipt *r, const pp_json *value);

/** A table row of a name of ours and a cell. */
void pp_receipt_row(const pp_receipt *r, const char *name, const char *cell);

/** The heading of a table of names and cells. */
void pp_receipt_items(const pp_receipt *r);

/** A table of n changes; nothing when there are none. */
void pp_receipt_changes(const pp_receipt *r, pp_json *const *changes, size_t n);

/** Stage of the ladder by candidate id; it is there. */
const pp_json *pp_receipt_stage(const pp_receipt *r, const pp_json *id);

void pp_receipt_ladder(const pp_receipt *r);
void pp_receipt_alternative(const pp_receipt *r);
void pp_receipt_source(const pp_receipt *r);

#endif
