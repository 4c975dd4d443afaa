import { randomUUID } from 'node:crypto';

/** Ids of events, unique in all planes: a text of this unit, then a number. Only characters that JSON does not escape. */
export function eventIds(): () => string {
  const start = `${randomUUID()}-`;
  let number = 0;
  return () => `${start}${++number}`;
}
