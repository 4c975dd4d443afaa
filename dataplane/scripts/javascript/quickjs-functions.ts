/** Numbers of values and of runtimes in the memory of QuickJS. */
export type Pointer = number;

/** Functions of QuickJS that we use. */
export interface QuickJsFunctions {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  callbacks: object;
  _malloc(size: number): Pointer;
  _free(pointer: Pointer): void;
  _QTS_NewRuntime(): Pointer;
  _QTS_FreeRuntime(runtime: Pointer): void;
  _QTS_RuntimeSetMemoryLimit(runtime: Pointer, bytes: number): void;
  _QTS_RuntimeSetMaxStackSize(runtime: Pointer, bytes: number): void;
  _QTS_RuntimeEnableInterruptHandler(runtime: Pointer): void;
  _QTS_RuntimeComputeMemoryUsage(runtime: Pointer, context: Pointer): Pointer;
  _QTS_NewContext(runtime: Pointer, intrinsics: number): Pointer;
  _QTS_FreeContext(context: Pointer): void;
  _QTS_FreeValuePointer(context: Pointer, value: Pointer): void;
  _QTS_GetUndefined(): Pointer;
  _QTS_NewFloat64(context: Pointer, value: number): Pointer;
  _QTS_GetFloat64(context: Pointer, value: Pointer): number;
  _QTS_NewString(context: Pointer, text: Pointer): Pointer;
  _QTS_GetString(context: Pointer, value: Pointer): Pointer;
  _QTS_FreeCString(context: Pointer, text: Pointer): void;
  _QTS_NewArrayBuffer(context: Pointer, bytes: Pointer, length: number): Pointer;
  _QTS_GetArrayBuffer(context: Pointer, value: Pointer): Pointer;
  _QTS_GetArrayBufferLength(context: Pointer, value: Pointer): number;
  _QTS_ArgvGetJSValueConstPointer(list: Pointer, index: number): Pointer;
  _QTS_GetPropNumber(context: Pointer, value: Pointer, index: number): Pointer;
  _QTS_PromiseState(context: Pointer, promise: Pointer): number;
  _QTS_PromiseResult(context: Pointer, promise: Pointer): Pointer;
  _QTS_IsJobPending(runtime: Pointer): number;
  _QTS_ExecutePendingJob(runtime: Pointer, most: number, context: Pointer): Pointer;
  _QTS_Call(context: Pointer, callee: Pointer, self: Pointer, count: number, args: Pointer): Pointer;
  _QTS_ResolveException(context: Pointer, value: Pointer): Pointer;
  _QTS_Dump(context: Pointer, value: Pointer): Pointer;
  _QTS_Eval(ctx: Pointer, code: Pointer, length: number, name: Pointer, module: number, flags: number): Pointer;
  _QTS_NewFunction(context: Pointer, name: Pointer, count: number, isConstructor: number, id: number): Pointer;
}
