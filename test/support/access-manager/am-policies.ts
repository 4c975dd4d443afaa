import { type AmAnswer, type AmCall, amError, apiVersion } from './am-call.ts';
import type { HeldSession, HeldSessions } from './am-sessions.ts';

/** The policy set that requests without one are about. */
export const DEFAULT_POLICY_SET = 'iPlanetAMWebAgentService';
/** The `ttl` of decisions that nothing limits, which JavaScript numbers cannot hold. */
export const ENDLESS = '9223372036854775807';

type Lists = Readonly<Record<string, readonly string[]>>;

/** Whom a decision is about. */
export interface PolicySubject {
  readonly username: string | null;
  /** Null where the subject is given by claims or a JWT. */
  readonly session: HeldSession | null;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface Policy {
  readonly name: string;
  readonly realm?: string;
  readonly policySet?: string;
  /** Patterns of resources: `*` matches all but `?`. */
  readonly resources: readonly string[];
  readonly actions: Readonly<Record<string, boolean>>;
  /** Names of the users that it is for; by default all. */
  readonly users?: readonly string[];
  readonly attributes?: Lists;
  /** Returns the advices where its condition fails. */
  readonly condition?: (subject: PolicySubject, environment: Lists) => Lists | null;
  /** Milliseconds since 1970; by default it never ends. */
  readonly ttl?: number;
}

/** The condition of a level of authentication. */
export function authLevel(level: number): NonNullable<Policy['condition']> {
  return ({ session }) => ((session?.authLevel ?? 0) >= level ? null : { AuthLevelConditionAdvice: [String(level)] });
}

export type PolicyEvent = 'CREATE' | 'UPDATE' | 'DELETE';

/** Policies of the access manager, with the evaluation of `/json/policies`. */
export class HeldPolicies {
  /** Names of the policy sets. */
  readonly policySets = new Set([DEFAULT_POLICY_SET]);
  private readonly sessions: HeldSessions;
  private readonly publish: (policy: Policy, type: PolicyEvent) => void;
  private readonly held = new Map<string, Policy>();

  constructor(sessions: HeldSessions, publish: (policy: Policy, type: PolicyEvent) => void) {
    this.sessions = sessions;
    this.publish = publish;
  }

  /** Adds a policy or replaces the one of its name. */
  set(policy: Policy): void {
    const type = this.held.has(policy.name) ? 'UPDATE' : 'CREATE';
    this.policySets.add(policySetOf(policy));
    this.held.set(policy.name, policy);
    this.publish(policy, type);
  }

  delete(name: string): void {
    const policy = this.held.get(name);
    if (policy === undefined) throw new Error(`there is no policy ${name}`);
    this.held.delete(name);
    this.publish(policy, 'DELETE');
  }

  evaluate(call: AmCall): AmAnswer {
    const version = apiVersion(call, 'resource') ?? '2.1';
    if (!/^(?:1\.0|2\.[01])$/.test(version)) return amError(404, "Resource '' not found");
    const caller = this.sessions.caller(call);
    if (caller === null) return amError(401, 'Access Denied');
    if (caller.kind === 'user') return amError(403, 'The user has insufficient privileges');
    let request: EvaluationRequest;
    try {
      request = JSON.parse(call.body) as EvaluationRequest;
    } catch {
      return amError(400, 'The request could not be processed because the provided content is not valid JSON');
    }
    const { resources, application = DEFAULT_POLICY_SET, environment = {} } = request;
    if (!Array.isArray(resources) || resources.length === 0) return amError(400, 'Invalid value resources');
    if (!this.policySets.has(application))
      return amError(404, `Unable to retrieve application under realm ${call.realm}.`);
    const subject = this.subjectOf(request, caller);
    if (subject === null) return amError(400, 'Invalid value subject');
    if (!Object.values(environment).every(Array.isArray)) return { status: 500 };
    const realm = call.realm!;
    const decisions = resources.map((resource) => this.decide(resource, { realm, application, subject, environment }));
    const texts = decisions.map(({ ttl, ...members }) =>
      version === '1.0' ? JSON.stringify(members) : `${JSON.stringify(members).slice(0, -1)},"ttl":${ttl}}`,
    );
    return { status: 200, headers: JSON_TYPE, body: `[${texts.reverse().join(',')}]` };
  }

  private subjectOf({ subject }: EvaluationRequest, caller: HeldSession): PolicySubject | null {
    if (subject === undefined) return { username: caller.username, session: caller, claims: {} };
    const { ssoToken, jwt, claims } = subject;
    const ofJwt = jwt === undefined ? {} : claimsOf(jwt);
    const session = ssoToken === undefined ? null : this.sessions.find(ssoToken);
    if (ofJwt === null || (ssoToken !== undefined && session === null)) return null;
    if (ssoToken === undefined && jwt === undefined && claims === undefined) return null;
    const all = { ...ofJwt, ...claims };
    return { username: session?.username ?? (all['sub'] as string | undefined) ?? null, session, claims: all };
  }

  private decide(resource: string, { realm, application, subject, environment }: Asked): Decision {
    const actions: Record<string, boolean> = {};
    const attributes: Record<string, readonly string[]> = {};
    const advices: Record<string, readonly string[]> = {};
    let ttl = ENDLESS;
    for (const policy of this.held.values()) {
      if ((policy.realm ?? '/') !== realm || policySetOf(policy) !== application) continue;
      if (!policy.resources.some((pattern) => matches(pattern, resource))) continue;
      if (policy.users !== undefined && !policy.users.includes(subject.username ?? '')) continue;
      const failed = policy.condition?.(subject, environment) ?? null;
      if (failed !== null) {
        Object.assign(advices, failed);
        continue;
      }
      for (const [action, isAllowed] of Object.entries(policy.actions)) {
        actions[action] = isAllowed && actions[action] !== false;
      }
      Object.assign(attributes, policy.attributes);
      if (policy.ttl !== undefined) ttl = String(ttl === ENDLESS ? policy.ttl : Math.min(Number(ttl), policy.ttl));
    }
    return { resource, actions, attributes, advices, ttl };
  }
}

export function policySetOf({ policySet = DEFAULT_POLICY_SET }: Policy): string {
  return policySet;
}

interface EvaluationRequest {
  readonly resources?: readonly string[];
  readonly application?: string;
  readonly environment?: Lists;
  readonly subject?: {
    readonly ssoToken?: string;
    readonly jwt?: string;
    readonly claims?: Readonly<Record<string, unknown>>;
  };
}

interface Asked {
  readonly realm: string;
  readonly application: string;
  readonly subject: PolicySubject;
  readonly environment: Lists;
}

interface Decision {
  readonly resource: string;
  readonly actions: object;
  readonly attributes: object;
  readonly advices: object;
  readonly ttl: string;
}

const JSON_TYPE = { 'Content-Type': 'application/json;charset=UTF-8' };

/** Whether a pattern covers a resource; a default port may be left out of either. */
function matches(pattern: string, resource: string): boolean {
  const literal = withoutDefaultPort(pattern).replace(/[.+^${}()|[\]\\?]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('*', '[^?]*')}$`).test(withoutDefaultPort(resource));
}

function withoutDefaultPort(url: string): string {
  return url.replace(/^(http:\/\/[^/:]+):80(?=\/|$)/, '$1').replace(/^(https:\/\/[^/:]+):443(?=\/|$)/, '$1');
}

function claimsOf(jwt: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return null;
  }
}
