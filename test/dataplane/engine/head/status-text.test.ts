import { STATUS_CODES } from 'node:http';
import { expect, it } from 'vitest';
import { statusText } from '../../../../dataplane/engine/head/status-text.ts';

it('has the standard phrases, and one for other codes', () => {
  for (let code = 100; code < 600; code++)
    expect([code, statusText(code)]).toEqual([code, STATUS_CODES[code] ?? 'Unknown']);
});
