import { hostname } from 'node:os';
import { errorText } from '../../../../platform/error-text.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { type AuditSink, type OpenSink, type RefusedEvent, Undelivered } from '../../writer/audit-sink.ts';
import { DatagramSender } from './datagram-sender.ts';
import { StreamSender } from './stream-sender.ts';
import { type MessageFormat, syslogMessage } from './syslog-message.ts';
import type { SyslogOptions, SyslogSender } from './syslog-sender.ts';

const BATCH = { events: 500, bytes: 1024 ** 2 };

/** Sends events to a syslog server. The protocol has no acknowledgement: what the system took counts as delivered. */
export const openSyslogSink: OpenSink = (options, context): AuditSink => {
  const settings = options as SyslogOptions;
  const { facility, mappings, appName, maxMessageSize: maxSize, protocol } = settings;
  const format: MessageFormat = { facility, mappings, hostname: hostname(), appName, processId: process.pid, maxSize };
  const { mayReach } = context;
  const sender: SyslogSender =
    protocol === 'UDP' ? new DatagramSender({ ...settings, mayReach }) : new StreamSender({ ...settings, mayReach });

  return {
    batch: BATCH,
    open: () => sender.open(),
    async close() {
      sender.close();
    },
    async deliver(batch) {
      const refused: RefusedEvent[] = [];
      const places: number[] = [];
      const messages: Buffer[] = [];
      batch.forEach((event: AuditEvent, at) => {
        const message = syslogMessage(event, format, context.now());
        if (message === null) {
          refused.push({ at, reason: `the message cannot be cut to maxMessageSize (${maxSize} bytes)` });
          return;
        }
        places.push(at);
        messages.push(message);
      });
      const failure = await sender.send(messages).then(
        () => null,
        (error: unknown) => errorText(error),
      );
      for (const one of sender.tooLarge) {
        refused.push({ at: places[one]!, reason: `a datagram of ${messages[one]!.length} bytes is too large` });
      }
      if (failure === null) return refused;
      const delivered = sender.sent < places.length ? places[sender.sent]! : batch.length;
      throw new Undelivered({ delivered, message: failure, refused: refused.filter(({ at }) => at < delivered) });
    },
  };
};
