import { expect, it } from 'vitest';
import { trustedProxies } from '../../../../dataplane/engine/client/trusted-proxies.ts';

it.each([
  [['10.0.0.0/8'], '10.1.2.3', true],
  [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '11.1.2.3', false],
  [['fd00::/8'], 'fd12::1', true],
  [['::/0'], '10.1.2.3', false],
  [['::/0'], 'fe80::1', true],
  [['0.0.0.0/0'], '::1', false],
  [['0.0.0.0/0'], 'nobody', false],
])('%j and %s: %s', (networks, address, trusted) => {
  expect(trustedProxies(networks).trusts(address)).toBe(trusted);
});
