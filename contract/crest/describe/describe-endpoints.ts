import { type CrestAnswer, jsonAnswer } from '../crest-answer.ts';
import { CrestError } from '../crest-error.ts';
import { crestDescriptor } from './crest-descriptor.ts';
import { describedEndpoints, type MountedEndpoint } from './described-endpoint.ts';
import type { ApiFacts } from './description.ts';
import { openApi } from './open-api.ts';

/** Request for a descriptor. */
export interface DescriptionRequest {
  /** URL that the paths of the endpoints begin at. */
  readonly server: string;
  readonly facts?: ApiFacts | undefined;
  readonly isPretty?: boolean;
}

const UNKNOWN: ApiFacts = { title: 'Gatewarden', version: '0.0' };

/** Answers with the descriptor of endpoints, in the format of OpenAPI or of Common REST. @throws CrestError */
export async function describeEndpoints(
  mounted: readonly MountedEndpoint[],
  format: '_api' | '_crestapi',
  { server, facts = UNKNOWN, isPretty = false }: DescriptionRequest,
): Promise<CrestAnswer> {
  const endpoints = await describedEndpoints(mounted);
  if (endpoints.length === 0) {
    if (format === '_crestapi') return jsonAnswer(200, null, isPretty);
    throw new CrestError(501, 'this path has no description');
  }
  const body = format === '_api' ? openApi(endpoints, server, facts) : crestDescriptor(endpoints, facts);
  return jsonAnswer(200, body, isPretty);
}
