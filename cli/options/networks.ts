import { trustedProxies } from '../../dataplane/engine/client/trusted-proxies.ts';
import { errorText } from '../../platform/error-text.ts';
import type { Reading } from '../commands/command.ts';

/** Digits only: `Number` also reads '0x8', '1e1' and blanks, and a zone such as %eth0 has no place in a range. */
const plain = /^[0-9a-fA-F:.]+(?:\/\d{1,3})?$/;

/** Reads a comma-separated list of networks such as `10.0.0.0/8,::1`, or the word `none`; the engine judges each. */
export function readNetworks(text: string): Reading<readonly string[]> {
  if (text === 'none') return { value: [] };
  const networks = text.split(',').map((network) => network.trim());
  const strange = networks.filter((network) => !plain.test(network));
  if (strange.length > 0) return { problem: `must list networks such as 10.0.0.0/8,::1, not '${strange.join(', ')}'` };
  try {
    trustedProxies(networks);
    return { value: networks };
  } catch (error) {
    return { problem: `must list networks such as 10.0.0.0/8,::1 (${errorText(error)})` };
  }
}
