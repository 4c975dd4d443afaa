import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';
import type { AccessTokenResolver, ResourceAccess } from '../../../dataplane/heap/objects/access-tokens.ts';
import { oauth2ResourceServerFilter } from '../../../dataplane/oauth2/oauth2-resource-server.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { TimerExecutor } from '../../../dataplane/services/timer-executor.ts';
import { exchangeBytes } from '../clients/answers.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../gateways/gateway.ts';
import { type ObjectParts, objectParts } from '../gateways/object-parts.ts';
import { operatorReach } from '../gateways/operator-reach.ts';

export interface ProtectedAnswer {
  readonly status: number;
  readonly body: string;
  /** The values of `WWW-Authenticate`, one for each line. */
  readonly challenges: readonly string[];
  readonly head: string;
}

/** An OAuth2ResourceServerFilter on a port of its own, in front of a handler that says what it is told to. */
export interface ProtectedGateway extends ObjectParts {
  readonly gateway: TestGateway;
  /** Requests that the filter let pass. */
  readonly passed: Exchange[];
  /** Sends a request with these header lines on a connection of its own. */
  ask(...lines: string[]): Promise<ProtectedAnswer>;
}

export interface ProtectedOptions extends Pick<TestGatewayOptions, 'trustedProxies'> {
  /** A runtime expression that the answer is made of. */
  readonly says?: string;
  /** What `scopes` refers to. */
  readonly access?: ResourceAccess;
}

/** Starts it for one test. Requests need no HTTPS unless `config` says so. */
export async function startProtected(
  resolver: AccessTokenResolver,
  config: JsonObject = {},
  { says = 'passed', access, ...options }: ProtectedOptions = {},
): Promise<ProtectedGateway> {
  const executor = new TimerExecutor((error) => {
    throw error;
  });
  const built = objectParts({
    accessTokenResolver: resolver,
    executor,
    ...(access && { resourceAccess: access }),
  });
  const reading = documentReading(operatorReach(), [], () => {});
  const given = { accessTokenResolver: 'resolver', scopes: ['read'], requireHttps: false, ...config };
  const fields = parseConfig(oauth2ResourceServerFilter.config, given, reading, []);
  if (fields.value === undefined) throw new Error(JSON.stringify(fields.problems));
  const told = parseConfig(z.strictObject({ says: runtimeText() }), { says }, reading, []).value!;
  const filter = oauth2ResourceServerFilter.create(fields.value, built.parts);
  const passed: Exchange[] = [];
  const gateway = await startGateway({
    ...options,
    handler: () => (exchange) =>
      filter(exchange, (inner) => {
        passed.push(inner);
        return textResponse(200, told.says.read(inner, null) ?? 'null');
      }),
  });
  onTestFinished(async () => {
    await gateway.close();
    await built.close();
    await executor.close(0);
  });
  return {
    ...built,
    gateway,
    passed,
    async ask(...lines) {
      const head = ['GET /t HTTP/1.1', 'Host: gw.test', 'Connection: close', ...lines].join('\r\n');
      const [answer] = await exchangeBytes(gateway.port, `${head}\r\n\r\n`);
      const fields = answer!.head.split('\r\n').slice(1);
      const challenges = fields.flatMap((line) => /^www-authenticate: (.*)$/i.exec(line)?.[1] ?? []);
      return { status: answer!.status, body: answer!.body, challenges, head: answer!.head };
    },
  };
}
