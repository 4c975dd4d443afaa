import { expect, it } from 'vitest';
import { namedMemory } from '../../../../dataplane/heap/shared-memory.ts';
import { ATTEMPT_LIFETIME, SignInAttempts } from '../../../../dataplane/openid/client/sign-in-attempts.ts';
import { UsedStates } from '../../../../dataplane/openid/client/used-states.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';

it('lets one of all units use a state, until its attempt is over', () => {
  const clock = { now: Date.UTC(2030, 0, 1) };
  const sharedMemory = namedMemory();
  const units = [1, 2, 3].map(() => new UsedStates(objectParts({}, { sharedMemory }).parts));
  const attempts = new SignInAttempts(() => clock.now);
  const [one, other] = [1, 2].map(() => attempts.create('key', { name: 'gateway', identity: 'c1' }, null));
  expect(units.map((unit) => unit.use(one!, clock.now))).toEqual(['new', 'seen', 'seen']);
  expect(units[2]!.use(other!, clock.now)).toBe('new');
  clock.now += ATTEMPT_LIFETIME - 1000;
  expect(units[1]!.use(one!, clock.now)).toBe('seen');
});
