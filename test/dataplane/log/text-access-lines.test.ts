import { describe, expect, it } from 'vitest';
import type { Finished } from '../../../dataplane/engine/client/finished.ts';
import { RequestIds } from '../../../dataplane/engine/client/request-ids.ts';
import { TextAccessLines } from '../../../dataplane/log/text-access-lines.ts';

const request: Finished = {
  method: 'GET',
  path: '/orders',
  host: 'shop.example',
  status: 200,
  milliseconds: 1.5,
  firstByte: 1,
  sent: 10,
  remote: '127.0.0.1',
  refusal: null,
  decision: null,
  ids: new RequestIds({ requestId: 'r-1', trace: null }),
  route: 'orders',
  backend: '192.0.2.1:80',
  user: 'kim',
};

function line(changes: Partial<Finished> = {}, isColoured = false): string {
  const lines = new TextAccessLines(isColoured);
  const length = lines.line({ ...request, ...changes });
  return lines.bytes.toString('utf8', 0, length);
}

/** The line without its time. */
const rest = (text: string): string => text.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /, '');

describe('a text line of the access log', () => {
  it('has the time, status, durations, method, target, route, user, backend and request id', () => {
    expect(line()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 200 /);
    expect(rest(line())).toBe(
      '200    1.50ms    1.00ms GET     shop.example/orders route=orders user=kim backend=192.0.2.1:80 requestId=r-1\n',
    );
  });

  it('starts the target at the same column for short and long requests', () => {
    const long = line({ method: 'OPTIONS', milliseconds: 123_456, firstByte: 9999 });
    expect(long.indexOf('shop.example')).toBe(line().indexOf('shop.example'));
  });

  it('has the refusal code, the reason and the object that decided', () => {
    const decision = {
      refusal: 'insufficient-scope',
      reason: 'scope missing',
      object: 'orders.guard',
      type: 'OAuth2ResourceServerFilter',
    } as const;
    const refused = line({ status: 403, refusal: 'insufficient-scope', decision, backend: null });
    expect(refused).toContain(' refusal=insufficient-scope reason="scope missing" object=orders.guard requestId=r-1\n');
  });

  it('shows a malformed head as dashes', () => {
    const nothing = { method: '', host: '', path: '', route: null, user: null, backend: null, ids: null };
    expect(rest(line({ ...nothing, status: 400 }))).toBe('400    1.50ms    1.00ms -       -\n');
  });

  const hostile = [
    ['an escape sequence', '\u001b[2J\u001b]0;title\u0007'],
    ['an end of line', 'kim\r\n2026-01-01T00:00:00.000Z 200'],
    ['a control of eight bits', 'kim\u009b31m'],
    ['a mark of direction', 'kim\u202egnp.exe'],
    ['an invisible character', 'k\u200bim'],
    ['an end of line of Unicode', 'kim\u2028root'],
    ['half of a character', 'kim\ud800'],
  ] as const;
  it.each(
    hostile.flatMap(([name, text]) =>
      (['path', 'host', 'method', 'user', 'route', 'backend'] as const).map((field) => [name, field, text] as const),
    ),
  )('escapes %s in the %s', (_, field, text) => {
    const written = line({ [field]: text });
    expect(written.indexOf('\n')).toBe(written.length - 1);
    expect(written.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u);
    expect(written).not.toContain(text);
    expect(rest(written)).toContain('"');
  });

  it('quotes a value with spaces, so that it cannot imitate other fields', () => {
    expect(line({ user: 'kim" refusal=none' })).toContain(' user="kim\\" refusal=none" backend=');
  });

  it('shows letters of any script unchanged', () => {
    expect(line({ user: 'Zoë-\u{1f600}-日本' })).toContain(' user=Zoë-\u{1f600}-日本 ');
  });

  it('has colours only if requested', () => {
    expect(line()).not.toContain('\u001b');
    const painted = line({ status: 502 }, true);
    expect(painted).toContain('\u001b[31m502\u001b[0m');
    expect(painted.replaceAll(/\u001b\[\d+m/g, '').slice(24)).toBe(line({ status: 502 }).slice(24));
  });
});
