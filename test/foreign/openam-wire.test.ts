import { describe, inject, it } from 'vitest';
import { wireCases } from '../support/access-manager/wire-cases.ts';
import { OpenamTarget } from './support/openam-target.ts';

// The double passes the same cases in test/dataplane/access-manager/double-wire.test.ts.
describe('OpenAM', () => {
  for (const { title, run } of wireCases) it(`${title}`, () => run(new OpenamTarget(inject('openam'))));
});
