import { z } from 'zod';
import { defineService } from '../heap/definition.ts';

/** No proxy. */
export const noProxyOptions = defineService({
  type: 'NoProxyOptions',
  kind: 'proxyOptions',
  summary:
    'Requests go to their backends straight. The object `ProxyOptions`, which handlers use unless they name another, is ' +
    'of this type; one of the same name in `config.json` takes its place for all of them.',
  config: z.strictObject({}),
  examples: [{ title: 'Backends are reached straight', config: {} }],
  create() {
    return { proxyFor: () => null };
  },
});
