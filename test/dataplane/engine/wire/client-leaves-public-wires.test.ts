import { expect, it } from 'vitest';

// Read once a thread, at first use: set before anything of the engine is loaded.
process.env['GATEWARDEN_WIRES'] = 'public';
await import('../client/client-leaves.test.ts');
const { nativeBindings } = await import('../../../../dataplane/engine/wire/native-handle.ts');

it('all of this ran on public sockets', () => {
  expect(nativeBindings()).toBeNull();
});
