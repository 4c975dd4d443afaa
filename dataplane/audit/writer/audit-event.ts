import type { JsonObject } from '../../../contract/document/json-value.ts';

/** An event as sinks get it. */
export interface AuditEvent {
  readonly topic: string;
  /** Its `_id`, with which consumers drop duplicates; empty where a filter policy removed it. */
  readonly id: string;
  /** The whole event in UTF-8, compact, with `_id` as the last member. */
  readonly bytes: Buffer;
  /** The same as text. */
  readonly json: string;
  /** The same as an object, parsed when first read. */
  readonly fields: JsonObject;
}

/** The last member of an event; ids have no characters that JSON escapes. */
const LAST_ID = /[,{]"_id":"([^"\\]*)"\}$/;
/** More than any `_id` needs. */
const ID_TAIL = 300;

/** An event in the bytes that a unit wrote. Texts and objects are made when a sink needs them. */
export class WrittenEvent implements AuditEvent {
  readonly topic: string;
  readonly bytes: Buffer;
  private text: string | null = null;
  private parsed: JsonObject | null = null;

  constructor(topic: string, bytes: Buffer) {
    this.topic = topic;
    this.bytes = bytes;
  }

  get id(): string {
    const tail = this.bytes.toString('utf8', Math.max(0, this.bytes.length - ID_TAIL));
    return LAST_ID.exec(tail)?.[1] ?? '';
  }

  get json(): string {
    this.text ??= this.bytes.toString('utf8');
    return this.text;
  }

  get fields(): JsonObject {
    this.parsed ??= JSON.parse(this.json) as JsonObject;
    return this.parsed;
  }
}
