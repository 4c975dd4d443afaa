import type { JsonObject, JsonValue } from '../document/json-value.ts';
import { isWrittenCredentialName } from './credential-names.ts';
import { isMistaken, isSecret, STORES } from './hidden-secrets.ts';
import { hideUrlPasswords } from './url-password.ts';

/** Place of a value in a document. */
export type FieldPath = readonly (string | number)[];

/** Objects whose fields have the names of headers, cookies or form fields, with lists of values. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['headers', 'form', 'cookies', 'add', 'replace']);
/** An expression that only says where a value comes from. */
const EXPRESSION = /^[&$#]\{[^{}]*\}$/;
/** Texts in an expression that name a member. */
const INDEX = /\[\s*(?:'[^']*'|"[^"]*")\s*\]/g;

/**
 * Returns a document in which other values stand for the secrets that are written into it: values of fields with the names
 * of secrets, credentials in lists of headers and form fields, and URLs with passwords. The rest is the same.
 */
export function replaceSecrets(
  document: JsonObject,
  replace: (value: string | number, path: FieldPath) => JsonValue,
): JsonObject {
  return changedMembers(document, { hides: false, isMessage: false }, [], replace) as JsonObject;
}

interface Surroundings {
  /** The value is in a field that holds secrets. */
  readonly hides: boolean;
  /** The value is an object with names of headers or form fields. */
  readonly isMessage: boolean;
}

type Replace = (value: string | number, path: FieldPath) => JsonValue;

function changed(value: JsonValue, field: string, around: Surroundings, path: FieldPath, replace: Replace): JsonValue {
  if (typeof value === 'string' || typeof value === 'number') {
    return isHidden(value, field, around.hides) ? replace(value, path) : value;
  }
  if (value === null || typeof value === 'boolean') return value;
  return changedMembers(value, around, path, replace);
}

function changedMembers(
  value: JsonObject | readonly JsonValue[],
  { hides, isMessage }: Surroundings,
  path: FieldPath,
  replace: Replace,
): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, at) => {
      // Objects in a list of secrets are declarations of stores, or name Secrets.
      const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
      return changed(item, '', { hides: hides && !isObject, isMessage: false }, [...path, at], replace);
    });
  }
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
    const isCredential = isSecret(name) || (isMessage && Array.isArray(member) && isWrittenCredentialName(name));
    const around = { hides: (hides || isCredential) && name !== STORES, isMessage: MESSAGE_FIELDS.has(name) };
    return [name, changed(member, name, around, [...path, name], replace)];
  });
  return Object.fromEntries(members);
}

function isHidden(value: string | number, field: string, hides: boolean): boolean {
  if (typeof value === 'number') return hides;
  if (hides || isMistaken(field, value)) return value !== '' && !isTakenFromElsewhere(value);
  return hideUrlPasswords(value) !== value;
}

/** A text in an expression may be the secret, unless it names a member. */
function isTakenFromElsewhere(value: string): boolean {
  return EXPRESSION.test(value) && !/['"]/.test(value.replaceAll(INDEX, ''));
}
