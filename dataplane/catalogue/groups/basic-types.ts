import { noOpAuditService } from '../../audit/service/no-op-audit-service.ts';
import { baseUriDecorator } from '../../decorators/base-uri.ts';
import { captureDecorator } from '../../decorators/capture.ts';
import { timerDecorator } from '../../decorators/timer.ts';
import { tracingDecorator } from '../../decorators/tracing.ts';
import { chainOfFilters } from '../../filters/chain-of-filters.ts';
import { headerFilter } from '../../filters/header.ts';
import { transactionIdOutboundFilter } from '../../filters/transaction-id-outbound.ts';
import { chain } from '../../handlers/chain.ts';
import { clientHandler } from '../../handlers/client.ts';
import { delegate } from '../../handlers/delegate.ts';
import { dispatchHandler } from '../../handlers/dispatch.ts';
import { reverseProxyHandler } from '../../handlers/reverse-proxy.ts';
import { router } from '../../handlers/router.ts';
import { sequenceHandler } from '../../handlers/sequence.ts';
import { staticResponseHandler } from '../../handlers/static-response.ts';
import { welcomeHandler } from '../../handlers/welcome.ts';
import type { TypeDefinition } from '../../heap/definition.ts';
import { secretsProvider } from '../../secrets/secrets-provider.ts';
import { clock } from '../../services/clock.ts';
import { noProxyOptions } from '../../services/no-proxy-options.ts';
import { scheduledExecutorService } from '../../services/scheduled-executor-service.ts';
import { temporaryStorage } from '../../services/temporary-storage.ts';
import { inMemorySessionManager } from '../../sessions/in-memory-session-manager.ts';

/** Types that nearly every configuration needs: default objects are of these types. */
export const basicTypes: readonly TypeDefinition[] = [
  baseUriDecorator,
  captureDecorator,
  chain,
  chainOfFilters,
  clientHandler,
  clock,
  delegate,
  dispatchHandler,
  headerFilter,
  inMemorySessionManager,
  noOpAuditService,
  noProxyOptions,
  reverseProxyHandler,
  router,
  scheduledExecutorService,
  secretsProvider,
  sequenceHandler,
  staticResponseHandler,
  temporaryStorage,
  timerDecorator,
  tracingDecorator,
  transactionIdOutboundFilter,
  welcomeHandler,
];
