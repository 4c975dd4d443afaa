import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { printable } from '../../../contract/document/printable-text.ts';
import type { LastGoodMark } from '../../../contract/resources/resource.ts';
import type { ConditionVerdict, ResourceVerdict } from '../../compile/resources/resource-verdict.ts';
import type { GroupAddress } from './group-addresses.ts';
import type { Programmed } from './programmed.ts';

/**
 * `Certificates` is there for Routes that name some. `BaseCurrent`, `AccessManagerLogin` and `ScriptsRunning` are there only
 * while they are false.
 */
const conditionTypes = [
  'Accepted',
  'ResolvedRefs',
  'Programmed',
  'Certificates',
  'BaseCurrent',
  'AccessManagerLogin',
  'ScriptsRunning',
] as const;

/** A condition as the API writes it. */
export interface Condition {
  readonly type: (typeof conditionTypes)[number];
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/** Fields of a status that the controller owns. */
export interface ResourceStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
  readonly programmed?: string;
  readonly addresses?: readonly GroupAddress[];
  readonly lastGood?: LastGoodMark;
}

/** A version of an object with what its status shows. */
export interface Shown {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly status: ResourceStatus | null;
}

/** Notes on a resource beside its verdict; null where there is nothing to say. */
export interface StatusNotes {
  /** On the base configuration: null when the newest one serves. */
  readonly base: string | null;
  /** On agents that cannot log in to an access manager. */
  readonly login: string | null;
  /** On suspended scripts. */
  readonly script: string | null;
  /** On the certificates that a Route names. */
  readonly certificates: ConditionVerdict<string> | null;
  /** Where the data planes that serve a Route are reached. */
  readonly addresses: readonly GroupAddress[];
}

const NO_NOTES: StatusNotes = { base: null, login: null, script: null, certificates: null, addresses: [] };

/** People read no longer message, and the API takes one that is eight times as long. */
const LONGEST_MESSAGE = 4096;

/**
 * What is to be shown of a resource.
 * @param shown what its status shows now: times stay as they are as long as a condition stays true or false
 * @param now for the conditions that change, as the API writes times
 * @param notes what is to be said beside the verdict
 */
export function statusOf(
  verdict: ResourceVerdict,
  programmed: Programmed | null,
  shown: ResourceStatus | null,
  now: string,
  notes: StatusNotes = NO_NOTES,
): ResourceStatus {
  const { resource, accepted, resolvedRefs } = verdict;
  const condition = (type: Condition['type'], said: ConditionVerdict<string>): Condition => {
    const status = said.status ? 'True' : 'False';
    const before = shown?.conditions.find((one) => one.type === type);
    return {
      type,
      status,
      reason: said.reason,
      message: readable(said.message),
      observedGeneration: resource.generation,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
    };
  };
  const conditions = [condition('Accepted', accepted), condition('ResolvedRefs', resolvedRefs)];
  if (programmed !== null) conditions.push(condition('Programmed', programmed));
  if (notes.certificates !== null) conditions.push(condition('Certificates', notes.certificates));
  const note = (type: Condition['type'], reason: string, message: string | null): void => {
    if (message !== null) conditions.push(condition(type, { status: false, reason, message }));
  };
  note('BaseCurrent', 'LastGoodServes', notes.base);
  note('AccessManagerLogin', 'LoginFailed', notes.login);
  note('ScriptsRunning', 'Suspended', notes.script);
  const lastGood = verdict.lastGood ?? lastGoodOf(verdict) ?? shown?.lastGood ?? resource.lastGood;
  return {
    observedGeneration: resource.generation,
    conditions,
    ...(programmed === null ? {} : { programmed: programmed.text }),
    ...(notes.addresses.length === 0 ? {} : { addresses: notes.addresses }),
    ...(resource.kind !== 'Route' || lastGood === null ? {} : { lastGood }),
  };
}

/** The version that serves if it is this one and sound, which is then the one to come back to. */
function lastGoodOf({ accepted, resolvedRefs, serves, route, resource }: ResourceVerdict): LastGoodMark | null {
  const isGood =
    accepted.status && resolvedRefs.status && serves === 'this' && route !== null && route.refuses !== true;
  return isGood ? { generation: resource.generation, hash: route.hash } : null;
}

