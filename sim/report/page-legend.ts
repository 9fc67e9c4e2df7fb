/** What the signs of the pictures mean. */
export const LEGEND = `<details class="legend"><summary>How to read it</summary><ul>
<li><b>Time</b> runs to the right and is not to scale: busy stretches are stretched, quiet ones
folded (⋯ and how long). The red line is where the promise was broken;
dotted: a time that its sentence speaks of.</li>
<li><b>Bands of nodes</b> have the colour of their term: full while leading, striped while
standing for election, pale while following. Hatched: it stands still. Empty: it is dead.</li>
<li><b>Bars of locks</b>: who holds it with which token, as the cluster decided; below it who waits.
<b>Bars of processes</b>: what that process may believe to hold, by its own clock.</li>
<li><b>Arrows</b> are messages; ✕: never taken in; dashed: over an old link that was late.</li>
<li><b>Marks</b>: ▶ starts, ✖ dies, ● an entry takes effect, ▾ written to disk,
✔ a store took a write, ✘ a store refused one, ◆ a remark.</li>
<li><b>Shaded lanes</b>: a fault strikes this node or process; its words are in the top lane.</li>
<li><b>What led to it</b> shows what the violation follows from, message by message, and the last
200 ms before it; <b>Everything</b> shows the rest.</li>
<li>Keys: ← → step, + − zoom, 0 all of it, v the violation, / search, 1 2 3 views.</li>
</ul></details>`;

/** The tip of arrows, and the patterns of what stands still and of what was folded. */
export const DEFINITIONS =
  '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>' +
  '<marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" ' +
  'orient="auto"><path d="M0 0L6 3L0 6z" fill="context-stroke"/></marker>' +
  '<pattern id="still" width="7" height="7" patternUnits="userSpaceOnUse" ' +
  'patternTransform="rotate(45)"><rect width="3" height="7" fill="currentColor" opacity=".35"/>' +
  '</pattern><pattern id="folds" width="4" height="4" patternUnits="userSpaceOnUse">' +
  '<circle cx="1" cy="1" r=".8" fill="currentColor" opacity=".25"/></pattern></defs></svg>';
