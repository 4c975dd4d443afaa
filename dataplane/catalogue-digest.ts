import { contentHash } from '../contract/document/canonical.ts';
import { catalogue } from './catalogue.ts';

/** Tells whether two programs know the same types of objects. */
export function catalogueDigest(): string {
  const names = catalogue.definitions.flatMap(({ type, aliases = [] }) => [type, ...aliases]);
  return contentHash(names.sort());
}
