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
  const around = surroundingsOf(reach);
  return languageOf(around, around.runtime, constants);
}

/** Names for expressions that are evaluated once, when their document is read. */
export function configurationLanguage(reach: Reach, constants: ReadonlyMap<string, Value>): Language {
  const around = surroundingsOf(reach);
  return languageOf(around, around.configuration, constants);
}

type Functions = Pick<Language, 'functions' | 'refusedFunctions'>;
type Names = Pick<Language, 'roots' | 'refusedRoots'>;

/** Parts of languages that depend on the reach alone: each document has languages, and many documents have one reach. */
interface Surroundings extends Functions {
  readonly runtime: Names;
  readonly configuration: Names;
}

const surroundings = new WeakMap<Reach, Surroundings>();

function surroundingsOf(reach: Reach): Surroundings {
  const known = surroundings.get(reach);
  if (known !== undefined) return known;
  const { functions, refused } = functionTable(reach, shapes);
  const names = [...exchangeRoots.map(([name]) => name), ...unavailable.map(([name]) => name)];
  const early = names.map((name): [string, Refusal] => [name, tooEarly(name)]);
  const made = {
    functions,
    refusedFunctions: refused,
    runtime: namesFor(reach, exchangeRoots, [
      ...unavailable,
      ['heap', { code: 'expression', message: "'heap' is known only while the configuration is read" }],
    ]),
    configuration: namesFor(reach, [], [...early, ['heap', objectsAreForScripts]]),
  };
  surroundings.set(reach, made);
  return made;
}

function namesFor(
  reach: Reach,
  roots: readonly (readonly [string, Root])[],
  refused: readonly (readonly [string, Refusal])[],
): Names {
  const around = surroundingRoots(reach);
  const isTenant = reach.origin === 'tenant';
  const refusals = [...refused, ...(isTenant ? surroundingRefusals(around.keys()) : [])];
  return {
    roots: new Map([...roots, ['now', now], ...(isTenant ? [] : around)]),
    refusedRoots: new Map(refusals),
  };
}

function languageOf(
  { functions, refusedFunctions }: Functions,
  { roots, refusedRoots }: Names,
  constants: ReadonlyMap<string, Value>,
): Language {
  return { roots, functions, shapes, constants, refusedRoots, refusedFunctions };
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
