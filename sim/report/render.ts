// The report of one failing run: a single HTML file that needs nothing else.

import { partingOf } from './compare.ts';
import { axisOf, diagram } from './diagram.ts';
import { timeText } from './draw-axis.ts';
import { element, embedded, escaped, textElement } from './markup.ts';
import { DEFINITIONS, LEGEND } from './page-legend.ts';
import { momentText } from './moment-text.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import { itemTexts } from './item-texts.ts';
import type { Recording } from './recording.ts';
import { coneView, fullView, numbered } from './view.ts';
import type { Numbered, View } from './view.ts';

/** What a report may also show. */
export interface ReportOptions {
  /** The same run without its last necessary fault. */
  readonly without?: Recording | undefined;
  /** What was left out there, in words: `n2 is cut off from the other nodes`. */
  readonly withoutWhat?: string | undefined;
}

/** Items that are drawn at most, and what a page may weigh. */
const ITEMS_MAX = 5_000;
const ITEMS_MIN = 500;
const PAGE_BYTES_MAX = 1_000_000;
/** So long after the violation the other run is shown still. */
const AFTER_US = 500_000;

interface Tab {
  readonly id: string;
  readonly name: string;
  readonly content: string;
}

/** The page. Of long runs it shows the newest part that fits in a megabyte. */
export function renderReport(recording: Recording, options: ReportOptions = {}): string {
  const all = numbered(recording);
  for (let itemsMax = ITEMS_MAX; ; itemsMax /= 2) {
    const page = renderPage(all, itemsMax, options);
    if (Buffer.byteLength(page) <= PAGE_BYTES_MAX || itemsMax < ITEMS_MIN) return page;
  }
}

function renderPage(all: Numbered, itemsMax: number, options: ReportOptions): string {
  const { recording } = all;
  const cone = coneView(all);
  const full = fullView(all, itemsMax);
  const compared = comparison(all, options);
  const tabs = [
    {
      id: 'cone',
      name: 'What led to it',
      content: diagram(recording, cone, { title: 'What led to it' }),
    },
    {
      id: 'full',
      name: 'Everything',
      content: left(full) + diagram(recording, full, { title: 'Everything' }),
    },
    ...compared.tabs,
  ];
  const title = `${recording.violation?.oracle ?? 'A run'} · Holdfast`;
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    textElement('title', {}, title),
    `<style>${PAGE_STYLE}</style>`,
  ].join('');
  const data = { texts: itemTexts([cone, full, ...compared.views], recording.originUs) };
  const body = [
    DEFINITIONS,
    header(recording),
    toolbar(tabs),
    '<main>',
    ...tabs.map(panel),
    '</main>',
    '<section class="below"><div id="detail" aria-live="polite"><p>Choose something in the ' +
      'picture or in the list: ← and → step through what happens.</p></div>' +
      '<div><label for="search">What happens, in order</label> ' +
      '<input id="search" type="search" placeholder="search: n1, acquire, token …">' +
      '<ol id="list" tabindex="0"></ol></div></section>',
    LEGEND,
    `<script type="application/json" id="data">${embedded(data)}</script>`,
    `<script>${PAGE_SCRIPT}</script>`,
  ].join('\n');
  return `<!doctype html>\n<html lang="en"><head>${head}</head><body>${body}</body></html>\n`;
}

/** Nothing is loaded from anywhere. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

function header(recording: Recording): string {
  const { violation, scenario, replay, originUs, traceHash, events } = recording;
  const [sentence = '', ...evidence] = (violation?.message ?? 'Every promise is kept.').split('\n');
  const at = violation === null ? '' : ` at ${timeText(violation.atUs, originUs)}`;
  const what = violation === null ? 'Nothing is broken' : `${kindText(violation.oracle)}${at}`;
  const proof = evidence.length === 0 ? '' : textElement('pre', {}, evidence.join('\n'));
  const lines = items(scenario);
  const moment = violation === null ? 'At the end' : 'When it broke';
  return element(
    'header',
    {},
    [
      textElement('p', { class: violation === null ? 'what kept' : 'what' }, what),
      textElement('h1', {}, sentence),
      proof === '' ? '' : `<details><summary>evidence</summary>${proof}</details>`,
      '<div class="columns">',
      `<section><h2>The scenario</h2><ol class="scenario">${lines}</ol></section>`,
      `<section><h2>${moment}</h2><ul class="moment">${items(momentText(recording))}</ul>`,
      `<h2>See it again</h2>${textElement('pre', { id: 'replay' }, replay)}`,
      textElement('p', { class: 'facts' }, `trace ${traceHash}, ${events} events`),
      '</section></div>',
    ].join(''),
  );
}

/** What kind of failure it is. */
function kindText(oracle: string): string {
  const words = KINDS[oracle];
  return words === undefined ? `${oracle} is broken` : `${oracle}: ${words}`;
}

