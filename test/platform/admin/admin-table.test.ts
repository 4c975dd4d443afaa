import { describe, expect, it } from 'vitest';
import { textAnswer } from '../../../platform/admin/admin-answer.ts';
import { openGuard } from '../../../platform/admin/admin-guard.ts';
import { type AdminPath, AdminTable, allowedMethods } from '../../../platform/admin/admin-table.ts';

const row = (method: AdminPath['method'], path: string, aliases: readonly string[] = []): AdminPath => ({
  ...{ method, path, aliases, guard: openGuard },
  answer: () => textAnswer(200, path),
});

const table = new AdminTable([
  row('GET', '/'),
  row('GET', '/status'),
  row('GET', '/metrics', ['/openig/metrics/prometheus']),
  row('GET', '/routes/{id}'),
  row('PUT', '/routes/{id}'),
  row('POST', '/units/{unit}/restart'),
  row('GET', '/openig/metrics/api/*'),
]);

describe('a table of admin paths', () => {
  it.each([
    ['/', '/', {}],
    ['/status', '/status', {}],
    ['/openig/metrics/prometheus', '/metrics', {}],
    ['/routes/a', '/routes/{id}', { id: 'a' }],
    ['/routes/a%2Fb%20c', '/routes/{id}', { id: 'a/b c' }],
    ['/routes/100%', '/routes/{id}', { id: '100%' }],
    ['/units/3/restart', '/units/{unit}/restart', { unit: '3' }],
    ['/openig/metrics/api', '/openig/metrics/api/*', { rest: '' }],
    ['/openig/metrics/api/', '/openig/metrics/api/*', { rest: '' }],
    ['/openig/metrics/api/heap/a%2Fb', '/openig/metrics/api/*', { rest: 'heap/a/b' }],
  ])('finds %s as %s', (path, found, parameters) => {
    const place = table.find(path);
    expect(place?.rows[0]?.path).toBe(found);
    expect(place?.parameters).toEqual(parameters);
  });

  it.each([
    '',
    'status',
    '/Status',
    '/status/',
    '//status',
    '/status%20',
    '/statu%73',
    '/./status',
    '/routes/',
    '/routes/a/b',
    '/routes/../status',
    '/units//restart',
    '/openig/metrics/apis',
    'http://localhost/status',
  ])('does not find %s', (path) => {
    expect(table.find(path)).toBeNull();
  });

  it('treats special characters of a path literally', () => {
    expect(new AdminTable([row('GET', '/a.b')]).find('/axb')).toBeNull();
  });

  it('lists each path once, without aliases', () => {
    expect(table.listed).toEqual([
      ...['/', '/status', '/metrics', '/routes/{id}', '/units/{unit}/restart', '/openig/metrics/api'],
    ]);
  });

  it('names the methods of a path, HEAD with GET', () => {
    expect(allowedMethods(table.find('/routes/a')!)).toBe('GET, HEAD, PUT');
    expect(allowedMethods(table.find('/units/1/restart')!)).toBe('POST');
  });

  it('refuses two rows for the same method and path', () => {
    expect(() => new AdminTable([row('GET', '/a'), row('GET', '/b', ['/a'])])).toThrow('GET /a is there twice');
  });
});
