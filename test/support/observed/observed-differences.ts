/** Rows in which we answer otherwise than OpenIG did, and why. */
export interface Difference {
  readonly why: string;
  /** Who says that it is to be so. */
  readonly says: string;
  /** By row: lines that only OpenIG has begin with `-`, those that only we have with `+`. */
  readonly rows: Readonly<Record<number, readonly string[]>>;
}

export const differences: readonly Difference[] = [
  {
    why: 'A route must not be named `default`, and the others come in the order of their names, not of their files.',
    says: 'gateway.md, Route ID rules 1 and 4 and the field `name`',
    rows: {
      95: ['- content-length: 19', '- body: route named default', '+ content-length: 12', '+ body: nocond route'],
      96: ['- content-length: 19', '- body: route named default', '+ content-length: 18', '+ body: file 20-x name aaa'],
      98: ['- body: file 10-y name zzz', '+ body: file 20-x name aaa'],
    },
  },
  {
    why: 'A file that turns bad keeps its last good version serving.',
    says: 'docs/configuration.md, what differs: a bad route does not vanish',
    rows: {
      100: ['- status: 404', '- body: ', '+ status: 200', '+ content-length: 2', '+ body: v1'],
      101: ['- status: 404', '- body: ', '+ status: 200', '+ content-length: 2', '+ body: v1'],
      103: ['- status: 404', '- body: ', '+ status: 200', '+ content-length: 2', '+ body: v1'],
    },
  },
  {
    why: 'A router that reads the directory of the route that declares it would hold itself without end.',
    says: 'the heap refuses cycles; OpenIG starts to nest',
    rows: {
      120: ['- loaded', '+ refused', '+ at /heap/0'],
      121: ['- loaded', '+ refused', '+ at /heap/0'],
    },
  },
  {
    why: 'An object of a type that this version does not have, and that nothing uses, is left out with a warning.',
    says: 'docs/configuration.md, what differs',
    rows: {
      130: ['- refused', '- at /heap/0/config/messageType', '+ loaded'],
      145: ['- refused', '- at /heap/0/config/umaService', '+ loaded'],
      146: ['- refused', '- at /heap/0/config/protectionApiHandler', '+ loaded'],
      156: ['- refused', '- at /heap/0/config/url', '+ loaded'],
    },
  },
  {
    why: 'Filters name an AmService; `openamUrl` and the fields beside it are of the observed version alone.',
    says: 'gateway.md, PolicyEnforcementFilter',
    rows: { 128: ['- at /heap/0/config/openamUrl', '+ at /heap/0/config/amService'] },
  },
  {
    why: 'A resource server asks a resolver; `tokenInfoEndpoint` is of the observed version alone.',
    says: 'gateway.md, OAuth2ResourceServerFilter',
    rows: {
      139: ['- at /heap/0/config/tokenInfoEndpoint', '+ at /heap/0/config/accessTokenResolver'],
    },
  },
  {
    why: 'A session cookie ends with the browser unless `persistentCookie` is set, and scripts cannot read it.',
    says: 'reference-product.md §1.7.1',
    rows: {
      390: [
        '- set-cookie: igs=JWT; Expires=Sun, 15 Nov 2026 03:30:37 GMT; Path=/',
        '+ set-cookie: igs=JWT; Path=/; SameSite=Lax; HttpOnly',
      ],
    },
  },
  {
    why: 'A script sees the same contexts, from the innermost to the root.',
    says: 'docs/scripts.md, contexts',
    rows: {
      261: [
        '- body: groovy GET [router, session, root, client, attributes, requestAudit, transactionId',
        '+ body: groovy GET [router, requestAudit, transactionId, client, attributes, session, root',
      ],
    },
  },
  {
    why: 'A ClientHandler that gets no answer fails, instead of answering.',
    says: 'reference-product.md §2.1, the row of ClientHandler',
    rows: { 553: ['- status: 502', '+ status: 500'] },
  },
  {
    why: 'The observed generation does not have `queryParams`, lines as an entity, `encodeBase64url`, `matchesWithRegex`, `now` and tokens.',
    says: 'reference-product.md §1.17, §1.18.2, §1.18.3 and §2.1',
    rows: {
      170: ['- content-length: 16', '+ content-length: 17'],
      175: ['- refused', '- at /handler/config/entity', '+ loaded'],
      423: ['- refused', '- at /handler/config/entity', '+ loaded'],
      476: ['- content-length: 2', '- body: []', '+ body: [MOMENT]'],
      477: ['- content-length: 2', '- body: []', '+ body: [SECONDS]'],
      509: ['- refused', '- at /handler/config/entity', '+ loaded'],
      529: [
        '- content-length: 38',
        '- body: &{p1} &{n.x} &{e} &{nosuch|dflt} &{p1}',
        '+ content-length: 20',
        '+ body: val 3 /home dflt val',
      ],
    },
  },
  {
    why: 'The observed generation names it `secure`; both names work.',
    says: 'reference-product.md §1.18.4',
    rows: {
      472: ['- content-length: 2', '- body: []', '+ content-length: 7', '+ body: [false]'],
    },
  },
  {
    why: '`fileToUrl` takes what `openig.configDirectory` is, and a text as well; there a text made all of the entity null.',
    says: 'reference-product.md §1.18.3',
    rows: {
      448: [
        '- content-length: 4',
        '- content-type: application/json;charset=utf-8',
        '- body: null',
        '+ content-length: 15',
        '+ body: [file:///srv/x]',
      ],
    },
  },
  {
    why: 'What names an object of the program prints as a word, not as a place in memory.',
    says: 'an artefact of Java',
    rows: {
      510: [
        '- content-length: 55',
        '- body: [org.forgerock.openig.http.GatewayEnvironment@4a68b753]',
        '+ content-length: 8',
        '+ body: [openig]',
      ],
    },
  },
  {
    why: '`heap` is for configuration time only, and is refused where it would always be null.',
    says: 'reference-product.md §1.18.2',
    rows: {
      501: ['- status: 200', '- content-length: 2', '- body: []', '+ expression at /handler/config/entity'],
    },
  },
  {
    why: 'An entity that is no text is null as there, but null is no content and not the JSON word.',
    says: 'reference-product.md §1.18.1',
    rows: {
      253: ['- content-length: 4', '- content-type: application/json;charset=utf-8', '- body: null', '+ body: '],
      545: ['- content-length: 4', '- content-type: application/json;charset=utf-8', '- body: null', '+ body: '],
    },
  },
  {
    why: 'What is no expression, cannot be read or never gives the type of its field is null there; here it is a mistake.',
    says: 'docs/configuration.md, what differs: nothing is ignored silently',
    rows: {
      189: ['- status: 404', '- body: ', '+ value at /handler/config/bindings/0/condition'],
      323: ['- status: 500', '- body: ', '+ expression at /handler/config/filters/0/config/requestGroupingPolicy'],
      535: ['- status: 404', '- body: ', '+ value at /condition'],
      536: ['- status: 404', '- body: ', '+ value at /condition'],
      539: ['- status: 404', '- body: ', '+ expression at /condition'],
      540: ['- status: 404', '- body: ', '+ pattern at /condition'],
      546: [
        '- status: 200',
        '- content-length: 4',
        '- content-type: application/json;charset=utf-8',
        '- body: null',
        '+ expression at /handler/config/entity',
      ],
    },
  },
  {
    why: 'Throttling has a rate or a policy, and a mapped policy has a rate for everybody else.',
    says: 'gateway.md, ThrottlingFilter and throttling policies',
    rows: {
      333: [
        '- status: 200',
        '- content-length: 2',
        '- body: ok',
        '+ exclusive at /handler/config/filters/0/config/rate',
        '+ missing at /handler/config/filters/0/config/throttlingRatePolicy/config/defaultRate',
      ],
      336: [
        '- status: 200',
        '- content-length: 2',
        '- body: ok',
        '+ missing at /handler/config/filters/0/config/throttlingRatePolicy/config/defaultRate',
      ],
    },
  },
  {
    why: 'A JSON true or false is a condition, too.',
    says: 'gateway.md, Notation: a literal of the type',
    rows: {
      191: ['- refused', '- at /handler/config/bindings/0/condition', '+ loaded'],
    },
  },
  {
    why: 'Names of headers are not expressions, and one with braces is no name.',
    says: 'RFC 9110 §5.1',
    rows: {
      177: [
        '- status: 200',
        '- content-length: 14',
        '- x-${request.method}: dyn',
        '- body: unres [] [] []',
        '+ value at /handler/config/headers/X-${request.method}',
      ],
    },
  },
  {
    why: 'Paths that can be read in two ways are refused.',
    says: 'docs/decisions/0006-what-is-refused.md',
    rows: {
      196: [
        '- status: 200',
        '- content-type: application/json',
        '- x-backend: echo',
        '- backend: GET /t//a/../b;p=1/%41',
        '- backend host: gw.test',
        '- backend body: ',
        '+ status: 400',
        '+ body: ',
      ],
      203: [
        '- status: 200',
        '- content-type: application/json',
        '- x-backend: echo',
        '- backend: GET /t/%2e%2e/x',
        '- backend host: gw.test',
        '- backend body: ',
        '+ status: 400',
        '+ body: ',
      ],
    },
  },
  {
    why: 'A condition that is null is not true; there it ended in a null pointer.',
    says: 'reference-product.md §2.2; crashes are not copied',
    rows: {
      219: ['- status: 500', '- body: ', '+ status: 200', '+ body: m=GET u=http://app.test/t a={} h= c='],
    },
  },
  {
    why: 'There is one Host: the one that was added.',
    says: 'RFC 9112 §3.2',
    rows: {
      224: ['- backend host: gw.test'],
    },
  },
  {
    why: 'A query passes as it came; there it is decoded and encoded anew.',
    says: 'docs/configuration.md: `preserveOriginalQueryString` is always so',
    rows: {
      242: [
        '- backend: GET /t?status=302&h.location=http://app.test/abs?x%3D1',
        '+ backend: GET /t?status=302&h.location=http://app.test/abs?x=1',
      ],
    },
  },
  {
    why: 'An `Upgrade` that `Connection` does not name is of no consequence; there the container refused it.',
    says: 'RFC 9110 §7.8',
    rows: {
      551: [
        '- status: 400',
        '- content-length: 763',
        '- content-type: text/html;charset=utf-8',
        '- body: <!doctype html><html lang="en"><head><title>HTTP Status 400 – Bad Request</title><',
        '+ status: 200',
        '+ content-type: application/json',
        '+ x-backend: echo',
        '+ backend: GET /t',
        '+ backend host: gw.test',
        '+ backend body: ',
      ],
    },
  },
  {
    why: 'Forwarding headers of a client that is no trusted proxy end here; so does a `Trailer` of a message without trailers.',
    says: 'docs/decisions/0006-what-is-refused.md',
    rows: {
      559: [
        '- backend forwarded: for=1.1.1.1',
        '- backend trailer: X',
        '- backend x-forwarded-for: 9.9.9.9',
        '- backend x-forwarded-host: fh.example',
      ],
      561: ['- backend x-forwarded-proto: https'],
    },
  },
  {
    why: 'Nothing answers under the administrative path on the traffic port, in whichever mode.',
    says: 'docs/configuration.md, what differs: the administrative path',
    rows: {
      633: ['- status: 204', '+ status: 404'],
    },
  },
];
