// A strict reader for SVG documents of our own making: well-formed, or it throws.

/** An element in the order of its beginning. */
export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const TOKEN = /<(\/?)([a-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/giy;

/** Throws when tags do not match, or something is not escaped. */
export function elementsOf(svg: string): SvgElement[] {
  const elements: SvgElement[] = [];
  const open: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < svg.length; at = TOKEN.lastIndex) {
    const [, slash = '', name, written = '', single = '', text] = TOKEN.exec(svg) ?? [];
    if (name === undefined && text === undefined) throw new Error(`no markup: ${svg.slice(at)}`);
    if (/&(?!amp;|lt;|gt;|quot;|#39;)/.test(text ?? written)) throw new Error(`bare & at ${at}`);
    if (name === undefined) continue;
    if (slash === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> at ${at} ends another element`);
      continue;
    }
    if (elements.length > 0 && open.length === 0) throw new Error(`two roots: <${name}> at ${at}`);
    const pairs = [...written.matchAll(/([\w:-]+)="([^"]*)"/g)];
    const attributes = Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, value]));
    elements.push({ name, attributes });
    if (single === '') open.push(name);
  }
  if (open.length > 0) throw new Error(`not ended: ${open.join(', ')}`);
  return elements;
}
