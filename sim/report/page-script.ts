// The script of the page, as text: it zooms, steps, searches and tells. Pictures and scenario are
// there without it.

/** To be put into a script element as it is. */
export const PAGE_SCRIPT = String.raw`'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const texts = JSON.parse($('data').textContent).texts;
  const byNumber = new Map(texts.map((text) => [String(text[0]), text]));
  const ZOOM_MIN = 0.05,
    ZOOM_MAX = 20,
    ZOOM_STEP = 1.4;
  const LIST_MAX = 2000;
  let chosen = null;
  let steps = [];

  const panel = () => all('[role=tabpanel]').find((each) => !each.hidden);
  const scrollers = () => all('.scroll', panel());

  // Zoom: times move apart, letters keep their size. What is drawn first is zoom 1.
  const firsts = new WeakMap();
  const X = /([ML])(-?[\d.]+)/g;
  function stretch(svg, zoom) {
    const [, , width, height] = first(svg, 'viewBox').split(' ').map(Number);
    svg.setAttribute('viewBox', '0 0 ' + width * zoom + ' ' + height);
    svg.setAttribute('width', width * zoom);
    for (const each of all('rect,line,text', svg.querySelector('.drawn'))) {
      for (const name of ['x', 'x1', 'x2', 'width']) {
        const before = first(each, name);
        if (before !== null) each.setAttribute(name, before * zoom);
      }
    }
    for (const each of all('path', svg.querySelector('.drawn'))) {
      each.setAttribute(
        'd',
        first(each, 'd').replace(X, (_, letter, x) => letter + x * zoom),
      );
    }
    svg.dataset.zoom = zoom;
    pin(svg.parentElement);
  }
  function first(element, name) {
    const known = firsts.get(element) ?? {};
    firsts.set(element, known);
    if (!(name in known)) known[name] = element.getAttribute(name);
    return known[name];
  }
  function pin(scroller) {
    const left = scroller.scrollLeft;
    for (const text of all('.s > text', scroller)) {
      const rect = text.previousElementSibling;
      const [x, width] = ['x', 'width'].map((name) => Number(rect.getAttribute(name)));
      const room = x + width - LABEL_ROOM * text.textContent.length;
      text.setAttribute('x', Math.max(x, Math.min(left, room)) + 5);
    }
  }
  const LABEL_ROOM = 6.4;
  const zoomOf = (scroller) => Number(scroller.firstElementChild.dataset.zoom ?? 1);
  function zoomTo(wanted, at = 0.5) {
    const zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, wanted));
    for (const scroller of scrollers()) {
      const place = (scroller.scrollLeft + at * scroller.clientWidth) / zoomOf(scroller);
      stretch(scroller.firstElementChild, zoom);
      scroller.scrollLeft = place * zoom - at * scroller.clientWidth;
    }
  }
  const zoomBy = (factor, at) => zoomTo(zoomOf(scrollers()[0]) * factor, at);
  function fit() {
    const [scroller] = scrollers();
    zoomTo(
      scroller.clientWidth / first(scroller.firstElementChild, 'viewBox').split(' ')[2],
      0,
    );
  }
  function toViolation() {
    const [scroller] = scrollers();
    const line = scroller.querySelector('.violation line');
    const x =
      line === null
        ? scroller.scrollWidth
        : line.getAttribute('x1') - scroller.clientWidth * 0.85;
    for (const each of scrollers()) each.scrollLeft = x;
  }
  function toDifference() {
    const line = panel().querySelector('.difference line');
    if (line === null) return toViolation();
    for (const each of scrollers())
      each.scrollLeft = line.getAttribute('x1') - each.clientWidth * 0.2;
  }

  // Choosing: in the picture, in the list, by stepping.
  function choose(number, isFromList = false) {
    chosen = number;
    for (const each of all('.chosen')) each.classList.remove('chosen');
    const drawn = all('[data-i="' + number + '"]', panel());
    for (const each of drawn) each.classList.add('chosen');
    const scroller = drawn[0]?.closest('.scroll');
    if (scroller) bring(scroller, drawn[0]);
    tell(byNumber.get(number));
    for (const each of all('#list li'))
      each.setAttribute('aria-selected', String(each.dataset.i === number));
    if (!isFromList)
      $('list').querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }
  function bring(scroller, element) {
    const box = element.getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    if (box.left < frame.left + 20 || box.left > frame.right - 60)
      scroller.scrollLeft += box.left - frame.left - frame.width / 2;
  }
  function tell(text) {
    const detail = $('detail');
    detail.replaceChildren();
    if (!text) return;
    const [, , when, where, what, more] = text;
    detail.append(made('h3', what), made('p', when + ' · ' + where));
    const list = document.createElement('ul');
    list.append(...more.filter(Boolean).map((line) => made('li', line)));
    detail.append(list);
  }
  function made(name, content) {
    const element = document.createElement(name);
    element.textContent = content;
    return element;
  }
  function step(by) {
    if (steps.length === 0) return;
    const at = steps.indexOf(chosen);
    const next = at < 0 ? (by > 0 ? 0 : steps.length - 1) : at + by;
    choose(steps[Math.min(steps.length - 1, Math.max(0, next))]);
  }

  // The list has what the view draws and the search finds.
  function list() {
    const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const drawn = new Set(all('[data-i]', panel()).map((each) => each.dataset.i));
    const found = texts.filter((text) => {
      if (!drawn.has(String(text[0]))) return false;
      const content = text.slice(2).join(' ').toLowerCase();
      return words.every((word) => content.includes(word));
    });
    steps = found.map((text) => String(text[0]));
    const isFound = new Set(steps);
    for (const each of all('[data-i]', panel()))
      each.classList.toggle('dim', words.length > 0 && !isFound.has(each.dataset.i));
    $('list').replaceChildren(
      ...found.slice(-LIST_MAX).map(([number, , when, where, what]) => {
        const line = made('li', where + ': ' + what);
        line.prepend(made('time', when), ' ');
        line.dataset.i = number;
        line.setAttribute('role', 'option');
        return line;
      }),
    );
  }

  function show(id) {
    for (const each of all('[role=tabpanel]')) each.hidden = each.id !== id;
    for (const each of all('[role=tab]'))
      each.setAttribute('aria-selected', String(each.getAttribute('aria-controls') === id));
    list();
    if (!widened.has(id)) widen();
    widened.add(id);
    toDifference();
  }
  // A picture that is narrower than the window is drawn wider, at first.
  const WIDEN_MAX = 2.5;
  const widened = new Set();
  function widen() {
    for (const scroller of scrollers()) {
      const width = first(scroller.firstElementChild, 'viewBox').split(' ')[2];
      const room = scroller.clientWidth / width;
      if (room > 1) stretch(scroller.firstElementChild, Math.min(WIDEN_MAX, room));
    }
  }

  const KEYS = {
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    '+': () => zoomBy(ZOOM_STEP),
    '=': () => zoomBy(ZOOM_STEP),
    '-': () => zoomBy(1 / ZOOM_STEP),
    0: fit,
    v: toViolation,
    '/': () => $('search').focus(),
  };
  for (const [at, tab] of all('[role=tab]').entries()) {
    const open = () => show(tab.getAttribute('aria-controls'));
    tab.addEventListener('click', open);
    KEYS[at + 1] = open;
  }
  const buttons = {
    previous: () => step(-1),
    next: () => step(1),
    in: () => zoomBy(ZOOM_STEP),
    out: () => zoomBy(1 / ZOOM_STEP),
    fit,
    broke: toViolation,
  };
  for (const [id, act] of Object.entries(buttons)) $(id).addEventListener('click', act);
  document.addEventListener('keydown', (event) => {
    if (event.target.id === 'search') {
      if (event.key === 'Escape') event.target.blur();
      if (event.key === 'Enter') step(1);
      return;
    }
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  $('search').addEventListener('input', list);
  document.addEventListener('click', (event) => {
    const item = event.target.closest?.('[data-i]');
    if (item) choose(item.dataset.i, item.localName === 'li');
  });
  for (const scroller of all('.scroll')) {
    scroller.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        const { left, width } = scroller.getBoundingClientRect();
        zoomBy(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, (event.clientX - left) / width);
      },
      { passive: false },
    );
    scroller.addEventListener('pointerdown', (event) => {
      const from = event.clientX + scroller.scrollLeft;
      const move = (now) => {
        scroller.scrollLeft = from - now.clientX;
        scroller.classList.add('held');
      };
      const end = () => {
        removeEventListener('pointermove', move);
        scroller.classList.remove('held');
      };
      addEventListener('pointermove', move);
      addEventListener('pointerup', end, { once: true });
    });
    // Words of long bars stay in sight.
    scroller.addEventListener('scroll', () => pin(scroller));
    // Pictures of one view stay below each other.
    scroller.addEventListener('scroll', () => {
      if (scroller.closest('[role=tabpanel]').hidden) return;
      for (const each of scrollers())
        if (each !== scroller) each.scrollLeft = scroller.scrollLeft;
    });
    scroller.addEventListener('mouseover', (event) => {
      const item = event.target.closest('[data-i]');
      if (item && chosen === null) tell(byNumber.get(item.dataset.i));
    });
  }
  show('cone');
})();
`;
