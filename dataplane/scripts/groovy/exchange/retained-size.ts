import { declaredOf, Instance } from '../runtime/instance.ts';
import { ArrayValue, ByteArray, GMap, GSet, List } from '../values/collections.ts';
import { isNumber } from '../values/conversions.ts';
import { GString } from '../values/g-string.ts';
import { JavaClass, type Obj, type Value } from '../values/java-class.ts';

/** Bytes that `globals` and static fields of one script may hold. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Bytes of an object beside its content. */
const OBJECT_BYTES = 64;

/** Classes of small objects that hold nothing else. */
const SMALL = /^(?:java\.(?:time|math|lang)\.|java\.util\.(?:UUID|Date|concurrent\.atomic\.)|java\.net\.URI$)/;

/** Measures values that a script left behind. Objects whose content cannot be seen, such as closures, do not pass. */
export class RetainedSize {
  reason = '';
  #left = MOST_BYTES;
  readonly #seen = new Set<Obj>();

  /** @returns whether the values are small enough */
  measure(values: readonly Value[]): boolean {
    const waiting: Value[] = [...values];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      this.#left -= typeof value === 'string' ? 2 * value.length + OBJECT_BYTES : OBJECT_BYTES;
      if (value !== null && typeof value === 'object' && !this.#seen.has(value)) {
        this.#seen.add(value);
        const inner = isOfEvaluated(value) ? null : this.#contentOf(value);
        if (inner === null) {
          this.reason = `they hold a ${value.javaClass.name}, whose size is not known`;
          return false;
        }
        for (const each of inner) waiting.push(each);
      }
      if (this.#left < 0) {
        this.reason = `they are larger than ${MOST_BYTES} bytes`;
        return false;
      }
    }
    return true;
  }

  #contentOf(value: Obj): readonly Value[] | null {
    if (value instanceof List || value instanceof ArrayValue) return value.items;
    if (value instanceof GSet) return value.items();
    if (value instanceof GMap) {
      if (value.defaultFor !== null) return null;
      return value.entries().flatMap(({ entryKey, value: item }) => [entryKey, item]);
    }
    if (value instanceof Instance) return [...value.fields.values()];
    if (value instanceof GString) return [...value.values, ...value.strings];
    if (value instanceof ByteArray) {
      this.#left -= value.bytes.length;
      return [];
    }
    return isNumber(value) || SMALL.test(value.javaClass.name) ? [] : null;
  }
}

/** Classes of evaluated texts, and their objects, keep compiled code. */
function isOfEvaluated(value: Obj): boolean {
  let type = value instanceof JavaClass ? value : value.javaClass;
  while (type.component !== null) type = type.component;
  return declaredOf(type)?.isEvaluated === true;
}
