import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { ParentGone } from '../../engine/backend/own-call.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import type { Refusal } from '../../engine/message/refusal.ts';
import { emptyRefusal, type Response } from '../../engine/message/response.ts';
import type { Verdict, VerdictFacts } from '../../engine/message/verdict.ts';
import type { AmService, AmVersion } from '../../heap/objects/am-service.ts';
import type { Denials } from '../../heap/objects/denials.ts';
import type { ResourceUriProvider } from '../../heap/objects/resource-uri-provider.ts';
import type { Verdicts } from '../../heap/objects/verdicts.ts';
import { RevocationsUnheard } from '../../oauth2/cache/disconnection.ts';
import { redirection } from '../../openid/client/redirection.ts';
import type { AnswerCache, Answer as CacheAnswer } from '../cache/answer-cache.ts';
import { hasOtherSpellings } from '../sessions/session-token.ts';
import { type Advices, adviceChallenge, adviceLocation, followedAdvices, TRANSACTION_ADVICE } from './advices.ts';
import { sessionGroups } from './decision-cache.ts';
import { DecisionMemos } from './decision-memo.ts';
import { DecisionQuestion, NoSubject, type QuestionParts, type QuestionTemplate } from './decision-question.ts';
import { type PolicyDecision, readDecision, UnsoundDecision } from './policy-decision.ts';
import { takeTransaction, transactionReturn } from './transaction-return.ts';

/** Reasons for which a PolicyEnforcementFilter does not let a request pass. */
export const policyDenials = [
  'policy-denied',
  'policy-advice',
  'policy-subject',
  'policy-undecided',
  'policy-unheard',
] as const satisfies readonly Refusal[];
type PolicyDenial = (typeof policyDenials)[number];

/** Version of the resource `policies`: the first whose decisions have a `ttl`. */
const RESOURCE_VERSION = '2.0';
/** Name in the environment of the transaction that the user has confirmed. */
const TRANSACTION = 'TxId';

/** Shorter texts are no secret, and would be found in every message. */
const SHORTEST_TOKEN = 8;

/** What answers other than 200 mean, for the operator. */
const FAILURES: Readonly<Record<number, string>> = {
  400: 'it does not accept the subject, such as a session that has ended, or the resource',
  401: 'it does not accept the token of the agent',
  403: 'the agent may not evaluate policies: check its privileges',
  404: "it does not know the realm or the policy set: check 'pepRealm' and 'application'",
};

export interface PolicyEnforcerOptions {
  readonly am: AmService;
  readonly realm: string;
  /** The policy set, or null for the default one of the access manager. */
  readonly application: string | null;
  readonly resources: ResourceUriProvider;
  readonly questions: QuestionTemplate;
  /** Null where decisions are not cached. */
  readonly cache: AnswerCache<PolicyDecision> | null;
  /** Milliseconds, for decisions without a valid `ttl`. */
  readonly defaultTimeout: number;
  /** Name of the header by which clients choose how advices are returned. */
  readonly adviceHeader: string;
  readonly isLegacyEncoding: boolean;
  readonly denials: Denials<PolicyDenial>;
  readonly verdicts: Verdicts;
  readonly log: Logger;
}

/** Lets requests pass that a policy of the access manager allows. Without a decision they are refused. */
export class PolicyEnforcer {
  private readonly options: PolicyEnforcerOptions;
  private readonly endpoint: string;
  private readonly undecided: PacedWarning;
  private readonly memos: DecisionMemos | null;
  private readonly cachedVerdict: Verdict;
  private readonly askedVerdict: Verdict;

  constructor(options: PolicyEnforcerOptions) {
    this.options = options;
    this.endpoint = `${options.am.jsonEndpoint('policies', options.realm)}?_action=evaluate`;
    const { cache, resources, verdicts } = options;
    this.cachedVerdict = verdicts.of('allowed', this.facts(true));
    this.askedVerdict = verdicts.of('allowed', this.facts(false));
    this.memos = cache !== null && resources.isOfUri === true ? new DecisionMemos(cache) : null;
    this.undecided = new PacedWarning(options.log, 'no policy decision', { most: 1 });
  }

