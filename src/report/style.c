#include "report/view.h"

/* One rule or group of rules an item; NULL ends the list.
 *
 * .scroll: shades at its edges tell that there is more; the ends of the content cover them.
 * .stack, .facts-table: on a phone the cells of a row stand below each other (pp_put_cell_open).
 * .many, printed: gets a sheet across, and breaks words where nothing else helps. */
const char *const pp_report_style[] = {
    ":root{color-scheme:light dark;--bg:#f6f7f8;--card:#fff;--text:#1b1f24;--muted:#57606a;"
    "--line:#d8dde3;--accent:#0b5cad;--soft:#e8f1fb;--good:#176639;--bad:#a3261d;--warn:#7a4300;"
    "--warnbg:#fff4e0;--hatch:#a3261d;--shade:#00000033}\n",
    "@media (prefers-color-scheme:dark){:root{--bg:#121518;--card:#1a1e23;--text:#e6e9ec;"
    "--muted:#a3adb7;--line:#343b43;--accent:#79b8ff;--soft:#1c2b3b;--good:#7bd59b;--bad:#ff9a90;"
    "--warn:#f3c27a;--warnbg:#33280f;--hatch:#ff9a90;--shade:#ffffff33}}\n",
    "*{box-sizing:border-box}\n",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n",
    "body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"
    "\"Segoe UI\",Roboto,\"Noto Sans\",\"Liberation Sans\",sans-serif;overflow-wrap:anywhere}\n",
    "header,main,footer{max-width:80rem;margin:0 auto;padding:0 1.25rem}\n",
    "header{padding-top:2.25rem;padding-bottom:.75rem}\n",
    "footer{padding-top:1rem;padding-bottom:2.5rem;color:var(--muted);font-size:.85rem}\n",
    "main{outline:0}\n",
    ".product{margin:0;color:var(--accent);font-weight:600;font-size:.85rem;letter-spacing:.04em}"
    "\n",
    "h1{margin:.15rem 0 .25rem;font-size:1.7rem;line-height:1.25;letter-spacing:-.01em}\n",
    ".sub{margin:0;color:var(--muted)}\n",
    "h2{margin:0 0 .6rem;font-size:1.25rem;line-height:1.3}\n",
    "h3{margin:1.5rem 0 .4rem;font-size:1rem}\n",
    "p{margin:.4rem 0 .9rem;max-width:50rem}\n",
    "a{color:var(--accent)}\n",
    ":focus-visible{outline:3px solid var(--accent);outline-offset:2px}\n",
    ".skip{position:absolute;left:-99rem;padding:.5rem 1rem;background:var(--card)}\n",
    ".skip:focus{left:1rem;top:1rem;z-index:2}\n",
    "section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;"
    "padding:1.4rem 1.5rem;margin:1.1rem 0}\n",
    "code,pre{font-family:ui-monospace,\"SF Mono\",Menlo,Consolas,\"Liberation Mono\",monospace;"
    "font-size:.86em}\n",
    "code{color:var(--muted)}\n",
    "pre code{color:inherit;font-size:1em}\n",
    "pre{margin:.5rem 0;padding:.9rem 1rem;background:var(--bg);border:1px solid var(--line);"
    "border-radius:.4rem;overflow:auto;overflow-wrap:normal;line-height:1.5}\n",
    ".banner{border:1px solid var(--line);border-left:.3rem solid var(--accent);"
    "background:var(--card);border-radius:.4rem;padding:.65rem 1rem;margin:.6rem 0}\n",
    ".banner.warn{border-left-color:var(--warn);background:var(--warnbg)}\n",
    ".banner.warn strong{color:var(--warn)}\n",
    ".verdict{border-top:.3rem solid var(--accent);padding-top:1.25rem}\n",
    ".eyebrow{margin:0;color:var(--accent);font-weight:600;font-size:.9rem}\n",
    ".eyebrow.bad{color:var(--bad)}\n",
    ".verdict h2{font-size:1.7rem;margin:0;letter-spacing:-.01em}\n",
    ".id{margin:0}\n",
    ".reason{font-size:1.05rem}\n",
    ".note{border-left:.2rem solid var(--warn);padding-left:.8rem}\n",
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.9rem "
    "1.5rem;margin:1.1rem 0 .2rem;border-top:1px solid var(--line);padding-top:1rem}\n",
    ".facts div{min-width:0}\n",
    ".facts dt{color:var(--muted);font-size:.83rem}\n",
    ".facts dd{margin:0;font-weight:600;font-size:1.08rem;font-variant-numeric:tabular-nums}\n",
    ".facts .main dd{color:var(--accent);font-size:1.45rem;line-height:1.2}\n",
    ".facts small{display:block;font-weight:400;color:var(--muted);font-size:.83rem}\n",
    ".facts.tight{grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.6rem 1.2rem}"
    ".facts.tight dd{font-size:1rem}\n",
    ".titled caption{color:var(--text);font-weight:600;font-size:1rem;padding-top:.8rem}\n",
    ".fill{width:75%;min-width:16rem;overflow-wrap:anywhere}\n",
    ".scroll{overflow-x:auto;margin:.5rem 0;border-radius:.3rem;"
    "background:linear-gradient(90deg,var(--card) 40%,transparent) 0 0/2.5rem 100% no-repeat local,"
    "linear-gradient(270deg,var(--card) 40%,transparent) 100% 0/2.5rem 100% no-repeat local,"
    "linear-gradient(90deg,var(--shade),transparent) 0 0/.75rem 100% no-repeat scroll,"
    "linear-gradient(270deg,var(--shade),transparent) 100% 0/.75rem 100% no-repeat scroll}\n",
    "table{border-collapse:collapse;width:100%;font-size:.92rem;"
    "font-variant-numeric:tabular-nums;overflow-wrap:normal}\n",
    "caption{text-align:left;color:var(--muted);font-size:.85rem;padding:.2rem 0 .4rem}\n",
    "th,td{text-align:left;vertical-align:top;padding:.5rem .6rem;border-top:1px solid "
    "var(--line)}\n",
    "thead th{border-top:0;border-bottom:2px solid var(--line);font-size:.83rem;line-height:1.3;"
    "vertical-align:bottom;color:var(--muted)}\n",
    "thead small{display:block;font-weight:400}\n",
    "tbody th{font-weight:600}\n",
    ".wide tbody th,.reasons tbody th{min-width:9.5rem;max-width:18rem;overflow-wrap:anywhere}\n",
    ".wide th,.wide td{padding-left:.45rem;padding-right:.45rem}\n",
    ".num{text-align:right}\n",
    "thead .num{min-width:6.5rem}.wide thead .num:first-child{min-width:0}\n",
    "td.num{white-space:nowrap}\n",
    "code.below{display:block;font-weight:400}\n",
    ".hash{overflow-wrap:anywhere}\n",
    ".wide .hash{display:block;min-width:18rem}\n",
    ".selected th,.selected td{background:var(--soft)}\n",
    ".disturbed th,.disturbed td{background:var(--warnbg)}\n",
    ".facts-table{overflow-wrap:anywhere}\n",
    ".facts-table th{width:17rem;font-weight:500;color:var(--muted)}\n",
    ".reasons tbody th code{display:block;font-weight:400}\n",
    ".reasons td:last-child{min-width:16rem}\n",
    ".reasons ul{margin:0;padding-left:1.1rem}\n",
    ".change{display:block;font-size:.8rem;color:var(--muted)}\n",
    ".change.improved{color:var(--good)}\n",
    ".change.regressed{color:var(--bad)}\n",
    ".effect{font-weight:600}.effect.improved{color:var(--good)}"
    ".effect.regressed{color:var(--bad)}.effect.held,.effect.changed{color:var(--muted)}\n",
    ".step{color:var(--accent);font-variant-numeric:tabular-nums}\n",
    "td.words{min-width:13rem;overflow-wrap:anywhere}\n",
    "nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:0 .2rem;font-size:.92rem}"
    "nav a{padding:.3rem 0}\n",
    ".missing{color:var(--muted)}\n",
    ".limits{margin:0;padding-left:1.1rem}\n",
    ".switch{border:0;padding:0;margin:0;min-width:0}.switch legend{color:var(--muted);"
    "font-size:.85rem}.switch label{margin:0 1.2rem 0 .3rem}.panels{margin-top:.6rem}\n",
    ".tag{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .5rem;"
    "font-size:.76rem;font-weight:600;white-space:nowrap;color:var(--muted)}\n",
    "td.num .tag{display:block;width:fit-content;margin:.15rem 0 .15rem auto}\n",
    ".tag.best{color:var(--good)}\n",
    ".tag.over,.tag.s-rejected{color:var(--bad)}\n",
    ".tag.s-selected{background:var(--accent);border-color:var(--accent);color:var(--card)}\n",
    ".tag.s-frontier,.tag.s-shortlist{color:var(--accent)}\n",
    ".absent{color:var(--muted);font-style:italic;font-weight:400}\n",
    ".fine{font-size:.85rem;color:var(--muted)}\n",
    ".terms div{margin:.45rem 0}\n",
    ".terms dt{font-weight:600}\n",
    ".terms dd{margin:0;color:var(--muted)}\n",
    "details{border-top:1px solid var(--line);padding:.35rem 0}\n",
    "summary{cursor:pointer;padding:.2rem 0}\n",
    "figure{margin:0 0 1.6rem}.scroll+figure{margin-top:1.8rem}\n",
    "figcaption{max-width:50rem;color:var(--muted);font-size:.9rem}\n",
    "svg{display:block;width:100%;min-width:44rem;height:auto;font-size:12px}\n",
    "svg text{fill:var(--text);paint-order:stroke;stroke:var(--card);stroke-width:3px;"
    "stroke-linejoin:round}\n",
    "svg .muted{fill:var(--muted)}\n",
    "svg .grid{stroke:var(--line);stroke-width:1}\n",
    "svg .axis{stroke:var(--muted);stroke-width:1}\n",
    "svg .line{fill:none;stroke:var(--accent);stroke-width:2}\n",
    "svg .cutoff{stroke:var(--warn);stroke-width:1.5;stroke-dasharray:7 4}\n",
    "svg .cutoff-text{fill:var(--warn)}\n",
    "svg .band{fill:var(--soft)}\n",
    "svg .limit{stroke:var(--hatch);stroke-width:1.5}\n",
    "svg .limit-text{fill:var(--bad)}\n",
    "svg .hatch{stroke:var(--hatch);stroke-width:1.4;stroke-opacity:.4}\n",
    "svg .p-selected{fill:var(--accent);stroke:var(--card);stroke-width:1.5}\n",
    "svg .p-frontier{fill:var(--accent);stroke:var(--card);stroke-width:1.5}\n",
    "svg .p-dominated{fill:var(--card);stroke:var(--muted);stroke-width:2}\n",
    "svg .p-rejected{fill:none;stroke:var(--bad);stroke-width:2.2}\n",
    "svg .p-baseline{fill:none;stroke:var(--text);stroke-width:1.4}\n",
    "svg .p-pass{fill:var(--card);stroke:var(--muted);stroke-width:1.2}\n",
    "svg .strong{font-weight:600}\n",
    "svg .d-quiet{fill:var(--accent);fill-opacity:.65}svg .d-undecided{fill:none;"
    "stroke:var(--muted);stroke-width:1.2}svg .d-disturbed{fill:none;stroke:var(--warn);"
    "stroke-width:1.4}svg .q-median{stroke:var(--text);stroke-width:2}svg .q-tail{"
    "stroke:var(--text);stroke-width:1.6;stroke-dasharray:4 3}\n",
    "svg .t-quiet{fill:var(--soft);stroke:var(--accent);stroke-width:1.2}svg .t-disturbed{"
    "fill:var(--warnbg);stroke:var(--warn);stroke-width:1.2;stroke-dasharray:4 2}"
    "svg .t-undecided{fill:none;stroke:var(--muted);stroke-width:1.2}"
    "svg .t-span{fill:var(--warn)}svg .t-cut{stroke:var(--muted);stroke-width:1;"
    "stroke-dasharray:1 3}svg .warn-text{fill:var(--warn)}\n",
    "svg .m-own{fill:var(--accent)}svg .m-file{fill:var(--soft);stroke:var(--accent);"
    "stroke-width:1.2}svg .m-shared{fill:var(--good)}svg .m-peak{stroke:var(--text);"
    "stroke-width:2}\n",
    "svg .s0,svg .s1,svg .s2,svg .s3,svg .s4,svg .s5{fill:none;stroke-width:2}\n",
    "svg .s0{stroke:var(--accent)}svg .f0{fill:var(--accent)}svg .s1{stroke:var(--warn);"
    "stroke-dasharray:8 4}svg .f1{fill:var(--warn)}svg .s2{stroke:var(--good);"
    "stroke-dasharray:2 4}svg .f2{fill:var(--good)}svg .s3{stroke:var(--text);"
    "stroke-dasharray:10 3 2 3}svg .f3{fill:var(--text)}svg .s4{stroke:var(--muted);"
    "stroke-dasharray:5 5}svg .f4{fill:var(--muted)}svg .s5{stroke:var(--bad);"
    "stroke-dasharray:14 4}svg .f5{fill:var(--bad)}\n",
    "svg path[class^=f]{stroke:var(--card);stroke-width:1.5}\n",
    "@media (max-width:40rem){header,main,footer{padding-left:.8rem;padding-right:.8rem}"
    "section{padding:1.1rem .9rem}.facts-table th{width:8rem}h1,.verdict h2{font-size:1.4rem}"
    "th,td,.wide th,.wide td{padding:.45rem .35rem}"
    ".wide tbody th,.reasons tbody th{min-width:7.25rem;max-width:9rem}"
    ".reasons td:last-child{min-width:7.5rem}td.words{min-width:8.5rem}}\n",
    "@media screen and (max-width:40rem){.stack,.facts-table,.stack tbody,.facts-table tbody,"
    ".stack tr,.facts-table tr,.stack caption,.facts-table caption,.stack th,.facts-table th,"
    ".stack td,.facts-table td{display:block}"
    ".stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    ".stack tr,.facts-table tr{border-top:1px solid var(--line);padding:.45rem 0}"
    ".stack th,.stack td,.facts-table th,.facts-table td,.reasons.stack tbody th{border:0;"
    "padding:.1rem .35rem;width:auto;min-width:0;max-width:none;text-align:left}"
    ".stack td,.stack td:last-child{min-width:0;overflow-wrap:anywhere;white-space:normal}"
    ".stack td:empty{display:none}"
    ".stack td::before{content:attr(data-head) \": \";color:var(--muted)}}\n",
    "@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important;"
    "scroll-behavior:auto!important}}\n",
    "@media print{@page{size:A4;margin:14mm}:root{--bg:#fff;--card:#fff;--text:#000;"
    "--muted:#444;--line:#bbb;--accent:#0b4a8f;--soft:#eef4fb;--good:#14572f;--bad:#8f1f17;"
    "--warn:#6b3b00;--warnbg:#fff;--hatch:#8f1f17}html{font-size:9.5pt}body{font-size:1rem;"
    "line-height:1.4}"
    "header,main,footer{max-width:none;padding-left:0;padding-right:0}.skip{display:none}"
    "section{border:0;border-top:1px solid #bbb;border-radius:0;padding:.8rem 0;margin:.6rem 0}"
    ".scroll{overflow:visible;background:none}pre{overflow:visible;white-space:pre-wrap;overflow-"
    "wrap:anywhere}"
    "table{font-size:.75rem;overflow-wrap:anywhere}td.num,.tag{overflow-wrap:break-word}"
    "th,td,.wide th,.wide td{padding:.2rem .25rem;min-width:4.2rem}th.num,td.num{min-width:3.4rem}"
    "thead th,thead small,.change,.tag{font-size:.7rem}.tag{padding:0 .3rem}"
    "td.num .tag{margin-right:0}"
    "@page across{size:A4 landscape}.scroll:has(.many){page:across}"
    ".many,.many td.num,.many .tag{overflow-wrap:anywhere}.many{font-size:.65rem}"
    ".many th,.many td,.many th.num,.many td.num{padding:.1rem;min-width:0}"
    ".many thead th,.many thead small,.many .change,.many .tag{font-size:.6rem;padding:0 .1rem}"
    "thead .num,.wide .hash,.reasons td:last-child{min-width:3.4rem}"
    ".wide tbody th,.reasons tbody th{min-width:4.2rem}.wide.many th,.wide.many td{min-width:0}"
    ".many thead .num{min-width:0}"
    "td.words,.fill{min-width:0}td.num,.tag{white-space:normal}thead{display:table-header-group}"
    "tr,figure,.banner,.facts{break-inside:avoid}h2,h3,caption{break-after:avoid}"
    "svg{min-width:0}.switch>input,.switch>label,nav{display:none}}\n",
    NULL};
