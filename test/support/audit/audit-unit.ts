import { AuditState } from '../../../dataplane/audit/link/audit-state.ts';
import { ringMemory } from '../../../dataplane/audit/link/ring-layout.ts';
import { RingProducer } from '../../../dataplane/audit/link/ring-producer.ts';
import type { AuditHandlerSettings, AuditOrder } from '../../../dataplane/audit/writer/audit-orders.ts';

/** The unit's side of one audit service, without a unit. */
export class AuditUnit {
  readonly ring = ringMemory(256 << 10);
  readonly state = new AuditState(1);
  private readonly producer = new RingProducer(this.ring);
  private count = 0;

  open(
    handlers: readonly AuditHandlerSettings[],
    identity = 'main',
    service = 1,
    queryHandler: string | null = null,
    name = 'main',
  ): Extract<AuditOrder, { kind: 'audit-open' }> {
    const settings = { identity, name, realm: '', topics: ['access'], handlers, queryHandler };
    return { kind: 'audit-open', service, settings, ring: this.ring, state: this.state.buffer };
  }

  /** Writes an event with the next number as its id. */
  emit(fields: object = {}, service = 1): void {
    const json = JSON.stringify({ ...fields, _id: `${++this.count}` });
    const written = this.producer.write(service, 0, json);
    if (written === 'full') this.state.countFull(0);
    if (written === 'too-large') this.state.countTooLarge(0);
    if (written !== 'written') this.producer.reportUnwritten();
  }

  /** Writes a record of any service and topic. */
  record(service: number, topic: number): void {
    this.producer.write(service, topic, '{"_id":"x"}');
  }
}

/** Settings of a handler. */
export function handlerSettings(more: Partial<AuditHandlerSettings>): AuditHandlerSettings {
  return {
    name: 'handler',
    className: 'JsonStdoutAuditEventHandler',
    topics: ['access'],
    queue: { maxEvents: 1000, maxBytes: 1 << 20 },
    spool: null,
    whenFull: 'DROP',
    options: {},
    ...more,
  };
}
