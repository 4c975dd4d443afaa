import { expect, it } from 'vitest';
import { probeNativeTls } from '../../../dataplane/tls/native-tls.ts';

it('this Node has the TLS handle that the engine is made for', () => {
  expect(probeNativeTls()).not.toBeNull();
});
