import { z } from 'zod';
import { defineService } from '../heap/definition.ts';
import type { Trust } from '../heap/objects/secrets.ts';

const EVERYTHING: Trust = { certificates: [], revocations: [], checkRevocation: false, everything: true };

/** Trust in whoever comes. */
export const trustAllManager = defineService({
  type: 'TrustAllManager',
  kind: 'trustManager',
  summary:
    'Trusts every certificate of any issuer. For tests only: anyone on the network path can read and change the ' +
    'traffic.',
  config: z.strictObject({}),
  examples: [{ title: 'Trust without a check', config: {} }],
  remarks: () => [
    { at: [], code: 'insecure', message: 'is for tests: every certificate is trusted, even a forged one' },
  ],
  create() {
    return { trust: async () => EVERYTHING, watch: () => () => {} };
  },
});
