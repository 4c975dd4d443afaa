import { z } from 'zod';
import { readConfigured, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import type { Rate } from '../heap/objects/throttling.ts';
import { rateFields, rateOf } from './rate-fields.ts';

/** A key is kept with what it was written as: two that give the same text must not become one unnoticed. */
type WrittenKey = readonly [text: string, written: string];

const json = { type: 'string' };
const rateKey = leaf('configuration expression<string>', json, (written) => {
  const text = readConfigured(written, (value) => {
    if (typeof value !== 'string') throw wrongType('a string', value);
    return value;
  });
  return JSON.stringify([text, written] as WrittenKey);
}) as z.ZodType<string, string>;

/** Rates by texts; the texts may be written as expressions. */
export const mappedRates = () =>
  z.record(rateKey, rateFields()).check(
    rulesAbout([], (value, add) => {
      const seen = new Set<string>();
      for (const key of Object.keys(value)) {
        const [text, written] = JSON.parse(key) as WrittenKey;
        if (seen.has(text)) add([written], 'has the same value as another key before it');
        seen.add(text);
      }
    }),
  );

/** Returns the rates by text that `mappedRates` has read. */
export function ratesByText(read: z.output<ReturnType<typeof mappedRates>>): ReadonlyMap<string, Rate> {
  return new Map(Object.entries(read).map(([key, rate]) => [(JSON.parse(key) as WrittenKey)[0], rateOf(rate)]));
}
