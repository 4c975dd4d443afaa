import type { ListenerLimits } from '../head/limits.ts';

/** What clients of a listener may agree on with a backend when they open a WebSocket. */
export interface WebSocketOptions {
  /** Subprotocols that are passed on; all, when it is absent or empty. */
  readonly subprotocols?: readonly string[];
  /** Whether messages may be compressed as a whole (`permessage-deflate`); true when absent. */
  readonly perMessageCompression?: boolean;
  /** Whether frames may be compressed one by one (`deflate-frame`); true when absent. */
  readonly perFrameCompression?: boolean;
}

/** What a listener holds the WebSockets of its clients to. Sizes are bytes as they are sent, 0 for any. */
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
