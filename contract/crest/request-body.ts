import { readJsonText } from '../document/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../document/json-value.ts';
import { badRequest, CrestError } from './crest-error.ts';
import type { HeaderValue } from './preconditions.ts';

const MEDIA_TYPE = /^([\w!#$&^.+*-]+\/[\w!#$&^.+*-]+)[ \t]*(?:;[^,]*)?$/;

/** Returns the media type of a body in lower case; null if the request names none. @throws CrestError */
function mediaTypeOf(header: HeaderValue): string | null {
  const text = header('content-type')?.trim() ?? '';
  if (text === '') return null;
  const match = MEDIA_TYPE.exec(text);
  if (match === null) throw badRequest('Content-Type is malformed');
  return match[1]!.toLowerCase();
}

/** @throws CrestError if the request names a media type that is not JSON */
export function refuseOtherMedia(header: HeaderValue): void {
  const type = mediaTypeOf(header);
  if (type === 'multipart/form-data') throw badRequest('multipart bodies are not available: send application/json');
  if (type !== null && type !== 'application/json') {
    throw new CrestError(415, `the content type must be application/json, not ${type}`);
  }
}

/** Reads a body that must be there. @throws CrestError */
export function readBody(body: Uint8Array, header: HeaderValue): JsonValue {
  if (mediaTypeOf(header) === null) throw badRequest('Content-Type: application/json is missing');
  const value = readOptionalBody(body);
  if (value === undefined) throw badRequest('the body is empty');
  return value;
}

/** Reads the body of a new resource; null counts as an empty one. @throws CrestError */
export function readContent(body: Uint8Array, header: HeaderValue): JsonObject {
  const value = readBody(body, header) ?? {};
  if (!isJsonObject(value)) throw badRequest('the body must be a JSON object');
  return value;
}

/** Reads a body that may be missing. @throws CrestError */
export function readOptionalBody(body: Uint8Array): JsonValue | undefined {
  if (body.length === 0) return undefined;
  const { value, problems } = readJsonText(body, { comments: false });
  const [first] = problems;
  if (first === undefined) return value;
  const { place } = first;
  const where = place === undefined ? '' : ` in line ${place.line}, column ${place.column}`;
  throw badRequest(`the body ${first.message}${where}`);
}
