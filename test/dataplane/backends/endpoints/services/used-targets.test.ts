import { describe, expect, it } from 'vitest';
import { MOST_USED_ENDPOINTS } from '../../../../../contract/resources/service-reference.ts';
import type { ServiceTarget } from '../../../../../contract/snapshot.ts';
import { type PlanePlace, usedTargets } from '../../../../../dataplane/backends/endpoints/services/used-targets.ts';

const PORTS = [
  { name: 'http', port: 80 },
  { name: 'admin', port: 81 },
];
const ANYWHERE: PlanePlace = { zone: null, families: new Set([4]) };

function target(address: string, more: Partial<ServiceTarget> = {}): ServiceTarget {
  return { addresses: [address], ports: { http: 8080 }, ...more };
}

/** The endpoints that are used, as `address:port`, those that are far in parentheses. */
function used(targets: readonly ServiceTarget[], place: PlanePlace = ANYWHERE, port: number | string = 80): string[] {
  return usedTargets({ ports: PORTS, targets }, port, place).map(({ address, port: at, isFar }) =>
    isFar ? `(${address}:${at})` : `${address}:${at}`,
  );
}

describe('endpoints of a Service', () => {
  it.each<[string, number | string, string[]]>([
    ['a port by number', 80, ['10.0.0.1:8080', '10.0.0.2:9090']],
    ['a port by name', 'http', ['10.0.0.1:8080', '10.0.0.2:9090']],
    ['a port that some of them have', 'admin', ['10.0.0.2:9091']],
    ['a number that the Service lacks', 8080, []],
    ['a name that the Service lacks', 'grpc', []],
    ['a name that every object has', 'constructor', []],
  ])('are those with %s, each at its own', (_, port, expected) => {
    const targets = [target('10.0.0.1'), target('10.0.0.2', { ports: { http: 9090, admin: 9091 } })];
    expect(used(targets, ANYWHERE, port)).toEqual(expected);
  });

  it('are reached at a port without a name', () => {
    const service = { ports: [{ name: '', port: 80 }], targets: [target('10.0.0.1', { ports: { '': 8080 } })] };
    expect(usedTargets(service, 80, ANYWHERE)).toEqual([{ address: '10.0.0.1', port: 8080, isFar: false }]);
  });

  it('that drain are used only while no other one has the port', () => {
    const draining = target('10.0.0.1', { draining: true, ports: { http: 8080, admin: 8081 } });
    expect(used([draining, target('10.0.0.2')])).toEqual(['10.0.0.2:8080']);
    expect(used([draining, target('10.0.0.2')], ANYWHERE, 'admin')).toEqual(['10.0.0.1:8081']);
    expect(used([draining])).toEqual(['10.0.0.1:8080']);
  });

  it.each<[string, number[], string[], string]>([
    ['of IPv4 for a data plane with IPv4', [4], ['fd00::1', '10.0.0.1'], '10.0.0.1:8080'],
    ['of IPv6 for a data plane with IPv6', [6], ['10.0.0.1', 'fd00::1'], 'fd00::1:8080'],
    ['that the Service prefers for one with both', [4, 6], ['fd00::1', '10.0.0.1'], 'fd00::1:8080'],
    ['that the Service prefers for one that does not know', [], ['fd00::1', '10.0.0.1'], 'fd00::1:8080'],
    ['of the other family if there is none', [4], ['fd00::1'], 'fd00::1:8080'],
  ])('are one for each target, at the address %s', (_, families, addresses, expected) => {
    const place = { zone: null, families: new Set(families) };
    expect(used([{ addresses, ports: { http: 8080 } }], place)).toEqual([expected]);
  });

  it('of a family that the data plane lacks are left out beside others', () => {
    expect(used([target('fd00::1'), target('10.0.0.1')])).toEqual(['10.0.0.1:8080']);
  });

  it('that drain are used when the others have a family that the data plane lacks', () => {
    expect(used([target('fd00::1'), target('10.0.0.1', { draining: true })])).toEqual(['10.0.0.1:8080']);
  });

  it.each<[string, string | null, (string[] | undefined)[], string[]]>([
    ['near ones first', 'a', [['a'], ['b']], ['10.0.0.1:8080', '(10.0.0.2:8080)']],
    ['all where one is for several zones', 'a', [['a'], ['b', 'a']], ['10.0.0.1:8080', '10.0.0.2:8080']],
    ['all where none is for the zone', 'c', [['a'], ['b']], ['10.0.0.1:8080', '10.0.0.2:8080']],
    ['all where one has no hint', 'a', [['a'], undefined], ['10.0.0.1:8080', '10.0.0.2:8080']],
    ['all where one has an empty hint', 'a', [['a'], []], ['10.0.0.1:8080', '10.0.0.2:8080']],
    ['all where the zone is not known', null, [['a'], ['b']], ['10.0.0.1:8080', '10.0.0.2:8080']],
  ])('with hints for zones are %s', (_, zone, hints, expected) => {
    const targets = hints.map((zones, at) => target(`10.0.0.${at + 1}`, zones === undefined ? {} : { zones }));
    expect(used(targets, { zone, families: new Set([4]) })).toEqual(expected);
  });

  it('that are there twice are one, and near if one of them is', () => {
    const twice = [target('10.0.0.1', { zones: ['b'] }), target('10.0.0.1', { zones: ['a'] })];
    expect(used(twice, { zone: 'a', families: new Set() })).toEqual(['10.0.0.1:8080']);
  });

  it('are a thousand at most', () => {
    const many = Array.from({ length: MOST_USED_ENDPOINTS + 1 }, (_, at) => target(`10.0.${at >> 8}.${at & 255}`));
    expect(used(many)).toHaveLength(MOST_USED_ENDPOINTS);
  });
});
