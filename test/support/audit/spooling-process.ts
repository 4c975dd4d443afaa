/** Run by a test as a process: offers events to a delivery whose destination takes none, and prints when they are safe. */
import { pino } from 'pino';
import { WrittenEvent } from '../../../dataplane/audit/writer/audit-event.ts';
import { Undelivered } from '../../../dataplane/audit/writer/audit-sink.ts';
import { Delivery } from '../../../dataplane/audit/writer/delivery.ts';
import { HandlerAccounts } from '../../../dataplane/audit/writer/handler-accounts.ts';
import { handlerSettings } from './audit-unit.ts';

const [directory, events] = process.argv.slice(2);
if (directory !== undefined) {
  const delivery = new Delivery({
    settings: handlerSettings({ queue: { maxEvents: 5, maxBytes: 1 << 20 }, spool: { directory, maxSize: 1 << 20 } }),
    service: 'main',
    accounts: new HandlerAccounts(),
    log: pino({ level: 'silent' }),
    openSink: () => ({
      batch: { events: 10, bytes: 1 << 20 },
      async deliver() {
        throw new Undelivered({ delivered: 0, message: 'down' });
      },
      async close() {},
    }),
    refuse() {},
  });
  for (let n = 1; n <= Number(events); n++) delivery.offer(new WrittenEvent('access', Buffer.from(`{"_id":"${n}"}`)));
  delivery.flush();
  process.stdout.write('flushed\n');
  setInterval(() => {}, 1000);
}
