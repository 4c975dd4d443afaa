import type { Logger } from 'pino';
import { PacedWarning } from '../../platform/paced-warning.ts';
import type { ControllerMetrics } from '../metrics/controller-metrics.ts';
import type { PeerForwarder } from '../publish/peers/peer-forwarder.ts';
import type { PlaneLedger } from '../publish/plane-ledger.ts';
import type { SessionListener } from '../publish/sessions/session-listener.ts';

export interface PlaneListenerParts {
  readonly log: Logger;
  /** Name of this controller. */
  readonly controller: string;
  readonly ledger: PlaneLedger;
  readonly forwarder: PeerForwarder;
  metrics(): ControllerMetrics;
  /** A data plane connected, and its routes are in the ledger. */
  connected(): void;
}

/** Passes what data planes report to the ledger, to the leader, to the metrics and to the log. */
export function planeListener(parts: PlaneListenerParts): SessionListener {
  const { log, controller, ledger, forwarder } = parts;
  const flood = new PacedWarning(log, 'data plane sends too many notices of ended sessions; some were dropped', {
    most: 1,
  });
  return {
    connected(facts) {
      log.info({ plane: facts.identity.name, group: facts.identity.group }, 'data plane connected');
      ledger.heard(facts, null);
      forwarder.heard(facts, null);
      parts.connected();
    },
    changed(facts, routes) {
      ledger.heard(facts, routes);
      forwarder.heard(facts, routes);
    },
    acknowledged(_, milliseconds) {
      parts.metrics().acknowledged(milliseconds);
    },
    nacked(facts, problems) {
      parts.metrics().refused(problems);
      log.warn({ plane: facts.identity.name, problems: problems.length }, 'data plane rejected part of the update');
    },
    tooManyNotices(facts, dropped) {
      flood.give({ plane: facts.identity.name, dropped });
    },
    closed(facts, reason) {
      log.info({ plane: facts.identity.name, reason }, 'data plane disconnected');
      ledger.left(facts.identity.id, controller);
      forwarder.left(facts.identity.id);
    },
  };
}
