import { describe, expect, it } from 'vitest';
import { noReach } from '../../../contract/reach.ts';
import { NoSuchSecret, UnreadableSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { revealed } from '../../support/identity/secret-folder.ts';

const TYPE = 'SystemAndEnvSecretStore';
const twice = { secretId: 'a', format: 'PLAIN' };

describe(TYPE, () => {
  it.each([
    ['a variable in upper case', 'am.agent-1.key', { AM_AGENT_1_KEY: 'cGFzcw==' }, {}],
    ['a property of the same name', 'am.agent', {}, { 'am.agent': 'cGFzcw==' }],
    ['a property before a variable', 'am.agent', { AM_AGENT: 'b3RoZXI=' }, { 'am.agent': 'cGFzcw==' }],
    ['base64 without padding', 'am.agent', { AM_AGENT: 'cGFzcw' }, {}],
    ['base64 in lines', 'am.agent', { AM_AGENT: ' cGFz\r\ncw==\n' }, {}],
  ])('finds %s', async (_, id, env, system) => {
    const { object: store, problems } = buildObject('secretStore', TYPE, {}, operatorReach(env, system));
    expect(revealed(await store.active(id))).toBe('pass');
    expect((await store.valid(id)).map(revealed)).toEqual(['pass']);
    expect(problems).toEqual([]);
  });

  it('returns values unchanged with the PLAIN format', async () => {
    const reach = operatorReach({ A: 'cGFzcw==', B: 'pässword' });
    const { object: store } = buildObject('secretStore', TYPE, { format: 'plain' }, reach);
    expect(revealed(await store.active('a'))).toBe('cGFzcw==');
    expect(revealed(await store.active('b'))).toBe('pässword');
  });

  it('supports formats for single secrets', async () => {
    const { pem } = certificateAuthority('any').issue();
    const config = {
      mappings: [
        { secretId: 'plain', format: 'PLAIN' },
        { secretId: 'tls', format: { type: 'PemPropertyFormat' } },
      ],
    };
    const reach = operatorReach({ PLAIN: 'as it is', CODED: 'cGFzcw==', TLS: pem });
    const { object: store } = buildObject('secretStore', TYPE, config, reach);
    expect(revealed(await store.active('plain'))).toBe('as it is');
    expect(revealed(await store.active('coded'))).toBe('pass');
    expect((await store.key('sign', 'tls')).certificates).toHaveLength(1);
  });

  it.each([
    [
      'what is missing',
      {},
      "there is no secret 'a.b' of the kind GenericSecret in 'it': " +
        "there is neither a system property 'a.b' nor a variable 'A_B'",
      NoSuchSecret,
    ],
    [
      'what is no base64',
      { A_B: 'hunter2!' },
      "the secret 'a.b' of 'it' cannot be read: it is not base64, and its 'format' is not PLAIN",
      UnreadableSecret,
    ],
    [
      'PEM whose format nobody named',
      { A_B: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      "the secret 'a.b' of 'it' cannot be read: it is PEM and not base64: its 'format' has to be a PemPropertyFormat",
      UnreadableSecret,
    ],
    ['what is empty', { A_B: '' }, "the secret 'a.b' of 'it' cannot be read: it is empty", UnreadableSecret],
    [
      'what is empty once decoded',
      { A_B: '  ' },
      "the secret 'a.b' of 'it' cannot be read: it is empty",
      UnreadableSecret,
    ],
  ])('refuses %s', async (_, env, message, type) => {
    const { object: store } = buildObject('secretStore', TYPE, {}, operatorReach(env));
    const error = await store.active('a.b').catch((one: unknown) => one);
    expect(error).toBeInstanceOf(type);
    expect(error).toHaveProperty('message', message);
  });

  it.each(['0 seconds', 'unlimited', '10 us'])('warns of a lease of %s and takes the default', (leaseExpiry) => {
    const { problems } = buildObject('secretStore', TYPE, { leaseExpiry });
    const path = ['heap', 0, 'config', 'leaseExpiry'];
    expect(problems).toMatchObject([{ severity: 'warning', code: 'no-effect', path }]);
  });

  it.each([
    [{ format: 'PLAN' }, "config.format: there is no object 'PLAN' in this heap or in those around it"],
    [{ format: 7 }, 'config.format: must be one of BASE64, PLAIN, not a number'],
    [{ format: { type: 'Clock' } }, 'config.format: must be a PropertyFormat, not a Clock'],
    [{ mappings: [{ secretId: '..', format: 'PLAIN' }] }, 'config.mappings[0].secretId: must be the id of a secret:'],
    [{ mappings: [{ secretId: 'a' }] }, 'config.mappings[0].format: is required'],
    [{ leaseExpiry: 'soon' }, "config.leaseExpiry: must have a number before 'soon'"],
    [{ prefix: 'X' }, "config.prefix: there is no field 'prefix' here"],
    [{ mappings: [twice, twice] }, 'config.mappings: there are two mappings of one secret id'],
  ])('refuses the configuration %j', (config, said) => {
    expect(refusals({ type: TYPE, config })).toEqual([expect.stringContaining(said)]);
  });

  it('rejects documents of tenants', () => {
    const said = 'type: SystemAndEnvSecretStore is for operators only: it reads the environment of the data plane';
    expect(refusals({ type: TYPE }, [], noReach)).toEqual([said]);
  });
});
