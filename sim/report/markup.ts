// Text as HTML and SVG. Whatever comes from a run is somebody's data, and is escaped here.

/** For text and for attribute values. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (character) => {
    const entity = ENTITIES[character];
    return entity ?? '\ufffd';
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Values of attributes; what is undefined is left out, and numbers are rounded to a tenth. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element. `content` is markup already. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${valueOf(value)}"`)
    .join('');
  return `<${name}${written}>${content}</${name}>`;
}

/** An element with a text in it. */
export function textElement(name: string, attributes: Attributes, text: string): string {
  return element(name, attributes, escaped(text));
}

/** Data for the script of the page, as the content of a script element. */
export function embedded(data: unknown): string {
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** A tenth of a pixel is as exact as anybody sees. */
export function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function valueOf(value: string | number | undefined): string {
  return typeof value === 'number' ? String(rounded(value)) : escaped(value ?? '');
}
