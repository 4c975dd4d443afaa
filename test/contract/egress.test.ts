import { describe, expect, it } from 'vitest';
import { type EgressSurroundings, egressJudge, type ForbiddenPlace, readEgressRule } from '../../contract/egress.ts';
import { ValueProblem } from '../../contract/problem.ts';

const OWN = '10.1.2.3';
const FORBIDDEN = [{ address: '10.96.0.1', port: 443 }, { address: '10.5.5.5' }, { address: 'fd00::5', port: 443 }];
const surroundings: EgressSurroundings = {
  forbidden: () => FORBIDDEN,
  appPorts: [],
  isOwnAddress: (address) => address === OWN,
};

function judged(address: string, port = 80, rules: readonly string[] = [], appPorts: readonly number[] = []): boolean {
  return egressJudge(rules.map(readEgressRule), { ...surroundings, appPorts })(address, port);
}

describe('a tenant may not connect to', () => {
  it.each([
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']],
    ['unspecified', ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0']],
    ['link-local', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.169.254']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', '240.0.0.1', 'ff02::1']],
    ['IPv4-compatible', ['::127.0.0.1', '::169.254.169.254']],
    ['translated', ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '::ffff:0:127.0.0.1', '64:ff9b:1::7f00:1']],
    ['translated at /48', ['64:ff9b:1:7f00:0:100::']],
    ['6to4', ['2002:7f00:1::1', '2002:a9fe:a9fe::']],
    ['Teredo', ['2001:0:7f00:1::', `2001:0:0102:0304:0:0:${hex(0x7f00)}:${hex(0x0001)}`]],
    ['what clouds tell credentials at', ['100.100.100.200', '168.63.129.16', 'fd00:ec2::254']],
    ['addresses of this machine', [OWN, `::ffff:${OWN}`, '64:ff9b::10.1.2.3']],
    ['what the plane forbids', ['10.5.5.5', '::ffff:10.5.5.5', '64:ff9b::10.5.5.5']],
    ['what is no address', ['localhost', '127.1', '', '1.2.3.4.5', '2130706433', '0x7f.0.0.1', '/run/x.sock']],
  ])('%s', (_what, addresses) => {
    expect(addresses.filter((address) => judged(address))).toEqual([]);
  });

  it('a forbidden port, but may use other ports of the address', () => {
    expect([judged('10.96.0.1', 443), judged('10.96.0.1', 80), judged('fd00::5', 443)]).toEqual([false, true, false]);
  });

  it('an address that is forbidden at run time', () => {
    let forbidden: readonly ForbiddenPlace[] = FORBIDDEN;
    const mayReach = egressJudge([], { ...surroundings, forbidden: () => forbidden });
    expect(mayReach('10.7.7.7', 9443)).toBe(true);
    forbidden = [...FORBIDDEN, { address: '10.7.7.7', port: 9443 }];
    expect([mayReach('10.7.7.7', 9443), mayReach('10.5.5.5', 1)]).toEqual([false, false]);
    forbidden = FORBIDDEN;
    expect(mayReach('10.7.7.7', 9443)).toBe(true);
  });
});

describe('a tenant may connect to', () => {
  it.each([
    '10.0.0.7',
    '192.168.1.1',
    '93.184.216.34',
    'fd00::1',
    '2606:2800::1',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s', (address) => {
    expect(judged(address)).toBe(true);
  });

  it('the application beside a sidecar, at its ports only', () => {
    const ask = (address: string, port: number): boolean => judged(address, port, [], [8080]);
    expect([ask('127.0.0.1', 8080), ask('::1', 8080), ask(OWN, 8080), ask('127.0.0.1', 8081)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([ask('169.254.169.254', 8080), ask('0.0.0.0', 8080)]).toEqual([false, false]);
  });
});

describe('an allow rule of an operator', () => {
  it.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080, true],
    ['127.0.0.1:8080', '::ffff:127.0.0.1', 8080, true],
    ['127.0.0.1:8080', '127.0.0.1', 8081, false],
    ['127.0.0.1:8080', '127.0.0.2', 8080, false],
    ['169.254.20.0/24', '169.254.20.9', 53, true],
    ['169.254.20.0/24', '169.254.21.9', 53, false],
    ['169.254.20.0/24:53', '169.254.20.9', 54, false],
    ['::1', '::1', 9, true],
    ['[::1]:9', '::1', 9, true],
    ['[::1]:9', '::1', 10, false],
    ['[fe80::/10]:9', 'fe80::7%eth0', 9, true],
    ['127.0.0.1', '2002:7f00:1::', 80, false],
    // a network does not open what the plane forbids, its address does
    ['10.0.0.0/8', '10.5.5.5', 80, false],
    ['10.5.5.5', '10.5.5.5', 80, true],
    ['10.96.0.1:443', '10.96.0.1', 443, true],
  ])('%s and %s port %i: %s', (rule, address, port, allowed) => {
    expect(judged(address, port, [rule])).toBe(allowed);
  });

  it.each(['', 'localhost', '10.0.0.0/33', '10.0.0.1:0', '10.0.0.1:70000', '[::1', '::1:80:', '10.0.0.1:x', '*'])(
    '%j is not a rule',
    (text) => {
      expect(() => readEgressRule(text)).toThrow(ValueProblem);
    },
  );
});

function hex(group: number): string {
  return (~group & 0xffff).toString(16);
}
