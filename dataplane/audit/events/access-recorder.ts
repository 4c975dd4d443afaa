import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { RefusedHead } from '../../engine/client/listener.ts';
import type { AccessEntry, AccessOutcome, Exchange } from '../../engine/message/exchange.ts';
import type { Refusal } from '../../engine/message/refusal.ts';
import type { Response } from '../../engine/message/response.ts';
import { clock, wallNow } from '../../engine/wire/clock.ts';
import type { AccessRecording } from '../../heap/objects/audit-service.ts';
import { decisionText } from './decision-text.ts';
import { endpointText } from './endpoint-text.ts';
import { EventTime } from './event-time.ts';
import { inOnePiece, isPlainText, jsonText, jsonValue } from './json-text.ts';
import { type NamePlan, namePlan } from './name-plan.ts';
import type { PolicyNode, PolicyTree } from './policy-tree.ts';
import { type Found, RecordedAccess, type RequestParts } from './recorded-access.ts';
import { RecordedHeaders } from './recorded-headers.ts';
import { cookieMembers, queryMembers, recordedPath } from './recorded-parameters.ts';
import { NO_CONTENT, RepeatedTexts } from './repeated-texts.ts';

/** What a recorder of access events needs. */
export interface AccessRecorderOptions {
  readonly eventName: string;
  /** What is recorded. */
  readonly policies: PolicyTree;
  /** Id of the next event. */
  id(): string;
  /** Revision of the configuration that decides now, and the data plane and unit that decide. */
  decider(): { readonly revision: string; readonly plane: string; readonly unit: number };
  /** Takes a finished event. `isOfRefused`: the request was refused because there was no room for events. */
  write(json: string, isOfRefused: boolean): void;
}

const NOTHING: Found = { verdicts: null, last: null, trackingIds: null };
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** Writes access events of one service. Everything that does not depend on a request is computed when it is built. */
export class AccessRecorder implements AccessRecording {
  private readonly options: AccessRecorderOptions;
  private readonly start: string;
  private readonly time = new EventTime();
  private readonly requestHeaders: RecordedHeaders;
  private readonly responseHeaders: RecordedHeaders;
  private readonly cookies: NamePlan;
  private readonly query: NamePlan;
  /** Whether policies say more than the plans do, so that events are read again. */
  private readonly isRewritten: boolean;
  private host = '';
  private scheme = '';
  private place = '';
  /** The same as the beginning of a text in JSON. */
  private placeText = '';
  private revision = '';
  private decider = '';
  /** The decision of most requests. */
  private allowed = '';
  private readonly repeated = new RepeatedTexts();

  constructor(options: AccessRecorderOptions) {
    this.options = options;
    const { policies, eventName } = options;
    this.start = inOnePiece(`{"eventName":${jsonText(eventName)},"timestamp":"`);
    this.requestHeaders = new RecordedHeaders(namePlan(policies, ['http', 'request', 'headers']));
    this.responseHeaders = new RecordedHeaders(namePlan(policies, ['http', 'response', 'headers']));
    this.cookies = namePlan(policies, ['http', 'request', 'cookies']);
    this.query = namePlan(policies, ['http', 'request', 'queryParameters']);
    this.isRewritten = saysMore(policies.root, []);
  }

  /** Begins the record of an exchange, with what its client sent. `outer`: a record that is kept beside it. */
  enter(exchange: Exchange, routePart: string, outer: AccessEntry | null): AccessEntry {
    const { request } = exchange;
    const { headers } = request;
    const isTrusted = exchange.origin.facts.trusted === true;
    const place = isTrusted ? exchange.originalUri : null;
    const parts: RequestParts = {
      headers: this.requestHeaders.ofRequest(headers),
      cookies: cookieMembers(headers, this.cookies),
      query: queryMembers(request.receivedQuery, this.query),
      address: isTrusted ? exchange.remoteAddress : null,
      scheme: place?.scheme ?? null,
      authority: place?.authority ?? null,
    };
    return new RecordedAccess(this, parts, routePart, outer);
  }

  /** The members that are recorded of the headers of an answer. */
  answerHeaders(response: Response): string {
    return this.responseHeaders.ofAnswer(response);
  }

