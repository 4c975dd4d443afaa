import { contentHash } from '../../contract/document/canonical.ts';
import { typeNames } from './type-names.ts';

/** Tells whether two programs know the same types of objects. */
export function catalogueDigest(): string {
  return contentHash([...typeNames]);
}
