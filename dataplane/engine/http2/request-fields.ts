import { beginHead, copyToHead, endHead, headArena } from '../frames/head-arena.ts';
import type { FieldSink } from '../frames/hpack-decoder.ts';
import { sameAuthority } from '../head/canonical-host.ts';
import { loggedTarget } from '../head/request-line.ts';
import type { Refusal } from '../message/refusal.ts';
import { SLACK, spells, TARGET, TOKEN, writeText } from '../wire/bytes.ts';

const METHOD = 0;
const SCHEME = 1;
const PATH = 2;
const AUTHORITY = 3;
const PROTOCOL = 4;
const PSEUDO_FIELDS = 5;

const GET = 'GET ';
const VERSION = ' HTTP/1.1\r\n';
const HOST = 'host: ';
const COOKIE = 'cookie: ';
const USUAL_SIDE = 8192;

/**
 * Writes the fields of a request as the text of an HTTP/1.1 head, so that one scan decides what a request means, however
 * it came. What is malformed only in terms of HTTP/2 is found here.
 */
export class RequestFields implements FieldSink {
  /** The head: `bytes[start, end)`, without the empty line until `finish`. */
  bytes: Buffer = headArena.bytes;
  start = 0;
  end = 0;
  /** A rule of RFC 9113 §8 is broken: the stream ends with PROTOCOL_ERROR. */
  malformed = false;
  /** Why the request must be refused although it is well-formed, or null. */
  refusal: Refusal | null = null;
  /** The protocol of an extended CONNECT (RFC 8441), or null. */
  protocol: string | null = null;
  /** The scheme is `https`; otherwise `http`. */
  isSecure = false;
  private most = 0;
  private regular = false;
  /** A Host field came beside `:authority`. */
  private hasHost = false;
  private fields = 0;
  /** Where the pseudo-header fields are in the side buffer: start and end of each, -1 when it did not come. */
  private readonly places = new Int32Array(2 * PSEUDO_FIELDS);
  private side: Buffer = Buffer.allocUnsafeSlow(USUAL_SIDE);
  private sideEnd = 0;
  private cookies: Buffer = Buffer.allocUnsafeSlow(USUAL_SIDE);
  /** Where the cookies end in theirs, -1 when there are none. */
  private cookiesEnd = -1;

  /** A block begins; its head may have `most` bytes and as many fields as have room in them. */
  begin(most: number): void {
    beginHead(most + SLACK);
    this.bytes = headArena.bytes;
    this.start = this.end = headArena.at;
    this.most = most;
    this.malformed = this.regular = this.hasHost = false;
    this.refusal = this.protocol = null;
    this.places.fill(-1);
    this.sideEnd = this.fields = 0;
    this.cookiesEnd = -1;
  }

  field(bytes: Buffer, start: number, nameLength: number, end: number, sound: boolean): void {
    if (!sound) this.malformed = true;
    // four bytes a field at least: whoever sends millions of empty ones is not listened to
    if (this.malformed || this.refusal !== null || 4 * ++this.fields > this.most) {
      if (!this.malformed) this.refusal = 'headers-too-large';
      return;
    }
    if (bytes[start] === 58) {
      if (this.regular) this.malformed = true;
      else this.pseudo(bytes, start + 1, start + nameLength, end - 2);
      return;
    }
    if (!this.regular) this.beginRegular();
    if (nameLength === 6 && spells(bytes, start, 'cookie')) this.cookie(bytes, start + nameLength + 2, end - 2);
    else if (nameLength === 4 && spells(bytes, start, 'host') && this.places[2 * AUTHORITY]! >= 0) {
      if (this.hasHost) this.refusal = 'host';
      else if (!this.isAuthority(bytes, start + nameLength + 2, end - 2)) this.malformed = true;
      this.hasHost = true;
    } else this.add(bytes, start, end);
  }

  /** The block is complete. What is left is judged, and the head ends. */
  finish(): void {
    if (!this.regular) this.beginRegular();
    if (this.malformed || this.refusal !== null) return;
    if (this.cookiesEnd >= 0 && this.hasRoom(COOKIE.length + this.cookiesEnd + 2)) {
      this.end = writeText(this.bytes, this.end, COOKIE);
      this.end += this.cookies.copy(this.bytes, this.end, 0, this.cookiesEnd);
      this.endLine();
    }
    if (this.refusal !== null) return;
    this.endLine();
    endHead(this.end);
  }

  /** The method and the path that are asked for, as far as they came: for logs. */
  asked(): { method: string; path: string } {
    const method = this.text(METHOD);
    if (!/^[A-Z][A-Z-]{0,31}$/.test(method)) return { method: '', path: '' };
    return { method, path: loggedTarget(this.text(PATH)) };
  }

  private text(which: number): string {
    const start = this.places[2 * which]!;
    return start < 0 ? '' : this.side.latin1Slice(start, this.places[2 * which + 1]!);
  }

  private has(which: number): boolean {
    return this.places[2 * which]! >= 0;
  }

  private pseudo(bytes: Buffer, name: number, nameEnd: number, end: number): void {
    const which = pseudoOf(bytes, name, nameEnd - name);
    if (which < 0 || this.has(which)) {
      this.malformed = true;
      return;
    }
    const start = nameEnd + 2;
    if (this.sideEnd + end - start > this.most) {
      this.refusal = which === PATH ? 'target-too-long' : 'headers-too-large';
      return;
    }
    this.side = withRoom(this.side, this.sideEnd, end - start);
    this.places[2 * which] = this.sideEnd;
    this.sideEnd = copyToHead(this.side, this.sideEnd, bytes, start, end);
    this.places[2 * which + 1] = this.sideEnd;
  }

