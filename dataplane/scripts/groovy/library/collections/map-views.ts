import { type GMap, List } from '../../values/collections.ts';
import { hashOf, hashOfAll } from '../../values/hash.ts';
import type { JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { KEY_MARK, keyText } from '../../values/key-of.ts';
import { textOf } from '../../values/text.ts';

/** Names that Java has for the views of a map. */
export function viewOwner({ order }: GMap): string {
  if (order === 'linked') return 'java.util.LinkedHashMap$Linked';
  return `java.util.${typeof order === 'string' ? 'HashMap' : 'TreeMap'}$`;
}

/** The values or the entries of a map: a live view, through which a script can remove. */
export class MapView implements Obj {
  readonly javaClass: JavaClass;
  readonly map: GMap;
  readonly part: 'values' | 'entries';

  constructor(rt: Runtime, map: GMap, part: 'values' | 'entries') {
    this.javaClass = rt.class(`${viewOwner(map)}${part === 'values' ? 'Values' : 'EntrySet'}`);
    this.map = map;
    this.part = part;
  }

  elements(): Value[] {
    const entries = this.map.entries();
    return this.part === 'values' ? entries.map((entry) => entry.value) : entries;
  }

  text(): string {
    return textOf(new List(this.elements()));
  }

  truth(): boolean {
    return this.map.size > 0;
  }

  hash(): number {
    const hashes = this.elements().map(hashOf);
    return this.part === 'values' ? hashOfAll(hashes) : hashes.reduce((sum, hash) => (sum + hash) | 0, 0);
  }

  key(): unknown {
    return this.part === 'values' ? this : `${KEY_MARK}t${this.elements().map(keyText).sort().join('')}`;
  }
}
