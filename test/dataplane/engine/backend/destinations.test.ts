import { describe, expect, it, onTestFinished } from 'vitest';
import { Destinations } from '../../../../dataplane/engine/backend/destinations.ts';

const MOST = 4096;

function destinations(): Destinations {
  const made = new Destinations({ connections: 2 });
  onTestFinished(() => made.close());
  return made;
}

describe('finding a backend', () => {
  it('returns the same destination for the same host and port in any spelling', () => {
    const found = destinations();
    const first = found.find('app.example', 80);
    expect(first!.options).toMatchObject({ destination: { host: 'app.example', port: 80 }, connections: 2 });
    expect(found.find('app.example', 80)).toBe(first);
    expect(found.find('APP.example', 80)).toBe(first);
    expect(found.size).toBe(1);
  });

  it('returns another destination for another host or port', () => {
    const found = destinations();
    const all = [found.find('a', 80), found.find('b', 80), found.find('a', 81), found.find('::1', 80)];
    expect(new Set(all).size).toBe(4);
    expect(all).toEqual([found.find('a', 80), found.find('b', 80), found.find('a', 81), found.find('::1', 80)]);
  });
});

describe('forgetting backends', () => {
  it('removes destinations that were unused between two checks', () => {
    const found = destinations();
    const first = found.find('a', 80);
    found.overdue(0);
    expect(found.find('a', 80)).toBe(first);
    found.overdue(0);
    expect(found.size).toBe(1);
    found.overdue(0);
    expect(found.size).toBe(0);
    expect(found.find('a', 80)).not.toBe(first);
  });

  it('removes unused destinations when there are too many', () => {
    const found = destinations();
    for (let port = 0; port < MOST; port++) expect(found.find('a', port)).not.toBeNull();
    expect(found.size).toBe(MOST);
    expect(found.find('b', 80)).not.toBeNull();
    expect(found.size).toBe(1);
  });

  it('keeps destinations in use, and rejects new ones when all are in use', () => {
    const found = destinations();
    for (let port = 0; port < MOST; port++) {
      Object.defineProperty(found.find('a', port), 'vacant', { value: false });
    }
    expect(found.find('b', 80)).toBeNull();
    found.overdue(0);
    found.overdue(0);
    expect(found.size).toBe(MOST);
  });
});
