/** Run by a test as a process whose files are limited in size: delivers more events than fit, and prints the failure. */
import { pino } from 'pino';
import { openJsonFileSink } from '../../../dataplane/audit/handlers/json/json-file-sink.ts';
import { WrittenEvent } from '../../../dataplane/audit/writer/audit-event.ts';
import type { Undelivered } from '../../../dataplane/audit/writer/audit-sink.ts';

const directory = process.argv[2];
if (directory !== undefined) {
  process.on('SIGXFSZ', () => {}); // the write fails instead
  const retention = { maxFiles: null, maxBytes: null, minFreeBytes: null };
  const options = { directory, rotation: null, retention, checkInterval: 60_000 };
  const sink = openJsonFileSink(
    { ...options, elasticsearchCompatible: false, mostEvents: 1000, writeInterval: 0 },
    {
      log: pino({ level: 'silent' }),
      name: 'files',
      service: 'main',
      realm: '',
      mayReach: () => false,
      writeStdout: async () => {},
      now: () => Date.now(),
    },
  );
  const event = (n: number): WrittenEvent =>
    new WrittenEvent('access', Buffer.from(`{"text":"${'x'.repeat(300)}","_id":"${n}"}`));
  let delivered = 0;
  for (let n = 0; n < 100; n += 5) {
    try {
      await sink.deliver([0, 1, 2, 3, 4].map((more) => event(n + more)));
      delivered += 5;
    } catch (error) {
      const { delivered: safe, message } = error as Undelivered;
      process.stdout.write(JSON.stringify({ delivered: delivered + safe, message }));
      break;
    }
  }
  await sink.close();
}
