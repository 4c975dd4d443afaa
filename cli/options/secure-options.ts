import type { SecureConnector } from '../../dataplane/connectors/configured-connectors.ts';
import type { Reading, ValueOption } from '../commands/command.ts';

/** The options of commands that can have a connector with TLS beside those of `admin.json`. */
export const secureOptions = {
  'tls-port': {
    valueName: 'N',
    description:
      'Port of one more connector, beside those of admin.json, that speaks TLS with HTTP/2 and HTTP/1.1; needs ' +
      '--tls-cert and --tls-key. 0 takes a free one.',
    optional: true,
    read: readPort,
  },
  'tls-cert': {
    valueName: 'FILE',
    description: 'Certificate chain, in PEM, for --tls-port; reloaded when it changes.',
    optional: true,
    read: readPath,
  },
  'tls-key': {
    valueName: 'FILE',
    description: 'Private key of --tls-cert, in PEM; reloaded when it changes.',
    optional: true,
    read: readPath,
  },
} as const satisfies Record<string, ValueOption>;

/** The options that were given. */
export interface SecureChoice {
  readonly 'tls-port': number | undefined;
  readonly 'tls-cert': string | undefined;
  readonly 'tls-key': string | undefined;
}

/** Returns the problem of these options, or null. */
export function secureProblem(options: SecureChoice & { readonly port: readonly number[] | undefined }): string | null {
  const { 'tls-port': port, 'tls-cert': certificate, 'tls-key': key } = options;
  const given = [port, certificate, key].filter((one) => one !== undefined).length;
  if (given !== 0 && given !== 3) return '--tls-port, --tls-cert and --tls-key must be given together';
  if (port !== undefined && port !== 0 && options.port?.includes(port) === true)
    return `--port and --tls-port must not both be ${port}`;
  return null;
}

/** The connector that sound options ask for. */
export function secureConnector(options: SecureChoice): SecureConnector | undefined {
  const { 'tls-port': port, 'tls-cert': certificate, 'tls-key': key } = options;
  if (port === undefined || certificate === undefined || key === undefined) return undefined;
  return { port, files: { certificate, key } };
}

function readPort(text: string): Reading<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  return port >= 0 && port < 65_536 ? { value: port } : { problem: `must be a port from 0 to 65535, not '${text}'` };
}

function readPath(text: string): Reading<string> {
  return text === '' ? { problem: 'must not be empty' } : { value: text };
}
