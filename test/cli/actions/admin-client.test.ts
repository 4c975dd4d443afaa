import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { callAdmin } from '../../../cli/actions/admin-client.ts';

it.each(['', '/', '/behind'])('asks no other host than that of the address, whatever the path (%j)', async (prefix) => {
  const server = createServer((request, response) => response.end(request.url)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const admin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`);
  const access = { admin, tokenFile: undefined, caFile: undefined };
  const base = prefix === '/' ? '' : prefix;
  for (const path of ['//other.invalid/api', '/\\other.invalid/api', '/api?_queryFilter=true']) {
    const { text } = await callAdmin(access, { method: 'GET', path });
    expect(text).toBe(`${base}${path.replaceAll('\\', '/')}`);
  }
});

it('sends the credentials of the address, and keeps them out of messages', async () => {
  const server = createServer(({ headers }, response) => response.end(headers.authorization)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const admin = new URL(`http://ann:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}`);
  const access = { admin, tokenFile: undefined, caFile: undefined };
  const { text, asked } = await callAdmin(access, { method: 'GET', path: '/status?a=b' });
  expect(text).toBe(`Basic ${Buffer.from('ann:hunter2').toString('base64')}`);
  expect(asked).toBe(`http://${admin.host}/status?a=b`);
});
