import { z } from 'zod';
import { MOST_HEADER_LINES } from './header-ranges.ts';
import { queryRules } from './query.ts';
import { trailerRules } from './trailers.ts';

const bytes = () => z.number().int().min(1);
const milliseconds = () => z.number().int().min(0);

/** Limits of one listener for its clients. Every default is defined here only. Times are milliseconds. */
export const listenerLimits = z.strictObject({
  targetBytes: bytes().max(65_536).default(8192).describe('Maximum length of the request target; 414 beyond it.'),
  headBytes: bytes()
    .max(1 << 20)
    .default(32_768)
    .describe('Maximum size of the request head, including the request line; 431 beyond it.'),
  headerBytes: z
    .number()
    .int()
    .min(0)
    .max(1 << 20)
    .default(0)
    .describe('Maximum size of all header lines, including line ends; 431 beyond it; 0 to apply only headBytes.'),
  headerLines: bytes().max(MOST_HEADER_LINES).default(100).describe('Maximum number of header lines; 431 beyond it.'),
  bodyBytes: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Maximum size of a request body; 413 beyond it; 0 for no limit.'),
  entityBytes: bytes()
    .max(1 << 30)
    .default(1 << 20)
    .describe('Maximum size of a body that an expression or a filter reads; 413 or 502 beyond it.'),
  heldBytes: bytes()
    .max(2 ** 40)
    .default(128 << 20)
    .describe(
      'Maximum memory for buffered bodies of one unit. Beyond it bodies go to temporary files, or are rejected ' +
        'with 503 if they must be in memory.',
    ),
  temporaryFileBytes: bytes()
    .max(2 ** 42)
    .default(2 ** 30)
    .describe('Maximum size of all temporary files for buffered bodies, of all units together; 503 beyond it.'),
  queries: z
    .enum(queryRules)
    .default('pass')
    .describe(
      'Handling of a query with characters that are not allowed: pass it unchanged, encode it, or reject it with ' +
        '400.',
    ),
  underscores: z.boolean().default(false).describe('Whether header names may contain an underscore; otherwise 400.'),
  trailers: z
    .enum(trailerRules)
    .default('listed')
    .describe('Trailer fields that are passed on: listed ones (checksums, ETag, Server-Timing, gRPC), or all.'),
  missingHost: z
    .boolean()
    .default(false)
    .describe('Whether HTTP/1.1 and HTTP/2 requests without a host are accepted; otherwise they get 400.'),
  requestIds: z
    .boolean()
    .default(true)
    .describe(
      'Whether the gateway adds ids (X-Request-Id, traceparent) for logs, backends and errors; otherwise ids of ' +
        'clients are passed on.',
    ),
  headTimeout: milliseconds()
    .default(10_000)
    .describe('Timeout of a request head, from its first byte; 408 beyond it.'),
  idleTimeout: milliseconds().default(60_000).describe('Idle timeout between two requests of a connection.'),
  requestTimeout: milliseconds()
    .default(0)
    .describe('Timeout for the start of the response; 503 beyond it; 0 for no limit.'),
  bodyRate: z
    .number()
    .int()
    .min(0)
    .default(240)
    .describe('Minimum rate of a request body, bytes per second; 408 below it; 0 for no minimum.'),
  readRate: z
    .number()
    .int()
    .min(0)
    .default(240)
    .describe(
      'Minimum rate at which a client reads a response, bytes per second; disconnected below it; 0 for no minimum.',
    ),
  rateGrace: milliseconds().min(100).default(5000).describe('Time over which the rate of a request body is measured.'),
  readGrace: milliseconds()
    .min(100)
    .default(60_000)
    .describe('Time over which the read rate is measured; long, because kernels report progress in large steps.'),
  halfClose: z
    .boolean()
    .default(false)
    .describe(
      'Whether an HTTP/1 client that closes its side after a complete request still gets the response; otherwise ' +
        'its call is cancelled.',
    ),
  lingerTimeout: milliseconds()
    .default(5000)
    .describe('Time to keep reading from a closed connection, so that the last response arrives.'),
  tunnelTimeout: milliseconds().default(3_600_000).describe('Idle timeout of an upgraded connection; 0 for no limit.'),
  webSocketFrameBytes: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'Maximum size of a WebSocket frame of a client, on the wire; closed with 1009 beyond it; 0 for no limit.',
    ),
  webSocketMessageBytes: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'Maximum size of a WebSocket message of a client, on the wire; closed with 1009 beyond it; 0 for no limit.',
    ),
  webSocketClosingTimeout: milliseconds()
    .default(10_000)
    .describe('Timeout for the answer to a Close frame of a WebSocket.'),
  handshakeTimeout: milliseconds()
    .min(100)
    .default(10_000)
    .describe('Timeout of a TLS handshake; the connection is closed beyond it.'),
  handshakes: bytes()
    .default(2000)
    .describe(
      'Maximum number of concurrent TLS handshakes of one unit. Beyond it a handshake older than a second is ' +
        'closed, or the new client if there is none.',
    ),
  connections: bytes()
    .default(50_000)
    .describe('Maximum number of connections of one unit on one port; further connections are closed at once.'),
  requestsPerConnection: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Maximum number of requests of a connection before it is closed; 0 for no limit.'),
  pipelineBytes: bytes()
    .default(65_536)
    .describe('Maximum size of pipelined requests that wait behind the current one.'),
  http2: z.boolean().default(true).describe('Whether clients may speak HTTP/2; otherwise only HTTP/1.'),
  streams: bytes()
    .max(10_000)
    .default(256)
    .describe(
      'Maximum number of concurrent requests on one HTTP/2 connection; further requests are refused before they ' +
        'are read.',
    ),
  headerFrames: bytes()
    .max(1000)
    .default(16)
    .describe('Maximum number of frames of an HTTP/2 header block; the connection is closed beyond it.'),
  streamResets: bytes()
    .default(400)
    .describe(
      'Maximum number of unanswered requests that an HTTP/2 client may cancel in ten seconds; the connection is ' +
        'closed beyond it.',
    ),
  idleFrames: bytes()
    .default(2000)
    .describe(
      'Maximum number of HTTP/2 frames without content, such as PING and empty DATA, in ten seconds; the ' +
        'connection is closed beyond it.',
    ),
});

export type ListenerLimits = z.infer<typeof listenerLimits>;
