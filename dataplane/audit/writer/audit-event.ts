import type { JsonObject } from '../../../contract/document/json-value.ts';

/** An event as sinks get it. */
export interface AuditEvent {
  readonly topic: string;
  /** Its `_id`, with which consumers drop duplicates; empty where a filter policy removed it. */
  readonly id: string;
  /** The whole event in UTF-8, compact, with `_id` as the last member. */
  readonly bytes: Buffer;
  /** Size of these in bytes. */
  readonly size: number;
  /** The same as text. */
  readonly json: string;
  /** The same as an object, parsed when first read. */
  readonly fields: JsonObject;
  /** Copies the bytes to a place in others. @returns where they end */
  copyTo(target: Buffer, at: number): number;
  /** The same in memory of its own, which holds nothing else. */
  alone(): AuditEvent;
}

/** The last member of an event; ids have no characters that JSON escapes. */
const LAST_ID = /[,{]"_id":"([^"\\]*)"\}$/;
/** More than any `_id` needs. */
const ID_TAIL = 300;

/** An event in bytes that a unit wrote. Texts and objects are made when a sink needs them. */
export class WrittenEvent implements AuditEvent {
  readonly topic: string;
  readonly size: number;
  private readonly block: Buffer;
  private readonly start: number;
  private text: string | null = null;
  private parsed: JsonObject | null = null;

  /** @param block that it lies in, with others */
  constructor(topic: string, block: Buffer, start = 0, size = block.length) {
    this.topic = topic;
    this.block = block;
    this.start = start;
    this.size = size;
  }

  get bytes(): Buffer {
    return this.block.subarray(this.start, this.start + this.size);
  }

  get id(): string {
    const end = this.start + this.size;
    const tail = this.block.toString('utf8', Math.max(this.start, end - ID_TAIL), end);
    return LAST_ID.exec(tail)?.[1] ?? '';
  }

  get json(): string {
    this.text ??= this.block.toString('utf8', this.start, this.start + this.size);
    return this.text;
  }

  get fields(): JsonObject {
    this.parsed ??= JSON.parse(this.json) as JsonObject;
    return this.parsed;
  }

  copyTo(target: Buffer, at: number): number {
    return at + this.block.copy(target, at, this.start, this.start + this.size);
  }

  alone(): AuditEvent {
    return new WrittenEvent(this.topic, Buffer.from(this.bytes));
  }
}
