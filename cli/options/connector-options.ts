import type { Reading, ValueOption } from '../commands/command.ts';

/** The options of commands whose connectors are those of `admin.json`. */
export const connectorOptions = {
  port: {
    valueName: 'N[,N…]',
    description:
      'Port for clients, one for each connector of admin.json in their order; by default those in ' +
      'admin.json, or 8080. 0 takes a free one.',
    optional: true,
    read: readPorts,
  },
  host: {
    valueName: 'HOST',
    description: 'Address for clients; by default every interface.',
    optional: true,
    read: readHost,
  },
} as const satisfies Record<string, ValueOption>;

function readPorts(text: string): Reading<readonly number[]> {
  const ports = text.split(',').map((port) => (/^\d{1,5}$/.test(port) ? Number(port) : -1));
  if (!ports.every((port) => port >= 0 && port < 65_536)) {
    return { problem: `must be a port from 0 to 65535, or several with commas between, not '${text}'` };
  }
  const chosen = ports.filter((port) => port !== 0);
  const isTwice = new Set(chosen).size < chosen.length;
  return isTwice ? { problem: `must not name a port twice, as '${text}' does` } : { value: ports };
}

function readHost(text: string): Reading<string> {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  return /^[\w.:-]+$/.test(host) ? { value: host } : { problem: `must be a host name or address, not '${text}'` };
}