  /** All pseudo-header fields are here: they are judged, and become the request line and the Host line. */
  private beginRegular(): void {
    this.regular = true;
    if (this.malformed || this.refusal !== null) return;
    const { places, side } = this;
    if (!this.has(METHOD) || !isAll(TOKEN, side, places[2 * METHOD]!, places[2 * METHOD + 1]!)) {
      this.malformed = true;
      return;
    }
    const connects = this.isText(METHOD, 'CONNECT');
    if (connects !== this.has(PROTOCOL)) {
      // a plain CONNECT names an authority and nothing else (RFC 9113 §8.5)
      if (!connects || this.has(SCHEME) || this.has(PATH) || !this.has(AUTHORITY)) this.malformed = true;
      else this.refusal = 'connect';
      return;
    }
    if (!this.isSchemeSound() || !this.isPathSound() || (connects && !this.has(AUTHORITY))) {
      this.malformed = true;
      return;
    }
    if (connects) this.protocol = this.text(PROTOCOL);
    this.writeRequestLine(connects);
  }

  private isSchemeSound(): boolean {
    if (!this.has(SCHEME)) return false;
    this.isSecure = this.isText(SCHEME, 'https');
    if (!this.isSecure && !this.isText(SCHEME, 'http')) this.refusal = 'scheme';
    return true;
  }

  /** A path, or `*`: never the absolute form, which would name the host a second time. */
  private isPathSound(): boolean {
    const start = this.places[2 * PATH]!;
    const end = this.places[2 * PATH + 1]!;
    if (start < 0 || start === end || !isAll(TARGET, this.side, start, end)) return false;
    return this.side[start] === 47 || (this.side[start] === 42 && end - start === 1);
  }

  private isText(which: number, text: string): boolean {
    const start = this.places[2 * which]!;
    if (this.places[2 * which + 1]! - start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.side[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  private writeRequestLine(connects: boolean): void {
    const { places, side, bytes } = this;
    if (!this.hasRoom(this.sideEnd + GET.length + VERSION.length + HOST.length + 2)) return;
    if (connects) this.end = writeText(bytes, this.end, GET);
    else {
      this.end = copyToHead(bytes, this.end, side, places[2 * METHOD]!, places[2 * METHOD + 1]!);
      bytes[this.end++] = 32;
    }
    this.end = copyToHead(bytes, this.end, side, places[2 * PATH]!, places[2 * PATH + 1]!);
    this.end = writeText(bytes, this.end, VERSION);
    if (!this.has(AUTHORITY)) return;
    this.end = writeText(bytes, this.end, HOST);
    this.end = copyToHead(bytes, this.end, side, places[2 * AUTHORITY]!, places[2 * AUTHORITY + 1]!);
    this.endLine();
  }

  /** Whether a Host field names what `:authority` names. */
  private isAuthority(bytes: Buffer, start: number, end: number): boolean {
    return sameAuthority(bytes.latin1Slice(start, end), this.text(AUTHORITY), this.isSecure ? 'https' : 'http');
  }

  /** Clients may split the Cookie header for better compression (RFC 9113 §8.2.3). */
  private cookie(bytes: Buffer, start: number, end: number): void {
    if (!this.hasRoom(this.cookiesEnd + end - start)) return;
    if (this.cookiesEnd < 0) this.cookiesEnd = 0;
    else {
      this.cookies = withRoom(this.cookies, this.cookiesEnd, 2);
      this.cookiesEnd = writeText(this.cookies, this.cookiesEnd, '; ');
    }
    this.cookies = withRoom(this.cookies, this.cookiesEnd, end - start);
    this.cookiesEnd = copyToHead(this.cookies, this.cookiesEnd, bytes, start, end);
  }

  private add(bytes: Buffer, start: number, end: number): void {
    if (this.hasRoom(end - start)) this.end = copyToHead(this.bytes, this.end, bytes, start, end);
  }

  private hasRoom(length: number): boolean {
    if (this.end - this.start + length <= this.most) return true;
    this.refusal = 'headers-too-large';
    return false;
  }

  private endLine(): void {
    this.bytes[this.end] = 13;
    this.bytes[this.end + 1] = 10;
    this.end += 2;
  }
}

/** Which pseudo-header field has this name, without its colon, or -1. */
function pseudoOf(bytes: Buffer, name: number, length: number): number {
  switch (length) {
    case 4:
      return spells(bytes, name, 'path') ? PATH : -1;
    case 6:
      return spells(bytes, name, 'method') ? METHOD : spells(bytes, name, 'scheme') ? SCHEME : -1;
    case 8:
      return spells(bytes, name, 'protocol') ? PROTOCOL : -1;
    case 9:
      return spells(bytes, name, 'authority') ? AUTHORITY : -1;
    default:
      return -1;
  }
}

/** Whether all bytes are of a class. */
function isAll(table: Uint8Array, bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (table[bytes[i]!] === 0) return false;
  return start < end;
}

function withRoom(buffer: Buffer, used: number, length: number): Buffer {
  if (used + length <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(2 * (used + length));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
