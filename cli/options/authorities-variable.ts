import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The authorities that an environment variable holds, in PEM, or what is wrong with it. */
export function authoritiesIn(
  env: NodeJS.ProcessEnv,
  name: string,
): { readonly authorities: string } | { readonly problem: string } {
  const text = env[name];
  if (text === undefined) return { problem: `there is no environment variable ${name}` };
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) return { problem: `the environment variable ${name} contains no PEM certificate` };
  for (const [at, pem] of found.entries()) {
    try {
      new X509Certificate(pem);
    } catch {
      return { problem: `certificate ${at + 1} of the environment variable ${name} is damaged` };
    }
  }
  return { authorities: `${found.join('\n')}\n` };
}
