import { type DecidedCase, failureHandler, lines, one, SECRET } from './decided-case.ts';

/** Cases of filters that refuse requests by what is in them. */
export const guardCases: readonly DecidedCase[] = [
  {
    type: 'AllowOnlyFilter',
    code: 'not-allowed',
    filters: one('AllowOnlyFilter', { rules: [{ from: [{ ip: { list: ['192.0.2.1'] } }] }] }),
  },
  {
    type: 'AuditFilter',
    code: 'audit-event',
    filters: () => {
      const schema = { properties: { amount: { type: 'number' } } };
      const out = { class: 'JsonStdoutAuditEventHandler', config: { name: 'out', topics: ['orders'] } };
      const auditService = {
        type: 'AuditService',
        config: { config: { topics: { orders: { schema } } }, eventHandlers: [out] },
      };
      const event = { amount: "${request.headers['X-Api-Key'][0]}" };
      return [{ type: 'AuditFilter', config: { auditService, topic: 'orders', event, required: true } }];
    },
  },
  {
    type: 'CertificateThumbprintFilter',
    code: 'no-certificate',
    filters: one('CertificateThumbprintFilter', { certificate: "${request.headers['X-Certificate'][0]}" }),
    ask: lines(`X-Certificate: ${SECRET}`),
  },
  {
    type: 'CircuitBreakerFilter',
    code: 'circuit-open',
    filters: one('CircuitBreakerFilter', { maxFailures: 1, openDuration: '1 hour' }),
    handler: { type: 'ReverseProxyHandler', baseURI: 'http://127.0.0.1:1' },
    before: 1,
  },
  {
    type: 'ConditionEnforcementFilter',
    code: 'condition',
    filters: one('ConditionEnforcementFilter', { condition: `\${request.headers['X-Api-Key'][0] == '${SECRET}!'}` }),
  },
  {
    type: 'CorsFilter',
    code: 'origin',
    reason: /origin/,
    filters: one('CorsFilter', { policies: [{ acceptedOrigins: ['https://shop.example'] }] }),
    ask: lines('Origin: https://other.example'),
  },
  {
    type: 'CsrfFilter',
    code: 'forged-request',
    reason: 'the request has no CSRF token',
    filters: one('CsrfFilter', { cookieName: 'session' }),
    ask: { method: 'POST', headers: [`Cookie: session=${SECRET}`] },
  },
  {
    type: 'FragmentFilter',
    code: 'origin',
    reason: 'a page of another origin sent the fragment',
    filters: one('FragmentFilter', { fragmentCaptureEndpoint: '/fragment' }),
    target: '/fragment',
    ask: {
      method: 'POST',
      headers: ['Content-Type: application/x-www-form-urlencoded', 'Origin: https://other.example'],
      body: `fragment=${SECRET}`,
    },
  },
  {
    type: 'HeaderFilter',
    code: 'header-value',
    filters: one('HeaderFilter', {
      messageType: 'REQUEST',
      add: { 'X-User': ['Łukasz'] },
      encoding: 'REFUSE',
    }),
  },
  {
    type: 'HttpBasicAuthFilter',
    code: 'login-refused',
    reason: 'the application answered 401',
    filters: one('HttpBasicAuthFilter', {
      username: "${request.headers['X-User'][0]}",
      password: "${request.headers['X-Password'][0]}",
      failureHandler,
    }),
    target: '/a?status=401',
    ask: lines('X-User: ada', `X-Password: ${SECRET}`),
  },
  {
    type: 'LocationHeaderFilter',
    code: 'location',
    reason: /is not an absolute URI$/,
    filters: one('LocationHeaderFilter', { baseURI: "${request.headers['X-Base'][0]}" }),
    target: '/a?h.Location=/b',
  },
  {
    type: 'ScriptableFilter',
    code: 'script-failed',
    reason: 'the script, line 1: java.lang.IllegalStateException: x',
    filters: one('ScriptableFilter', {
      type: 'application/x-groovy',
      source: "throw new IllegalStateException('x')",
    }),
  },
  {
    type: 'StaticRequestFilter',
    code: 'no-uri',
    reason: /is not an absolute one/,
    filters: one('StaticRequestFilter', { method: 'GET', uri: "${request.headers['X-Api-Key'][0]}" }),
  },
  {
    type: 'ThrottlingFilter',
    code: 'throttled',
    facts: { numberOfRequests: 1, seconds: 3600 },
    filters: one('ThrottlingFilter', {
      requestGroupingPolicy: "${request.headers['X-Api-Key'][0]}",
      rate: { numberOfRequests: 1, duration: '1 hour' },
    }),
    before: 1,
  },
  {
    type: 'UriPathRewriteFilter',
    code: 'location',
    reason: 'the location header cannot be read',
    filters: one('UriPathRewriteFilter', { mappings: { '/a': '/b' } }),
    target: '/a?h.Location=http%3A%2F%2F%5B',
  },
];
