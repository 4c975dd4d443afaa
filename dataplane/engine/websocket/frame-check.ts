import { put } from '../wire/turn.ts';
import type { Wire } from '../wire/wire.ts';
import { isCloseCode, NO_STATUS, PROTOCOL_ERROR, TOO_LARGE } from './close-code.ts';

/** Which of the reserved bits and opcodes of frames mean something, because an extension was agreed on. */
export interface Reserved {
  /** Bits that the first frame of a message may have. */
  readonly first: number;
  /** Bits that the other frames of a message may have. */
  readonly later: number;
  /** Bits that control frames may have. */
  readonly control: number;
  /** Whether opcodes may be used that RFC 6455 leaves open. */
  readonly opcodes: boolean;
}

/** Rules for the frames of one side. */
export interface FrameTerms {
  /** Clients mask their frames, backends do not. */
  readonly masked: boolean;
  readonly reserved: Reserved;
  /** Longest frame and longest message, as they are sent; 0 for any. */
  readonly frameBytes: number;
  readonly messageBytes: number;
}

/** Why frames cannot be passed on: the code and the text of the Close that the sender gets. */
export interface Finding {
  readonly code: number;
  readonly text: string;
}

/** Not a violation: a Close frame came whole, and lies where `closeBytes`, `closeStart` and `closeEnd` say. */
export const CLOSED: Finding = { code: 0, text: '' };
const UNMASKED = violation('a frame of a client is not masked');
const MASKED = violation('a frame of the backend is masked');
const RESERVED_BITS = violation('a reserved bit is set');
const OPCODE = violation('the opcode is not known');
const CONTROL_FRAGMENT = violation('a control frame is fragmented');
const CONTROL_LENGTH = violation('a control frame is too long');
const NOTHING_TO_CONTINUE = violation('there is no message to continue');
const NOT_CONTINUED = violation('a message begins inside another');
const NOT_SHORTEST = violation('the length is not written in its shortest form');
const LENGTH = violation('the length is out of range');
const CLOSE_PAYLOAD = violation('the code of the Close frame is not valid');
const FRAME_TOO_LARGE: Finding = { code: TOO_LARGE, text: 'the frame is too large' };
const MESSAGE_TOO_LARGE: Finding = { code: TOO_LARGE, text: 'the message is too large' };

const FIN = 0x80;
const RESERVED = 0x70;
const MASK = 0x80;
const CLOSE = 8;
const PONG = 10;
/** Most bytes that must be there to judge a frame: those of a masked Close. */
const MOST_JUDGED = 2 + 4 + 125;

/**
 * Reads the frames that one side sends, in any segmentation, and passes on what is in order. Payloads stay as they are:
 * nothing is unmasked, joined or kept, except a header that has not come whole, so that what was passed on always ends
 * inside a payload or between two frames.
 */
export class FrameCheck {
  closeBytes: Buffer = NOTHING;
  closeStart = 0;
  closeEnd = 0;
  /** The code in the Close frame. */
  closeCode = NO_STATUS;
  /** Where the sound frames of the scanned bytes end, once a finding ended the stream. */
  soundEnd = 0;
  private readonly terms: FrameTerms;
  /** Bytes of the current payload that are still to come. */
  private left = 0;
  private fragmented = false;
  private message = 0;
  private partial: Buffer | null = null;
  private partialLength = 0;

  constructor(terms: FrameTerms) {
    this.terms = terms;
  }

  /** How much of the current payload is still to come; what was passed on ends between two frames when it is 0. */
  get payloadLeft(): number {
    return this.left;
  }

  /** Bytes of the current payload went another way. */
  skip(length: number): void {
    this.left -= length;
  }

  /** Judges bytes and passes on what is sound, unless `to` is null. @returns what ends the stream, or null. */
  scan(bytes: Buffer, start: number, end: number, to: Wire | null): Finding | null {
    let p = start;
    if (this.partial !== null) {
      p = this.complete(bytes, start, end);
      const finding = this.judgePartial(to);
      this.soundEnd = start;
      if (finding !== null || this.partial !== null) return finding;
    }
    const from = p;
    let finding: Finding | null = null;
    for (;;) {
      const rest = end - p;
      if (this.left >= rest) {
        this.left -= rest;
        p = end;
        break;
      }
      p += this.left;
      this.left = 0;
      finding = end - p < 2 ? null : this.judgeStart(bytes[p]!, bytes[p + 1]!);
      if (finding !== null) break;
      const size = judgedSize(bytes, p, end);
      if (end - p < size) {
        this.keep(bytes, p, end);
        break;
      }
      finding = this.judgeFrame(bytes, p, size);
      if (finding !== null) break;
      p += size;
    }
    if (to !== null && p > from) put(to, bytes, from, p);
    this.soundEnd = p;
    return finding;
  }

