import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { canonicalJson } from '../../../contract/document/canonical.ts';
import type { Secret } from '../../../contract/secret.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import { callHandler, type OwnAnswer } from '../../engine/backend/own-call.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import type { AmRequest, AmVersion } from '../../heap/objects/am-service.ts';
import { AgentLogIn, type LogInResult } from './agent-log-in.ts';
import type { AmEndpoints } from './am-endpoints.ts';
import { hasPlainRealms } from './am-version.ts';
import { parentBound } from './parent-bound.ts';
import { ServerInfo } from './server-info.ts';
import { AgentLoginFailed, type SharedAgentToken } from './shared-agent-token.ts';

export interface AgentCallsOptions {
  readonly endpoints: AmEndpoints;
  readonly handler: Next;
  readonly username: string;
  /** Rejects when it cannot be read. */
  password(): Promise<Secret>;
  readonly shared: SharedAgentToken;
  readonly ssoTokenHeader: string | null;
  readonly version: AmVersion | null;
  readonly log: Logger;
}

/** Requests of the gateway to an access manager. */
export class AgentCalls {
  private readonly options: AgentCallsOptions;
  private readonly logIn: AgentLogIn;
  private readonly info: ServerInfo;
  private readonly refused: PacedWarning;
  /** The log-in of this unit that is under way. */
  private flight: { readonly rejected: string | null; readonly token: Promise<string> } | null = null;

  constructor(options: AgentCallsOptions) {
    this.options = options;
    const { handler, username, ssoTokenHeader, version, log } = options;
    this.logIn = new AgentLogIn({ handler, username, endpoints: () => this.logInEndpoints() });
    const ask = (path: string, asAgent: boolean): Promise<OwnAnswer> => this.ask(path, asAgent);
    this.info = new ServerInfo({ ssoTokenHeader, version, log, ask });
    this.refused = new PacedWarning(log, 'the agent cannot log in; requests that need it fail', {
      most: 1,
      interval: 10_000,
    });
  }

  cookieName(parent: Exchange | null): string | Promise<string> {
    const name = this.info.cookieName();
    return typeof name === 'string' ? name : parentBound(name, parent);
  }

  version(parent: Exchange | null): AmVersion | Promise<AmVersion> {
    const version = this.info.version();
    return version instanceof Promise ? parentBound(version, parent) : version;
  }

  async call(request: AmRequest, parent: Exchange | null): Promise<OwnAnswer> {
    const version = await this.version(parent);
    const { endpoints } = this.options;
    const uri = hasPlainRealms(version) ? endpoints.withPlainRealm(request.uri) : request.uri;
    if (request.asAgent === false) return this.send({ ...request, uri }, {}, parent);
    return this.sendAsAgent({ ...request, uri }, parent);
  }

  /** The agent's token. Rejects with AgentLoginFailed. */
  token(rejected: string | null = null): Promise<string> {
    const { flight } = this;
    if (flight !== null && flight.rejected === rejected) return flight.token;
    const token = this.sharedToken(rejected).finally(() => {
      if (this.flight?.token === token) this.flight = null;
    });
    this.flight = { rejected, token };
    return token;
  }

  /**
   * Does something with the agent's token, and once more with a new one where the access manager rejects it. Gets the
   * header for it.
   */
  async asAgent<T>(
    work: (header: Readonly<Record<string, string>>) => Promise<T>,
    isRejected: (result: T) => boolean,
    parent: Exchange | null,
  ): Promise<T> {
    const token = await parentBound(this.token(), parent);
    const name = await this.cookieName(parent);
    const result = await work({ [name]: token });
    if (!isRejected(result)) return result;
    const renewed = await parentBound(this.token(token), parent);
    if (renewed === token) return result;
    const repeated = await work({ [name]: renewed });
    if (isRejected(repeated)) this.options.shared.useless(await this.entryId(), renewed);
    return repeated;
  }

  private sendAsAgent(request: AmRequest, parent: Exchange | null): Promise<OwnAnswer> {
    const send = (header: Readonly<Record<string, string>>): Promise<OwnAnswer> => this.send(request, header, parent);
    return this.asAgent(send, ({ status }) => status === 401, parent);
  }

  private send(
    { method, uri, resourceVersion, body, headers }: AmRequest,
    agent: Readonly<Record<string, string>>,
    parent: Exchange | null,
  ): Promise<OwnAnswer> {
    const own = {
      'Accept-API-Version': `protocol=1.0,resource=${resourceVersion}`,
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
      ...agent,
    };
    const content = body === undefined ? {} : { content: JSON.stringify(body) };
    return callHandler(this.options.handler, { method, uri, headers: own, ...content }, { parent });
  }

  /** For what is asked before the version is known. */
  private ask(path: string, asAgent: boolean): Promise<OwnAnswer> {
    const uri = this.options.endpoints.ofServer(path);
    const request: AmRequest = { method: 'GET', uri, resourceVersion: '1.0' };
    return asAgent ? this.sendAsAgent(request, null) : this.send(request, {}, null);
  }

  private async sharedToken(rejected: string | null): Promise<string> {
    try {
      const password = await this.password();
      const run = (): Promise<LogInResult> => this.logIn.run(password);
      return await this.options.shared.get(this.idFor(password), rejected, run);
    } catch (error) {
      this.refused.give({ reason: errorText(error) });
      throw error;
    }
  }

  private async password(): Promise<Secret> {
    try {
      return await this.options.password();
    } catch (error) {
      this.options.shared.isFailing = true;
      throw new AgentLoginFailed(`the password cannot be read: ${errorText(error)}`);
    }
  }

  private async entryId(): Promise<string> {
    return this.idFor(await this.password());
  }

  /** Whoever knows the same password shares the token; another password is another log-in. */
  private idFor(password: Secret): string {
    const { username, endpoints } = this.options;
    const known = hash('sha256', password.reveal(), 'hex');
    return hash('sha256', canonicalJson([endpoints.url, endpoints.realm, username, known]), 'hex');
  }

  private logInEndpoints(): readonly string[] {
    const { endpoints } = this.options;
    // the root realm has the same address in all versions
    if (endpoints.realm === '/') return [endpoints.ofServer('authenticate')];
    const nested = endpoints.json('authenticate');
    const plain = endpoints.withPlainRealm(nested);
    return hasPlainRealms(this.info.knownVersion) ? [plain, nested] : [nested, plain];
  }
}
