import { expect, it } from 'vitest';
import { preparePlane } from '../../../dataplane/supervisor/plane.ts';

it('a plane that is stopped while its units start ends, with all of them', async () => {
  const plane = await preparePlane({
    accessLog: { to: 'nowhere' },
    logLevel: 'error',
    admin: undefined,
    trustedProxies: [],
    drainTimeout: 1000,
  });
  const began = plane.serve({
    connectors: [{ scheme: 'http', host: '127.0.0.1', port: 0, limits: {} }],
    serving: { kind: 'backend', destination: { host: '127.0.0.1', port: 9 }, basePath: '', connections: 1 },
    units: 3,
  });
  // the check of the port is over by then, and the first unit is not
  await new Promise((resolve) => setImmediate(resolve));
  await plane.drain();
  await began;
  expect(plane.unitsServing).toBe(0);
});
