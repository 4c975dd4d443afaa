import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outFolder } from './paths.ts';
import type { TokenFiles } from './token-files.ts';

const id = '#'.repeat(16); // the load program puts the number of the request here

/** A token of the size that identity providers issue; it is signed by nobody. */
function bearerToken(length: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'https://id.example.com', aud: 'orders', sub: 'user-1842', scope: 'orders:read orders:write' };
  const start = `${part({ alg: 'RS256', typ: 'JWT', kid: 'bench' })}.${part(claims)}.`;
  const noise = Array.from({ length }, (_, at) => (at * 2654435761) >>> 24);
  return `${start}${Buffer.from(noise).toString('base64url')}`.slice(0, length);
}

const credentialLines = (credential: string): string =>
  [
    `GET /api/v1/orders/${id}?expand=items&currency=EUR HTTP/1.1`,
    'Host: orders.example.com',
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Accept: application/json, text/plain, */*',
    'Accept-Language: en-GB,en;q=0.7,de;q=0.3',
    'Accept-Encoding: gzip, deflate, br',
    'Origin: https://shop.example.com',
    'Referer: https://shop.example.com/account/orders',
    `X-Request-Id: ${id}`,
    credential,
  ].join('\n');

const bearerLines = (token: string): string => credentialLines(`Authorization: Bearer ${token}`);

function bearerHead(bytes: number): string {
  const bare = bearerLines('');
  const withoutToken = bare.length + bare.split('\n').length + 3; // each line ends in CRLF, the head in one more
  return bearerLines(bearerToken(bytes - withoutToken));
}

/** The load program puts tokens of this length, and one of 100,000 clients. */
function tokenHead(width: number): string {
  return `${bearerLines('@'.repeat(width))}\nX-Client: client-${'#'.repeat(5)}`;
}

const heads = {
  bearer: () => bearerHead(1024),
  small: () => [`GET /status?id=${id} HTTP/1.1`, 'Host: orders.example.com', 'Accept: */*'].join('\n'),
  verify: () => [`GET /verify/${id} HTTP/1.1`, 'Host: orders.example.com', `X-Request-Id: ${id}`].join('\n'),
};

export type HeadName = keyof typeof heads;

function written(name: string, head: string): string {
  const file = join(outFolder('heads'), `${name}.txt`);
  writeFileSync(file, `${head}\n`);
  return file;
}

/** Writes the request head as the load program reads it and returns the path. */
export function headFile(name: HeadName): string {
  return written(name, heads[name]());
}

/** The same for requests that each carry one of the tokens in a file. */
export function tokenHeadFile({ width }: TokenFiles): string {
  return written(`token-${width}`, tokenHead(width));
}

/** The same without a client of its own for each request. */
export function subjectHeadFile({ width }: TokenFiles): string {
  return written(`subject-${width}`, bearerLines('@'.repeat(width)));
}

/** The same for requests that each carry one of the session cookies in a file. */
export function cookieHeadFile(width: number): string {
  return written(`cookie-${width}`, credentialLines(`Cookie: ${'@'.repeat(width)}`));
}
