import { nativeBindings } from './native-handle.ts';
import { connectPipe, connectTcp } from './raw-wire.ts';
import { connectSocket } from './socket-wire.ts';
import type { Wire, WireOwner } from './wire.ts';

/** Starts to connect; what is sent before `done` says true waits. */
export type Connect = (
  to: { readonly path: string } | { readonly host: string; readonly port: number },
  owner: WireOwner,
  done: (ok: boolean) => void,
) => Wire;

/** Connects to a numeric address or a Unix-domain socket, raw where this Node lets us. */
export const connectWire: Connect = (to, owner, done) => {
  if (nativeBindings() === null) return connectSocket(to, owner, done);
  const opened = (ok: boolean): void => {
    if (ok) wire.opened();
    done(ok);
  };
  const wire = 'path' in to ? connectPipe(to.path, owner, opened) : connectTcp(to.host, to.port, owner, opened);
  return wire;
};
