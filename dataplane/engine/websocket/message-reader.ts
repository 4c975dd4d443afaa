import { CLOSED, type Finding, FrameCheck, type FrameTerms } from './frame-check.ts';

const NO_EXTENSIONS = { first: 0, later: 0, control: 0, opcodes: false };
const FIN = 0x80;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
/** Most bytes of a message that is skipped; nothing else arrives before it has passed. */
const LONGEST_SKIPPED = 64 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const SMALLEST = 1024;

/** Listener for the messages that a server sends. */
export interface MessageOwner {
  /** A whole text message. */
  text(message: string): void;
  /** A message came that cannot be read; the reason is for the log. */
  unreadable(reason: string): void;
  pinged(payload: Buffer): void;
}

/**
 * Reads the messages of a server, in any segmentation. A message that is too long is skipped: the connection goes on,
 * and the owner hears of it. Messages before a violation of the protocol are delivered.
 */
export class MessageReader {
  private readonly owner: MessageOwner;
  private readonly longest: number;
  private readonly frames: FrameCheck;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** Bytes of the frame header that have come. */
  private readonly head = Buffer.alloc(10);
  private headLength = 0;
  private left = 0;
  private inPayload = false;
  private opcode = 0;
  private isFinal = false;
  private control: Buffer[] = [];
  /** The message under way: its kind, its bytes in one buffer, as fragments of a byte each would cost far more, and its length. */
  private kind = 0;
  private content = NOTHING;
  private length = 0;

  /** @param longest most bytes of a message that is read */
  constructor(owner: MessageOwner, longest: number) {
    this.owner = owner;
    this.longest = longest;
    const messageBytes = Math.max(longest, LONGEST_SKIPPED);
    const terms: FrameTerms = { masked: false, reserved: NO_EXTENSIONS, frameBytes: 0, messageBytes };
    this.frames = new FrameCheck(terms);
  }

  /** @returns what ends the stream: CLOSED, a violation of the protocol, or null. */
  read(bytes: Buffer, start: number, end: number): Finding | null {
    const finding = this.frames.scan(bytes, start, end, null);
    const soundEnd = finding === null || finding === CLOSED ? end : this.frames.soundEnd;
    if (this.inPayload && this.opcode === CLOSE) return finding; // nothing after it counts
    let at = start;
    while (at < soundEnd) {
      if (this.inPayload) {
        const taken = Math.min(this.left, soundEnd - at);
        this.take(bytes.subarray(at, at + taken));
        at += taken;
        this.left -= taken;
      } else {
        this.head[this.headLength++] = bytes[at++]!;
        if (this.headLength < headSize(this.head, this.headLength)) continue;
        this.begin();
        if (this.opcode === CLOSE) return finding;
      }
      if (this.inPayload && this.left === 0) this.finish();
    }
    return finding;
  }

  private begin(): void {
    const { head } = this;
    const short = head[1]! & 127;
    this.opcode = head[0]! & 15;
    this.isFinal = (head[0]! & FIN) !== 0;
    this.left = short < 126 ? short : short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    this.headLength = 0;
    this.inPayload = true;
    if (this.opcode === 0 || this.opcode >= CLOSE) return;
    this.kind = this.opcode;
    this.content = NOTHING;
    this.length = 0;
  }

  private take(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.opcode >= CLOSE) {
      this.control.push(Buffer.from(piece));
      return;
    }
    const before = this.length;
    this.length += piece.length;
    if (this.length > this.longest) {
      this.content = NOTHING;
      return;
    }
    if (this.length > this.content.length) {
      const larger = Buffer.allocUnsafe(Math.max(SMALLEST, 2 * this.content.length, this.length));
      this.content.copy(larger, 0, 0, before);
      this.content = larger;
    }
    piece.copy(this.content, before); // the bytes are valid for this turn only
  }

  private finish(): void {
    this.inPayload = false;
    if (this.opcode >= CLOSE) {
      const payload = Buffer.concat(this.control);
      this.control = [];
      if (this.opcode === PING) this.owner.pinged(payload);
    } else if (this.isFinal) this.message();
  }

  private message(): void {
    const content = this.content.subarray(0, this.length);
    this.content = NOTHING;
    if (this.length > this.longest) this.owner.unreadable(`a message has ${this.length} bytes`);
    else if (this.kind !== TEXT) this.owner.unreadable('a message is not text');
    else {
      const text = this.decoded(content);
      if (text === null) this.owner.unreadable('a message is not UTF-8');
      else this.owner.text(text);
    }
  }

  private decoded(content: Buffer): string | null {
    try {
      return this.decoder.decode(content);
    } catch {
      return null;
    }
  }
}

/** How many bytes the header has of which so many are there. */
function headSize(head: Buffer, there: number): number {
  if (there < 2) return 2;
  const short = head[1]! & 127;
  return short < 126 ? 2 : short === 126 ? 4 : 10;
}
