import { expect, it } from 'vitest';
import { ExportedNames } from '../../../controller/export/exported-names.ts';

it('names become valid and unique Kubernetes names', () => {
  const names = new ExportedNames();
  const given = ['10-orders', '10_Orders', 'KeyStoreSecretStore-1', '  ', '!!', 'é', 'x'.repeat(80), '-a.b-'];
  const made = given.map((name) => names.give(name, 'route'));
  expect(made).toEqual([
    '10-orders',
    '10-orders-2',
    'keystoresecretstore-1',
    'route',
    'route-2',
    'route-3',
    'x'.repeat(50),
    'a-b',
  ]);
});
