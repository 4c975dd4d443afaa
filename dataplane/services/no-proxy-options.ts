import { z } from 'zod';
import { defineService } from '../heap/definition.ts';

/** No proxy. */
export const noProxyOptions = defineService({
  type: 'NoProxyOptions',
  kind: 'proxyOptions',
  summary:
    'Sends requests directly to their backends. The default object `ProxyOptions`, which handlers use unless ' +
    'they name another one, has this type; an object of the same name in `config.json` replaces it for all ' +
    'handlers.',
  config: z.strictObject({}),
  examples: [{ title: 'Direct connections to backends', config: {} }],
  create() {
    return { proxyFor: () => null };
  },
});