  enforce(exchange: Exchange, next: Next): Answer {
    const { memos } = this;
    let remembered: PolicyDecision | undefined;
    let resource: string | Promise<string> = '';
    let transaction: string | null;
    let parts: QuestionParts;
    try {
      transaction = takeTransaction(exchange.request.uri);
      parts = this.options.questions.parts(exchange);
      if (memos !== null && transaction === null) remembered = memos.find(exchange, parts);
      if (remembered === undefined) resource = this.options.resources.resource(exchange);
    } catch (error) {
      return this.failed(error, null, exchange);
    }
    if (remembered !== undefined) return this.settle(remembered, true, exchange, next);
    if (typeof resource === 'string') return this.judge(resource, parts, transaction, exchange, next);
    return resource.then(
      (known) => this.judge(known, parts, transaction, exchange, next),
      (error: unknown) => this.failed(error, null, exchange),
    );
  }

  private judge(
    resource: string,
    parts: QuestionParts,
    transaction: string | null,
    exchange: Exchange,
    next: Next,
  ): Answer {
    const { cache } = this.options;
    const { ssoToken, jwt, claims, environment } = parts;
    const question = new DecisionQuestion(resource, ssoToken, jwt, claims, environment);
    if (cache === null || transaction !== null) return this.load(question, transaction, exchange, next);
    const { key } = question;
    const cached = cache.findEntry(key);
    if (cached !== undefined) {
      this.memos?.remember(exchange, parts, key.length, cached);
      return this.settle(cached.value, true, exchange, next);
    }
    const groups = sessionGroups(ssoToken, exchange);
    const decision = cache.load(key, exchange, () => this.ask(question, null, exchange), groups);
    return this.settleLater(decision, question, exchange, next);
  }

  /** Asks for a decision that serves this request alone, as one about a confirmed transaction does. */
  private load(question: DecisionQuestion, transaction: string | null, exchange: Exchange, next: Next): Answer {
    const { cache } = this.options;
    const ask = (): Promise<CacheAnswer<PolicyDecision>> => this.ask(question, transaction, exchange);
    const decision = cache === null ? ask().then(({ value }) => value) : cache.pass(ask);
    return this.settleLater(decision, question, exchange, next);
  }

  private settleLater(
    decision: Promise<PolicyDecision>,
    question: DecisionQuestion,
    exchange: Exchange,
    next: Next,
  ): Answer {
    return decision.then(
      (decided) => (exchange.over ? emptyRefusal('cancelled') : this.settle(decided, false, exchange, next)),
      (error: unknown) => this.failed(error, question, exchange),
    );
  }

  private async ask(
    question: DecisionQuestion,
    transaction: string | null,
    exchange: Exchange,
  ): Promise<CacheAnswer<PolicyDecision>> {
    const { am, application, defaultTimeout } = this.options;
    const body = question.body(application, transaction === null ? [] : [[TRANSACTION, [transaction]]]);
    const request = { method: 'POST', uri: this.endpoint, resourceVersion: RESOURCE_VERSION, body };
    const answer = await am.call(request, exchange);
    const value = decisionIn(answer, question.resource);
    const keepUntil = hasOtherSpellings(question.ssoToken) ? 0 : value.keepUntil(Date.now(), defaultTimeout);
    return { value, keepUntil, size: answer.content.length };
  }

  private settle(decision: PolicyDecision, isCached: boolean, exchange: Exchange, next: Next): Answer {
    const { context } = decision;
    exchange.setContext('policyDecision', context);
    if (decision.allows(exchange.request.method)) {
      exchange.access?.note(isCached ? this.cachedVerdict : this.askedVerdict);
      return next(exchange);
    }
    const advices = followedAdvices(context.advices);
    const signedOn = exchange.context('ssoToken');
    if (advices !== null && isObject(signedOn)) return this.advise(advices, signedOn, exchange);
    const inputs = () => ({
      resource: context.resource,
      actions: context.actions,
      advices: Object.keys(context.advices),
    });
    const facts = () => ({ ...this.facts(isCached), advices: Object.keys(context.advices) });
    return this.options.denials.refuse(exchange, 'policy-denied', inputs, undefined, facts);
  }

