/* For which lengths of prompt and answer the fastest reader of prompts is the better choice. */
#include <stdio.h>

#include "report/crossover.h"
#include "report/view.h"

static void put_fixed(const pp_view *v, double value, int decimals)
{
    char text[64];

    snprintf(text, sizeof text, "%.*f", decimals, value);
    pp_put_string(v, text);
}

static void put_speed_row(const pp_view *v, const pp_crossover *c, size_t candidate, double prompt,
                          double generation)
{
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label(v, candidate);
    pp_put(v, "</th><td class=\"num\">");
    pp_put_value(v, c->prompt_metric, &prompt);
    pp_put(v, "</td><td class=\"num\">");
    put_fixed(v, 1000.0 / prompt, 4);
    pp_put(v, " ms</td><td class=\"num\">");
    pp_put_value(v, c->generation_metric, &generation);
    pp_put(v, "</td><td class=\"num\">");
    put_fixed(v, 1000.0 / generation, 4);
    pp_put(v, " ms</td></tr>\n");
}

static void put_speeds(const pp_view *v, const pp_crossover *c)
{
    pp_put_table_open(v, "The two speeds of the two candidates", "values");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, "Prompt speed", true);
    pp_put_column(v, "Per prompt token", true);
    pp_put_column(v, "Generation speed", true);
    pp_put_column(v, "Per output token", true);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    put_speed_row(v, c, c->generator, c->generator_prompt, c->generator_generation);
    put_speed_row(v, c, c->reader, c->reader_prompt, c->reader_generation);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

static void put_rule(const pp_view *v, const pp_crossover *c)
{
    pp_put(v, "<p>");
    pp_put_label(v, c->reader);
    pp_put(v, " saves ");
    put_fixed(v, c->saving_ms, 4);
    pp_put(v, "&nbsp;ms on each prompt token and loses ");
    put_fixed(v, c->loss_ms, 4);
    pp_put(v, "&nbsp;ms on each output token against ");
    pp_put_label(v, c->generator);
    pp_put(v, ". It ends first while <strong>output tokens &lt; ");
    put_fixed(v, c->ratio, 3);
    pp_put(v, " &middot; prompt tokens</strong>; for longer answers ");
    pp_put_label(v, c->generator);
    pp_put(v, " ends first.</p>\n");
    if (c->third != PP_NOT_FOUND) {
        pp_put(v, "<p class=\"note\">Near that ratio neither of them is fastest: ");
        pp_put_label(v, c->third);
        pp_put(v, " is.</p>\n");
    }
}

void pp_section_crossover(const pp_view *v)
{
    pp_crossover c = pp_crossover_of(v->decision);

    pp_put_section_open(v, "crossover", "Long prompts or long answers");
    switch (c.state) {
    case PP_CROSSOVER_NOT_MEASURED:
        pp_put_missing(v, "No eligible candidate has both a prompt speed and a generation speed.",
                       "paretopilot study run PLAN --output-dir DIR");
        break;
    case PP_CROSSOVER_BEST_IN_BOTH:
        pp_put(v, "<p>There is no crossover: among the eligible candidates ");
        pp_put_label(v, c.generator);
        pp_put(v, " is fastest both in reading prompts and in generating, whatever the lengths."
                  "</p>\n");
        break;
    case PP_CROSSOVER_FOUND:
        put_rule(v, &c);
        put_speeds(v, &c);
        pp_put(v, "<p class=\"fine\">Time of a request = prompt tokens / prompt speed + output "
                  "tokens / generation speed, so the ratio is (1/prompt speed of the one - "
                  "1/prompt speed of the other) / (1/generation speed of the other - "
                  "1/generation speed of the one). Compared are the fastest generator and the "
                  "fastest reader of prompts. It holds for one request at a time and speeds that "
                  "do not change with length; nothing of it was measured end to end.</p>\n");
        break;
    }
    pp_put_section_close(v);
}
