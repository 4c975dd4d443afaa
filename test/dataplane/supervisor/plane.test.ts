import { expect, it, onTestFinished } from 'vitest';
import { type PlaneBeginning, type PreparedPlane, preparePlane } from '../../../dataplane/supervisor/plane.ts';

function prepared(): Promise<PreparedPlane> {
  return preparePlane({
    accessLog: { to: 'nowhere' },
    logLevel: 'error',
    admin: undefined,
    trustedProxies: [],
    drainTimeout: 1000,
  });
}

function beginning(units: number, host = '127.0.0.1'): PlaneBeginning {
  return {
    connectors: [{ scheme: 'http', host, port: 0, limits: {} }],
    serving: { kind: 'backend', destination: { path: '/nonexistent/backend.sock' }, basePath: '', connections: 1 },
    units,
  };
}

/** The status that a plane answers with: nobody is at its backend. */
async function statusOf({ addresses }: PreparedPlane): Promise<number> {
  const url = `http://127.0.0.1:${addresses[0]!.port}/`;
  return (await fetch(url, { headers: { connection: 'close' } })).status;
}

it.each([1, 3])('a plane that is stopped while its units start ends, with all of them (%i)', async (units) => {
  const plane = await prepared();
  const began = plane.serve(beginning(units));
  // the check of the port is over by then, and the first unit is not
  await new Promise((resolve) => setImmediate(resolve));
  await plane.drain();
  await began;
  expect(plane.unitsServing).toBe(0);
});

it('two planes of a process with one unit each serve at the same time, and one after the other', async () => {
  for (let i = 0; i < 2; i++) {
    const planes = [await prepared(), await prepared()];
    for (const plane of planes) await plane.serve(beginning(1));
    expect(await Promise.all(planes.map(statusOf))).toEqual([502, 502]);
    for (const plane of planes) await plane.drain();
  }
});

it('a plane whose only unit could not listen serves when it can', async () => {
  const plane = await prepared();
  onTestFinished(() => plane.drain());
  await expect(plane.serve(beginning(1, '192.0.2.1'))).rejects.toThrow('EADDRNOTAVAIL');
  await plane.serve(beginning(1));
  expect(await statusOf(plane)).toBe(502);
});
