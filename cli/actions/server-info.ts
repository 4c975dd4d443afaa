import type { JsonObject } from '../../contract/document/json-value.ts';
import { programVersion } from '../version.ts';

/** Returns facts about this server, with the members that clients of OpenIG look for. */
export function serverInfo(): JsonObject {
  const started = Math.round(performance.timeOrigin);
  return { version: programVersion(), revision: 'UNKNOWN', branch: 'UNKNOWN', timestamp: started };
}
