import { X509Certificate } from 'node:crypto';
import { certificateShape } from '../../contract/expression/functions/certificate-functions.ts';
import { CertificateName, certificateNameShape } from '../../contract/expression/functions/certificate-name.ts';
import { functionTable } from '../../contract/expression/functions/function-table.ts';
import type { Language, Refusal, Root, Shape, Shapes } from '../../contract/expression/language.ts';
import type { Value } from '../../contract/expression/value.ts';
import type { Reach } from '../../contract/reach.ts';
import { Headers } from '../engine/head/headers.ts';
import { Entity } from '../engine/message/entity.ts';
import { Exchange } from '../engine/message/exchange.ts';
import { Request } from '../engine/message/request.ts';
import { Response } from '../engine/message/response.ts';
import { Session } from '../engine/message/session.ts';
import { Uri } from '../engine/message/uri.ts';
import { VouchedToken } from '../oauth2/cache/vouched-token.ts';
import { SignedInUser } from '../openid/client/signed-in-user.ts';
import { accessTokenShape } from './access-token-shape.ts';
import { AttributesContext, attributesContextShape, contextsShape } from './contexts-shape.ts';
import { entityShape } from './entity-shape.ts';
import { headersShape } from './headers-shape.ts';
import { Instant, instantShape } from './instant.ts';
import { Parameters, parametersShape } from './parameters.ts';
import { RequestCookies, requestCookiesShape } from './request-cookies.ts';
import { requestShape } from './request-shape.ts';
import { responseShape } from './response-shape.ts';
import { SessionContext, sessionContextShape, sessionShape } from './session-shape.ts';
import { signedInUserShape } from './signed-in-user-shape.ts';
import { Status, statusShape } from './status.ts';
import {
  FilePath,
  filePathShape,
  Instance,
  instanceShape,
  NamedValues,
  namedValuesShape,
  surroundingRefusals,
  surroundingRoots,
} from './surroundings.ts';
import { uriShape } from './uri-shape.ts';

const shapes: Shapes = new Map<object, Shape>([
  [Exchange.prototype, contextsShape],
  [AttributesContext.prototype, attributesContextShape],
  [Session.prototype, sessionShape],
  [SessionContext.prototype, sessionContextShape],
  [VouchedToken.prototype, accessTokenShape],
  [SignedInUser.prototype, signedInUserShape],
  [Request.prototype, requestShape],
  [Response.prototype, responseShape],
  [Uri.prototype, uriShape],
  [Headers.prototype, headersShape],
  [Entity.prototype, entityShape],
  [Status.prototype, statusShape],
  [Parameters.prototype, parametersShape],
  [RequestCookies.prototype, requestCookiesShape],
  [Instant.prototype, instantShape],
  [NamedValues.prototype, namedValuesShape],
  [FilePath.prototype, filePathShape],
  [Instance.prototype, instanceShape],
  [X509Certificate.prototype, certificateShape],
  [CertificateName.prototype, certificateNameShape],
]);

const request: Root<Exchange, Response | null> = { get: (exchange) => exchange.request, shape: requestShape };
const response: Root<Exchange, Response | null> = { get: (_, answer) => answer, shape: responseShape };
const contexts: Root<Exchange, Response | null> = { get: (exchange) => exchange, shape: contextsShape };
const attributes: Root<Exchange, Response | null> = {
  get: (exchange) => exchange.attributes,
  kind: 'map',
};
const session: Root<Exchange, Response | null> = { get: (exchange) => exchange.session, shape: sessionShape };
const now: Root = { get: () => new Instant(Date.now()), shape: instantShape };

const exchangeRoots: readonly (readonly [string, Root])[] = [
  ['request', request],
  ['response', response],
  ['contexts', contexts],
  ['attributes', attributes],
  ['session', session],
];

const unavailable: readonly (readonly [string, Refusal])[] = [
  [
    'context',
    {
      code: 'unavailable-field',
      message: "'context' is known, but not available in this version",
      hint: 'name the context that is meant: contexts.client, contexts.router, …',
    },
  ],
];

/** Names for expressions that are evaluated for each exchange: subject is the exchange, answer its response or null. */
export function runtimeLanguage(reach: Reach, constants: ReadonlyMap<string, Value>): Language {
  return language(reach, constants, exchangeRoots, [
    ...unavailable,
    ['heap', { code: 'expression', message: "'heap' is known only while the configuration is read" }],
  ]);
}

/** Names for expressions that are evaluated once, when their document is read. */
export function configurationLanguage(reach: Reach, constants: ReadonlyMap<string, Value>): Language {
  const names = [...exchangeRoots.map(([name]) => name), ...unavailable.map(([name]) => name)];
  const refused = names.map((name): [string, Refusal] => [name, tooEarly(name)]);
  return language(reach, constants, [], [...refused, ['heap', objectsAreForScripts]]);
}

/** What depends on the reach alone: there is a language for each document, and one reach for many of them. */
function surroundingsOf(reach: Reach): Surroundings {
  const known = surroundings.get(reach);
  if (known !== undefined) return known;
  const { functions, refused } = functionTable(reach, shapes);
  const made = { functions, refusedFunctions: refused, roots: surroundingRoots(reach) };
  surroundings.set(reach, made);
  return made;
}

type Surroundings = Pick<Language, 'functions' | 'refusedFunctions' | 'roots'>;

const surroundings = new WeakMap<Reach, Surroundings>();

function language(
  reach: Reach,
  constants: ReadonlyMap<string, Value>,
  roots: readonly (readonly [string, Root])[],
  refused: readonly (readonly [string, Refusal])[],
): Language {
  const { functions, refusedFunctions, roots: around } = surroundingsOf(reach);
  const isTenant = reach.origin === 'tenant';
  const refusals = [...refused, ...(isTenant ? surroundingRefusals(around.keys()) : [])];
  return {
    roots: new Map([...roots, ['now', now], ...(isTenant ? [] : around)]),
    functions,
    shapes,
    constants,
    refusedRoots: new Map(refusals),
    refusedFunctions,
  };
}

const objectsAreForScripts: Refusal = {
  code: 'unavailable-field',
  message: "'heap' is known only in 'args' of scripts, where ${heap['name']} is a whole argument",
};

function tooEarly(name: string): Refusal {
  return {
    code: 'expression',
    message: `'${name}' does not exist here: a configuration expression is evaluated before any request`,
  };
}
