import { HttpBackend } from './http-backend.ts';

/** A request as a backend got it. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, as they were sent. */
  readonly lines: readonly string[];
  readonly content: string;
  /** Whether all of it came. */
  readonly complete: boolean;
  readonly trailers: readonly string[];
}

export interface RecordingBackend {
  readonly destination: { host: string; port: number };
  readonly requests: readonly RecordedRequest[];
  forget(): void;
  close(): Promise<void>;
}

/** A backend that answers everything with a few words and remembers what it was asked. */
export async function startRecordingBackend(): Promise<RecordingBackend> {
  const requests: RecordedRequest[] = [];
  const backend = await HttpBackend.start(async (request, response) => {
    let content = '';
    let complete = true;
    try {
      for await (const chunk of request) content += (chunk as Buffer).toString('latin1');
    } catch {
      complete = false;
    }
    const { method = '', url: target = '', rawHeaders: lines, rawTrailers: trailers } = request;
    requests.push({ method, target, lines, content, complete: complete && request.complete, trailers });
    if (complete) response.end('hello');
  });
  return {
    destination: backend.destination,
    requests,
    forget: () => void requests.splice(0),
    close: () => backend.close(),
  };
}
