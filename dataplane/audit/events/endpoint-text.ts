import type { AccessFacts } from '../../engine/message/exchange.ts';
import type { Endpoint } from '../../engine/wire/wire.ts';
import { inOnePiece, jsonText } from './json-text.ts';

/** Members of connections by their remote ends: all requests of a connection have the same. */
const known = new WeakMap<Endpoint, { readonly local: Endpoint; readonly text: string }>();

/**
 * The members `server` and `client` of an event.
 *
 * @param address that of the client by the word of a trusted proxy; null where that of the connection is right
 */
export function endpointText({ remote, local }: AccessFacts, address: string | null): string {
  if (address !== null) return `${serverText(local)},"client":{"ip":${jsonText(address)},"port":0}`;
  const found = known.get(remote);
  if (found !== undefined && found.local === local) return found.text;
  const text = inOnePiece(`${serverText(local)},"client":{"ip":${jsonText(remote.address)},"port":${remote.port}}`);
  known.set(remote, { local, text });
  return text;
}

function serverText({ address, port }: Endpoint): string {
  return `"server":{"ip":${jsonText(address)},"port":${port}}`;
}
