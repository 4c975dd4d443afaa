/** A difference that we want. */
export interface AuditDifference {
  readonly why: string;
  /** By row: how each line begins that only OpenIG (`-`) or only we (`+`) have. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

const ACCEPTED = ['- / "refused"', '+ / "accepted"'];
const REFUSED = ['- / "accepted"', '+ / "refused"'];
const POLICY_REFUSED = ['- / {"timestamp"', '+ / "refused"'];

/** Rows of audit-events.jsonl and jms-handler.jsonl whose outcome differs here, and why. */
export const auditDifferences: readonly AuditDifference[] = [
  {
    why: 'header names are compared without regard to case: a policy must not miss a header for that',
    rows: { 'audit-062': ['- /http/request/headers/authorization'], 'audit-063': ['- /http/request/headers/X-Mixed'] },
  },
  {
    why: 'a pointer of an unknown topic, to a whole topic or with a wildcard protects nothing: it is an error',
    rows: { 'audit-073': POLICY_REFUSED, 'audit-074': POLICY_REFUSED, 'audit-091': POLICY_REFUSED },
  },
  {
    why: 'an excluded field that no event has is a misspelt one, which would be recorded: it is an error',
    rows: { 'audit-068': POLICY_REFUSED, 'audit-069': POLICY_REFUSED },
  },
  {
    why: '`value` blanks the value and keeps the field, as documented',
    rows: {
      'audit-081': ['+ /http/request/headers/authorization [""]'],
      'audit-082': ['+ /userId null'],
      'audit-084': ['+ /client/port null'],
    },
  },
  { why: 'names of policies are written in lower case', rows: { 'audit-085': POLICY_REFUSED } },
  {
    why: 'a handler that OpenIG leaves out with a log line is an error of the document',
    rows: {
      'audit-010': REFUSED,
      'audit-014': REFUSED,
      'audit-169': ['- / {"status":200,"events":[]}', '+ / "refused"'],
    },
  },
  { why: 'a handler without topics gets no events: `topics` is required', rows: { 'audit-040': REFUSED } },
  { why: 'classes are known with any package', rows: { 'audit-050': ACCEPTED } },
  { why: 'documented fields of the service work', rows: { 'audit-109': ACCEPTED, 'audit-110': ACCEPTED } },
  {
    why: 'severity mappings have effect, and names of severities are accepted in any case',
    rows: {
      'audit-137': ['- / "<134>', '+ / "<132>'],
      'audit-138': ['- / "nothing"', '+ / "<132>'],
      'audit-139': ['- / "<134>', '+ / "<132>'],
      'audit-140': ['- / "nothing"', '+ / "<132>'],
      'audit-141': ['- / "<134>', '+ / "<132>'],
      'audit-142': ['- / "nothing"', '+ / "<132>'],
    },
  },
  {
    why: 'answers without content have no length, and own answers say what they are',
    rows: {
      'audit-157': ['- /events/0/http/response/headers/content-length ["1"]'],
      'audit-158': ['- /events/0/http/response/headers/content-length ["1"]'],
      'audit-160': [
        '+ /events/0/http/response/headers/content-length',
        '+ /events/0/http/response/headers/content-type ["application/json"]',
      ],
    },
  },
  { why: 'the documented spelling `eventHandlers` works', rows: { 'audit-161': ['+ /events/0 {'] } },
  { why: 'NoOpAuditService exists', rows: { 'audit-167': ['- / "refused"', '+ / {"status":200,"events":[]}'] } },
  {
    why: 'an event waits for its broker, and no request waits for it',
    rows: {
      'audit-171': ['+ /events/0 {'],
      'audit-172': ['+ /events/0 {'],
      'audit-173': ['- /status "nothing within 5 s"', '+ /status 200', '+ /events/0 {'],
    },
  },
];

/** The wanted difference of a row. */
export function differenceOf(id: string): { readonly why: string; readonly lines: readonly string[] } | null {
  for (const { why, rows } of auditDifferences) {
    const lines = rows[id];
    if (lines !== undefined) return { why, lines };
  }
  return null;
}

/** Whether these lines are those of a wanted difference. */
export function isWanted(lines: readonly string[], wanted: readonly string[]): boolean {
  return lines.length === wanted.length && lines.every((line, at) => line.startsWith(wanted[at]!));
}
