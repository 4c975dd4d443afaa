import { describe, expect, it } from 'vitest';
import { renderingDifference } from '../support/cluster/rendering-difference.ts';

const object = (kind: string, name: string, ...more: readonly string[]): string =>
  [`---\nkind: ${kind}`, 'metadata:', `  name: ${name}`, ...more].map((line) => `${line}\n`).join('');

const service = object('Service', 'a', 'spec:', '  type: ClusterIP', '  ports:', '    - port: 80', '    - port: 443');

describe('the difference of two renderings', () => {
  it('is empty for the same text', () => {
    expect(renderingDifference(service, service)).toBe('');
  });

  it('names the object and the keys that lead to a changed line', () => {
    expect(renderingDifference(service, service.replace('443', '8443'))).toBe(
      '=== Service a\n@@ spec > ports\n- - port: 443\n+ - port: 8443\n',
    );
  });

  it('reports a missing object in one line', () => {
    expect(renderingDifference(service + object('Secret', 'b'), service)).toBe('without Secret b\n');
  });

  it('shows an object of a new kind as a whole', () => {
    expect(renderingDifference(service, service + object('Secret', 'b'))).toBe(
      '=== Secret b, new\n+ kind: Secret\n+ metadata:\n+   name: b\n',
    );
  });

  it('compares a renamed object with the removed one', () => {
    expect(renderingDifference(service, service.replace('name: a', 'name: b'))).toBe(
      '=== Service b, like Service a\n@@ metadata\n- name: a\n+ name: b\n',
    );
  });

  it('reports a change in many places once, and detects different places', () => {
    const full = ['a', 'b', 'c', 'd'].map((name) => object('Secret', name, 'data:', '  old: x')).join('');
    const change = (names: string): string =>
      full.replace(new RegExp(`(name: [${names}]\ndata:\n) {2}old: x`, 'g'), '$1  new: x');
    const [first, second] = [renderingDifference(full, change('abc')), renderingDifference(full, change('bcd'))];
    expect(first).toMatch(/^@@ 3 places \([0-9a-f]{8}\)\n- old: x\n\+ new: x\n$/);
    expect(second).not.toBe(first);
  });

  it('does not depend on lines that both have', () => {
    const more = (text: string): string => text.replace('spec:', 'labels: {}\nspec:');
    const changed = service.replace('443', '8443');
    expect(renderingDifference(more(service), more(changed))).toBe(renderingDifference(service, changed));
  });
});
