import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoBackend } from '../../../cli/actions/demo-backend.ts';
import { runProgram } from '../../support/programs/run-program.ts';

describe('the demo backend', () => {
  let backend: Awaited<ReturnType<typeof startDemoBackend>>;
  beforeAll(async () => {
    backend = await startDemoBackend();
  });
  afterAll(() => {
    backend.server.close();
    backend.server.closeAllConnections();
  });

  it('shows the headers it received', async () => {
    const response = await fetch(`${backend.url}/`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect(await response.json()).toMatchObject({ target: '/', headers: { 'x-forwarded-for': '192.0.2.1' } });
  });

  it('streams events', async () => {
    const response = await fetch(`${backend.url}/stream`);
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(first).toMatch(/^id: 1\ndata: /);
  });

  it('sends the requested number of bytes', async () => {
    const response = await fetch(`${backend.url}/large?mb=3`);
    expect((await response.arrayBuffer()).byteLength).toBe(3 * 1024 * 1024);
    expect((await fetch(`${backend.url}/large?mb=-1`)).status).toBe(400);
  });

  it('lists its paths for an unknown path', async () => {
    expect((await fetch(`${backend.url}/nothing`)).status).toBe(404);
  });

  it.each([[['eighty']], [['65536']], [['1', '2']]])('does not start by itself with %j', async (words) => {
    const program = fileURLToPath(new URL('../../../cli/actions/demo-backend.ts', import.meta.url));
    expect(await runProgram(process.execPath, [program, ...words])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'demo backend: takes one port from 0 to 65535\n',
    });
  });
});
