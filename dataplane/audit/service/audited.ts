import type { Exchange, Next } from '../../engine/message/exchange.ts';
import { refusalResponse } from '../../engine/message/response.ts';
import type { AuditedRoute, AuditService } from '../../heap/objects/audit-service.ts';
import { routePart } from '../events/route-part.ts';

/** Who records the requests of a document. */
export interface Auditing {
  /** The service of the document itself. */
  readonly service: AuditService;
  /**
   * Whether the service around the document records its requests, too: a tenant can add a record, and cannot switch off
   * that of an operator.
   */
  readonly isAdded: boolean;
}

/** Begins the record of an exchange. @param part names the route, or is empty */
export function beginRecord({ service, isAdded }: Auditing, exchange: Exchange, part: string): void {
  const outer = isAdded ? exchange.access : null;
  const { access } = service;
  exchange.access = access === null ? outer : access.enter(exchange, part, outer);
}

/** The handler of a document, behind its audit service; that of a document without one names the route only. */
export function audited(handler: Next, auditing: Auditing | null, route: AuditedRoute | null): Next {
  const part = route === null ? '' : routePart(route);
  if (auditing === null) {
    if (route === null) return handler;
    return function named(exchange) {
      if (exchange.access !== null) exchange.access.enterRoute(part);
      return handler(exchange);
    };
  }
  return function recorded(exchange) {
    if (exchange.access !== null) exchange.access.enterRoute(part);
    beginRecord(auditing, exchange, part);
    return auditing.service.refusesTraffic ? refusalResponse('audit-unavailable') : handler(exchange);
  };
}
