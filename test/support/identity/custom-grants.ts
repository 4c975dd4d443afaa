/** The grant of RFC 8693. */
export const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** The user whom the grant `password` knows. */
export const USER = { name: 'ada lovelace', password: 'päss&word=1' };

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const EXCHANGE_PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'scope',
  'resource',
  'audience',
];

interface TokenModel {
  readonly scope?: string;
  save(): Promise<string>;
}

interface GrantContext {
  readonly oidc: { readonly params: Record<string, unknown>; readonly client: object };
  body: unknown;
  status: number;
}

/** What we use of a provider of `oidc-provider` to add grants to it. */
export interface GrantingProvider {
  readonly ClientCredentials: {
    new (fields: object): TokenModel;
    find(token: string): Promise<TokenModel | undefined>;
  };
  registerGrantType(
    name: string,
    handle: (context: GrantContext) => Promise<void>,
    parameters: readonly string[],
    several: readonly string[],
  ): void;
}

/** Adds the grants `password` and token exchange, which the provider authenticates clients for as for its own. */
export function registerGrants(provider: GrantingProvider): void {
  const { ClientCredentials } = provider;

  async function issue(context: GrantContext, more: object): Promise<void> {
    const { client, params } = context.oidc;
    const scope = params['scope'];
    const token = new ClientCredentials({ client, ...(typeof scope === 'string' && { scope }) });
    const said = { access_token: await token.save(), token_type: 'Bearer', expires_in: 600 };
    context.body = { ...said, ...(typeof scope === 'string' && { scope }), ...more };
  }

  function refuse(context: GrantContext, secret: unknown): void {
    context.status = 400;
    context.body = { error: 'invalid_grant', error_description: `refused: ${String(secret)}` };
  }

  provider.registerGrantType(
    'password',
    async (context) => {
      const { username, password } = context.oidc.params;
      if (username === USER.name && password === USER.password) await issue(context, {});
      else refuse(context, password);
    },
    ['username', 'password', 'scope'],
    [],
  );
  provider.registerGrantType(
    EXCHANGE_GRANT,
    async (context) => {
      const { subject_token: subject, subject_token_type: type } = context.oidc.params;
      const known = typeof subject === 'string' && type === ACCESS_TOKEN && (await ClientCredentials.find(subject));
      if (known) await issue(context, { issued_token_type: ACCESS_TOKEN });
      else refuse(context, subject);
    },
    EXCHANGE_PARAMETERS,
    ['resource', 'audience'],
  );
}
