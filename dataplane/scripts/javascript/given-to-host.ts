import { mark, type QuickJs, VALUE_SIZE } from './quickjs.ts';
import type { Pointer } from './quickjs-functions.ts';

/** Values that go in: bytes and texts are copied. */
export type Given = number | string | Uint8Array;

/** Values that a script hands to the host. */
export interface HostArguments {
  has(index: number): boolean;
  number(index: number): number;
  text(index: number): string;
  /** The place of an object in the memory of QuickJS, or 0 for another value. */
  object(index: number): Pointer;
  /** A copy of the bytes, or null where the script gave none. */
  bytes(index: number): Uint8Array | null;
}

/** Reads the values of a call. One object serves all calls, because none of them outlives its call. */
export class GivenToHost implements HostArguments {
  count = 0;
  list: Pointer = 0;
  readonly #quickJs: QuickJs;
  readonly #context: Pointer;
  readonly #undefined: Pointer;

  constructor(quickJs: QuickJs, context: Pointer) {
    this.#quickJs = quickJs;
    this.#context = context;
    this.#undefined = quickJs.functions._QTS_GetUndefined();
  }

  /** The first two values are the operation and the run. */
  #at(index: number): Pointer {
    return index + 2 < this.count ? this.list + (index + 2) * VALUE_SIZE : this.#undefined;
  }

  has(index: number): boolean {
    return index + 2 < this.count;
  }

  number(index: number): number {
    const at = this.#at(index) >> 2;
    const { words } = this.#quickJs;
    if (words[at + 1] === mark.integer) return words[at]! | 0;
    return this.#quickJs.functions._QTS_GetFloat64(this.#context, this.#at(index));
  }

  text(index: number): string {
    return this.#quickJs.textOf(this.#context, this.#at(index));
  }

  object(index: number): Pointer {
    const at = this.#at(index) >> 2;
    const { words } = this.#quickJs;
    return words[at + 1] === mark.object ? words[at]! : 0;
  }

  bytes(index: number): Uint8Array | null {
    if (!this.has(index)) return null;
    const { functions } = this.#quickJs;
    const pointer = functions._QTS_GetArrayBuffer(this.#context, this.#at(index));
    if (pointer === 0) return null;
    const bytes = this.#quickJs.copied(pointer, functions._QTS_GetArrayBufferLength(this.#context, this.#at(index)));
    functions._free(pointer); // QuickJS gave a copy
    return bytes;
  }
}
