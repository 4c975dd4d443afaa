import type { BackendOptions } from '../backend/backend-options.ts';
import { SETTING } from '../frames/settings.ts';

/** The window of a stream: what a backend may send ahead of a client that does not read. */
export const STREAM_WINDOW = 262_144;

/** Our settings for a backend: no server push, and the header size of HTTP/1.1. */
export function backendSettings({ headBytes }: BackendOptions): readonly (readonly [number, number])[] {
  return [
    [SETTING.ENABLE_PUSH, 0],
    [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
    [SETTING.MAX_HEADER_LIST_SIZE, headBytes],
  ];
}

/** The lines that ask a backend to go on in HTTP/2 (RFC 7540 §3.2). */
export function upgradeLines(options: BackendOptions): string {
  const pairs = backendSettings(options);
  const payload = Buffer.alloc(6 * pairs.length);
  pairs.forEach(([name, value], i) => {
    payload.writeUInt16BE(name, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  });
  const settings = payload.toString('base64url');
  return `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: ${settings}\r\n`;
}
