import { BIG_DECIMAL, BIG_INTEGER, BYTE, CHARACTER, DOUBLE, FLOAT, SHORT } from './core-classes.ts';
import type { JavaClass, Obj } from './java-class.ts';

/** Numbers that are neither Integer (a JavaScript number) nor Long (a bigint). Each is immutable. */

export class Double implements Obj {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  get javaClass(): JavaClass {
    return DOUBLE;
  }
}

export class Float implements Obj {
  readonly value: number;
  constructor(value: number) {
    this.value = Math.fround(value);
  }
  get javaClass(): JavaClass {
    return FLOAT;
  }
}

export class Short implements Obj {
  readonly value: number;
  constructor(value: number) {
    this.value = (value << 16) >> 16;
  }
  get javaClass(): JavaClass {
    return SHORT;
  }
}

export class Byte implements Obj {
  readonly value: number;
  constructor(value: number) {
    this.value = (value << 24) >> 24;
  }
  get javaClass(): JavaClass {
    return BYTE;
  }
}

/** A UTF-16 unit. */
export class Char implements Obj {
  readonly code: number;
  constructor(code: number) {
    this.code = code & 0xffff;
  }
  get javaClass(): JavaClass {
    return CHARACTER;
  }
}

export class BigInteger implements Obj {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
  get javaClass(): JavaClass {
    return BIG_INTEGER;
  }
}

/** `unscaled` × 10^-`scale`. */
export class BigDecimal implements Obj {
  readonly unscaled: bigint;
  readonly scale: number;
  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled;
    this.scale = scale;
  }
  get javaClass(): JavaClass {
    return BIG_DECIMAL;
  }
}
