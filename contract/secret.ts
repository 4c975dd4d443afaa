import { timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** Bytes that must not be seen: they can be used and compared, but not printed, serialised or inspected. */
export class Secret {
  readonly #bytes: Uint8Array;

  constructor(value: string | Uint8Array) {
    this.#bytes = typeof value === 'string' ? new TextEncoder().encode(value) : Uint8Array.from(value);
  }

  /** Hands the bytes to what needs them; whoever takes them answers for where they go. */
  reveal(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  /** Compares in a time that says nothing about where the two differ. */
  equals(other: string | Uint8Array): boolean {
    const bytes = typeof other === 'string' ? new TextEncoder().encode(other) : other;
    return bytes.length === this.#bytes.length && timingSafeEqual(bytes, this.#bytes);
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.toPrimitive](): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
