import type { JsonValue } from '../../contract/document/json-value.ts';
import type { CheckOptions } from './check-options.ts';
import { ScopeCheck } from './check-scope.ts';
import type { Scope } from './scope.ts';

/**
 * Objects that every configuration can use without declaring them. An object of the same name in `config.json` wins.
 */
export const defaultObjects: JsonValue = [
  { name: 'baseURI', type: 'BaseUriDecorator' },
  { name: 'capture', type: 'CaptureDecorator' },
  { name: 'timer', type: 'TimerDecorator' },
  { name: 'tracing', type: 'TracingDecorator' },
  { name: 'AuditService', type: 'NoOpAuditService' },
  { name: 'Clock', type: 'Clock' },
  { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
  { name: 'Session', type: 'InMemorySessionManager' },
  { name: 'TemporaryStorage', type: 'TemporaryStorage' },
  { name: 'ProxyOptions', type: 'NoProxyOptions' },
  { name: 'ReverseProxyHandler', type: 'ReverseProxyHandler' },
  { name: 'ClientHandler', type: 'ClientHandler' },
  { name: 'TransactionIdOutboundFilter', type: 'TransactionIdOutboundFilter' },
  {
    name: 'ForgeRockClientHandler',
    type: 'Chain',
    config: { filters: ['TransactionIdOutboundFilter'], handler: 'ClientHandler' },
  },
];

/** The scope of the default objects; they are built when somebody refers to them. */
export function checkDefaultObjects(options: CheckOptions): Scope {
  const check = new ScopeCheck('gateway', null, options);
  check.heap(defaultObjects, ['defaults']);
  check.finish();
  return check.scope;
}
