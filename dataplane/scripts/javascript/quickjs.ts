import { readFile } from 'node:fs/promises';
import loadQuickJs from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import type { Excess } from '../script-budget.ts';
import { KnownTexts } from './known-texts.ts';
import { CHECK, FUEL, meteredWasm, PASSING_ON } from './metered-wasm.ts';
import type { Pointer, QuickJsFunctions } from './quickjs-functions.ts';
import type { RunBudget } from './run-budget.ts';
import { type WasmGlobal, type WasmInstance, type WasmModule, type WasmTable, webAssembly } from './web-assembly.ts';

/** Turns of loops in QuickJS between two looks at the clock: a few milliseconds. */
const TURNS_PER_LOOK = 1_000_000;

/** Turns that a call of the host counts as. */
const TURNS_PER_CALL = 20_000;

/** Turns of the host that are counted together: reaching into the program takes longer than a short call. */
const MOST_CHARGED = 100_000;

/** Bytes that the host copies and works on in the time of one turn. */
const BYTES_PER_TURN = 8;

/** Milliseconds in which QuickJS may end a script by itself; after that its memory is given up. */
const GRACE = 20;

const PAGE = 65_536;

/** The program needs this memory to begin with; it is taken from the machine when it is written to. */
const FIRST_PAGES = 256;

/** Bytes for texts that go in, so that most of them need no memory of their own. */
const SCRATCH = 65_536;

/** Texts that are written character by character, because that is faster. */
const SHORT = 64;

/** Bytes of a value: a number or the place of an object, and a mark that tells what it is. */
export const VALUE_SIZE = 8;

/** Marks of values. */
export const mark = { integer: 0, text: 0xff_ff_ff_f9, object: 0xff_ff_ff_ff } as const;

/** Bytes in front of the characters of a text; the second four are its length. */
const TEXT_HEADER = 16;

/** Bit of the length of a text whose characters have two bytes. */
const WIDE = 0x80_00_00_00;

type QuickJsLoader = (options: object) => Promise<QuickJsFunctions>;

/** Answers calls of the one function of the host that a context has. */
export type HostCall = (count: number, list: Pointer) => Pointer;

/** QuickJS held the thread too long inside of one operation, so its memory cannot be used any more. */
export class QuickJsLost extends Error {
  constructor() {
    super('the memory of scripts was given up');
  }
}

let compiled: Promise<WasmModule> | null = null;

/** The program, rewritten so that it cannot hold the thread. */
function program(): Promise<WasmModule> {
  compiled ??= (async () => {
    const file = new URL(
      '../../../node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
      import.meta.url,
    );
    return webAssembly.compile(meteredWasm(await readFile(file)));
  })();
  return compiled;
}

/** QuickJS with memory of its own. */
export class QuickJs {
  /** Called once, when the memory is given up. */
  onLost: () => void = () => {};
  #isLost = false;
  readonly #functions: QuickJsFunctions;
  readonly #fuel: WasmGlobal;
  readonly #contexts = new Map<Pointer, HostCall>();
  readonly #scratch: Pointer;
  #bytes: Buffer;
  #words: Uint32Array;
  readonly #knownTexts = new KnownTexts();
  #running: RunBudget | null = null;
  /** Turns of the host that are not taken from the fuel yet. */
  #charged = 0;

