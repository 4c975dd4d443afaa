import type { JsonValue } from '../../contract/document/json-value.ts';
import { type PackedJson, unpackJson } from '../../contract/shown/packed-json.ts';
import type { ShownCatalogue } from '../../contract/shown/shown-catalogue.ts';
import { Poll } from '../client/poll.ts';
import { RestFailure } from '../client/rest-failure.ts';
import { Catalogue } from './catalogue.ts';

/** The catalogue of this version of the gateway, loaded when somebody designs a route. */
export const loadedCatalogue = new Poll<Catalogue>(async (signal) => {
  const place = document.querySelector<HTMLMetaElement>('meta[name="catalogue"]')?.content ?? '';
  const response = await fetch(place, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new RestFailure('unreachable', 0, 'The gateway does not answer.');
  });
  if (!response.ok) throw new RestFailure('failed', response.status, 'The catalogue of types could not be loaded.');
  const packed = (await response.json()) as PackedJson;
  return new Catalogue(unpackJson(packed) as JsonValue as unknown as ShownCatalogue);
}, 0);
