import { jsonObjectIn } from '../../../contract/document/json-value.ts';
import type { Secret } from '../../../contract/secret.ts';
import { errorText } from '../../../platform/error-text.ts';
import { callHandler, type OwnAnswer } from '../../engine/backend/own-call.ts';
import type { Next } from '../../engine/message/exchange.ts';
import { ADDRESS_REMEDY } from './address-remedy.ts';
import { safeHeader } from './safe-header.ts';

/** Ways to log in: the default chain of many realms knows users only, older versions have a module for agents, newer a tree. */
const WAYS = [
  '',
  '?authIndexType=module&authIndexValue=Application',
  '?authIndexType=service&authIndexValue=Agent',
] as const;
const PROFILE = "check the agent profile, 'agent.username' and the secret of 'agent.passwordSecretId'";
const LONGEST_TOKEN = 65_536;
const TOKEN = /^[\x21-\x7e]+$/;

/** What came of a log-in: `refused` where the access manager does not accept the agent. */
export type LogInResult =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string };

export interface AgentLogInOptions {
  readonly handler: Next;
  readonly username: string;
  /** Addresses of `authenticate` in the realm, the likeliest first; the second is tried where the first is not found. */
  endpoints(): readonly string[];
}

/** Logs an agent in: by the default chain of the realm, if that refuses by the module `Application`, then by the tree `Agent`. */
export class AgentLogIn {
  private readonly options: AgentLogInOptions;
  /** What worked last, tried first. */
  private way: (typeof WAYS)[number] = '';

  constructor(options: AgentLogInOptions) {
    this.options = options;
  }

  async run(password: Secret): Promise<LogInResult> {
    const { endpoints, username } = this.options;
    const headers = {
      'X-OpenAM-Username': safeHeader(Buffer.from(username)),
      'X-OpenAM-Password': safeHeader(password.reveal()),
      'Accept-API-Version': 'protocol=1.0,resource=2.0',
      'Content-Type': 'application/json',
      Accept: 'application/json',
    };
    const ways = [this.way, ...WAYS.filter((way) => way !== this.way)];
    let result: LogInResult = { kind: 'failed', reason: 'nothing was tried' };
    for (const endpoint of endpoints()) {
      for (const way of ways) {
        const answer = await this.post(`${endpoint}${way}`, headers);
        if (typeof answer === 'string') return { kind: 'failed', reason: answer };
        result = readLogIn(answer);
        if (result.kind === 'token') {
          this.way = way;
          return result;
        }
        if (answer.status === 404) break;
        if (result.kind === 'failed') return result;
      }
      if (result.kind === 'refused') return result;
    }
    return result;
  }

  /** @returns why there is no answer, otherwise */
  private async post(uri: string, headers: Readonly<Record<string, string>>): Promise<OwnAnswer | string> {
    try {
      const request = { method: 'POST', uri, headers, content: '{}' };
      return await callHandler(this.options.handler, request, { parent: null });
    } catch (error) {
      return errorText(error);
    }
  }
}

function readLogIn({ status, content }: OwnAnswer): LogInResult {
  // a chain that needs more answers 200 with callbacks: it is not one for agents
  const reason = `the response has status ${status}`;
  if (status === 401 || status === 403) return { kind: 'refused', reason: `${reason}: ${PROFILE}` };
  if (status === 404) return { kind: 'failed', reason: `${reason}: ${ADDRESS_REMEDY}` };
  if (status !== 200) return { kind: 'failed', reason };
  const value = jsonObjectIn(content.toString());
  if (value === null) return { kind: 'failed', reason: 'the response is not a JSON object' };
  const { tokenId, authId } = value;
  if (typeof tokenId === 'string' && TOKEN.test(tokenId) && tokenId.length <= LONGEST_TOKEN) {
    return { kind: 'token', token: tokenId };
  }
  if (authId !== undefined)
    return { kind: 'refused', reason: 'the authentication chain asks for more than a password' };
  return { kind: 'failed', reason: "the response has no usable 'tokenId'" };
}
