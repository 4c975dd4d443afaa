import { expect, it } from 'vitest';
import { pathText } from '../../../contract/problem.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

it.each([
  [{ directory: 'inner', scanInterval: '2 seconds' }, []],
  [{ openApiValidation: { enabled: true } }, ['unavailable-field handler.config.openApiValidation']],
  [{ directry: 'inner' }, ['unknown-field handler.config.directry']],
])('a router with %j', (config, problems) => {
  const found = checkConfigured({ handler: { type: 'Router', config } });
  expect(found.map(({ code, path }) => `${code} ${pathText(path)}`)).toEqual(problems);
});
