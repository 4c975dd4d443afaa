import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { type TrustSettings, trustSettings } from '../../contract/trust-settings.ts';
import type { LastGood } from './last-good.ts';

/**
 * The versions of `config.json`, `admin.json` and `trust.json` that were sound last, for controllers that start later.
 * Tokens have their values, so that it may hold secrets.
 */
export interface BaseRecord {
  readonly config: { readonly document: JsonObject; readonly isFile: boolean } | null;
  readonly admin: JsonObject | null;
  readonly trust: { readonly settings: TrustSettings; readonly isFile: boolean } | null;
}

export function baseRecordOf({ base, resources }: LastGood): BaseRecord {
  const trust = resources?.trust ?? null;
  return {
    config: base && { document: base.document, isFile: base.isFile },
    admin: resources?.admin ?? null,
    trust: trust && { settings: trust.settings, isFile: trust.isFile },
  };
}

const document = z.custom<JsonObject>((value) => isJsonObject(value as JsonValue));

const recordSchema = z.strictObject({
  config: z.strictObject({ document, isFile: z.boolean() }).nullable(),
  admin: document.nullable(),
  trust: z.strictObject({ settings: trustSettings, isFile: z.boolean() }).nullable(),
});

/** Reads a record from JSON; null when it is none that this version knows. */
export function readBaseRecord(value: unknown): BaseRecord | null {
  const { config, admin, trust } = recordSchema.safeParse(value).data ?? {};
  return config === undefined || admin === undefined || trust === undefined ? null : { config, admin, trust };
}
