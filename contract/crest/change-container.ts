import type { JsonObject, JsonValue } from '../document/json-value.ts';
import { type Container, indexOf, isContainer, itemAt, NoSuchPlace, withElement, withMember } from './container.ts';
import type { JsonPointer } from './json-pointer.ts';

/**
 * Returns a value with the container that holds the last step of a pointer changed. Objects that are missing on the way
 * are created, and so is an array for the step `-`; without `creates` the value then stays as it is.
 *
 * @throws NoSuchPlace
 */
export function changeContainer(
  value: JsonValue,
  pointer: JsonPointer,
  creates: boolean,
  change: (container: Container, step: string) => Container,
): JsonValue {
  const [step, ...rest] = pointer;
  if (step === undefined) throw new NoSuchPlace();
  if (!isContainer(value)) {
    if (creates) throw new NoSuchPlace();
    return value;
  }
  if (rest.length === 0) return change(value, step);
  const found = itemAt(value, step) ?? null;
  if (found === null && !creates) return value;
  const changed = changeContainer(found ?? emptyContainer(rest[0]!), rest, creates, change);
  if (changed === found) return value;
  return Array.isArray(value) ? withElement(value, step, changed) : withMember(value as JsonObject, step, changed);
}

function emptyContainer(step: string): Container {
  if (indexOf(step) !== null) throw new NoSuchPlace();
  return step === '-' ? [] : {};
}
