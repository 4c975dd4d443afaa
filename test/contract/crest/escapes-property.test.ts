import { describe, expect, it } from 'vitest';
import { readApiVersions } from '../../../contract/crest/api-version.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { pointerText, readJsonPointer, valueAt } from '../../../contract/crest/json-pointer.ts';
import { readParameters } from '../../../contract/crest/parameters.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { Random } from '../../fuzz/random.ts';
import { MemoryCollection } from '../../support/crest/memory-collection.ts';
import { sendCrest } from '../../support/crest/sent-crest.ts';

const CHARACTERS = [...'aZ09 -_.~!*()\'"/\\?#&=+%:;,@$[]{}|^`<>', 'é', '€', '😀', '\u2028', '\u00a0', '\u0301'];

function randomText(random: Random, most: number): string {
  return Array.from({ length: random.between(1, most) }, () => random.pick(CHARACTERS)).join('');
}

/** A text in one of the many forms that a query string or a path may have it in. */
function escaped(random: Random, text: string, isQuery: boolean): string {
  return [...text]
    .map((one) => {
      if (/[\w.~-]/.test(one) && !random.once(4)) return one;
      if (isQuery && one === ' ' && random.once(2)) return '+';
      const bytes = [...Buffer.from(one)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      return random.once(2) ? bytes.toUpperCase() : bytes;
    })
    .join('');
}

describe('escapes', () => {
  it('of a query string give the texts that were escaped, in any form', () => {
    for (let seed = 0; seed < 3000; seed++) {
      const random = Random.of(seed, 'query', seed);
      const pairs = new Map(
        Array.from({ length: 3 }, (_, at) => [`x${at}${randomText(random, 4)}`, randomText(random, 12)]),
      );
      const text = Array.from(
        pairs,
        ([name, value]) => `${escaped(random, name, true)}=${escaped(random, value, true)}`,
      );
      const parameters = readParameters(text.join('&'));
      expect({ seed, found: parameters.names.map((name) => [name, parameters.single(name)]) }).toEqual({
        seed,
        found: [...pairs],
      });
    }
  });

  it('of a path give the id that was escaped, and its Location leads to it', async () => {
    for (let seed = 0; seed < 1000; seed++) {
      const random = Random.of(seed, 'path', seed);
      const id = randomText(random, 8);
      const endpoint = { kind: 'collection', provider: new MemoryCollection().provider } as const;
      const made = await sendCrest(endpoint, `PUT /${escaped(random, id, false)}`, { a: 1 });
      expect({ seed, status: made.status, id: made.body['_id'] }).toEqual({ seed, status: 201, id });
      const path = made.headers['location']!.replace('http://gw.test/api/users', '');
      expect((await sendCrest(endpoint, `GET ${path}`)).body).toEqual({ _id: id, _rev: '0', a: 1 });
    }
  });

  it('of a pointer give its steps, and lead to the value', () => {
    for (let seed = 0; seed < 3000; seed++) {
      const random = Random.of(seed, 'pointer', seed);
      const steps = Array.from({ length: random.between(1, 4) }, () => randomText(random, 6));
      const text = steps
        .map((step) => escaped(random, step.replaceAll('~', '~0'), false))
        .map((step) => (random.once(2) ? step.replaceAll(/%2f/gi, '~1') : step))
        .join('/');
      const read = readJsonPointer(`${random.once(2) ? '/' : ''}${text}${random.once(3) ? '/' : ''}`);
      expect({ seed, read }).toEqual({ seed, read: steps });
      expect(readJsonPointer(pointerText(read))).toEqual(steps);
      const value = steps.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), seed);
      expect(valueAt(value as JsonObject, read)).toBe(seed);
    }
  });

  it('of any pointer are read or refused, and written so that they are read again', () => {
    const pieces = ['/', '~', '~0', '~1', '~2', '%', '%7E', '%2F', '%ff', '%e2%82', 'a', '0', '-', '//', 'é', ' '];
    let read = 0;
    for (let seed = 0; seed < 5000; seed++) {
      const random = Random.of(seed, 'pieces', seed);
      const text = Array.from({ length: random.below(8) }, () => random.pick(pieces)).join('');
      try {
        const pointer = readJsonPointer(text);
        expect({ seed, text, again: readJsonPointer(pointerText(pointer)) }).toEqual({ seed, text, again: pointer });
        read++;
      } catch (error) {
        if (!(error instanceof ValueProblem)) throw error;
      }
    }
    expect(read).toBeGreaterThan(1000);
  });
});

describe('Accept-API-Version', () => {
  /** Reads the header character by character; null for one that is malformed. */
  function modelled(text: string): Record<string, string> | null {
    const found: Record<string, string> = {};
    const parts = text.trim() === '' ? [] : text.trim().split(',');
    for (const part of parts) {
      const [name, version, ...more] = part.trim().split('=');
      if (more.length > 0 || version === undefined || (name !== 'protocol' && name !== 'resource')) return null;
      const numbers = version.split('.');
      const isNumber = (one: string): boolean =>
        one !== '' && one.length < 10 && [...one].every((c) => c >= '0' && c <= '9');
      if (numbers.length > 2 || !numbers.every(isNumber) || found[name] !== undefined) return null;
      found[name] = `${Number(numbers[0])}.${Number(numbers[1] ?? 0)}`;
    }
    return found;
  }

  it('is read like by a second reader, or refused with 400', () => {
    const pieces = [
      'protocol',
      'resource',
      '=',
      ',',
      ' ',
      '1',
      '2',
      '0',
      '.',
      '1.0',
      '2.1',
      '-',
      'x',
      ';',
      '\t',
      '9999999999',
    ];
    const words = ['protocol=2.1', 'resource=1.0', 'protocol=1', 'resource=3', ' ', ',', ', '];
    let accepted = 0;
    for (let seed = 0; seed < 10_000; seed++) {
      const random = Random.of(seed, 'version', seed);
      const from = random.once(2) ? pieces : words;
      const text = Array.from({ length: random.below(7) }, () => random.pick(from)).join('');
      const wanted = modelled(text);
      let ours: Record<string, string> | null = null;
      try {
        const entries = Object.entries(readApiVersions(text)).filter(([, version]) => version !== null);
        ours = Object.fromEntries(entries.map(([name, version]) => [name, `${version!.major}.${version!.minor}`]));
        if (entries.length > 0) accepted++;
      } catch (error) {
        if (!(error instanceof CrestError && error.status === 400)) throw error;
      }
      expect({ seed, text, ours }).toEqual({ seed, text, ours: wanted });
    }
    expect(accepted).toBeGreaterThan(200);
  });
});
