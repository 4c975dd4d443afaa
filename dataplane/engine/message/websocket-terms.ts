import type { ListenerLimits } from '../head/limits.ts';

/** Extensions and subprotocols that clients of a listener may negotiate with a backend for a WebSocket. */
export interface WebSocketOptions {
  /** Subprotocols that are passed on; all, when it is absent or empty. */
  readonly subprotocols?: readonly string[];
  /** Whether messages may be compressed as a whole (`permessage-deflate`); true when absent. */
  readonly perMessageCompression?: boolean;
  /** Whether frames may be compressed one by one (`deflate-frame`); true when absent. */
  readonly perFrameCompression?: boolean;
}

/** Limits of a listener for the WebSockets of its clients. Sizes are bytes on the wire, 0 for no limit. */
export interface WebSocketTerms {
  readonly subprotocols: readonly string[] | null;
  readonly perMessageCompression: boolean;
  readonly perFrameCompression: boolean;
  readonly frameBytes: number;
  readonly messageBytes: number;
  /** Time for the answer to a Close frame, in milliseconds. */
  readonly closingTimeout: number;
}

export function webSocketTerms(options: WebSocketOptions, limits: ListenerLimits): WebSocketTerms {
  const { subprotocols = [], perMessageCompression = true, perFrameCompression = true } = options;
  return {
    subprotocols: subprotocols.length === 0 ? null : subprotocols,
    perMessageCompression,
    perFrameCompression,
    frameBytes: limits.webSocketFrameBytes,
    messageBytes: limits.webSocketMessageBytes,
    closingTimeout: limits.webSocketClosingTimeout,
  };
}
