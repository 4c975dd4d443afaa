import { percentDecoded } from '../../../contract/percent-decoded.ts';
import { isForm } from '../../engine/message/form-content.ts';
import type { Request } from '../../engine/message/request.ts';
import { formEncoded } from './form-encoding.ts';

/** More than any request to an authorization server needs. */
const LONGEST_FORM = 1 << 20;
/** The fields by which a client says who it is: a request has one answer to that. */
const CLIENT_FIELDS: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
]);

/** A client that proves itself in the form got a request without one. */
export class NotAForm extends Error {
  constructor(type: string, found: string) {
    super(`a ${type} needs a POST request with a form: ${found}`);
    this.name = 'NotAForm';
  }
}

/**
 * Says in the form of a request who the client is. What the form and the Authorization header said of it before is taken
 * out: a request may use one way of client authentication only. All else stays byte for byte.
 * @throws NotAForm when the request has no form. `type` is what the message calls whoever asks for it.
 */
export async function tellClient(
  request: Request,
  type: string,
  fields: readonly (readonly [name: string, value: string | Uint8Array])[],
): Promise<void> {
  const { method, headers, entity } = request;
  if (method !== 'POST') throw new NotAForm(type, `its method is ${method}`);
  const contentType = headers.get('content-type');
  const isOther = headers.all('content-type').length > 1 || !isForm(request);
  if (contentType !== null && isOther) throw new NotAForm(type, 'its content is of another type');
  if (headers.has('content-encoding')) throw new NotAForm(type, 'its content is encoded');
  const given = await entity.bytes(LONGEST_FORM);
  if (contentType === null && given.length > 0) throw new NotAForm(type, 'its content has no type');
  const others = given
    .toString('latin1')
    .split('&')
    .filter((pair) => pair !== '' && !CLIENT_FIELDS.has(nameOf(pair)));
  const own = fields.map(([name, value]) => `${name}=${formEncoded(value)}`);
  entity.set(Buffer.from([...others, ...own].join('&'), 'latin1'));
  if (contentType === null) headers.set('Content-Type', 'application/x-www-form-urlencoded');
  headers.delete('Authorization');
}

function nameOf(pair: string): string {
  return percentDecoded(pair.split('=', 1)[0]!.replaceAll('+', ' '));
}