const object = z.looseObject({
  metadata: z.looseObject({ uid: z.string(), resourceVersion: z.string(), generation: z.number() }),
  status: z.custom<JsonObject>((value) => isJsonObject(value as JsonValue)).optional(),
});

/** Reads an object as the API answers it; null when it is none. */
export function readShown(content: unknown): Shown | null {
  const read = object.safeParse(content);
  if (!read.success) return null;
  const { uid, resourceVersion, generation } = read.data.metadata;
  return { uid, resourceVersion, generation, status: readStatus(read.data.status) };
}

/** Reads our fields of a status from the API; null if there are none. */
export function readStatus(status: JsonObject | undefined): ResourceStatus | null {
  if (status === undefined || !Array.isArray(status['conditions'])) return null;
  const { observedGeneration, programmed, addresses, lastGood } = status;
  return {
    observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : 0,
    conditions: status['conditions'].flatMap(readCondition),
    ...(typeof programmed === 'string' ? { programmed } : {}),
    ...(Array.isArray(addresses) && addresses.length > 0 ? { addresses: addresses.flatMap(readAddress) } : {}),
    ...readLastGood(lastGood),
  };
}

function readCondition(value: JsonValue): Condition[] {
  if (!isJsonObject(value)) return [];
  const { status, reason, message, observedGeneration, lastTransitionTime } = value;
  const type = conditionTypes.find((one) => one === value['type']);
  if (type === undefined) return [];
  if (status !== 'True' && status !== 'False') return [];
  return [
    {
      type,
      status,
      reason: typeof reason === 'string' ? reason : '',
      message: typeof message === 'string' ? message : '',
      observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : 0,
      lastTransitionTime: typeof lastTransitionTime === 'string' ? lastTransitionTime : '',
    },
  ];
}

function readAddress(value: JsonValue): GroupAddress[] {
  if (!isJsonObject(value)) return [];
  const { group, type, value: address } = value;
  if (typeof group !== 'string' || typeof address !== 'string') return [];
  return type === 'IPAddress' || type === 'Hostname' ? [{ group, type, value: address }] : [];
}

function readLastGood(value: JsonValue | undefined): { lastGood?: LastGoodMark } {
  if (!isJsonObject(value)) return {};
  const { generation, hash } = value;
  return typeof generation === 'number' && typeof hash === 'string' ? { lastGood: { generation, hash } } : {};
}

/** Whether two say the same, whenever it began. */
export function saysTheSame(a: ResourceStatus | null, b: ResourceStatus | null): boolean {
  if (a === null || b === null) return a === b;
  return a.programmed === b.programmed && isAlike(a, b, (one, other) => one.message === other.message);
}

/** Whether all that is new is how many planes run it. */
export function differsInCountsOnly(a: ResourceStatus, b: ResourceStatus | null): boolean {
  if (b === null) return false;
  return isAlike(a, b, (one, other) => one.type === 'Programmed' || one.message === other.message);
}

function isAlike(
  a: ResourceStatus,
  b: ResourceStatus,
  sameMessage: (one: Condition, other: Condition) => boolean,
): boolean {
  if (a.observedGeneration !== b.observedGeneration || a.conditions.length !== b.conditions.length) return false;
  if (!isDeepStrictEqual(a.addresses, b.addresses)) return false;
  if (a.lastGood?.hash !== b.lastGood?.hash || a.lastGood?.generation !== b.lastGood?.generation) return false;
  return a.conditions.every((one) => {
    const other = b.conditions.find(({ type }) => type === one.type);
    return (
      other !== undefined &&
      one.status === other.status &&
      one.reason === other.reason &&
      one.observedGeneration === other.observedGeneration &&
      sameMessage(one, other)
    );
  });
}

/** As it is sent. */
export function asJson({ conditions, addresses, lastGood, ...rest }: ResourceStatus): JsonObject {
  return {
    ...rest,
    ...(addresses === undefined ? {} : { addresses: addresses.map((address) => ({ ...address })) }),
    conditions: conditions.map((condition) => ({ ...condition })),
    ...(lastGood === undefined ? {} : { lastGood: { ...lastGood } }),
  };
}

function readable(message: string): string {
  const text = printable(message);
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE - 1)}…`;
}
