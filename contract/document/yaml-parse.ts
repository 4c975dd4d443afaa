import { Composer, type CST, type Document, Parser } from 'yaml';
import { MOST_NESTING } from './document-text.ts';

/** The documents of a YAML text, or undefined when it is nested too deep for a parser that recurses. */
export function parseYaml(text: string, { keepSourceTokens = false } = {}): Document.Parsed[] | undefined {
  const tokens = [...new Parser().parse(text)];
  if (tokens.some(isTooDeep)) return undefined;
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // Both are told with their paths by what reads the nodes.
    uniqueKeys: false,
    stringKeys: false,
    intAsBigInt: true,
    prettyErrors: false,
    keepSourceTokens,
    logLevel: 'silent',
  });
  return [...composer.compose(tokens, true, text.length)];
}

function isTooDeep(token: CST.Token): boolean {
  let level: CST.Token[] = [token];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_NESTING + 1) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child !== undefined && child !== null));
}
