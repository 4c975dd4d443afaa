import { z } from 'zod';
import { MOST_HEADER_LINES } from './header-ranges.ts';
import { queryRules } from './query.ts';
import { trailerRules } from './trailers.ts';

const bytes = () => z.number().int().min(1);
const milliseconds = () => z.number().int().min(0);

/** What one listener holds its clients to. Every field has its default here and nowhere else. Times are milliseconds. */
export const listenerLimits = z.strictObject({
  targetBytes: bytes().max(65_536).default(8192).describe('Longest request target; 414 beyond it.'),
  headBytes: bytes()
    .max(1 << 20)
    .default(32_768)
    .describe('Longest request head, request line included; 431 beyond it.'),
  headerBytes: z
    .number()
    .int()
    .min(0)
    .max(1 << 20)
    .default(0)
    .describe('Most bytes of all header lines, with their ends; 431 beyond it; 0 for what headBytes leaves.'),
  headerLines: bytes().max(MOST_HEADER_LINES).default(100).describe('Most header lines; 431 beyond it.'),
  bodyBytes: z.number().int().min(0).default(0).describe('Longest request body; 413 beyond it; 0 for no limit.'),
  entityBytes: bytes()
    .max(1 << 30)
    .default(1 << 20)
    .describe('Longest body that an expression or a filter may read as a whole; 413 or 502 beyond it.'),
  heldBytes: bytes()
    .max(2 ** 40)
    .default(128 << 20)
    .describe(
      'Most bytes of bodies that one unit holds in memory because they have to be whole; beyond it they go to ' +
        'temporary files, or are refused with 503 where they have to be in memory.',
    ),
  temporaryFileBytes: bytes()
    .max(2 ** 42)
    .default(2 ** 30)
    .describe(
      'Most bytes that the temporary files of all units take together, for bodies that have to be whole; 503 beyond it.',
    ),
  queries: z
    .enum(queryRules)
    .default('pass')
    .describe('Whether a query that holds what a query may not passes as it is, or encoded, or is refused with 400.'),
  underscores: z.boolean().default(false).describe('Whether header names may hold an underscore; otherwise 400.'),
  trailers: z
    .enum(trailerRules)
    .default('listed')
    .describe('Which fields pass behind a body: listed ones (checksums, ETag, Server-Timing, gRPC), or all.'),
  missingHost: z
    .boolean()
    .default(false)
    .describe('Whether requests of HTTP/1.1 and HTTP/2 may come without a host; otherwise 400.'),
  requestIds: z
    .boolean()
    .default(true)
    .describe(
      'Whether requests get ids (X-Request-Id, traceparent) for logs, backends and errors; otherwise those of clients pass.',
    ),
  headTimeout: milliseconds()
    .default(10_000)
    .describe('Time for a whole request head from its first byte; 408 beyond it.'),
  idleTimeout: milliseconds().default(60_000).describe('Time a connection may wait for its next request.'),
  requestTimeout: milliseconds()
    .default(0)
    .describe('Time until the answer must begin; 503 beyond it; 0 for no limit.'),
  bodyRate: z
    .number()
    .int()
    .min(0)
    .default(240)
    .describe('Slowest request body, bytes per second; 408 below it; 0 for any.'),
  readRate: z
    .number()
    .int()
    .min(0)
    .default(240)
    .describe('Slowest reader of a response, bytes per second; cut off below it; 0 for any.'),
  rateGrace: milliseconds().min(100).default(5000).describe('Time over which the rate of a body is measured.'),
  readGrace: milliseconds()
    .min(100)
    .default(60_000)
    .describe('Time over which the rate of a reader is measured; kernels tell of its progress in large steps only.'),
  halfClose: z
    .boolean()
    .default(false)
    .describe(
      'Whether an HTTP/1 client that closes its side after a whole request still gets the answer; otherwise its call ends.',
    ),
  lingerTimeout: milliseconds()
    .default(5000)
    .describe('Time a closed connection is read on, so that its last answer arrives.'),
  tunnelTimeout: milliseconds()
    .default(3_600_000)
    .describe('Time an upgraded connection may be silent; 0 for no limit.'),
  webSocketFrameBytes: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Longest WebSocket frame of a client, as it is sent; closed with 1009 beyond it; 0 for no limit.'),
  webSocketMessageBytes: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Longest WebSocket message of a client, as it is sent; closed with 1009 beyond it; 0 for no limit.'),
  webSocketClosingTimeout: milliseconds()
    .default(10_000)
    .describe('Time one side of a WebSocket has to answer the Close frame of the other.'),
  handshakeTimeout: milliseconds()
    .min(100)
    .default(10_000)
    .describe('Time for a TLS handshake; the connection is closed beyond it.'),
  handshakes: bytes()
    .default(2000)
    .describe(
      'Most TLS handshakes of one unit under way; then one of more than a second makes room, or further clients are ' +
        'closed at once.',
    ),
  connections: bytes()
    .default(50_000)
    .describe('Most connections of one unit on one port; further ones are closed at once.'),
  requestsPerConnection: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Requests after which a connection is closed; 0 for no limit.'),
  pipelineBytes: bytes().default(65_536).describe('Bytes of further requests that may wait behind the current one.'),
  http2: z.boolean().default(true).describe('Whether clients may speak HTTP/2; otherwise only HTTP/1.'),
  streams: bytes()
    .max(10_000)
    .default(256)
    .describe('Requests that one HTTP/2 connection may have under way; further ones are refused unseen.'),
  headerFrames: bytes()
    .max(1000)
    .default(16)
    .describe('Frames that an HTTP/2 header block may come in; the connection ends beyond it.'),
  streamResets: bytes()
    .default(400)
    .describe('Requests that an HTTP/2 client may take back unanswered in ten seconds; the connection ends beyond it.'),
  idleFrames: bytes()
    .default(2000)
    .describe(
      'HTTP/2 frames in ten seconds that bring nothing, such as pings and empty data; the connection ends beyond it.',
    ),
});

export type ListenerLimits = z.infer<typeof listenerLimits>;
