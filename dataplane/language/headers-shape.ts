import type { Shape } from '../../contract/expression/language.ts';
import { textOf } from '../../contract/expression/text.ts';
import { isList, type Value } from '../../contract/expression/value.ts';
import { headerBytes, headerText } from '../engine/head/header-text.ts';
import type { Headers } from '../engine/head/headers.ts';

/** Headers by name, in any case; each is the list of its lines. */
export const headersShape: Shape<Headers> = {
  name: 'headers',
  properties: {},
  methods: {
    getFirst: (headers, [name]) => textsOf(headers, textOf(name ?? null))[0] ?? null,
    getAll: (headers, [name]) => textsOf(headers, textOf(name ?? null)),
  },
  entries: {
    get(headers, name) {
      const texts = textsOf(headers, name);
      return texts.length === 0 ? null : texts;
    },
    spelling: (name) => name.toLowerCase(),
    set: setHeader,
    keys: headerNames,
    kind: 'list',
  },
  text: (headers) => `{${headerNames(headers).map((name) => `${name}=[${textsOf(headers, name).join(', ')}]`)}}`,
};

/** Null takes the header away, a list gives it one line for each item. */
function setHeader(headers: Headers, name: string, value: Value): void {
  headers.delete(name);
  const lines = value === null ? [] : isList(value) ? value : [value];
  for (const line of lines) headers.append(name, headerBytes(textOf(line)));
}

/** The values of a header, one for each line. */
function textsOf(headers: Headers, name: string): string[] {
  const values = headers.all(name);
  for (let at = 0; at < values.length; at++) values[at] = headerText(values[at]!);
  return values;
}

function headerNames(headers: Headers): string[] {
  const names = new Set<string>();
  headers.each((name) => names.add(name));
  return [...names];
}
