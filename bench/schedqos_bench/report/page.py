# SPDX-License-Identifier: GPL-2.0-only
"""The report as one HTML file that needs nothing else: plots first, then the figures, then what was measured on."""

import json

from .. import theme
from ..escape import markup
from . import blocks, conclusion, figures, words

_STYLE = theme.CSS + """\
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink)}
body{font:15px/1.5 system-ui,"Segoe UI","Liberation Sans",sans-serif}
main{max-width:908px;margin:0 auto;padding:20px 24px 60px}
h1{font-size:24px;margin:8px 0 4px}
h2{font-size:20px;margin:44px 0 8px;border-top:1px solid var(--grid);padding-top:24px}
h3{font-size:16px;margin:28px 0 4px}p{margin:6px 0;max-width:75ch}.soft{color:var(--soft)}
nav a{margin-right:1.2em}a{color:var(--v1)}
.wide{overflow-x:auto}svg{display:block;max-width:100%;height:auto;margin:6px 0}
.finding{border-left:4px solid var(--v5);padding:4px 12px;margin:10px 0}
.finding{background:color-mix(in srgb,var(--v5) 9%,var(--paper))}
table{border-collapse:collapse;margin:8px 0;font-variant-numeric:tabular-nums;font-size:14px}
th,td{padding:3px 14px 3px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}
th{font-weight:600;white-space:nowrap}td{overflow-wrap:anywhere}.num{white-space:nowrap}.sure{font-weight:600}
tr.metric th{padding-top:14px;border-bottom-color:var(--axis)}tr.metric span{font-weight:400;color:var(--soft)}
pre{font:13px/1.4 "Liberation Mono","DejaVu Sans Mono",monospace;padding:10px 14px;overflow-x:auto;margin:8px 0}
pre{background:color-mix(in srgb,var(--ink) 5%,var(--paper))}
summary{cursor:pointer;margin:14px 0 4px;font-weight:600}
""" + "".join(f".v{i}{{color:var(--v{i});font-weight:600}}\n" for i in range(theme.SLOTS))

# With this many distributions they are folded.
MANY = 4


def _element(name, content, css=""):
    """Content is text, and escaped."""
    css = f' class="{css}"' if css else ""
    return f"<{name}{css}>{markup(content)}</{name}>"


def _rows(pairs):
    found = ["<table>"]
    found += [f"<tr>{_element('th', label)}{_element('td', text)}</tr>" for label, text in pairs]
    return found + ["</table>"]


def _pre(lines):
    return [f"<pre>{chr(10).join(map(markup, lines))}</pre>"]


def _folded(title, content):
    return ["<details>", _element("summary", title), *content, "</details>"]


def _findings(result):
    found = []
    for each in result["findings"]:
        remedy = f" Remedy: {each['remedy']}." if each.get("remedy") else ""
        found.append(f'<div class="finding"><strong>{markup(each["what"])}:</strong> '
                     f'{markup(each["consequence"])}.{markup(remedy)}</div>')
    for each in result["skipped"]:
        found.append(f'<div class="finding"><strong>Left out: {markup(each["scenario"])}.</strong> '
                     f'{markup(each["reason"])}</div>')
    return found


def _cell(name, cell, slot):
    sure = figures.is_claim(cell.verdict)
    return (f"<tr>{_element('td', name, theme.variable(slot))}{_element('td', words.spread(cell.summary), 'num')}"
            f"{_element('td', words.ratio(cell.ratio), 'num')}{_element('td', words.ratio(cell.with_all), 'num')}"
            f"{_element('td', cell.verdict, 'sure' if sure else 'soft')}</tr>")


def _figures(lines, slot_of):
    found = ["<div class=\"wide\"><table>", "<tr><th>variant</th><th>median (least–most)</th>"
             "<th>ratio [95 % interval]</th><th>with all rounds</th><th>verdict</th></tr>"]
    for line in lines:
        found.append(f'<tr class="metric"><th colspan="5">{markup(line.title)} '
                     f'<span>{markup(words.about(line))}</span></th></tr>')
        found += [_cell(name, cell, slot_of[name]) for name, cell in line.cells.items()]
    return found + ["</table></div>"]


def _table(heads, rows, slot_of):
    """With a variant's colour for its name in the first column."""
    found = ['<div class="wide"><table>', "<tr>" + "".join(_element("th", head) for head in heads) + "</tr>"]
    for name, *cells in rows:
        shown = "".join(_element("td", cell) for cell in cells)
        css = theme.variable(slot_of[name]) if name in slot_of else ""
        found.append(f"<tr>{_element('td', name, css)}{shown}</tr>")
    return found + ["</table></div>"]


