import { isCredentialName } from '../../../contract/hiding/credential-names.ts';
import { childOf, type PolicyTree } from './policy-tree.ts';

/** Which names of a map of an access event are recorded, such as those of headers. */
export interface NamePlan {
  /** Whether names are recorded that no policy includes, but for those that usually carry credentials. */
  readonly everything: boolean;
  /** Names that are recorded, sorted; in lower case where case does not matter. */
  readonly names: readonly string[];
  /** Whether this name is recorded. */
  records(name: string): boolean;
}

/** Longest text that is recorded of one value: the rest of it would only fill a disk. */
const LONGEST_VALUE = 4096;
/** Most names that are recorded of one map. */
export const MOST_NAMES = 200;

/** User names and passwords in front of the host of a URL. */
const USER_OF_URL = /(:\/\/)[^\s/?#]*@|(\/\/)[^\s/?#@]*:[^\s/?#]*@/g;
/** A host with a user name and a password in front of it, and nothing else. */
const USER_OF_HOST = /^(?!(?:mailto|sips?|acct|xmpp):)[^\s/?#@:]*:[^\s/?#@]*@(?=[^\s@]+$)/i;

/** A value as it is recorded: cut where it is long, and without the user and password of URLs and hosts. */
export function recordedValue(text: string): string {
  const cut = text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
  return cut.includes('@') ? cut.replaceAll(USER_OF_URL, '$1$2').replace(USER_OF_HOST, '') : cut;
}

/** Reads from policies which names of the map at a place are recorded. */
export function namePlan(tree: PolicyTree, steps: readonly string[]): NamePlan {
  let node = tree.root;
  let { included: everything, excluded } = node;
  for (const step of steps) {
    const child = childOf(node, step);
    if (child === undefined) break;
    node = child;
    everything ||= node.included;
    excluded ||= node.excluded;
  }
  if (excluded) return { everything: false, names: [], records: () => false };
  const { children, anyCase } = node;
  const names = [...children].filter(([, child]) => child.included && !child.excluded).map(([name]) => name);
  const wanted = new Set(names);
  const unwanted = new Set([...children].filter(([, child]) => child.excluded).map(([name]) => name));
  return {
    everything,
    names: names.sort(),
    records(name) {
      const key = anyCase ? name.toLowerCase() : name;
      return wanted.has(key) || (everything && !unwanted.has(key) && !isCredentialName(name));
    },
  };
}
