import { execFile } from 'node:child_process';
import { programPath } from './debian-program.ts';

/** What curl found out. */
export interface CurlAnswer {
  /** 0, or why there is no answer: https://curl.se/libcurl/c/libcurl-errors.html. */
  readonly exit: number;
  readonly status: number;
  readonly version: string;
  /** Values by names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The bodies of all URLs, one after the other. */
  readonly body: string;
  /** Connections that were opened for all URLs. */
  readonly connects: number;
  /** What else curl said, with `-v` all that went on. */
  readonly said: string;
}

const MARK = '\u0001';

/** Asks with curl; the words are its own. It reads no file of the user's. */
export function curl(...words: string[]): Promise<CurlAnswer> {
  const format = `%{stderr}${MARK}{"report":%{json},"headers":%{header_json}}${MARK}`;
  const all = ['-q', '-sS', '--max-time', '40', '-w', format, ...words];
  return new Promise((resolve) => {
    const child = execFile(programPath('curl'), all, { maxBuffer: 1 << 28, encoding: 'latin1' }, (_, stdout, stderr) =>
      resolve(answerOf(child.exitCode ?? -1, stdout, stderr)),
    );
  });
}

function answerOf(exit: number, body: string, stderr: string): CurlAnswer {
  const parts = stderr.split(MARK);
  const reports = parts.filter((_, at) => at % 2 === 1).map((text) => JSON.parse(text) as Report);
  const last = reports.at(-1);
  return {
    exit,
    body,
    status: last?.report.http_code ?? 0,
    version: last?.report.http_version ?? '',
    headers: last?.headers ?? {},
    connects: reports.reduce((sum, { report }) => sum + report.num_connects, 0),
    said: parts.filter((_, at) => at % 2 === 0).join(''),
  };
}

interface Report {
  readonly report: { readonly http_code: number; readonly http_version: string; readonly num_connects: number };
  readonly headers: Readonly<Record<string, readonly string[]>>;
}
