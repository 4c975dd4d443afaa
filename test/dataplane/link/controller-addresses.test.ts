import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../dataplane/engine/wire/wire.ts';
import { ControllerAddresses } from '../../../dataplane/link/controller-addresses.ts';

describe('the addresses of controllers', () => {
  it('are tried one after the other, and then resolved again', async () => {
    const answers = [['10.0.0.1', '10.0.0.2'], ['10.0.0.3']];
    const found: (readonly Endpoint[])[] = [];
    const addresses = new ControllerAddresses([{ host: 'ctl', port: 9 }], {
      lookup: async () => answers.shift() ?? ['10.0.0.3'],
      found: (endpoints) => found.push(endpoints),
      random: () => 0,
    });
    const tried: { readonly host: string; readonly address: string }[] = [];
    for (let i = 0; i < 4; i++) tried.push(await addresses.next());
    expect(tried.map(({ host, address }) => `${host} ${address}`)).toEqual([
      'ctl 10.0.0.1',
      'ctl 10.0.0.2',
      'ctl 10.0.0.3',
      'ctl 10.0.0.3',
    ]);
    // what was a controller once is never forgotten, and nothing is told twice
    expect(found.map((list) => list.map(({ address }) => address))).toEqual([
      ['10.0.0.1', '10.0.0.2'],
      ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
    ]);
  });

  it('are shuffled, so that data planes spread over controllers', async () => {
    const controllers = ['10.0.0.1', '::1', '10.0.0.3'].map((host) => ({ host, port: 9 }));
    const addresses = new ControllerAddresses(controllers, { random: () => 0.99 });
    const tried = [await addresses.next(), await addresses.next(), await addresses.next()];
    expect(tried.map(({ address }) => address)).toEqual(['10.0.0.3', '::1', '10.0.0.1']);
  });

  it('are resolved at once on request', async () => {
    let lookups = 0;
    const addresses = new ControllerAddresses([{ host: 'ctl', port: 9 }], {
      lookup: async () => [`10.0.0.${++lookups}`, '10.0.1.1'],
      random: () => 0,
    });
    await addresses.next();
    addresses.again();
    expect((await addresses.next()).address).toBe('10.0.0.2');
  });

  it('may be missing for some names, and not for all', async () => {
    const find = async (host: string): Promise<string[]> => {
      if (host === 'gone') throw new Error('ENOTFOUND gone');
      return ['10.0.0.1'];
    };
    const some = new ControllerAddresses(
      [
        { host: 'gone', port: 9 },
        { host: 'here', port: 9 },
      ],
      { lookup: find },
    );
    expect((await some.next()).address).toBe('10.0.0.1');
    const none = new ControllerAddresses([{ host: 'gone', port: 9 }], { lookup: find });
    await expect(none.next()).rejects.toThrow('cannot resolve gone: ENOTFOUND gone');
    const empty = new ControllerAddresses([{ host: 'here', port: 9 }], { lookup: async () => [] });
    await expect(empty.next()).rejects.toThrow('cannot resolve here: no address');
  });
});
