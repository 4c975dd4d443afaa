import type { Shape } from '../../contract/expression/language.ts';
import { textOf } from '../../contract/expression/text.ts';
import { EvaluationError, type Value } from '../../contract/expression/value.ts';
import { isForm } from '../engine/message/form-content.ts';
import type { Request } from '../engine/message/request.ts';
import { Uri } from '../engine/message/uri.ts';
import { entityShape, formText, setEntity } from './entity-shape.ts';
import { headersShape } from './headers-shape.ts';
import { type Parameters, parametersIn, parametersShape } from './parameters.ts';
import { RequestCookies, requestCookiesShape } from './request-cookies.ts';
import { uriShape } from './uri-shape.ts';

/** The request of an exchange. */
export const requestShape: Shape<Request> = {
  name: 'request',
  properties: {
    method: {
      get: (request) => request.method,
      set: (request, value) => void (request.method = textOf(value)),
      kind: 'text',
    },
    uri: { get: (request) => request.uri, set: setUri, shape: uriShape },
    version: { get: (request) => request.version, kind: 'text' },
    headers: { get: (request) => request.headers, shape: headersShape },
    cookies: { get: (request) => new RequestCookies(request), shape: requestCookiesShape },
    queryParams: { get: (request) => parametersIn(queryOf(request)), shape: parametersShape },
    form: { get: formOf, shape: parametersShape },
    entity: {
      get: (request) => request.entity,
      set: (request, value) => setEntity(request.entity, value),
      shape: entityShape,
    },
  },
  text: (request) => `${request.method} ${request.uri} ${request.version}`,
};

function setUri(request: Request, value: Value): void {
  request.uri = value instanceof Uri ? value : textOf(value);
}

/** The parameters of the query and, where the content is a form, of that. */
function formOf(request: Request): Parameters {
  if (!isForm(request) || request.entity.empty) return parametersIn(queryOf(request));
  if (request.entity.peekDecoded() === null) throw new EvaluationError('the form in the entity has not been read');
  return parametersIn(queryOf(request), formText(request.entity));
}

function queryOf(request: Request): string {
  return request.uri.rawQuery ?? '';
}