def _plot(title, picture, note=""):
    if not picture:
        return []
    notes = [_element("p", note, "soft")] if note else []
    return [_element("h3", title), *notes, f'<div class="wide">{picture}</div>']


def _distributions(result, scenario, pictures):
    found, named = [], figures.distributions(result, scenario)
    for name, by_variant in named.items():
        title = words.latency(name)
        pooled = any(each.pooled for each in by_variant.values())
        note = ("Of the samples of all rounds together." if pooled else
                "Medians of the rounds' percentiles, the only points there are.")
        found += _plot(f"Distribution: {title}", pictures.get((scenario, "distribution", name)),
                       f"{note} Lower and further left is better; both axes are logarithmic.")
    return _folded(f"Distributions ({len(named)})", found) if found and len(named) > MANY else found


def _scenario(result, scenario, lines, slot_of, pictures):
    described = result["scenarios"][scenario]
    found = [f'<h2 id="{markup(scenario)}">{markup(described.get("title") or scenario)}</h2>']
    found += _pre([words.command(argv) for argv in described["commands"].values()])
    if not figures.variants(result, scenario):
        return found + [_element("p", "No round of it was completed.")]
    found += _plot(f"Against {words.base(lines)}", pictures.get((scenario, "ratios", "headlines")),
                   "Filled: a difference has been shown; hollow: none has.")
    found += _distributions(result, scenario, pictures)
    changes = words.changes(lines)
    if changes:
        found += [_element("h3", "Better and worse"), _element("p", words.CHANGES), *_rows(changes)]
    found += [_element("h3", "Figures"), *(_element("p", each) for each in words.counted(result, scenario)),
              *(_figures(lines, slot_of) if lines else []),
              *_table(words.COSTS, words.costs(result, scenario), slot_of)]
    note, block = blocks.of(result, scenario)
    if block:
        found += _folded("As in the mail", [_element("p", note), *_pre(block)])
    every = pictures.get((scenario, "ratios", "all metrics"))
    if every and any(not line.headline for line in lines):
        found += _folded(f"All metrics against {words.base(lines)}", [f'<div class="wide">{every}</div>'])
    notes = words.notes(result, scenario)
    return found + (_folded(f"Notes on single rounds ({len(notes)})", _pre(notes)) if notes else [])


def _variants(result, slot_of):
    found = ["<table>"]
    for name, description in result["variants"].items():
        what, classes = words.variant(description)
        found.append(f"<tr>{_element('td', name, theme.variable(slot_of[name]))}{_element('td', what)}</tr>")
        found += [f"<tr>{_element('td', key, 'soft')}{_element('td', text, 'soft')}</tr>" for key, text in classes]
    return found + ["</table>"]


def _about(result, slot_of, by_scenario):
    found = ['<h2 id="environment">Environment</h2>', *_rows(words.environment(result))]
    found += [_element("h3", "Command"), *_pre([words.command(result["command"])])]
    for scenario, described in result["scenarios"].items():
        if described.get("rules"):
            found += _folded(f"Rules used with {scenario}", _pre(json.dumps(described["rules"], indent=2).splitlines()))
    found += [_element("h3", "Variants"), '<div class="wide">', *_variants(result, slot_of), "</div>"]
    found += [_element("h3", "Method")]
    return found + [_element("p", each) for each in (words.rule(result), *words.METHOD, words.chance(figures.claims(by_scenario))) if each]


def text(result, by_scenario, pictures):
    """The whole page; by_scenario is of figures.all_lines(), pictures of plots.draw()."""
    slot_of = figures.slots(result)
    title = "schedqos-bench: " + ", ".join(result["scenarios"])
    links = [f'<a href="#{markup(name)}">{markup(each.get("title") or name)}</a>'
             for name, each in result["scenarios"].items()]
    found = ["<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
             '<meta name="viewport" content="width=device-width,initial-scale=1">',
             '<meta name="color-scheme" content="light dark">', _element("title", title),
             f"<style>{_STYLE}</style></head><body><main>", _element("h1", title),
             _element("p", f"{words.run(result)}"), _element("p", words.machine(result), "soft"),
             *_findings(result),
             f'<nav>{"".join(links)}<a href="#environment">Environment and method</a></nav>']
    for scenario, lines in by_scenario.items():
        found += _scenario(result, scenario, lines, slot_of, pictures)
    plainly = conclusion.of(result, by_scenario)
    found += [_element("p", plainly, "finding")] if plainly else []
    return "\n".join([*found, *_about(result, slot_of, by_scenario), "</main></body></html>"]) + "\n"
