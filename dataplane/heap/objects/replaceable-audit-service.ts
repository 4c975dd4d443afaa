import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { AccessRecording, AuditService } from './audit-service.ts';

/** Stands for an audit service that routes share, whichever version of it there is. */
export class ReplaceableAuditService implements AuditService {
  private current: AuditService;

  constructor(first: AuditService) {
    this.current = first;
  }

  replace(next: AuditService): void {
    this.current = next;
  }

  get access(): AccessRecording | null {
    return this.current.access;
  }

  get refusesTraffic(): boolean {
    return this.current.refusesTraffic;
  }

  publish(topic: string, event: JsonObject, exchange: Exchange | null): readonly Problem[] {
    return this.current.publish(topic, event, exchange);
  }
}
