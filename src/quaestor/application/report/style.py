"""How a report looks: light and dark, on a phone and on paper."""

COLOURS = 6
"""Runs with a colour of their own; further ones begin again."""

STYLE = """
:root { color-scheme: light dark; --line: #d4d4d8; --soft: #f4f4f5; --dim: #52525b; --good: #15803d; --bad: #b91c1c;
  --c0: #1d4ed8; --c1: #c2410c; --c2: #047857; --c3: #7e22ce; --c4: #a16207; --c5: #0e7490; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3f3f46; --soft: #27272a; --dim: #a1a1aa; --good: #4ade80; --bad: #f87171;
    --c0: #60a5fa; --c1: #fb923c; --c2: #34d399; --c3: #c084fc; --c4: #facc15; --c5: #22d3ee; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; overflow-wrap: anywhere; }
p, dl { max-width: 46rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0; }
.dim, figcaption, caption { color: var(--dim); font-size: .9rem; text-align: left; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th[scope=row], th[scope=rowgroup], thead th:first-child { text-align: left; white-space: normal; }
th[scope=row] { min-width: 8rem; max-width: 24rem; }
.short th[scope=row] { min-width: 0; white-space: nowrap; }
.words th, .words td { text-align: left; }
th[scope=row] { font-weight: 400; }
.group th { background: var(--soft); }
.run { font-weight: 700; }
.r0 { color: var(--c0); } .r1 { color: var(--c1); } .r2 { color: var(--c2); }
.r3 { color: var(--c3); } .r4 { color: var(--c4); } .r5 { color: var(--c5); }
figure { margin: 1rem 0; }
.charts { display: flex; flex-wrap: wrap; gap: 1rem; }
.charts figure { flex: 1 1 18rem; max-width: 32rem; margin: 0; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--dim); stroke-width: 1; }
svg .even { stroke: var(--dim); stroke-dasharray: 4 4; }
svg .mark { fill: currentColor; stroke: none; }
svg .path { fill: none; stroke: currentColor; stroke-width: 2; }
details { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .7rem; margin: .5rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.turn { border-top: 1px solid var(--line); padding: .6rem 0; overflow-wrap: anywhere; }
.turn:target { background: var(--soft); }
.turn p { margin: .15rem 0; }
.turn ul { margin: .15rem 0; padding-left: 1.2rem; font-size: .9rem; }
.right { color: var(--good); } .wrong { color: var(--bad); }
code { font-size: .9em; overflow-wrap: anywhere; }
@media print { details { border: 0; } nav { display: none; } }
"""
