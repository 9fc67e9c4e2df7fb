/** How the page looks, in the light, in the dark and on paper. Seven colours of terms. */
export const PAGE_STYLE = `
:root {
  --bg: #fff;
  --ink: #1b1f24;
  --soft: #59636e;
  --line: #d0d7de;
  --lane: #f6f8fa;
  --red: #c4161c;
  --blue: #0969da;
  --hold: #34495e;
  --holdInk: #fff;
  --wait: #e4e8ec;
  --shade: #c4161c14;
  --arrow: #3d4752;
  --halo: #ffffffd0;
  --t0: #8c8c8c;
  --t1: #0072b2;
  --t2: #e69f00;
  --t3: #009e73;
  --t4: #cc79a7;
  --t5: #56b4e9;
  --t6: #b8a800;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0d1117;
    --ink: #e6edf3;
    --soft: #9198a1;
    --line: #30363d;
    --lane: #151b23;
    --red: #ff6b6b;
    --blue: #58a6ff;
    --hold: #b7c4d1;
    --holdInk: #0d1117;
    --wait: #2a313c;
    --shade: #ff6b6b22;
    --arrow: #b7c0ca;
    --halo: #0d1117d0;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--bg);
  color: var(--ink);
  font:
    14px/1.45 system-ui,
    sans-serif;
}
header, nav, .below, .legend, .leftOut, .parting, main h2 { padding: 0 20px; }
header { padding-top: 14px; border-top: 6px solid var(--red); }
.what { margin: 0; color: var(--red); font-weight: 700; letter-spacing: 0.01em; }
header:has(.kept) { border-color: var(--blue); }
.what.kept { color: var(--blue); }
h1 {
  margin: 2px 0 8px;
  font-size: 21px;
  line-height: 1.3;
  max-width: 110ch;
  overflow-wrap: anywhere;
}
h2 {
  font-size: 13px;
  margin: 8px 0 4px;
  color: var(--soft);
  text-transform: uppercase;
  letter-spacing: 0.04em;
}
.columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 28px; }
.moment { margin: 0 0 8px; padding-left: 18px; }
.scenario { margin: 0; padding-left: 30px; max-height: 21em; overflow: auto; }
pre {
  margin: 0;
  padding: 8px 10px;
  background: var(--lane);
  border: 1px solid var(--line);
  border-radius: 6px;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  font:
    12px/1.5 ui-monospace,
    monospace;
}
.facts { margin: 6px 0; color: var(--soft); font-size: 12px; }
nav {
  position: sticky;
  top: 0;
  z-index: 3;
  display: flex;
  gap: 16px;
  justify-content: space-between;
  flex-wrap: wrap;
  margin-top: 12px;
  padding-top: 6px;
  background: var(--bg);
  border-bottom: 1px solid var(--line);
}
button {
  font: inherit;
  color: inherit;
  background: none;
  border: 1px solid var(--line);
  border-radius: 6px;
  padding: 3px 10px;
  cursor: pointer;
}
[role='tab'] {
  border: 0;
  border-bottom: 3px solid transparent;
  border-radius: 0;
  padding: 6px 10px;
}
[role='tab'][aria-selected='true'] { border-color: var(--blue); font-weight: 600; }
.tools { display: flex; gap: 4px; padding-bottom: 6px; }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 1px; }
.diagram { display: flex; margin: 8px 0; }
.names { position: relative; flex: 0 0 176px; }
.name {
  position: absolute;
  right: 8px;
  left: 14px;
  text-align: right;
  white-space: nowrap;
  overflow: hidden;
  text-overflow: ellipsis;
  line-height: 20px;
}
.name i { color: var(--soft); font-style: normal; font-size: 11px; }
.accused b { color: var(--red); }
.accused b:before { content: '● '; font-size: 9px; }
.scroll { overflow-x: auto; flex: 1; cursor: grab; border-left: 1px solid var(--line); }
.scroll.held { cursor: grabbing; user-select: none; }
svg { display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink); pointer-events: none; }
.lane { fill: var(--lane); }
.lane.lock, .lane.store { fill: none; stroke: var(--line); }
.tick { stroke: var(--line); stroke-width: 1; }
svg .time { fill: var(--soft); text-anchor: middle; font-size: 10.5px; }
.fold { fill: url(#folds); opacity: 0.8; }
svg .foldWord { fill: var(--soft); text-anchor: middle; font-size: 10.5px; }
.shade { fill: var(--shade); }
.i { cursor: pointer; }
.s rect { stroke: transparent; }
.follower rect, .candidate rect, .leader rect { fill: var(--c); }
.follower rect { opacity: 0.22; }
.candidate rect { opacity: 0.45; stroke: var(--c); stroke-width: 2; stroke-dasharray: 4 3; }
.leader text { fill: #000; font-weight: 700; }
.t0 { --c: var(--t0); }
.t1 { --c: var(--t1); }
.t2 { --c: var(--t2); }
.t3 { --c: var(--t3); }
.t4 { --c: var(--t4); }
.t5 { --c: var(--t5); }
.t6 { --c: var(--t6); }
.leader.t1 text, .leader.t3 text { fill: #fff; }
.dead rect { fill: var(--bg); stroke: var(--soft); stroke-dasharray: 2 3; }
.dead text { fill: var(--soft); }
.paused rect { fill: url(#still); stroke: var(--soft); }
.paused text { font-weight: 600; paint-order: stroke; stroke: var(--halo); stroke-width: 3px; }
.hold rect { fill: var(--hold); }
svg .hold text { fill: var(--holdInk); font-weight: 600; }
.wait rect { fill: var(--wait); stroke: var(--line); }
.delay rect { fill: none; stroke: var(--soft); stroke-dasharray: 3 2; }
.belief rect { fill: none; stroke: var(--hold); stroke-width: 1.6; }
.fault rect { fill: var(--shade); stroke: var(--red); }
svg .fault text { fill: var(--red); }
.f path {
  stroke: var(--arrow);
  stroke-width: 1.1;
  fill: none;
  marker-end: url(#tip);
  opacity: 0.75;
}
.f.routine path { opacity: 0.3; }
.f.lost path { stroke: var(--red); marker-end: none; }
svg .f .x { fill: var(--red); text-anchor: middle; }
.f.underWay path { marker-end: none; stroke-dasharray: 1 3; }
.f.stale path { stroke-dasharray: 5 3; }
svg .f .n {
  font-size: 9px;
  fill: var(--soft);
  paint-order: stroke;
  stroke: var(--halo);
  stroke-width: 3px;
}
svg .m {
  text-anchor: middle;
  pointer-events: auto;
  paint-order: stroke;
  stroke: var(--halo);
  stroke-width: 3px;
}
svg .crash, svg .refused { fill: var(--red); font-size: 15px; font-weight: 700; }
svg .write { fill: #0a7d4f; font-size: 14px; font-weight: 700; }
svg .word { font-size: 10.5px; paint-order: stroke; stroke: var(--halo); stroke-width: 3px; }
svg .late { text-anchor: end; }
svg .disk, svg .note, svg .remark { fill: var(--soft); font-size: 10px; }
svg .commit { font-size: 9px; }
.violation line { stroke: var(--red); stroke-width: 2.5; }
svg .violation text { fill: var(--red); font-weight: 700; font-size: 13px; text-anchor: end; }
svg .spot {
  fill: var(--red);
  font-size: 18px;
  text-anchor: middle;
  paint-order: stroke;
  stroke: var(--halo);
  stroke-width: 3px;
}
.spoken line { stroke: var(--red); stroke-width: 1.5; stroke-dasharray: 2 4; }
svg .spoken text { fill: var(--red); text-anchor: middle; }
.difference line { stroke: var(--blue); stroke-width: 2; stroke-dasharray: 6 3; }
svg .difference text { fill: var(--blue); font-weight: 700; }
.chosen rect { stroke: var(--blue) !important; stroke-width: 3; }
.chosen path { stroke: var(--blue) !important; stroke-width: 3; opacity: 1 !important; }
svg text.chosen, svg .chosen .n { fill: var(--blue) !important; font-weight: 700; }
.f:hover path { stroke-width: 3; opacity: 1; }
.s:hover rect { stroke: var(--blue); }
.dim { opacity: 0.12; }
.below {
  display: grid;
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  gap: 28px;
  margin-top: 10px;
}
#detail {
  border: 1px solid var(--line);
  border-radius: 6px;
  padding: 10px 14px;
  min-height: 5em;
  align-self: start;
  overflow-wrap: anywhere;
}
#detail h3 { margin: 0 0 4px; font-size: 15px; }
#detail p { margin: 2px 0; }
#detail ul { margin: 4px 0; padding-left: 18px; }
#search { font: inherit; padding: 3px 8px; width: 18em; max-width: 100%; }
#list {
  list-style: none;
  margin: 6px 0;
  padding: 0;
  height: 17em;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 6px;
  font-size: 12.5px;
}
#list li {
  padding: 1px 8px;
  white-space: nowrap;
  overflow: hidden;
  text-overflow: ellipsis;
  cursor: pointer;
}
#list li[aria-selected='true'] { background: var(--blue); color: #fff; }
#list time {
  color: var(--soft);
  display: inline-block;
  min-width: 6.5em;
  font-variant-numeric: tabular-nums;
}
#list li[aria-selected='true'] time { color: #fff; }
.legend { margin: 12px 0 30px; }
.legend ul { max-width: 100ch; }
.leftOut { color: var(--soft); }
.parting { max-width: 120ch; margin: 12px 0 0; }
@media (max-width: 800px) {
  .columns, .below { grid-template-columns: minmax(0, 1fr); }
  .names { flex-basis: 96px; }
  .name i { display: none; }
}
@media print {
  nav, .below { display: none; }
  .scroll { overflow: visible; }
  .scroll svg { width: 100%; height: auto; }
  .names { display: none; }
  .legend { display: block; }
  * { print-color-adjust: exact; }
}
`;
