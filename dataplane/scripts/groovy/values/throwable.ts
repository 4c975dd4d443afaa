import type { JavaClass, Obj, Value } from './java-class.ts';
import { chargeItems } from './meter.ts';

/** Bytes of an exception beside its message. */
const THROWABLE_BYTES = 312;

/** An exception of Java as a value. */
export class Throwable implements Obj {
  readonly javaClass: JavaClass;
  message: string | null;
  cause: Value;
  readonly suppressed: Value[] = [];
  /** Further facts that some classes have: `method` of a MissingMethodException, fields of a class that a script declares. */
  readonly details = new Map<string, Value>();

  /** Thrown where a script reads the message, if the message is not the one of Java. The gateway logs it as it is. */
  refusal: Throwable | null = null;

  /** The error that first carried it, whose stack names a line of the script. */
  origin: Error | null = null;

  constructor(javaClass: JavaClass, message: string | null, cause: Value = null) {
    chargeItems(1, THROWABLE_BYTES);
    this.javaClass = javaClass;
    this.message = message;
    this.cause = cause;
  }

  /** The message for scripts. */
  readMessage(): string | null {
    if (this.refusal !== null) throw new Thrown(this.refusal);
    return this.message;
  }

  text(): string {
    const { name } = this.javaClass;
    return this.message === null ? name : `${name}: ${this.message}`;
  }
}

/** Calls within the library until the code of the script. */
const MOST_FRAMES = 40;

/** Carries a Throwable through JavaScript. */
export class Thrown extends Error {
  readonly throwable: Throwable;

  constructor(throwable: Throwable) {
    const usual = Error.stackTraceLimit;
    Error.stackTraceLimit = MOST_FRAMES;
    super(throwable.message ?? throwable.javaClass.name);
    Error.stackTraceLimit = usual;
    this.throwable = throwable;
    throwable.origin ??= this;
  }
}