  private constructor(functions: QuickJsFunctions, fuel: WasmGlobal) {
    this.#functions = functions;
    this.#fuel = fuel;
    this.#bytes = bufferOf(functions.HEAPU8);
    this.#words = new Uint32Array(functions.HEAPU8.buffer);
    functions.callbacks = {
      callFunction: (_: unknown, context: Pointer, _self: Pointer, count: number, list: Pointer) => {
        this.charge(TURNS_PER_CALL);
        return this.#contexts.get(context)?.(count, list) ?? 0;
      },
      shouldInterrupt: () => (this.#running?.isOver(0) === true ? 1 : 0),
      freeHostRef: () => undefined,
    };
    this.#scratch = functions._malloc(SCRATCH);
    fuel.value = TURNS_PER_LOOK;
  }

  /** @param mostBytes memory of all scripts that share it */
  static async create(mostBytes: number): Promise<QuickJs> {
    const module = await program();
    let exports: WasmInstance['exports'] = {};
    let made: QuickJs | null = null;
    const memory = new webAssembly.Memory({ initial: FIRST_PAGES, maximum: FIRST_PAGES + Math.ceil(mostBytes / PAGE) });
    const grow = memory.grow.bind(memory);
    // QuickJS cannot see how large its objects are in WebAssembly, so its own limit does not hold.
    const growWithin: typeof grow = (pages) => {
      if (made?.mayGrow(pages * PAGE) === false) throw new RangeError('the script has taken too much memory');
      return grow(pages);
    };
    memory.grow = growWithin;
    const options = {
      wasmMemory: memory,
      print: () => undefined,
      printErr: () => undefined,
      instantiateWasm(imports: object, done: (instance: WasmInstance) => void) {
        const instance = new webAssembly.Instance(module, imports);
        exports = instance.exports;
        const check = { a: { a: () => made?.check() } };
        const passing = new webAssembly.Instance(new webAssembly.Module(PASSING_ON), check);
        (exports[CHECK] as WasmTable).set(0, passing.exports['a']);
        done(instance);
        return exports;
      },
    };
    const functions = await (loadQuickJs as unknown as QuickJsLoader)(options);
    made = new QuickJs(functions, exports[FUEL] as WasmGlobal);
    return made;
  }

  /** Called when QuickJS has used up its turns. */
  check(): void {
    this.#charged = 0;
    this.#fuel.value = TURNS_PER_LOOK;
    if (this.#running?.isOver(GRACE) === true) throw new QuickJsLost();
  }

  /** The memory would grow for the run that is under way. */
  mayGrow(bytes: number): boolean {
    return this.#running?.grow(bytes) ?? true;
  }

  /** Ends the run that is under way. */
  expire(limit: Excess): void {
    this.#running?.expire(limit);
  }

  /** Counts work of the host. */
  charge(turns: number): void {
    this.#charged += turns;
    if (this.#charged < MOST_CHARGED) return;
    this.#fuel.value -= Math.min(this.#charged, TURNS_PER_LOOK);
    this.#charged = 0;
  }

  /** Bytes that this memory takes from the machine at most. */
  get size(): number {
    return this.#functions.HEAPU8.length;
  }

  /** Runs code of a script within its budget. @throws QuickJsLost */
  within<T>(budget: RunBudget, work: () => T): T {
    const before = this.resume(budget);
    try {
      return this.guarded(work);
    } finally {
      this.pause(budget, before);
    }
  }

  /** Begins to count for a budget. @returns the one that it counted for until now */
  resume(budget: RunBudget): RunBudget | null {
    const before = this.#running;
    this.#running = budget;
    budget.resume();
    return before;
  }

  /** Counts for the budget before it. */
  pause(budget: RunBudget, before: RunBudget | null): void {
    budget.pause();
    this.#running = before;
  }

  /** @throws QuickJsLost after any failure of the program itself */
  guarded<T>(work: () => T): T {
    if (this.isLost) throw new QuickJsLost();
    try {
      return work();
    } catch (error) {
      throw this.lost(error);
    }
  }

  /** The program failed: nobody knows the state of its memory. */
  lost(error: unknown): QuickJsLost {
    this.giveUp();
    return error instanceof QuickJsLost ? error : new QuickJsLost();
  }

  /** True once an operation was broken off, or nobody needs the memory any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Makes this memory useless. */
  giveUp(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.onLost();
  }

  get functions(): QuickJsFunctions {
    return this.#functions;
  }

  /** Contexts that are open. */
  get contexts(): number {
    return this.#contexts.size;
  }

  listen(context: Pointer, call: HostCall | null): void {
    if (call === null) this.#contexts.delete(context);
    else this.#contexts.set(context, call);
  }

  /** The memory as numbers of four bytes. */
  get words(): Uint32Array {
    if (this.#words.length === 0) this.#words = new Uint32Array(this.#functions.HEAPU8.buffer);
    return this.#words;
  }

  /** The memory, which moves when it grows: nothing is left in the place where it was. */
  get #memory(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = bufferOf(this.#functions.HEAPU8);
    return this.#bytes;
  }

  /** Makes a text in a context. @returns null without room for it */
  newText(context: Pointer, text: string): Pointer | null {
    const made =
      3 * text.length < SCRATCH
        ? this.#functions._QTS_NewString(context, this.#written(text))
        : this.lend(text, (pointer) => this.#functions._QTS_NewString(context, pointer));
    if (made === null || this.words[(made >> 2) + 1] === mark.text) return made;
    for (const each of [this.#functions._QTS_ResolveException(context, made), made])
      this.#functions._QTS_FreeValuePointer(context, each);
    return null;
  }

  #written(text: string): Pointer {
    this.#write(text, this.#scratch);
    return this.#scratch;
  }

  /** Writes a text for the time of one call. @returns the result of the call, or null without room for the text */
  lend(text: string, use: (pointer: Pointer, length: number) => Pointer): Pointer | null {
    const most = 3 * text.length + 1;
    if (most <= SCRATCH) return use(this.#scratch, this.#write(text, this.#scratch));
    const length = Buffer.byteLength(text);
    const pointer = this.#functions._malloc(length + 1);
    if (pointer === 0) return null;
    try {
      return use(pointer, this.#write(text, pointer));
    } finally {
      this.#functions._free(pointer);
    }
  }

  #write(text: string, pointer: Pointer): number {
    const memory = this.#memory;
    let end = pointer;
    if (text.length <= SHORT) {
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code >= 0x80) break;
        memory[end++] = code;
      }
    }
    if (end - pointer < text.length) end = pointer + memory.write(text, pointer);
    memory[end] = 0;
    return end - pointer;
  }

  /** Reads the text of a value. */
  textOf(context: Pointer, value: Pointer): string {
    const at = value >> 2;
    if (this.words[at + 1] === mark.text) return this.#characters(this.words[at]! + TEXT_HEADER);
    // Texts that were put together, and other values: QuickJS writes them as UTF-8.
    const pointer = this.#functions._QTS_GetString(context, value);
    if (pointer === 0) return '';
    const length = this.#lengthAt(pointer);
    this.charge(length / BYTES_PER_TURN);
    const text = this.#memory.toString('utf8', pointer, pointer + length);
    this.#functions._QTS_FreeCString(context, pointer);
    return text;
  }

  #lengthAt(characters: Pointer): number {
    return this.words[(characters - TEXT_HEADER + 4) >> 2]! & ~WIDE;
  }

  #characters(start: Pointer): string {
    const length = this.#lengthAt(start);
    const isWide = (this.words[(start - TEXT_HEADER + 4) >> 2]! & WIDE) !== 0;
    this.charge(length / BYTES_PER_TURN);
    if (isWide) return this.#memory.toString('utf16le', start, start + 2 * length).toWellFormed();
    return this.#knownTexts.read(this.#memory, start, length);
  }

  /** True if values and texts are in the memory as we read and write them. */
  isKnown(context: Pointer): boolean {
    const isRead = ['gateway', 'gäte', 'wärden \u{1f6aa}'].every((text) => {
      const made = this.newText(context, text);
      const read = made === null ? null : this.textOf(context, made);
      if (made !== null) this.#functions._QTS_FreeValuePointer(context, made);
      return read === text;
    });
    return isRead && this.#functions._QTS_ArgvGetJSValueConstPointer(0, 1) === VALUE_SIZE;
  }

  /** Reads a text that ends with a zero. */
  text(pointer: Pointer): string {
    const memory = this.#memory;
    const end = memory.indexOf(0, pointer);
    this.charge((end - pointer) / BYTES_PER_TURN);
    return memory.toString('utf8', pointer, end);
  }

  /** A copy of bytes in the memory. */
  copied(pointer: Pointer, length: number): Uint8Array {
    this.charge(length / BYTES_PER_TURN);
    return new Uint8Array(this.#memory.subarray(pointer, pointer + length));
  }

  /** Copies bytes into the memory. @returns null without room for them */
  place(bytes: Uint8Array): Pointer | null {
    const pointer = this.#functions._malloc(Math.max(1, bytes.length));
    if (pointer === 0) return null;
    this.#memory.set(bytes, pointer);
    return pointer;
  }
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> {
  return Buffer.from(buffer, byteOffset, length);
}
