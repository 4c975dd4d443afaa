import { existsSync, readFileSync } from 'node:fs';
import { printable } from '../../contract/document/printable-text.ts';
import { errorText } from '../../platform/error-text.ts';
import type { Reading } from '../commands/command.ts';
import { isInCluster } from '../options/in-cluster.ts';
import { ownAdminSocket } from './admin-socket.ts';

/** How a command reaches the admin address of a controller. */
export interface AdminAccess {
  /** By default the controller of this container, or else the one on this machine. */
  readonly admin: URL | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  /** Token of the caller in place of a file. */
  readonly token?: string | null;
}

/** The options of commands that ask a controller. */
export const adminOptions = {
  admin: {
    valueName: 'URL',
    description:
      'Admin address of a controller, such as https://gatewarden-controller.gatewarden:9091 or unix:/tmp/admin.sock; ' +
      'by default http://127.0.0.1:9090, or, in the Pod of a controller, its socket.',
    optional: true,
    read: readAdminUrl,
  },
  'token-file': {
    valueName: 'FILE',
    description:
      'File with the token of a ServiceAccount or user whose RBAC allows get on the path; sent over https only.',
    optional: true,
    read: (text: string): Reading<string> => ({ value: text }),
  },
  'ca-file': {
    valueName: 'FILE',
    description: "File with the CA certificate that signed the controller's certificate, in PEM.",
    optional: true,
    read: (text: string): Reading<string> => ({ value: text }),
  },
} as const;

/** Longest answer that is read, in bytes. */
const LONGEST = 512 * 1024 * 1024;
const TIMEOUT = 30_000;

/** A request for an admin address. */
export interface AdminRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Answer of an admin address. */
export interface AdminResponse {
  readonly status: number;
  readonly text: string;
  /** Address that was asked, for messages. */
  readonly asked: string;
}

/**
 * Returns the response of a controller for a path of its admin address.
 * @throws Error with the reason if there is none
 */
export async function askController(access: AdminAccess, path: string): Promise<string> {
  const { status, text, asked } = await callAdmin(access, { method: 'GET', path });
  if (status === 200) return text;
  throw new Error(`${asked} answered ${status}: ${printable(text.trim().slice(0, 500))}`);
}

/** Sends a request to an admin address. @throws Error with the reason if there is no answer */
export async function callAdmin(
  { tokenFile, caFile, token = fileToken(tokenFile), ...given }: AdminAccess,
  { method, path, headers: own = {}, body }: AdminRequest,
): Promise<AdminResponse> {
  const admin = given.admin ?? defaultAdmin();
  const isSecure = admin.protocol === 'https:';
  if (token !== null && !isSecure) throw new Error('a token is sent over https only: give an https URL');
  const bearer = token === null ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...own, ...bearer, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) };
  const isSocket = admin.protocol === 'unix:';
  // A path with two slashes at its beginning would name another host, which would get the token.
  const base = isSocket ? 'http://localhost' : `${admin.origin}${admin.pathname.replace(/\/$/, '')}`;
  const url = new URL(`${base}${path}`);
  const { href } = url; // for messages, so without credentials
  if (!isSocket) Object.assign(url, { username: admin.username, password: admin.password });
  const asked = isSocket ? admin.pathname : url.origin;
  // Loaded here and not at the top: every command has these options, and few ask.
  const { request } = isSecure ? await import('node:https') : await import('node:http');
  const answer = await new Promise<Pick<AdminResponse, 'status' | 'text'>>((resolve, reject) => {
    const at = isSocket ? { socketPath: decodeURIComponent(admin.pathname) } : {};
    const ca = caFile === undefined ? {} : { ca: readFileSync(caFile) };
    const asking = request(url, { method, headers, timeout: TIMEOUT, ...at, ...ca }, (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > LONGEST) asking.destroy(new Error('the response is too long'));
        else pieces.push(piece);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
      );
      response.on('error', reject);
    });
    asking.on('timeout', () => asking.destroy(new Error('no response in time')));
    asking.on('error', reject);
    asking.end(body);
  }).catch((error: unknown) => {
    throw new Error(`cannot reach ${asked}: ${errorText(error)}`);
  });
  return { ...answer, asked: isSocket ? `${asked}, asked for ${path},` : href };
}

function fileToken(file: string | undefined): string | null {
  return file === undefined ? null : readFileSync(file, 'utf8').trim();
}

function defaultAdmin(): URL {
  const socket = ownAdminSocket();
  return new URL(isInCluster() && existsSync(socket) ? `unix:${socket}` : 'http://127.0.0.1:9090');
}

/** Reads the URL of an admin address. */
export function readAdminUrl(text: string): Reading<URL> {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isUsable = url !== null && (/^https?:$/.test(url.protocol) || /^unix:\/[^/]/.test(text));
  return isUsable ? { value: url } : { problem: `must be an http or https URL or unix:/PATH, not '${text}'` };
}
