import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { ANY_FIELDS, accessEventFields } from '../../../../dataplane/audit/events/event-fields.ts';
import {
  accessPolicies,
  addPolicies,
  type FilterPolicies,
  policyRemarks,
} from '../../../../dataplane/audit/events/filter-policies.ts';
import { PolicyTree } from '../../../../dataplane/audit/events/policy-tree.ts';
import { policyFields } from '../../../../dataplane/audit/service/policy-fields.ts';

/** A row of kind `filter`. */
export interface FilterRow {
  readonly id: string;
  readonly kind: 'filter';
  readonly case: string;
  readonly topic?: string;
  readonly filterPolicies: unknown;
  readonly event?: JsonObject;
  readonly published?: JsonObject;
  readonly refused?: string;
}

/** OpenIG records everything; here that takes policies that say so. */
const EVERYTHING = [
  '/access/http/request/headers',
  '/access/http/request/headers/authorization',
  '/access/http/request/cookies',
  '/access/http/request/cookies/sid',
  '/access/http/request/queryParameters',
  '/access/http/response/headers',
];

/** What becomes of the event of a row; 'refused' where the policies are. */
export function replayedFilterRow({ topic = 'access', filterPolicies, event = {} }: FilterRow): JsonObject | 'refused' {
  const read = policyFields().safeParse(filterPolicies);
  if (!read.success) return 'refused';
  const policies: FilterPolicies = read.data;
  const trees = new Map([
    ['access', accessPolicies()],
    ['customTopic', new PolicyTree(true)],
  ]);
  const fields = new Map([
    ['access', accessEventFields],
    ['customTopic', ANY_FIELDS],
  ]);
  if (policyRemarks(policies, fields, []).length > 0) return 'refused';
  addPolicies({ field: { includeIf: EVERYTHING } }, trees);
  addPolicies(policies, trees);
  return trees.get(topic)!.recorded({ ...event, _id: 'e1' });
}
