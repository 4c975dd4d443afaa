import { it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';

/** The same script in both languages. */
export interface Twins {
  readonly groovy: string;
  readonly javascript: string;
}

/** Makes the declaration of an object of this type, with the script in the language of the test. */
export type Scripted = (type: string, scripts?: Twins, more?: JsonObject) => JsonObject;

const languages = [
  ['Groovy', 'application/x-groovy', 'groovy'],
  ['JavaScript', 'application/javascript', 'javascript'],
] as const;

/** Runs one test for each language. `scripts` are those of objects for which the test names no others. */
export function inBothLanguages(title: string, scripts: Twins, test: (scripted: Scripted) => Promise<void>): void {
  for (const [name, mediaType, key] of languages) {
    it(`${title} (${name})`, () =>
      test((type, own = scripts, more = {}) => {
        const source: JsonValue = own[key].split('\n');
        return { type, config: { type: mediaType, source, ...more } };
      }));
  }
}
