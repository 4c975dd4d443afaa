import type { JsonValue } from '../document/json-value.ts';
import { badRequest } from './crest-error.ts';
import { type FieldReader, fieldReader } from './field-reader.ts';
import type { JsonPointer } from './json-pointer.ts';
import type { Resource } from './resource.ts';

/** Characters that one query may compare: about a tenth of a second. */
const MOST_CHARACTERS = 268_435_456;
/** Characters that are compared in the time of one element of an array. */
const PER_ELEMENT = 64;
/** Characters that are compared in the time in which one member of a resource is copied. */
const PER_MEMBER = 1_024;
/** Characters that are compared in the time in which one is written as JSON. */
const PER_WRITTEN = 8;

/** Counts the values that a query looks at, because the length of a filter does not tell how long its comparisons take. */
export class QueryWork {
  private left = MOST_CHARACTERS;

  /** Returns a reader of a field that counts the values which it returns. */
  readonly readerOf = (field: JsonPointer): FieldReader<Resource> => {
    const read = fieldReader(field);
    if (field.length === 0) {
      return (of) => {
        this.spend(Object.keys(of.content).length * PER_MEMBER);
        return read(of);
      };
    }
    return (of) => {
      const found = read(of);
      if (typeof found === 'string') this.spend(found.length);
      else if (Array.isArray(found)) this.spend(lengthOf(found as readonly JsonValue[]));
      return found;
    };
  };

  /** Counts a text that was written for a comparison. */
  readonly written = (text: string): string => {
    this.spend(text.length * PER_WRITTEN);
    return text;
  };

  private spend(characters: number): void {
    this.left -= characters;
    if (this.left < 0) throw badRequest('the query looks at too much data: use fewer comparisons and sort keys');
  }
}

function lengthOf(array: readonly JsonValue[]): number {
  return array.reduce((sum: number, one) => sum + PER_ELEMENT + (typeof one === 'string' ? one.length : 0), 0);
}
