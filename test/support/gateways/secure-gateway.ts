import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { Response } from '../../../dataplane/engine/message/response.ts';
import type { HostCertificates } from '../../../dataplane/tls/hosts/host-certificates.ts';
import type { ClientAuth } from '../../../dataplane/tls/options/client-authentication.ts';
import { type TlsWishes, tlsRules } from '../../../dataplane/tls/options/tls-rules.ts';
import { type ServerTlsParts, ServerTransport } from '../../../dataplane/tls/server-transport.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';

export interface SecureGatewayOptions extends Pick<ServerTlsParts, 'keys'>, Omit<TestGatewayOptions, 'tls'> {
  readonly trust?: ServerTlsParts['trustManagers'];
  readonly clientAuth?: ClientAuth;
  readonly wishes?: TlsWishes;
  readonly alpn?: boolean;
  readonly hosts?: HostCertificates;
}

export interface SecureGateway extends TestGateway {
  /** Log lines, parsed. */
  readonly logged: Record<string, unknown>[];
}

/** The engine with TLS for one test. Without a handler or a backend it answers everything with 204. */
export async function startSecure(options: SecureGatewayOptions): Promise<SecureGateway> {
  const logged: Record<string, unknown>[] = [];
  const releases: (() => void)[] = [];
  const tls = serverTransport(options, logged, (release) => releases.push(release));
  const answers = options.backend === undefined ? { handler: () => () => new Response(204) } : {};
  const gateway = await startGateway({ ...answers, ...options, tls });
  onTestFinished(async () => {
    await gateway.close();
    for (const release of releases) release();
  });
  return { ...gateway, logged };
}

/** The TLS of a gateway, for one that a test starts in another way. */
export function serverTransport(
  options: SecureGatewayOptions,
  logged: Record<string, unknown>[] = [],
  onClose: (release: () => void) => void = (release) => onTestFinished(release),
): ServerTransport {
  return new ServerTransport({
    keys: options.keys,
    trustManagers: options.trust ?? [],
    clientAuth: options.clientAuth ?? 'NONE',
    rules: tlsRules(options.wishes ?? {}),
    alpn: options.alpn ?? true,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    onClose,
    hosts: options.hosts,
  });
}