  /** Tells the client what its user has to do at the access manager. */
  private advise(advices: Advices, signedOn: object, exchange: Exchange): Answer {
    const { am, adviceHeader, denials, isLegacyEncoding } = this.options;
    if (exchange.request.headers.all(adviceHeader).some((value) => value.trim().toLowerCase() === 'header')) {
      const inputs = () => ({ advices: Object.keys(advices) });
      const response = denials.answer(exchange, 'policy-advice', inputs, undefined, () => this.adviceFacts(advices));
      response.headers.append('WWW-Authenticate', adviceChallenge(advices, am.realm, am.url));
      return response;
    }
    if (isLegacyEncoding) return this.redirect(advices, signedOn, false, exchange);
    let version: AmVersion | Promise<AmVersion>;
    try {
      version = am.version(exchange);
    } catch (error) {
      return this.failed(error, null, exchange);
    }
    if (!(version instanceof Promise)) return this.redirect(advices, signedOn, readsBase64(version), exchange);
    return version.then(
      (known) => this.redirect(advices, signedOn, readsBase64(known), exchange),
      (error: unknown) => this.failed(error, null, exchange),
    );
  }

  private redirect(advices: Advices, signedOn: object, isEncoded: boolean, exchange: Exchange): Response {
    const { am } = this.options;
    const transaction = advices[TRANSACTION_ADVICE]?.[0] ?? null;
    const goto = transactionReturn(exchange.originalUri.toString(), transaction);
    const page = loginPage(signedOn) ?? `${am.url}/`;
    const response = redirection(adviceLocation(advices, { page, realm: am.realm, goto, isEncoded }));
    // a 302 makes a GET of a POST: the access manager must not get the body
    if (exchange.request.method === 'GET' || exchange.request.method === 'HEAD') response.status = 307;
    this.options.verdicts.redirected(exchange, this.adviceFacts(advices));
    return response;
  }

  /** Which policies decided. A decision of an access manager does not name the policy of the set. */
  private facts(isCached: boolean): VerdictFacts {
    const { am, realm, application } = this.options;
    return { server: am.url, realm, policySet: application, cached: isCached };
  }

  /** Decisions with advices are never cached. */
  private adviceFacts(advices: Advices): VerdictFacts {
    return { ...this.facts(false), advices: Object.keys(advices) };
  }

  private failed(error: unknown, question: DecisionQuestion | null, exchange: Exchange): Answer {
    if (error instanceof ParentGone) return emptyRefusal('cancelled'); // nobody is left to read it
    const { denials } = this.options;
    const reason = withoutTokens(errorText(error), question);
    const facts = () => this.facts(false);
    if (error instanceof RevocationsUnheard)
      return denials.refuse(exchange, 'policy-unheard', undefined, undefined, facts);
    this.undecided.give({ reason });
    return denials.answer(
      exchange,
      error instanceof NoSubject ? 'policy-subject' : 'policy-undecided',
      undefined,
      reason,
      facts,
    );
  }
}

function decisionIn({ status, content }: OwnAnswer, resource: string): PolicyDecision {
  if (status === 200) return readDecision(content, resource);
  const meaning = FAILURES[status];
  const reason = `the access manager answered the decision request with ${status}`;
  throw new UnsoundDecision(meaning === undefined ? reason : `${reason}: ${meaning}`);
}

/** AM reads advices in base64url from 7 on. OpenAM, which counts from 9 on, does not. */
function readsBase64({ major }: AmVersion): boolean {
  return major === 7 || major === 8;
}

/** The login page that an SSO filter uses, where it has one of its own. */
function loginPage(signedOn: object): string | null {
  const endpoint: unknown = 'loginEndpoint' in signedOn ? signedOn.loginEndpoint : null;
  return typeof endpoint === 'string' && /^https?:/i.test(endpoint) && URL.canParse(endpoint) ? endpoint : null;
}

function withoutTokens(text: string, question: DecisionQuestion | null): string {
  let clean = text;
  for (const token of [question?.ssoToken ?? '', question?.jwt ?? '']) {
    if (token.length >= SHORTEST_TOKEN) clean = clean.replaceAll(token, '…');
  }
  return clean;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
