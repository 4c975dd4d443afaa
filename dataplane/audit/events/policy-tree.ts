import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../../contract/document/json-value.ts';
import { isCredentialName } from '../../../contract/hiding/credential-names.ts';

/** One place of an event, and what policies say of it. */
export interface PolicyNode {
  readonly children: Map<string, PolicyNode>;
  /** It is recorded with everything below it. */
  included: boolean;
  /** It is removed, whatever else is said of it. */
  excluded: boolean;
  /** Its values are replaced by empty ones. */
  blanked: boolean;
  /** Names below it are compared without regard to case. */
  anyCase: boolean;
  /** Names below it that usually carry credentials are recorded only where they are included one by one. */
  guarded: boolean;
}

/** Marker for what is not recorded. */
const NOTHING = Symbol('nothing');

function newNode(): PolicyNode {
  return {
    children: new Map(),
    included: false,
    excluded: false,
    blanked: false,
    anyCase: false,
    guarded: false,
  };
}

/** Policies about a member of an object, however its name is spelled. */
export function childOf(node: PolicyNode, name: string): PolicyNode | undefined {
  return node.children.get(node.anyCase ? name.toLowerCase() : name);
}

/** Adds to a node what is said of another spelling of the same place. */
function unite(node: PolicyNode, other: PolicyNode): void {
  node.included ||= other.included;
  node.excluded ||= other.excluded;
  node.blanked ||= other.blanked;
  node.guarded ||= other.guarded;
  node.anyCase ||= other.anyCase;
  for (const [name, child] of other.children) {
    const key = node.anyCase ? name.toLowerCase() : name;
    const same = node.children.get(key);
    if (same === undefined) node.children.set(key, child);
    else unite(same, child);
  }
}

/** What is recorded of the events of one topic. */
export class PolicyTree {
  readonly root: PolicyNode = newNode();

  /** @param everything whether fields are recorded that no policy names */
  constructor(everything: boolean) {
    this.root.included = everything;
  }

  /** The node at a place, which is made if it is missing. */
  at(steps: readonly string[]): PolicyNode {
    let node = this.root;
    for (const step of steps) {
      let child = childOf(node, step);
      if (child === undefined) {
        child = newNode();
        node.children.set(node.anyCase ? step.toLowerCase() : step, child);
      }
      node = child;
    }
    return node;
  }

  /** Has names below a place compared without regard to case, also those that policies named before. */
  compareAnyCase(steps: readonly string[]): void {
    const node = this.at(steps);
    if (node.anyCase) return;
    node.anyCase = true;
    const named = [...node.children];
    node.children.clear();
    for (const [name, child] of named) {
      const key = name.toLowerCase();
      const same = node.children.get(key);
      if (same === undefined) node.children.set(key, child);
      else unite(same, child);
    }
  }

  /** What is recorded of an event. */
  recorded(event: JsonObject): JsonObject {
    const result = recordedOf(event, this.root, false);
    return result !== NOTHING && isJsonObject(result) ? result : {};
  }
}

function recordedOf(value: JsonValue, node: PolicyNode | undefined, isIncluded: boolean): JsonValue | typeof NOTHING {
  if (node === undefined) return isIncluded ? value : NOTHING;
  if (node.excluded) return NOTHING;
  const included = isIncluded || node.included;
  const leads = hasIncluded(node);
  if (!included && !leads) return NOTHING;
  const kept = isJsonObject(value)
    ? recordedMembers(value, node, included)
    : Array.isArray(value)
      ? recordedItems(value as readonly JsonValue[], node, included)
      : included
        ? value
        : NOTHING;
  return node.blanked && kept !== NOTHING ? blankOf(kept) : kept;
}

function recordedMembers(value: JsonObject, node: PolicyNode, included: boolean): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) {
    const child = childOf(node, name);
    const isGuarded = node.guarded && child?.included !== true && isCredentialName(name);
    const kept = recordedOf(member, child, included && !isGuarded);
    if (kept !== NOTHING) setMember(result, name, kept);
  }
  return result;
}

function recordedItems(values: readonly JsonValue[], node: PolicyNode, included: boolean): JsonValue[] {
  const result: JsonValue[] = [];
  for (const [at, item] of values.entries()) {
    const kept = recordedOf(item, node.children.get(String(at)), included);
    if (kept !== NOTHING) result.push(kept);
  }
  return result;
}

/** Whether something below a node is included, so that the objects that lead there are kept, as OpenIG keeps them, even empty. */
function hasIncluded(node: PolicyNode): boolean {
  for (const child of node.children.values()) {
    if (child.included || hasIncluded(child)) return true;
  }
  return false;
}

/** The same value without its content: empty texts, null for other values, lists and objects of such. */
function blankOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(blankOf);
  if (!isJsonObject(value)) return null;
  const result: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) setMember(result, name, blankOf(member));
  return result;
}
