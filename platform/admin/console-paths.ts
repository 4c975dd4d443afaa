import type { ShownSession } from '../../contract/shown/shown-session.ts';
import { type AdminAnswer, jsonAnswer, textAnswer } from './admin-answer.ts';
import type { AdminGuard } from './admin-guard.ts';
import type { AdminCall, AdminPath } from './admin-table.ts';
import type { ConsoleFiles } from './console-files.ts';

const ROOT = '/console';
/** Tells the console who is signed in. */
export const SESSION_PATH = '/console/session';
/** Below it are the paths of a sign-in at an OpenID provider. */
export const OPENID_PATH = '/console/openid';
/** Page that every path of the console begins with: the path says which part of it is shown. */
const PAGE = 'index.html';
/** Files with the hash of their content in their names. */
const HASHED = 'assets/';

/** Code and styles come from this server only, no text becomes markup or code, and no other page frames the console. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PROTECTION = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
};

/**
 * Returns the paths of the console. The files have no data, so that they need no credential: everything that the console
 * shows comes from Common REST with the rights of the caller.
 *
 * @param session paths of the session; by default nobody signs in
 */
export function consolePaths(files: ConsoleFiles, guard: AdminGuard, session?: readonly AdminPath[]): AdminPath[] {
  const answer = (call: AdminCall): Promise<AdminAnswer> => fileAnswer(files, call);
  const nobody: ShownSession = { ways: [], provider: null, user: null, expires: null };
  const open = {
    method: 'GET',
    path: SESSION_PATH,
    guard,
    answer: () => jsonAnswer(200, JSON.stringify(nobody)),
  } as const;
  // The first path that matches counts.
  return [...(session ?? [open]), { method: 'GET', path: `${ROOT}/*`, guard, answer }];
}

async function fileAnswer(files: ConsoleFiles, { path, header }: AdminCall): Promise<AdminAnswer> {
  if (path === ROOT) return { status: 308, type: '', body: '', headers: { ...PROTECTION, location: `${ROOT}/` } };
  const table = await files.table();
  if (table === null) return textAnswer(503, "the console is not built: run 'npm run console'", PROTECTION);
  // The path as it was sent: no decoding can make it the name of another file.
  const name = path.slice(ROOT.length + 1);
  const file = table.get(name) ?? (name.startsWith(HASHED) ? undefined : table.get(PAGE));
  if (file === undefined) return textAnswer(404, 'not found', PROTECTION);
  const { type, content, compressed, tag } = file;
  const isHashed = name.startsWith(HASHED);
  const headers = {
    ...PROTECTION,
    'cache-control': isHashed ? 'private, max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    vary: 'accept-encoding',
  };
  if (names(header('if-none-match'), tag)) return { status: 304, type: '', body: '', headers };
  if (!takesGzip(header('accept-encoding'))) return { status: 200, type, body: content, headers };
  return { status: 200, type, body: compressed, headers: { ...headers, 'content-encoding': 'gzip' } };
}

function names(given: string | null, tag: string): boolean {
  return given?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) ?? false;
}

function takesGzip(accepted: string | null): boolean {
  const codings = accepted?.toLowerCase().split(',') ?? [];
  return codings.some((one) => /^\s*(?:gzip|x-gzip)\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/.test(one));
}
