import type { Remark } from './definition.ts';

const OWN_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Warning for a URL whose requests leave the machine without TLS. `danger` names the consequence. */
export function clearTextRemarks(field: string, { protocol, hostname }: URL, danger: string): readonly Remark[] {
  if (protocol !== 'http:' || OWN_MACHINE.test(hostname)) return [];
  return [{ at: [field], code: 'insecure', message: `is not https: ${danger}` }];
}
