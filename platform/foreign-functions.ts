/**
 * Functions of the system that Node.js has no binding for, called through `node:ffi`. It is experimental: who calls such a
 * function must know what to do without it. An address must be one that Node.js or the kernel gave, never one computed from
 * input.
 */
export interface ForeignFunctions {
  dlopen(
    path: null,
    signatures: Readonly<Record<string, Signature>>,
  ): { readonly functions: Readonly<Record<string, NativeFunction>>; close(): void };
  getRawPointer(memory: ArrayBufferLike): bigint;
  toArrayBuffer(pointer: bigint, length: number, copy: boolean): ArrayBuffer;
  getCurrentEventLoop(): bigint;
}

export type NativeFunction = (...given: readonly (number | bigint)[]) => number | bigint;
export type Signature = { readonly arguments: readonly string[]; readonly return: string };

export function signature(result: string, ...given: readonly string[]): Signature {
  return { arguments: given, return: result };
}

/** @returns null where this Node.js has none. */
export function foreignFunctions(): ForeignFunctions | null {
  const { emitWarning } = process;
  const silence = (): void => {}; // operators cannot do anything about what is experimental
  process.emitWarning = silence;
  try {
    return (process.getBuiltinModule('node:ffi' as 'node:os') as unknown as ForeignFunctions | undefined) ?? null;
  } finally {
    process.emitWarning = emitWarning;
  }
}
