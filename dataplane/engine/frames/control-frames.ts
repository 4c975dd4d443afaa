import { ERROR, FLAG, FRAME } from './frames.ts';

/** Why the connection must end because of the shape of a frame that is neither content nor a head, or NO_ERROR. */
export function controlFrameError(type: number, flags: number, stream: number, length: number): number {
  switch (type) {
    case FRAME.RST_STREAM:
      return length !== 4 ? ERROR.FRAME_SIZE_ERROR : stream === 0 ? ERROR.PROTOCOL_ERROR : ERROR.NO_ERROR;
    case FRAME.WINDOW_UPDATE:
      return length !== 4 ? ERROR.FRAME_SIZE_ERROR : ERROR.NO_ERROR;
    case FRAME.SETTINGS:
      if (stream !== 0) return ERROR.PROTOCOL_ERROR;
      return (flags & FLAG.ACK) !== 0 && length !== 0 ? ERROR.FRAME_SIZE_ERROR : ERROR.NO_ERROR;
    case FRAME.PING:
      return stream !== 0 ? ERROR.PROTOCOL_ERROR : length !== 8 ? ERROR.FRAME_SIZE_ERROR : ERROR.NO_ERROR;
    case FRAME.GOAWAY:
      return stream !== 0 ? ERROR.PROTOCOL_ERROR : length < 8 ? ERROR.FRAME_SIZE_ERROR : ERROR.NO_ERROR;
    default:
      return ERROR.NO_ERROR;
  }
}
