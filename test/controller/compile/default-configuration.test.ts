import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defaultConfiguration } from '../../../controller/compile/default-configuration.ts';
import { repositoryRoot } from '../../house/source-file.ts';

it('equals the config.json that the chart writes by default', () => {
  const text = readFileSync(`${repositoryRoot}/helm/gatewarden/files/default-config.json`, 'utf8');
  expect(JSON.parse(text)).toEqual(defaultConfiguration);
});
