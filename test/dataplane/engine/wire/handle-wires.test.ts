import { expect, it } from 'vitest';

// Read once a thread, at first use: set before anything of the engine is loaded.
process.env['GATEWARDEN_WIRES'] = 'handles';
await import('./streaming.test.ts');
await import('./reset-after-end.test.ts');
await import('../backend/bulk-transfer.test.ts');
await import('../backend/hostile-backend.test.ts');
await import('../backend/early-and-late-answers.test.ts');
await import('../client/client-leaves.test.ts');
const { kernelOfLoop } = await import('../../../../dataplane/engine/wire/input-loop.ts');

it('all of this ran on handles that read by themselves', () => {
  expect(kernelOfLoop()).toBeNull();
});
