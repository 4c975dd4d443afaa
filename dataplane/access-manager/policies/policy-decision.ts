import { isObject, readJsonStructure } from '../../jose/strict-json.ts';

type Texts = Readonly<Record<string, readonly string[]>>;

/** The context `policyDecision` of a request. */
export interface PolicyDecisionContext {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly advices: Texts;
  readonly actions: Readonly<Record<string, unknown>>;
  readonly jsonAttributes: Readonly<Record<string, unknown>>;
  readonly jsonAdvices: Texts;
  readonly resource: string;
}

/** The access manager gave an answer that decides nothing. */
export class UnsoundDecision extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsoundDecision';
  }
}

/** A policy decision. Many requests share it, so nothing of it can be changed. */
export class PolicyDecision {
  readonly context: PolicyDecisionContext;
  /** Milliseconds since 1970; null where the decision says nothing of its end. */
  private readonly end: number | null;

  constructor(context: PolicyDecisionContext, end: number | null) {
    this.context = context;
    this.end = end;
  }

  /** Whether the decision allows a method; only `true` of an own member does. */
  allows(method: string): boolean {
    const { actions } = this.context;
    return Object.hasOwn(actions, method) && actions[method] === true;
  }

  /** Until when it may be cached; 0 for a decision with advices, which holds for one request. */
  keepUntil(now: number, defaultTimeout: number): number {
    for (const name in this.context.advices) if (Object.hasOwn(this.context.advices, name)) return 0;
    return this.end ?? now + defaultTimeout;
  }
}

/**
 * Reads the decision about a resource from an answer of the access manager, in which decisions stand in any order.
 * @throws UnsoundDecision
 */
export function readDecision(content: Buffer, resource: string): PolicyDecision {
  const answer = readJsonStructure(content);
  if (!Array.isArray(answer)) throw new UnsoundDecision('the access manager did not answer with a list of decisions');
  const decisions = answer.filter(
    (one): one is Record<string, unknown> => isObject(one) && one['resource'] === resource,
  );
  const [decision] = decisions;
  if (decision === undefined || decisions.length > 1) {
    const found = decisions.length === 0 ? 'no decision' : 'several decisions';
    throw new UnsoundDecision(`the access manager answered with ${found} about the resource`);
  }
  const { actions, attributes = {}, advices = {}, ttl } = decision;
  if (!isObject(actions) || !isObject(attributes) || !isTexts(advices)) {
    throw new UnsoundDecision("'actions', 'attributes' or 'advices' of the decision is malformed");
  }
  const context = { attributes, advices, actions, jsonAttributes: attributes, jsonAdvices: advices, resource };
  return new PolicyDecision(frozen(context), endOf(ttl));
}

/** The greatest long, which says that there is no end, is beyond what a number holds exactly, as are all times like it. */
function endOf(ttl: unknown): number | null {
  return typeof ttl === 'number' && ttl <= Number.MAX_SAFE_INTEGER ? ttl : null;
}

function isTexts(value: unknown): value is Texts {
  if (!isObject(value)) return false;
  return Object.values(value).every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string'));
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) frozen(item);
  return value;
}
