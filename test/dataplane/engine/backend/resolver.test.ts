import { describe, expect, it } from 'vitest';
import { Resolver } from '../../../../dataplane/engine/backend/resolver.ts';
import { clock } from '../../../../dataplane/engine/wire/clock.ts';

describe('the addresses of a backend', () => {
  it('are resolved again after a few seconds', async () => {
    const resolver = new Resolver('localhost');
    expect(resolver.known).toBeNull();
    const addresses = await resolver.resolve();
    expect(addresses.length).toBeGreaterThan(0);
    expect(resolver.known).toEqual(addresses);
    clock.now += 6000;
    expect(resolver.known).toBeNull();
    expect(await resolver.resolve()).toEqual(addresses);
    expect(resolver.known).toEqual(addresses);
  });

  it('are resolved again after a failed connection', async () => {
    const resolver = new Resolver('localhost');
    await resolver.resolve();
    resolver.distrust();
    expect(resolver.known).toBeNull();
  });

  it('of a numeric host need no lookup', () => {
    const resolver = new Resolver('192.0.2.7');
    expect(resolver.known).toEqual(['192.0.2.7']);
    resolver.distrust();
    expect(resolver.known).toEqual(['192.0.2.7']);
  });

  it('fail for an unknown name', async () => {
    await expect(new Resolver('nobody.invalid').resolve()).rejects.toThrow();
  });
});
