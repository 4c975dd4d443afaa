import { expect, it } from 'vitest';
import { uuid } from '../../../../dataplane/engine/message/uuid.ts';

it('makes random UUIDs of version 4, none of them twice', () => {
  const made = Array.from({ length: 2000 }, uuid);

  expect(new Set(made).size).toBe(2000);
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const digits = new Set(made.map((one) => one[0]));
  expect(digits.size).toBe(16);
});
