import { expect, it } from 'vitest';

// Read once a thread, at first use: set before anything of the engine is loaded.
process.env['GATEWARDEN_WIRES'] = 'public';
await import('./host-certificates.test.ts');
await import('./connector-names.test.ts');
const { wrapInTls } = await import('../../../../dataplane/tls/native-tls.ts');

it('all of this ran on public sockets', () => {
  expect(wrapInTls()).toBeNull();
});