  /** Writes the event of an exchange that is over. */
  write(
    exchange: Exchange,
    parts: RequestParts,
    answered: string,
    route: string,
    found: Found,
    outcome: AccessOutcome,
  ): void {
    const { request, identity, transactionId } = exchange;
    const { facts, refusal, tunnel } = outcome;
    const scheme = parts.scheme ?? facts.scheme;
    const authority = parts.authority ?? request.host;
    const user = identity === null ? facts.user : identity.user;
    const ids = found.trackingIds === null ? '' : `,"trackingIds":${jsonValue(found.trackingIds)}`;
    const named = `${user === null ? '' : `,"userId":${jsonText(user)}`}${ids}`;
    const { ids: requestIds } = exchange;
    const exchangeId = requestIds === null ? `"${transactionId}"` : jsonText(requestIds.requestId);
    const { repeated } = this;
    this.finish(
      `${this.start}${this.time.text(clock.wall - (clock.now - exchange.startedAt))}","transactionId":"${transactionId}"` +
        `${named},${endpointText(facts, parts.address)}${repeated.beforePath(scheme, request.receivedMethod)}` +
        `${this.pathOf(scheme, authority, facts, recordedPath(request.receivedPath))}${repeated.content(parts, answered)}` +
        `${repeated.response(outcome, exchange.cut && tunnel === null)},"ig":{"exchangeId":${exchangeId}${route}}` +
        this.decisionOf(refusal, exchange.decision, found),
      refusal === 'audit-unavailable',
    );
  }

  /** Writes the event of a request that was refused before there was an exchange. */
  refusedHead({ method, path, status, sent, refusal, facts }: RefusedHead): void {
    const id = this.options.id();
    const named = facts.user === null ? '' : `,"userId":${jsonText(facts.user)}`;
    const where = path.startsWith('/') ? `${this.placeOf(facts.scheme, '', facts)}${path}` : path;
    const outcome = { status, milliseconds: 0, sent, refusal, facts, tunnel: null };
    this.finish(
      `${this.start}${this.time.text(wallNow())}","transactionId":"${id}"${named},${endpointText(facts, null)}` +
        `${this.repeated.beforePath(facts.scheme, method)}${jsonText(recordedPath(where))}${NO_CONTENT}` +
        `${this.repeated.response(outcome, false)},"ig":{"exchangeId":"${id}"}${this.decisionOf(refusal, null, NOTHING)}`,
      false,
    );
  }

  private finish(event: string, isOfRefused: boolean): void {
    const whole = `${event},"_id":"${this.options.id()}"}`;
    this.options.write(this.isRewritten ? this.rewritten(whole) : whole, isOfRefused);
  }

  private rewritten(json: string): string {
    return jsonValue(this.options.policies.recorded(JSON.parse(json) as JsonObject));
  }

  /** Scheme and authority with its port, as the path of an event begins; the last one is kept. */
  private placeOf(scheme: string, authority: string, { local }: AccessOutcome['facts']): string {
    if (authority === this.host && scheme === this.scheme && authority !== '') return this.place;
    this.host = authority;
    this.scheme = scheme;
    const host = authority === '' ? (local.address.includes(':') ? `[${local.address}]` : local.address) : authority;
    const port = authority === '' ? `:${local.port}` : (DEFAULT_PORTS[scheme] ?? '');
    this.place = `${scheme}://${host}${/:\d+$/.test(authority.slice(authority.lastIndexOf(']') + 1)) ? '' : port}`;
    this.placeText = jsonText(this.place).slice(0, -1);
    return this.place;
  }

  /** Scheme, authority and path as JSON. */
  private pathOf(scheme: string, authority: string, facts: AccessOutcome['facts'], path: string): string {
    const place = this.placeOf(scheme, authority, facts);
    return isPlainText(path) ? `${this.placeText}${path}"` : jsonText(`${place}${path}`);
  }

  /** The member `decision`; most requests have the same. */
  private decisionOf(refusal: Refusal | null, decision: Exchange['decision'], { verdicts, last }: Found): string {
    const { revision, plane, unit } = this.options.decider();
    if (this.decider === '' || revision !== this.revision) {
      this.revision = revision;
      this.decider = `,"revision":${jsonText(revision)},"plane":${jsonText(plane)},"unit":${unit}`;
      this.allowed = inOnePiece(`,"decision":{${decisionText(null, null, null, null)}${this.decider}}`);
    }
    if (refusal === null && verdicts === null) return this.allowed;
    return `,"decision":{${decisionText(refusal, decision, verdicts, last)}${this.decider}}`;
  }
}

/** Maps of names, in which plans leave out what policies exclude. */
const PLANNED = new Set(['http/request/headers', 'http/request/cookies', 'http/request/queryParameters']).add(
  'http/response/headers',
);

/** Whether policies exclude or blank something that is not a name in one of these maps. */
function saysMore(node: PolicyNode, steps: readonly string[]): boolean {
  for (const [name, child] of node.children) {
    if (child.blanked || (child.excluded && !PLANNED.has(steps.join('/')))) return true;
    if (!child.excluded && saysMore(child, [...steps, name])) return true;
  }
  return false;
}
