import { expect } from 'vitest';
import { Undelivered } from '../../../dataplane/audit/writer/audit-sink.ts';

/** The failure of a delivery that has to fail for now. */
export async function undelivered(delivering: Promise<unknown>): Promise<Undelivered> {
  const error: unknown = await delivering.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Undelivered);
  return error as Undelivered;
}
