import { contentHash } from '../../contract/document/canonical.ts';
import { typeNames } from './type-names.ts';

/** Digest that is equal for programs with the same types of objects. */
export function catalogueDigest(): string {
  return contentHash([...typeNames]);
}
