import { isInNetwork, readIpAddress, readIpNetwork } from '../../ip-address.ts';
import type { FunctionRows } from '../language.ts';
import { EvaluationError, type Value } from '../value.ts';

/** Whether an address lies in a network; a text that is no address lies in none, but a network must be one. */
export const ipFunctions: FunctionRows = [['ipMatch', { takes: 'two', first: 'text', second: 'text', call: ipMatch }]];

function ipMatch(address: Value, network: Value): Value {
  const known = typeof network === 'string' ? readIpNetwork(network) : null;
  if (known === null) throw new EvaluationError(`'${network}' is not a network such as 10.0.0.0/8`);
  const candidate = typeof address === 'string' ? readIpAddress(address) : null;
  return candidate !== null && isInNetwork(candidate, known);
}
