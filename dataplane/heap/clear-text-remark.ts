import type { Remark } from './definition.ts';

const OWN_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** Whether a host, without brackets, is this machine, so that nobody else can read what is sent to it. */
export function isOwnMachine(host: string): boolean {
  return OWN_MACHINE.test(host);
}

/** Warning for a URL whose requests leave the machine without TLS. `danger` names the consequence. */
export function clearTextRemarks(field: string, { protocol, hostname }: URL, danger: string): readonly Remark[] {
  if (protocol !== 'http:' || isOwnMachine(hostname.replace(/^\[(.*)\]$/, '$1'))) return [];
  return [{ at: [field], code: 'insecure', message: `is not https: ${danger}` }];
}
