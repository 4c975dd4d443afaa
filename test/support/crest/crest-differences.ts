import { readJsonText } from '../../../contract/document/json-text.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { CrestRow, ObservedStep } from './crest-rows.ts';

/** Rows whose answer differs here, and why. */
const BY_ROW: Readonly<Record<string, string>> = {
  'crest-0278': '20 and 20.0 are the same number in JSON',
  'crest-0296': 'an increment by a fraction gives a fraction',
  'crest-0298': 'a sum beyond 32 bits is not wrapped',
};

/**
 * Returns why an answer of ours differs from the observed one by intent; null if it should not.
 *
 * @param ours answer in its comparable form
 * @param lines differences
 */
export function wantedDifference(
  row: CrestRow,
  { request, response }: ObservedStep,
  ours: JsonObject,
  lines: readonly string[],
): string | null {
  const status = ours['status'] as number;
  const { gatewayMd } = response;
  if (response.crash) return status === 400 ? 'a request that the framework fails at is refused' : null;
  if (response.container) return 'the servlet container answered';
  const [demanded] = /^\d{3}(?= )/.exec(gatewayMd ?? '') ?? [];
  if (demanded !== undefined && gatewayMd !== undefined) {
    const exists = gatewayMd.includes('2.2 exists') && request.headers.some((line) => line.includes('protocol=2.2'));
    return status === (exists ? 200 : Number(demanded)) ? gatewayMd : null;
  }
  if (gatewayMd !== undefined && gatewayMd !== 'the array is named results') return gatewayMd;
  if (status === response.status && status >= 400 && response.body === '') return 'an error has a body';
  if (status === 204 && response.status === 200 && response.body === '') return 'no content is 204, as specified';
  if (status === 400 && hasUnsafeJson(request.body))
    return 'numbers that cannot be kept and keys written twice are refused';
  if (lines.every((line) => line.includes('/headers/cache-control') || line.includes('/headers/content-type'))) {
    return 'every answer says that it must not be cached, and its type';
  }
  return BY_ROW[row.id] ?? null;
}

function hasUnsafeJson(body: string | undefined): boolean {
  const { problems } = readJsonText(body ?? '', { comments: false });
  return problems.length > 0 && problems.every(({ code }) => code === 'duplicate-key' || code === 'value');
}
