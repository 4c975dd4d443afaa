import { z } from 'zod';
import { duration, integer } from '../../contract/vocabulary/configured.ts';
import { defineService } from '../heap/definition.ts';
import type { SharedMemory } from '../heap/shared-memory.ts';
import { cookieFields } from './cookie-fields.ts';
import { HeldSessions } from './held-sessions.ts';
import { ManagedSessions } from './managed-sessions.ts';
import { realmCookie } from './realm-cookie.ts';
import { SessionCookie } from './session-cookie.ts';
import { SessionMemory } from './session-memory.ts';
import { SessionTable } from './session-table.ts';

/** Keeps sessions in the memory of the process. */
export const inMemorySessionManager = defineService({
  type: 'InMemorySessionManager',
  kind: 'sessionManager',
  summary:
    'Keeps sessions in the memory of the gateway, shared by all its units; a cookie holds a random id. Sessions end with ' +
    'the process, and other instances do not know them. The default object `Session`, which keeps the sessions of routes ' +
    'without `session`, is one outside of a cluster. A session begins when a filter or an expression sets its first value. When there is no ' +
    'room, new sessions are refused with 503 and those that exist are kept. Parallel requests may change different ' +
    'values of one session. The sessions of each tenant have memory of their own.',
  config: z.strictObject({
    cookie: cookieFields('IG_SESSIONID').prefault({}).describe('The cookie with the id.'),
    sessionTimeout: duration()
      .prefault('30 minutes')
      .describe('Time after which a session ends that no request has opened.'),
    maximumLifetime: duration().prefault('12 hours').describe('Time after which every session ends, used or not.'),
    maximumSessions: integer({ min: 1, max: 1_000_000 }).default(10_000).describe('Most sessions at a time.'),
    maximumBytes: integer({ min: 4096, max: 2 ** 30 })
      .default(64 << 20)
      .describe('Most bytes of the values of all sessions together; memory is taken when sessions need it.'),
  }),
  examples: [
    {
      title: 'Sessions that end after ten minutes without a request',
      config: { sessionTimeout: '10 minutes', cookie: { name: '__Host-session', secure: true } },
    },
  ],
  create(config, parts) {
    const limits = { sessions: config.maximumSessions, bytes: config.maximumBytes };
    const lives = { idle: config.sessionTimeout.milliseconds, absolute: config.maximumLifetime.milliseconds };
    const tables = new Map<string, SessionTable>();
    const memories: SharedMemory[] = [];
    parts.onClose(() => {
      for (const memory of memories) memory.release();
    });

    function tableOf(realm: string): SessionTable {
      const known = tables.get(realm);
      if (known !== undefined) return known;
      const name = JSON.stringify(['sessions', parts.identity, realm]);
      const memory = parts.plane.sharedMemory(name, SessionMemory.bytes(limits));
      memories.push(memory);
      const table = new SessionTable(memory.buffer, limits, lives);
      tables.set(realm, table);
      return table;
    }

    return {
      sessions(owner) {
        const cookie = new SessionCookie(realmCookie(config.cookie, owner));
        const names = {
          cookieName: cookie.name,
          configuredName: config.cookie.name,
          cookieScope: config.cookie,
        };
        return new ManagedSessions(names, new HeldSessions(() => tableOf(owner.realm), cookie, owner.realm), parts);
      },
    };
  },
});
