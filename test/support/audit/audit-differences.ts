/** Rows of audit-events.jsonl whose outcome differs here, and why. */
export const auditDifferences: Readonly<Record<string, string>> = {
  'audit-062': 'header names are compared without regard to case: a policy must not miss a header for that',
  'audit-063': 'header names are compared without regard to case: a policy must not miss a header for that',
  'audit-073': 'a pointer of an unknown topic is an error: it would protect nothing',
  'audit-074': 'a pointer to a whole topic is an error: it has no effect in OpenIG',
  'audit-081': '`value` blanks the value and keeps the field, as documented',
  'audit-082': '`value` blanks the value and keeps the field, as documented',
  'audit-084': '`value` blanks the value and keeps the field, as documented',
  'audit-085': 'names of policies are written in lower case',
  'audit-091': 'a wildcard is an error: it has no effect in OpenIG',
};
