import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultConfiguration } from '../../../controller/compile/default-configuration.ts';
import { repositoryRoot } from '../../house/source-file.ts';

it('is the config.json that the chart writes where the values have none', () => {
  const text = readFileSync(`${repositoryRoot}/helm/gatewarden/files/default-config.json`, 'utf8');
  expect(JSON.parse(text)).toEqual(defaultConfiguration);
});
