/** The parts of WebAssembly that we use: the types of Node.js do not have them. */
interface WebAssemblyApi {
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<WasmModule>;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
  Instance: new (module: WasmModule, imports: object) => WasmInstance;
  Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
}

export interface WasmMemory {
  grow(pages: number): number;
}

export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

/** A number of a running program. */
export interface WasmGlobal {
  value: number;
}

/** Functions that a running program finds by number. */
export interface WasmTable {
  set(index: number, callee: unknown): void;
}

export const { WebAssembly: webAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi };
