import type { Logger } from 'pino';
import type { SharedResources } from '../../contract/shared-resources.ts';
import { SESSION_KEYS } from '../../contract/snapshot.ts';
import type { Heap } from '../heap/heap.ts';
import type { SessionManager } from '../heap/objects/sessions.ts';
import type { GroupKeys } from './group-keys.ts';
import { groupSessions } from './group-sessions.ts';

const NAME = 'Session';

/** Puts the sessions of the plane group in the place of the default object `Session`, which keeps them without keys. */
export function lendDefaultSession(defaults: Heap, keys: GroupKeys, log: Logger): void {
  const object = defaults.scope.objects.get(NAME);
  if (object === undefined) return;
  const inMemory = defaults.get(object) as SessionManager;
  const { type } = object.definition;
  const qualifiedName = `${defaults.scope.name}.${NAME}`;
  defaults.lend(NAME, groupSessions(keys, inMemory, { log, type, qualifiedName }));
}

/** Takes the session keys from the shared resources that are held. */
export function useSessionKeys(
  keys: GroupKeys,
  held: SharedResources,
  { log, unit = 0 }: { readonly log: Logger; readonly unit?: number },
): void {
  const resource = held.get(SESSION_KEYS);
  const isOther = keys.use(resource?.type === 'session-keys' ? resource : null);
  if (!isOther || unit !== 0) return;
  if (keys.ciphers !== null) log.info('default sessions are sealed with the keys of the plane group');
  else log.warn('no session keys; default sessions are kept in memory, and other data planes do not know them');
}
