import { z } from 'zod';
import type { ApiCaller } from './api/api-client.ts';
import { ApiError } from './api/api-error.ts';
import { resourcePath } from './api/resource-path.ts';

export interface SecretTextOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly namespace: string;
  /** Name of the Secret. */
  readonly name: string;
  readonly key: string;
}

const TIMEOUT = 5000;
const FIELD_MANAGER = 'gatewarden-controller';

const storedSecret = z.looseObject({
  metadata: z.looseObject({ uid: z.string(), resourceVersion: z.string() }),
  data: z.record(z.string(), z.string()).nullish(),
});

/** The Secret as it is, of which everything else is written back as it was. */
type StoredSecret = z.infer<typeof storedSecret>;

/** A Secret as it was read, for an update on top of it. */
export interface ReadSecret {
  /** Empty when the key is not there. */
  readonly text: string;
  readonly secret: StoredSecret;
}

/** A text under one key of a Secret, which the controllers of a namespace share. */
export class SecretText {
  private readonly options: SecretTextOptions;

  constructor(options: SecretTextOptions) {
    this.options = options;
  }

  /** @returns null when there is no Secret. @throws ApiError */
  async read(): Promise<ReadSecret | null> {
    const { api, name, key } = this.options;
    try {
      const answer = await api.call({ method: 'GET', path: this.path(name), timeout: TIMEOUT });
      const secret = storedSecret.parse(answer.body);
      return { text: Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8'), secret };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** Makes the Secret, or writes to the one that was read. @returns whether nobody else was faster. @throws ApiError */
  async write(text: string, there: ReadSecret | null): Promise<boolean> {
    const { api, namespace, name, key } = this.options;
    const content = { [key]: Buffer.from(text).toString('base64') };
    const fresh = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type: 'Opaque', data: content };
    try {
      await api.call({
        method: there === null ? 'POST' : 'PUT',
        path: this.path(there === null ? undefined : name),
        query: { fieldManager: FIELD_MANAGER },
        body: there === null ? fresh : { ...there.secret, data: { ...there.secret.data, ...content } },
        timeout: TIMEOUT,
      });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return false;
      throw error;
    }
  }

  private path(name: string | undefined): string {
    const place = { version: 'v1', plural: 'secrets', namespace: this.options.namespace };
    return resourcePath(name === undefined ? place : { ...place, name });
  }
}
