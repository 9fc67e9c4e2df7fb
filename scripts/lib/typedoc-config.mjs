// For typedoc: the fields of cluster.config.json are described once, in cluster.config.schema.json
// (generated from src/server/config-schema.ts). The types that are made of the same schema have
// their fields described from there.

import { readFileSync } from 'node:fs';
import { Comment, Converter, ReflectionKind } from 'typedoc';

const SCHEMA = new URL('../../cluster.config.schema.json', import.meta.url);
const SOURCES = /src\/server\/\w+-schema\.ts$/;
const OF_EDITORS = 'Where an editor finds the schema of the file.';

/** Called by typedoc. */
export function load(app) {
  const meanings = meaningsOf(JSON.parse(readFileSync(SCHEMA, 'utf8')), new Map());
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const field of project.getReflectionsByKind(ReflectionKind.Property)) {
      const source = project.getSymbolIdFromReflection(field)?.packagePath ?? '';
      if (!SOURCES.test(source) || field.hasComment()) continue;
      const meaning = meanings.get(field.name);
      if (meaning) field.comment = new Comment([{ kind: 'text', text: meaning }]);
    }
  });
}

/** Of each field, wherever it is in the file: what it means, its range and its default. */
function meaningsOf(schema, meanings) {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const meaning = name === '$schema' ? OF_EDITORS : meaningOf(field);
    if ((meanings.get(name) ?? meaning) !== meaning) throw new Error(`two fields named ${name}`);
    meanings.set(name, meaning);
    meaningsOf(field.items ?? field, meanings);
  }
  return meanings;
}

function meaningOf({ description, minimum, maximum, default: normal }) {
  const isPlain = ['number', 'string', 'boolean'].includes(typeof normal);
  return [
    description,
    minimum === undefined ? '' : `${minimum} to ${maximum}.`,
    isPlain ? `Default ${JSON.stringify(normal)}.` : '',
  ]
    .filter((part) => part)
    .join(' ');
}
