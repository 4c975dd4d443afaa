import { ERROR, MOST_31_BITS, USUAL_FRAME_SIZE } from './frames.ts';
import { INITIAL_TABLE_SIZE } from './hpack-decoder.ts';

/** Settings by their numbers (RFC 9113 §6.5.2, RFC 8441 §3). */
export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
  ENABLE_CONNECT_PROTOCOL: 8,
} as const;

/** The window of a stream, and of a connection, before anybody says otherwise. */
export const INITIAL_WINDOW = 65_535;
const LARGEST_FRAME_SIZE = 0xff_ffff;
const SETTING_LENGTH = 6;

/** Settings of the peer of a connection; the defaults until it sends them. */
export class PeerSettings {
  headerTableSize: number = INITIAL_TABLE_SIZE;
  enablePush = true;
  maxConcurrentStreams = Number.POSITIVE_INFINITY;
  initialWindowSize = INITIAL_WINDOW;
  maxFrameSize = USUAL_FRAME_SIZE;
  maxHeaderListSize = Number.POSITIVE_INFINITY;
  enableConnectProtocol = false;

  /** Reads the payload of a SETTINGS frame, the last value of a name last. @returns NO_ERROR or why the connection ends. */
  read(bytes: Buffer, start: number, end: number): number {
    if ((end - start) % SETTING_LENGTH !== 0) return ERROR.FRAME_SIZE_ERROR;
    for (let p = start; p < end; p += SETTING_LENGTH) {
      const error = this.set(bytes.readUInt16BE(p), bytes.readUInt32BE(p + 2));
      if (error !== ERROR.NO_ERROR) return error;
    }
    return ERROR.NO_ERROR;
  }

  private set(name: number, value: number): number {
    switch (name) {
      case SETTING.HEADER_TABLE_SIZE:
        this.headerTableSize = value;
        break;
      case SETTING.ENABLE_PUSH:
        if (value > 1) return ERROR.PROTOCOL_ERROR;
        this.enablePush = value === 1;
        break;
      case SETTING.MAX_CONCURRENT_STREAMS:
        this.maxConcurrentStreams = value;
        break;
      case SETTING.INITIAL_WINDOW_SIZE:
        if (value > MOST_31_BITS) return ERROR.FLOW_CONTROL_ERROR;
        this.initialWindowSize = value;
        break;
      case SETTING.MAX_FRAME_SIZE:
        if (value < USUAL_FRAME_SIZE || value > LARGEST_FRAME_SIZE) return ERROR.PROTOCOL_ERROR;
        this.maxFrameSize = value;
        break;
      case SETTING.MAX_HEADER_LIST_SIZE:
        this.maxHeaderListSize = value;
        break;
      case SETTING.ENABLE_CONNECT_PROTOCOL:
        if (value > 1 || (value === 0 && this.enableConnectProtocol)) return ERROR.PROTOCOL_ERROR;
        this.enableConnectProtocol = value === 1;
        break;
    }
    return ERROR.NO_ERROR;
  }
}
