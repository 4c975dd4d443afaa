import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { ScriptSetting } from '../script-language.ts';
import type { Given, HostArguments } from './given-to-host.ts';
import { passedText } from './plain-values.ts';
import { operation } from './prelude/operations.ts';

const DIGESTS = new Set(['md5', 'sha1', 'sha256', 'sha384', 'sha512']);

/** Answers of the host that need no run. */
export function answerPlain(name: number, given: HostArguments, setting: ScriptSetting): Given | undefined {
  if (name === operation.random) return randomUUID();
  if (name === operation.encoded)
    return given.text(0) === 'utf8'
      ? passedText(new TextDecoder().decode(given.bytes(1) ?? new Uint8Array()))
      : Buffer.from(given.bytes(1) ?? new Uint8Array()).toString(given.text(0) === 'base64' ? 'base64' : 'base64url');
  if (name === operation.decoded)
    return Buffer.from(JSON.parse(given.text(1)) as string, given.text(0) === 'utf8' ? 'utf8' : 'base64');
  if (name === operation.digest) {
    const [digest, form] = given.text(0).split(' ') as [string, 'hex' | 'base64' | 'base64url'];
    if (!DIGESTS.has(digest)) return undefined;
    const key = given.bytes(2);
    const work = key === null ? createHash(digest) : createHmac(digest, key);
    return work.update(given.bytes(1) ?? new Uint8Array()).digest(form);
  }
  if (name !== operation.surroundings) return undefined;
  const { environment, properties } = setting.surroundings ?? { environment: {}, properties: {} };
  const from = given.number(0) === 0 ? environment : properties;
  const value = Object.hasOwn(from, given.text(1)) ? from[given.text(1)] : undefined;
  return value === undefined ? undefined : passedText(value);
}
