import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { handshakeFaults } from '../../../dataplane/engine/wire/secure-transport.ts';

it('docs/errors.md lists every reason for which a handshake with a client fails', () => {
  const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const section = /^## TLS handshakes with clients$([\s\S]*?)^## /m.exec(document)?.[1] ?? '';
  expect([...section.matchAll(/^\| `([\w-]+)`/gm)].map(([, reason]) => reason)).toEqual([...handshakeFaults]);
});
