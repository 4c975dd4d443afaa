/** `npm run bench:sessions`: what a session in memory takes beside its content. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SessionMemory } from '../dataplane/sessions/session-memory.ts';
import { SessionTable } from '../dataplane/sessions/session-table.ts';
import { scriptOptions } from '../platform/script-options.ts';

const LIMITS = { sessions: 100_000, bytes: 1 << 29 };
const LIVES = { idle: 3_600_000, absolute: 3_600_000 };
const CONTENTS = [300, 3000];

/** Resident memory in bytes: shared memory counts once it was written to. */
function resident(): number {
  global.gc?.();
  global.gc?.();
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))![1]) * 1024;
}

/** Kept, so that none of them is given back while the next one is measured. */
const tables: SessionTable[] = [];

/** Bytes that each of so many sessions takes more than its content. */
function measure(sessions: number, length: number): number {
  const text = JSON.stringify({ token: 'x'.repeat(length) });
  const table = new SessionTable(new SharedArrayBuffer(SessionMemory.bytes(LIMITS)), LIMITS, LIVES);
  tables.push(table);
  const before = resident();
  for (let at = 0; at < sessions; at++) {
    if (!table.create(randomBytes(24).toString('base64url'), text)) throw new Error(`no room for session ${at}`);
  }
  return (resident() - before) / sessions - text.length;
}

const USAGE = `usage: npm run bench:sessions -- [SESSIONS]
Measures the memory of sessions that the gateway keeps in memory.
  SESSIONS  how many there are (10000)
`;
const [sessions = '10000'] = scriptOptions(USAGE, {}, 1).words;
for (const length of CONTENTS) {
  const bytes = Math.round(measure(Number(sessions), length));
  console.log(`${sessions} sessions of ${length} bytes: ${bytes} bytes each beside their content`);
}
