import { z } from 'zod';
import { Secret } from '../../contract/secret.ts';
import { flag, text } from '../../contract/vocabulary/configured.ts';
import { deprecated } from '../../contract/vocabulary/field-notes.ts';
import { exclusive, needs } from '../../contract/vocabulary/groups.ts';
import { theReading } from '../../contract/vocabulary/reading.ts';
import { type Reference, ref } from '../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import type { Remark } from '../heap/definition.ts';
import { customProxyFields } from './custom-proxy.ts';

/** Whether to use what only an operator may know of. */
const operatorFlag = flag().refine(() => theReading().reach.origin !== 'tenant', {
  error: 'is for operators only: it uses system properties of the data plane',
  params: { code: 'not-allowed' },
});

/** Fields of a handler about the proxy between it and its backends. */
export const proxyFields = {
  proxyOptions: ref('proxyOptions').prefault('ProxyOptions').describe('Proxy for outgoing requests.'),
  proxy: deprecated(
    z
      .strictObject({
        ...customProxyFields,
        password: deprecated(
          text().transform((password) => new Secret(password)),
          '`passwordSecretId`: anyone who can read the document can read the password',
        ).describe('The password itself.'),
      })
      .check(
        exclusive('passwordSecretId', 'password'),
        needs('passwordSecretId', 'username'),
        needs('passwordSecretId', 'secretsProvider'),
        needs('password', 'username'),
        needsPassword(),
      ),
    'a `proxyOptions` of the type CustomProxyOptions',
  ).describe('Proxy for outgoing requests; overrides `systemProxy` and `proxyOptions`.'),
  systemProxy: deprecated(operatorFlag, 'a `proxyOptions` of the type SystemProxyOptions').describe(
    'Whether to use the proxy of the system properties; overrides `proxyOptions`.',
  ),
};

function needsPassword(): z.core.$ZodCheck<Readonly<Record<string, unknown>>> {
  return rulesAbout(['username', 'password', 'passwordSecretId'], (value: Readonly<Record<string, unknown>>, add) => {
    const { username, password, passwordSecretId } = value;
    if (username === undefined || password !== undefined || passwordSecretId !== undefined) return;
    add(['passwordSecretId'], "is required: 'username' needs it", 'missing');
  });
}

interface GivenProxies {
  readonly proxy?: unknown;
  readonly systemProxy?: boolean | undefined;
  readonly proxyOptions: Reference<'proxyOptions'>;
}

/** Remarks on fields that another field overrides. */
export function proxyRemarks({ proxy, systemProxy, proxyOptions }: GivenProxies): readonly Remark[] {
  const winner = proxy !== undefined ? 'proxy' : systemProxy === true ? 'systemProxy' : null;
  if (winner === null) return [];
  const losers = [
    ...(winner === 'proxy' && systemProxy === true ? ['systemProxy'] : []),
    ...(proxyOptions.name === 'ProxyOptions' ? [] : ['proxyOptions']),
  ];
  return losers.map((field) => ({ at: [field], code: 'no-effect', message: `has no effect: '${winner}' wins` }));
}
