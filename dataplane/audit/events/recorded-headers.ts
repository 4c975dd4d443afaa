import { LINE } from '../../engine/head/header-ranges.ts';
import { headerText } from '../../engine/head/header-text.ts';
import type { Headers } from '../../engine/head/headers.ts';
import { eachReceived, receivedLine, undropped } from '../../engine/head/received-lines.ts';
import type { Response } from '../../engine/message/response.ts';
import { spells } from '../../engine/wire/bytes.ts';
import { jsonText } from './json-text.ts';
import { MOST_NAMES, type NamePlan, recordedValue } from './name-plan.ts';

/** Marks a header that a message has more than once. */
const SEVERAL = -2;
const NONE = -1;

/** A header that is recorded, with the value it had last: clients send the same values again and again. */
class KeptHeader {
  readonly name: string;
  /** The line of the message that is read now; NONE, or SEVERAL. */
  line = NONE;
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
    const { name, line } = this;
    this.line = NONE;
    if (line >= 0) return headers.saysAt(line, this.raw) ? this.json : this.kept(headers.valueAt(line));
    if (line === NONE) return '';
    const values: string[] = [];
    for (let next = receivedLine(headers, name); next >= 0; next = receivedLine(headers, name, next)) {
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
  /** The same by the length of their names, so that most lines of a message are compared with one or none. */
  private readonly byLength: (readonly KeptHeader[] | null)[] = [];
  /** The members of the last message, and all of them together. */
  private readonly last: string[];
  private members = '';

  constructor(plan: NamePlan) {
    this.plan = plan;
    this.kept = plan.everything ? [] : plan.names.map((name) => new KeptHeader(name));
    this.last = this.kept.map(() => '');
    const longest = Math.max(-1, ...this.kept.map(({ name }) => name.length));
    for (let length = 0; length <= longest; length++) {
      const same = this.kept.filter(({ name }) => name.length === length);
      this.byLength.push(same.length === 0 ? null : same);
    }
  }

  /** Those that a client sent, whatever filters made of them. */
  ofRequest(headers: Headers): string {
    if (this.plan.everything) return this.every((visit) => eachReceived(headers, visit));
    this.find(headers);
    let isNew = false;
    for (let at = 0; at < this.kept.length; at++) {
      if (this.changes(at, this.kept[at]!.received(headers))) isNew = true;
    }
    return isNew ? this.joined() : this.members;
  }

  /** Tells each header which line is its. */
  private find(headers: Headers): void {
    const { bytes, base, table, first, end } = headers.ranges();
    const { byLength } = this;
    for (let line = first; line < end; line += LINE) {
      const start = undropped(table[line]!);
      const length = table[line + 1]! - start;
      const same = length < byLength.length ? byLength[length]! : null;
      if (same === null) continue;
      for (const one of same) {
        if (!spells(bytes, base + start, one.name)) continue;
        one.line = one.line === NONE ? line : SEVERAL;
        break;
      }
    }
  }

  /** Those that the client gets, with the length that the engine will announce for content of the gateway. */
  ofAnswer(response: Response): string {
    const { headers } = response;
    const length = ownLength(response);
    if (this.plan.everything) return this.every((visit) => withLength(headers, length, visit));
    let isNew = false;
    for (let at = 0; at < this.kept.length; at++) {
      const one = this.kept[at]!;
      const member = length === null || one.name !== LENGTH ? one.current(headers) : one.of(length);
      if (this.changes(at, member)) isNew = true;
    }
    return isNew ? this.joined() : this.members;
  }

  /** Notes a member. Most messages have those of the one before. */
  private changes(at: number, member: string): boolean {
    if (member === this.last[at]) return false;
    this.last[at] = member;
    return true;
  }

  private joined(): string {
    this.members = this.last.filter((member) => member !== '').join();
    return this.members;
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
