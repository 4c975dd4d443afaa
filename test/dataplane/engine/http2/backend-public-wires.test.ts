import { expect, it } from 'vitest';

// Read once a thread, at first use: set before anything of the engine is loaded.
process.env['GATEWARDEN_WIRES'] = 'public';
await import('./backend.test.ts');
await import('./backend-faults.test.ts');
await import('./backend-upgrade.test.ts');
const { nativeBindings } = await import('../../../../dataplane/engine/wire/native-handle.ts');

it('all of this ran on public sockets', () => {
  expect(nativeBindings()).toBeNull();
});
