import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type BootstrapToken, bootstrapAuthenticator } from '../controller/publish/bootstrap-authentication.ts';
import { certificateAuthenticator } from '../controller/publish/certificate-authentication.ts';
import type { PlaneAuthenticator } from '../controller/publish/plane-authentication.ts';

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

/** Reads such a file; the files that it names lie beside it. @throws Error that says what is wrong with it */
export function readOutsidePlanes(path: string | undefined): OutsidePlanesSettings {
  if (path === undefined) return { authenticators: [], authorities: null };
  const read = (name: string): string => readFileSync(resolve(dirname(path), name), 'utf8');
  const parsed = settings.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  const { tokens, certificates } = parsed.data;
  const known = tokens.map(({ tokenFile, ...rest }): BootstrapToken => ({ token: read(tokenFile).trim(), ...rest }));
  const authenticators = [
    ...(certificates === undefined ? [] : [certificateAuthenticator(certificates.planes)]),
    ...(known.length === 0 ? [] : [bootstrapAuthenticator(known)]),
  ];
  return { authenticators, authorities: certificates === undefined ? null : read(certificates.authorities) };
}
