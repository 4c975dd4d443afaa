import { z } from 'zod';
import { choice, flag, text } from '../../contract/vocabulary/configured.ts';
import { theReading } from '../../contract/vocabulary/reading.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';

/** How the cookies of a session are set. */
export interface CookieRule {
  readonly name: string;
  readonly domain?: string | undefined;
  readonly path: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'LAX' | 'STRICT' | 'NONE';
}

/** The name of a cookie that a client can send back. */
export function cookieName() {
  return text().refine((name) => /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name), 'is not the name of a cookie');
}

/** Domain of a cookie, which is sent to every host below it: also to hosts of other tenants. */
export function cookieDomain() {
  return text()
    .refine((domain) => /^\.?[\w-]+(?:\.[\w-]+)*$/.test(domain), 'is not a domain')
    .refine(() => theReading().reach.origin !== 'tenant', {
      error: 'is for operators only: hosts of other tenants would get the cookie; leave it out for the own host',
      params: { code: 'not-allowed' },
    });
}

/** The fields of the session cookie. @param name its default name */
export function cookieFields(name: string) {
  return z
    .strictObject({
      name: cookieName().default(name).describe('Name of the cookie.'),
      domain: cookieDomain()
        .optional()
        .describe(
          'Domain whose hosts get the cookie; by default only the host of the request. Routes of tenants cannot set it.',
        ),
      path: text()
        .refine((path) => /^\/[\x21-\x3a\x3c-\x7e]*$/.test(path), 'is not a path')
        .default('/')
        .describe('Path of the cookie.'),
      httpOnly: flag().default(true).describe('Hides the cookie from scripts in the browser.'),
      secure: flag().default(false).describe('Lets browsers send the cookie over TLS only.'),
      sameSite: choice(['LAX', 'STRICT', 'NONE'])
        .default('LAX')
        .describe(
          'Requests from other sites that carry the cookie: with `LAX` navigations, with `STRICT` none, with `NONE` all. ' +
            'With `STRICT` a link on another site opens a page without the session.',
        ),
    })
    .check(
      rulesAbout(['name', 'sameSite', 'secure'], ({ name, sameSite, secure }, add) => {
        if (sameSite === 'NONE' && !secure) {
          add(['secure'], "must be true where 'sameSite' is NONE: browsers drop the cookie otherwise");
        } else if (prefixOf(name) !== null && !secure) {
          add(['secure'], `must be true for the cookie '${name}': browsers drop it otherwise`);
        }
      }),
    )
    .check(
      rulesAbout(['name', 'path', 'domain'], ({ name, path, domain }, add) => {
        if (prefixOf(name) !== '__host-') return;
        if (path !== '/') add(['path'], `must be / for the cookie '${name}'`);
        if (domain !== undefined) add(['domain'], `must be left out for the cookie '${name}': it is of one host only`);
      }),
    );
}

/** Browsers hold cookies with these names to rules. */
function prefixOf(name: string): string | null {
  return /^__(?:Host|Secure)-/i.exec(name)?.[0].toLowerCase() ?? null;
}
