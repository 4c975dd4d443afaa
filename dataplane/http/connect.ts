import { nativeBindings } from './native-handle.ts';
import { connectPipe, connectTcp } from './raw-wire.ts';
import { connectSocket } from './socket-wire.ts';
import type { Wire, WireOwner } from './wire.ts';

/** Connects to a numeric address or a Unix-domain socket, raw where this Node lets us. */
export function connectWire(
  to: { path: string } | { host: string; port: number },
  owner: WireOwner,
  done: (ok: boolean) => void,
): Wire {
  if (nativeBindings() === null) return connectSocket(to, owner, done);
  const opened = (ok: boolean): void => {
    if (ok) wire.opened();
    done(ok);
  };
  const wire = 'path' in to ? connectPipe(to.path, owner, opened) : connectTcp(to.host, to.port, owner, opened);
  return wire;
}
