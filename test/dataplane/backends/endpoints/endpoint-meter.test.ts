import { expect, it } from 'vitest';
import { EndpointMeter } from '../../../../dataplane/backends/endpoints/endpoint-meter.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';

it('has labels for a hundred endpoints of an object, and counts the others together', () => {
  const counted: (string | undefined)[] = [];
  const count = (_metric: string, { endpoint }: Readonly<Record<string, string>>): void => void counted.push(endpoint);
  const meter = new EndpointMeter(
    objectParts({}, { count, counter: (metric, labels) => () => count(metric, labels) }).parts,
  );
  for (let i = 0; i < 130; i++) meter.counts(`10.0.0.${i}:80`).answered();
  meter.ejected('10.0.0.3:80');
  meter.ejected('10.0.0.129:80');
  expect(counted.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, i) => `10.0.0.${i}:80`));
  expect(counted.slice(100, 130)).toEqual(Array(30).fill('other'));
  expect(counted.slice(130)).toEqual(['10.0.0.3:80', 'other']);
});
