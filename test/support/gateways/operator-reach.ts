import type { Reach } from '../../../contract/reach.ts';
import { operatorReach as reachOf } from '../../../dataplane/unit/operator-reach.ts';

/** What an operator's document reaches in a test: the files of the machine, and only these variables and properties. */
export function operatorReach(
  env: Readonly<Record<string, string>> = {},
  system: Readonly<Record<string, string>> = {},
  instance = '/nowhere',
): Reach {
  return reachOf({ env, system, directories: { instance, config: `${instance}/config`, temp: `${instance}/tmp` } });
}
