import type { Refusal } from '../message/refusal.ts';
import { nativeBindings } from './native-handle.ts';
import { connectPipe, connectTcp } from './raw-wire.ts';
import { connectSocket } from './socket-wire.ts';
import type { Wire, WireOwner } from './wire.ts';

/** The protocols that a backend can be spoken to in. */
export type Protocol = 'http/1.1' | 'h2';

/** Why there is no connection; the reason is for the log. */
export interface ConnectFailure {
  readonly refusal: Refusal;
  readonly reason: string;
}

/** How an attempt to connect ended: open, with the protocol that both sides agreed on, or why not. */
export type ConnectResult = Protocol | ConnectFailure;

/** Starts to connect; what is sent before `done` hears of a protocol waits. */
export type Connect = (
  to: { readonly path: string } | { readonly host: string; readonly port: number },
  owner: WireOwner,
  done: (result: ConnectResult) => void,
) => Wire;

/** Connects to a numeric address or a Unix-domain socket, raw where this Node lets us. */
export const connectWire: Connect = (to, owner, done) => {
  const tell = (ok: boolean): void =>
    done(
      ok
        ? 'http/1.1'
        : { refusal: 'backend-connect', reason: 'the connection was refused or could not be established' },
    );
  if (nativeBindings() === null) return connectSocket(to, owner, tell);
  const opened = (ok: boolean): void => {
    if (ok) wire.opened();
    tell(ok);
  };
  const wire = 'path' in to ? connectPipe(to.path, owner, opened) : connectTcp(to.host, to.port, owner, opened);
  return wire;
};
