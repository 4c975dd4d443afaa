import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

/** What is used of `oidc-provider`, which brings no types. */
interface Provider {
  callback(): RequestListener;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly params: { readonly scope: string };
    readonly provider: { readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): unknown } };
  };
}

/** Users agree to everything. */
async function granted({ oidc }: GrantContext): Promise<object> {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope(oidc.params.scope);
  await grant.save();
  return grant;
}

/** An OpenID provider that asks nobody for a password: every user is ada. Only for this page. */
async function trustingProvider(issuer: string, redirectUri: string): Promise<RequestListener> {
  const module = (await import('oidc-provider' as string)) as {
    readonly Provider: new (issuer: string, configuration: object) => Provider;
  };
  const provider = new module.Provider(issuer, {
    clients: [{ client_id: 'gateway', token_endpoint_auth_method: 'none', redirect_uris: [redirectUri] }],
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: granted,
    interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
  });
  const serve = provider.callback();
  return (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) serve(request, response);
    else void provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  };
}

if (import.meta.main) {
  const [port, redirectUri] = process.argv.slice(2);
  const listener = await trustingProvider(`http://127.0.0.1:${port}`, redirectUri!);
  createServer(listener).listen(Number(port), '127.0.0.1', () => {
    process.stdout.write('The provider listens. Ctrl-C stops it.\n');
  });
}
