import { Buffer } from 'node:buffer';
import type { JsonObject, JsonValue } from '../document/json-value.ts';
import { badRequest } from './crest-error.ts';
import type { JsonPointer } from './json-pointer.ts';

/** A field of a resource as a media resource of its own. */
export interface MediaField {
  readonly type: string;
  readonly body: string | Uint8Array;
}

const MIME_TYPE = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)[ \t]*(?:;.*)?$/;

/** Types that a page of the same server could load as code or styles, past a policy that allows only its own. */
const LOADED_BY_PAGES = /^(?:text|application)\/(?:(?:x-)?(?:java|ecma)script|jscript|livescript|css|wasm)/;

/**
 * Returns the first of the selected fields as text or bytes. Fields of types other than text and JSON hold bytes in
 * base64url.
 *
 * @throws CrestError
 */
export function mediaField(selected: JsonObject, fields: readonly JsonPointer[], mimeType: string): MediaField {
  const base = MIME_TYPE.exec(mimeType)?.[1]?.toLowerCase();
  if (base === undefined) throw badRequest('_mimeType is not a media type');
  if (LOADED_BY_PAGES.test(base)) throw badRequest('_mimeType must not be a type of scripts or styles');
  const name = fields[0]?.at(-1);
  if (name === undefined) throw badRequest('_mimeType needs the name of one field in _fields');
  const value = Object.hasOwn(selected, name) ? selected[name]! : null;
  if (value === null) throw badRequest(`the field '${name}' has no value`);
  return { type: `${base};charset=UTF-8`, body: mediaBody(value, base) };
}

function mediaBody(value: JsonValue, type: string): string | Uint8Array {
  if (type === 'application/json') return JSON.stringify(value);
  if (type === 'text/plain') return typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /^[\w-]*=*$/.test(value) ? Buffer.from(value, 'base64url') : '';
}