const KINDS: Readonly<Record<string, string>> = {
  CHECK: 'a check does not hold',
  PROGRAM: 'a program threw',
  AMBIENT: 'code reached out of its world',
  DEADLOCK: 'nobody can go on',
  LIMIT: 'it took too long',
  SPIN: 'something went on without end',
  EXIT: 'a node ended by itself',
  ASSERT: 'an assertion failed',
  API: 'the client did what it must not',
};

function items(lines: readonly string[]): string {
  return lines.map((line) => textElement('li', {}, line)).join('');
}

function toolbar(tabs: readonly Tab[]): string {
  const buttons = tabs.map(({ id, name }, at) =>
    textElement(
      'button',
      { role: 'tab', id: `tab-${id}`, 'aria-controls': id, 'aria-selected': String(at === 0) },
      name,
    ),
  );
  return [
    '<nav><div role="tablist" aria-label="Views">',
    ...buttons,
    '</div><div class="tools">',
    '<button id="previous" title="previous (←)">←</button>',
    '<button id="next" title="next (→)">→</button>',
    '<button id="out" title="zoom out (−)">−</button>',
    '<button id="in" title="zoom in (+)">+</button>',
    '<button id="fit" title="all of it (0)">fit</button>',
    '<button id="broke" title="where it broke (v)">violation</button>',
    '</div></nav>',
  ].join('');
}

function panel({ id, content }: Tab, at: number): string {
  const hidden = at === 0 ? '' : ' hidden';
  return `<div role="tabpanel" id="${id}" aria-labelledby="tab-${id}"${hidden}>${content}</div>`;
}

/** Both runs below each other, on one axis. */
function comparison(
  all: Numbered,
  { without, withoutWhat }: ReportOptions,
): { readonly tabs: readonly Tab[]; readonly views: readonly View[] } {
  if (without === undefined) return { tabs: [], views: [] };
  const { recording } = all;
  const count = all.spans.length + all.marks.length + all.frames.length;
  const other = numbered(without, count);
  const parting = partingOf(recording, without);
  const differenceUs = parting?.atUs ?? null;
  const here = coneView(all);
  const there = coneView(other, Math.min(without.endUs, recording.endUs + AFTER_US));
  const axis = axisOf(here, there);
  const missing = withoutWhat === undefined ? 'its last fault' : `“${withoutWhat}”`;
  const title = `The same without ${missing}`;
  const kept =
    without.violation === null ? 'nothing is broken' : `${without.violation.oracle} is broken`;
  const content = [
    textElement('p', { class: 'parting' }, partingText(parting)),
    textElement('h2', {}, 'This run'),
    diagram(recording, here, { title: 'This run', axis, differenceUs }),
    textElement('h2', {}, `${title}: ${kept}`),
    diagram(without, there, { title, axis, differenceUs }),
  ].join('');
  return { tabs: [{ id: 'compared', name: 'Without the last fault', content }], views: [there] };
}

function partingText(parting: ReturnType<typeof partingOf>): string {
  if (parting === null) return 'The two runs are the same.';
  const { here, there } = parting;
  return (
    `Up to the blue line the two runs are the same. Then this one goes on with: ` +
    `${here ?? 'nothing'}; the other one with: ${there ?? 'nothing'}.`
  );
}

function left({ leftOut }: View): string {
  if (leftOut.length === 0) return '';
  return `<p class="leftOut">${escaped(`Left out: ${leftOut.join(', ')}.`)}</p>`;
}