  private keep(bytes: Buffer, p: number, end: number): void {
    this.partial = Buffer.allocUnsafeSlow(MOST_JUDGED);
    this.partialLength = bytes.copy(this.partial, 0, p, end);
  }

  /** Adds to a frame that could not be judged. @returns where it stopped. */
  private complete(bytes: Buffer, p: number, end: number): number {
    const partial = this.partial!;
    while (p < end && this.partialLength < judgedSize(partial, 0, this.partialLength)) {
      partial[this.partialLength++] = bytes[p++]!;
      if (this.partialLength === 2 && this.judgeStart(partial[0]!, partial[1]!) !== null) break;
    }
    return p;
  }

  private judgePartial(to: Wire | null): Finding | null {
    const partial = this.partial!;
    const length = this.partialLength;
    if (length < 2) return null;
    let finding = this.judgeStart(partial[0]!, partial[1]!);
    if (finding !== null) return finding;
    if (length < judgedSize(partial, 0, length)) return null;
    finding = this.judgeFrame(partial, 0, length);
    if (finding !== null) return finding;
    this.partial = null;
    if (to !== null) put(to, partial, 0, length);
    return null;
  }

  /** Judges what the first two bytes of a frame say. */
  private judgeStart(first: number, second: number): Finding | null {
    const { masked, reserved } = this.terms;
    const opcode = first & 15;
    if (((second & MASK) !== 0) !== masked) return masked ? UNMASKED : MASKED;
    if (opcode >= CLOSE) {
      if ((first & FIN) === 0) return CONTROL_FRAGMENT;
      if ((second & 127) > 125) return CONTROL_LENGTH;
      if (opcode > PONG && !reserved.opcodes) return OPCODE;
      return (first & RESERVED & ~reserved.control) === 0 ? null : RESERVED_BITS;
    }
    if (opcode === 0) {
      if (!this.fragmented) return NOTHING_TO_CONTINUE;
      return (first & RESERVED & ~reserved.later) === 0 ? null : RESERVED_BITS;
    }
    if (this.fragmented) return NOT_CONTINUED;
    if (opcode > 2 && !reserved.opcodes) return OPCODE;
    return (first & RESERVED & ~reserved.first) === 0 ? null : RESERVED_BITS;
  }

  /** Judges the rest of a header that is all there, and a Close with its payload. */
  private judgeFrame(bytes: Buffer, p: number, size: number): Finding | null {
    const first = bytes[p]!;
    let length = bytes[p + 1]! & 127;
    if (length === 126) {
      length = (bytes[p + 2]! << 8) | bytes[p + 3]!;
      if (length < 126) return NOT_SHORTEST;
    } else if (length === 127) {
      const high = word(bytes, p + 2);
      if (high >= 0x8000_0000) return LENGTH;
      length = high * 0x1_0000_0000 + word(bytes, p + 6);
      if (length < 0x1_0000) return NOT_SHORTEST;
    }
    const opcode = first & 15;
    if (opcode < CLOSE) {
      const { frameBytes, messageBytes } = this.terms;
      if (frameBytes > 0 && length > frameBytes) return FRAME_TOO_LARGE;
      const message = opcode === 0 ? this.message + length : length;
      if (messageBytes > 0 && message > messageBytes) return MESSAGE_TOO_LARGE;
      this.fragmented = (first & FIN) === 0;
      this.message = this.fragmented ? message : 0;
    } else if (opcode === CLOSE) return this.judgeClose(bytes, p, size, length);
    this.left = length;
    return null;
  }

  private judgeClose(bytes: Buffer, p: number, size: number, length: number): Finding {
    if (length > 0) {
      const payload = p + size - length;
      let high = bytes[payload]!;
      let low = bytes[payload + 1]!;
      if (this.terms.masked) {
        high ^= bytes[payload - 4]!;
        low ^= bytes[payload - 3]!;
      }
      if (length === 1 || !isCloseCode((high << 8) | low)) return CLOSE_PAYLOAD;
      this.closeCode = (high << 8) | low;
    }
    this.closeBytes = bytes;
    this.closeStart = p;
    this.closeEnd = p + size;
    return CLOSED;
  }
}

const NOTHING = Buffer.alloc(0);

function violation(text: string): Finding {
  return { code: PROTOCOL_ERROR, text };
}

/** How many bytes of the frame at `p` must be there to judge it: its header and, of a Close, its payload. */
function judgedSize(bytes: Buffer, p: number, end: number): number {
  if (end - p < 2) return 2;
  const second = bytes[p + 1]!;
  const length = second & 127;
  const size = 2 + (length < 126 ? 0 : length === 126 ? 2 : 8) + ((second & MASK) === 0 ? 0 : 4);
  return (bytes[p]! & 15) === CLOSE ? size + length : size;
}

function word(bytes: Buffer, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
