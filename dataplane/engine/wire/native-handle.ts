/**
 * Node's TCP and pipe handles without the stream machinery around them: a third of the cost of a proxied request is
 * spent there. This is not a public interface, so it lives in this file alone, is probed before use, and where it is
 * missing or has changed `socket-wire.ts` does the same with public calls.
 */

/** A libuv stream as Node's binding shows it. */
export interface NativeHandle {
  onread: (this: NativeHandle) => Uint8Array | undefined;
  readonly writeQueueSize: number;
  /** The descriptor, or -1. */
  readonly fd: number;
  readStart(): number;
  readStop(): number;
  useUserBuffer(buffer: Uint8Array): void;
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number;
  shutdown(request: ShutdownRequest): number;
  close(done?: () => void): void;
  reset?(done?: () => void): number;
  setNoDelay?(on: boolean): number;
  getpeername?(into: Endpoint): number;
  getsockname?(into: Endpoint): number;
  connect(request: ConnectRequest, address: string, port?: number): number;
  connect6?(request: ConnectRequest, address: string, port: number): number;
  /** The wire that owns this handle; set by us. */
  wire: unknown;
}
export interface Endpoint {
  address?: string;
  port?: number;
  family?: string;
}
export interface WriteRequest {
  oncomplete: ((status: number, handle: unknown, error: unknown) => void) | null;
  /** Ours: who waits, what must stay untouched, and what may be reused afterwards. */
  wire: unknown;
  bytes: Uint8Array;
  pinned: Buffer | null;
  block: Buffer | null;
}
export interface ShutdownRequest {
  oncomplete: ((status: number) => void) | null;
}
export interface ConnectRequest {
  oncomplete: ((status: number, handle: unknown, request: unknown) => void) | null;
  /** `net` sets these; the binding only reads them for diagnostics. */
  address: string;
  port: number;
}

/** Parts of the native bindings that the engine uses. */
export interface NativeBindings {
  /** Slot 0: bytes read or a negative error. */
  readonly state: Int32Array;
  readonly readSlot: number;
  readonly asyncSlot: number;
  newWrite(): WriteRequest;
  newShutdown(): ShutdownRequest;
  newTcp(): NativeHandle;
  newTcpConnect(): ConnectRequest;
  newPipe(): NativeHandle;
  newPipeConnect(): ConnectRequest;
}

interface Binding {
  [name: string]: unknown;
}
type Constructor<T> = new (kind?: number) => T;

function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function';
}

const HANDLE_METHODS = ['readStart', 'readStop', 'useUserBuffer', 'writeBuffer', 'shutdown', 'close', 'connect'];

/** @returns the bindings, or null where this Node does not have them as we know them. */
export function probeNativeBindings(): NativeBindings | null {
  const binding = (process as unknown as { binding?: (name: string) => Binding }).binding;
  if (!isFunction(binding)) return null;
  try {
    const stream = binding('stream_wrap');
    const tcp = binding('tcp_wrap');
    const pipe = binding('pipe_wrap');
    const state = stream['streamBaseState'];
    const readSlot = stream['kReadBytesOrError'];
    const asyncSlot = stream['kLastWriteWasAsync'];
    if (!(state instanceof Int32Array) || typeof readSlot !== 'number' || typeof asyncSlot !== 'number') return null;
    const constructors = [stream['WriteWrap'], stream['ShutdownWrap'], tcp['TCP'], tcp['TCPConnectWrap'], pipe['Pipe']];
    if (![...constructors, pipe['PipeConnectWrap']].every(isFunction)) return null;
    const Tcp = tcp['TCP'] as Constructor<NativeHandle>;
    const Pipe = pipe['Pipe'] as Constructor<NativeHandle>;
    const WriteWrap = stream['WriteWrap'] as Constructor<WriteRequest>;
    const ShutdownWrap = stream['ShutdownWrap'] as Constructor<ShutdownRequest>;
    const TcpConnect = tcp['TCPConnectWrap'] as Constructor<ConnectRequest>;
    const PipeConnect = pipe['PipeConnectWrap'] as Constructor<ConnectRequest>;
    for (const kind of [Tcp, Pipe]) {
      for (const method of HANDLE_METHODS) if (!isFunction(Reflect.get(kind.prototype, method))) return null;
    }
    const SOCKET = 0;
    return {
      state,
      readSlot,
      asyncSlot,
      newWrite: () => new WriteWrap(),
      newShutdown: () => new ShutdownWrap(),
      newTcp: () => new Tcp(SOCKET),
      newTcpConnect: () => new TcpConnect(),
      newPipe: () => new Pipe(SOCKET),
      newPipeConnect: () => new PipeConnect(),
    };
  } catch {
    return null;
  }
}

let known: NativeBindings | null | undefined;

/** The bindings of this thread; `GATEWARDEN_WIRES=public` turns them off. */
export function nativeBindings(): NativeBindings | null {
  if (known === undefined) known = process.env['GATEWARDEN_WIRES'] === 'public' ? null : probeNativeBindings();
  return known;
}

/** A server's handle as Node's binding shows it. */
export interface NativeServer {
  onconnection: (status: number, client: NativeHandle | undefined) => void;
  listen?(backlog: number): number;
}

/** The handle of a server that listens, or null where this Node does not have it as we know it. */
export function serverHandle(server: object): NativeServer | null {
  const handle = (server as { readonly _handle?: NativeServer | null })._handle;
  return nativeBindings() !== null && typeof handle?.onconnection === 'function' ? handle : null;
}

/** Where one end of a connection is; empty for handles that have no address, and for none. */
export function endpointOf(
  handle: NativeHandle | null,
  call: 'getpeername' | 'getsockname',
): { address: string; port: number } {
  const into: Endpoint = {};
  if (handle?.[call] === undefined || handle[call](into) !== 0) return { address: '', port: 0 };
  return { address: into.address ?? '', port: into.port ?? 0 };
}
