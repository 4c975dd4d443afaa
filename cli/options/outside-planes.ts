import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import {
  type BootstrapToken,
  bootstrapAuthenticator,
  MIN_BOOTSTRAP_TOKEN_LENGTH,
} from '../../controller/publish/channel/bootstrap-authentication.ts';
import { certificateAuthenticator } from '../../controller/publish/channel/certificate-authentication.ts';
import type { PlaneAuthenticator } from '../../controller/publish/channel/plane-authentication.ts';
import { errorCode } from '../../platform/error-code.ts';
import { errorText } from '../../platform/error-text.ts';

const planes = {
  group: z.string().min(1),
  labels: z.record(z.string(), z.string()).default({}),
  mayClaim: z.array(z.string()).default([]),
};

const settings = z.strictObject({
  tokens: z.array(z.strictObject({ tokenFile: z.string().min(1), ...planes })).default([]),
  certificates: z
    .strictObject({
      authorities: z.string().min(1),
      planes: z.array(z.strictObject({ names: z.array(z.string().min(1)).min(1), ...planes })).min(1),
    })
    .optional(),
});

/** Which planes outside of the cluster are let in. */
export interface OutsidePlanesSettings {
  readonly authenticators: readonly PlaneAuthenticator[];
  /** Authorities of their certificates, in PEM; null when none is asked for. */
  readonly authorities: string | null;
}

/** Reads such a file; the files that it names lie beside it. @throws Error that says what is wrong with which file */
export function readOutsidePlanes(path: string | undefined): OutsidePlanesSettings {
  if (path === undefined) return { authenticators: [], authorities: null };
  const { tokens, certificates } = readSettings(path);
  const known = tokens.map(
    ({ tokenFile, ...rest }): BootstrapToken => ({ token: readToken(beside(tokenFile)), ...rest }),
  );
  const authenticators = [
    ...(certificates === undefined ? [] : [certificateAuthenticator(certificates.planes)]),
    ...(known.length === 0 ? [] : [bootstrapAuthenticator(known)]),
  ];
  if (authenticators.length === 0)
    throw new Error(`${path} admits no data plane: it has no tokens and no certificates`);
  return {
    authenticators,
    authorities: certificates === undefined ? null : readText(beside(certificates.authorities)),
  };

  function beside(name: string): string {
    return resolve(dirname(path ?? ''), name);
  }
}

function readSettings(path: string): z.infer<typeof settings> {
  const text = readText(path);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${errorText(error)}`);
  }
  const parsed = settings.safeParse(content);
  if (!parsed.success) throw new Error(`${path}:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function readToken(path: string): string {
  const token = readText(path).trim();
  if (token.length >= MIN_BOOTSTRAP_TOKEN_LENGTH) return token;
  throw new Error(`${path}: a bootstrap token needs ${MIN_BOOTSTRAP_TOKEN_LENGTH} characters or more`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read: ${errorCode(error) ?? String(error)}`);
  }
}
