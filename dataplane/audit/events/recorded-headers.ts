import { headerText } from '../../engine/head/header-text.ts';
import type { Headers } from '../../engine/head/headers.ts';
import { eachReceived, receivedLine } from '../../engine/head/received-lines.ts';
import type { Response } from '../../engine/message/response.ts';
import { jsonText } from './json-text.ts';
import { MOST_NAMES, type NamePlan, recordedValue } from './name-plan.ts';

/** A header that is recorded, with the value it had last: clients send the same values again and again. */
class KeptHeader {
  readonly name: string;
  private readonly start: string;
  private raw = '';
  private json: string;

  constructor(name: string) {
    this.name = name;
    this.start = `${jsonText(name)}:[`;
    this.json = `${this.start}""]`;
  }

  /** The member of a request, as its lines were received; empty where there is none. */
  received(headers: Headers): string {
    const { name } = this;
    const line = receivedLine(headers, name);
    if (line < 0) return '';
    const second = receivedLine(headers, name, line);
    if (second < 0) return headers.saysAt(line, this.raw) ? this.json : this.kept(headers.valueAt(line));
    const values = [headers.valueAt(line)];
    for (let next = second; next >= 0; next = receivedLine(headers, name, next)) {
      values.push(headers.valueAt(next));
    }
    return this.several(values);
  }

  /** The member of an answer. */
  current(headers: Headers): string {
    const line = headers.soleLine(this.name);
    if (line >= 0) return headers.saysAt(line, this.raw) ? this.json : this.kept(headers.valueAt(line));
    const values = headers.all(this.name);
    return values.length === 0 ? '' : this.several(values);
  }

  /** The member with a value; empty without one. */
  of(value: string): string {
    return value === '' ? '' : value === this.raw ? this.json : this.kept(value);
  }

  private kept(raw: string): string {
    this.raw = raw;
    this.json = `${this.start}${valueText(raw)}]`;
    return this.json;
  }

  private several(values: readonly string[]): string {
    return `${this.start}${values.map(valueText).join()}]`;
  }
}

/** Writes the headers of messages that a plan records as the members of a JSON object. */
export class RecordedHeaders {
  private readonly plan: NamePlan;
  private readonly kept: readonly KeptHeader[];

  constructor(plan: NamePlan) {
    this.plan = plan;
    this.kept = plan.everything ? [] : plan.names.map((name) => new KeptHeader(name));
  }

  /** Those that a client sent, whatever filters made of them. */
  ofRequest(headers: Headers): string {
    if (this.plan.everything) return this.every((visit) => eachReceived(headers, visit));
    let members = '';
    for (const one of this.kept) {
      const member = one.received(headers);
      if (member !== '') members = members === '' ? member : `${members},${member}`;
    }
    return members;
  }

  /** Those that the client gets, with the length that the engine will announce for content of the gateway. */
  ofAnswer(response: Response): string {
    const { headers } = response;
    const length = ownLength(response);
    if (this.plan.everything) return this.every((visit) => withLength(headers, length, visit));
    let members = '';
    for (const one of this.kept) {
      const member = length === null || one.name !== LENGTH ? one.current(headers) : one.of(length);
      if (member !== '') members = members === '' ? member : `${members},${member}`;
    }
    return members;
  }

  private every(visitAll: (visit: (name: string, value: string) => void) => void): string {
    const found = new Map<string, string[]>();
    visitAll((name, value) => {
      if (!this.plan.records(name)) return;
      const values = found.get(name);
      if (values !== undefined) values.push(value);
      else if (found.size < MOST_NAMES) found.set(name, [value]);
    });
    return [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, values]) => `${jsonText(name)}:[${values.map(valueText).join()}]`)
      .join();
  }
}

function valueText(value: string): string {
  return jsonText(recordedValue(headerText(value)));
}

const LENGTH = 'content-length';

/** Length of content that the gateway made, which no header says yet: empty for none, null where headers say it. */
function ownLength({ status, touchedEntity }: Response): string | null {
  if (touchedEntity === null || !touchedEntity.replaced) return null;
  const { announcedLength } = touchedEntity;
  return status === 204 || status === 304 || announcedLength < 0 ? '' : String(announcedLength);
}

function withLength(headers: Headers, length: string | null, visit: (name: string, value: string) => void): void {
  if (length === null) {
    headers.each(visit);
    return;
  }
  headers.each((name, value) => {
    if (name !== LENGTH) visit(name, value);
  });
  if (length !== '') visit(LENGTH, length);
}
