import type { Logger } from 'pino';
import { jsonObjectIn } from '../../../contract/document/json-value.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { isToken } from '../../engine/wire/bytes.ts';
import type { AmVersion } from '../../heap/objects/am-service.ts';
import { agrees, DEFAULT_VERSION, readVersion } from './am-version.ts';

/** Milliseconds in which the version is not asked for again after nobody told it. */
const PAUSE = 10_000;

export interface ServerInfoOptions {
  readonly ssoTokenHeader: string | null;
  readonly version: AmVersion | null;
  readonly log: Logger;
  /** Sends a GET for a path below `/json`, as the agent or as nobody. */
  ask(path: string, asAgent: boolean): Promise<OwnAnswer>;
  readonly now?: () => number;
}

/** What an access manager tells about itself, asked once. */
export class ServerInfo {
  private readonly options: ServerInfoOptions;
  private readonly now: () => number;
  private readonly untold: PacedWarning;
  private name: string | null;
  private naming: Promise<string> | null = null;
  private discovered: AmVersion | null = null;
  private discovering: Promise<AmVersion> | null = null;
  private askAgainAt = 0;

  constructor(options: ServerInfoOptions) {
    this.options = options;
    this.now = options.now ?? (() => Date.now());
    this.name = options.ssoTokenHeader;
    const message = 'could not discover the version of the access manager; using the configured or default one';
    this.untold = new PacedWarning(options.log, message, { most: 1, interval: 60_000 });
  }

  /** The version as far as it is known. */
  get knownVersion(): AmVersion {
    return this.discovered ?? this.options.version ?? DEFAULT_VERSION;
  }

  /** Rejects when the access manager does not tell the name. */
  cookieName(): string | Promise<string> {
    if (this.name !== null) return this.name;
    this.naming ??= this.askName().finally(() => {
      this.naming = null;
    });
    return this.naming;
  }

  version(): AmVersion | Promise<AmVersion> {
    if (this.discovered !== null || this.now() < this.askAgainAt) return this.knownVersion;
    this.discovering ??= this.askVersion().finally(() => {
      this.discovering = null;
    });
    return this.discovering;
  }

  private async askName(): Promise<string> {
    const remedy = "check 'url' and its context path, such as '/openam', or set 'ssoTokenHeader'";
    const { status, content } = await this.options.ask('serverinfo/*', false);
    if (status !== 200) throw new Error(`the access manager answers serverinfo with status ${status}: ${remedy}`);
    const name = jsonObjectIn(content.toString())?.['cookieName'];
    if (typeof name !== 'string' || !isToken(name)) {
      throw new Error(`the access manager does not tell the name of its cookie: ${remedy}`);
    }
    this.name = name;
    return name;
  }

  /** Versions differ in whether anyone may ask. */
  private async askVersion(): Promise<AmVersion> {
    try {
      const path = 'serverinfo/version';
      let answer = await this.options.ask(path, false);
      if (answer.status === 401 || answer.status === 403) answer = await this.options.ask(path, true);
      const text = answer.status === 200 ? jsonObjectIn(answer.content.toString())?.['version'] : undefined;
      const read = typeof text === 'string' ? readVersion(text) : null;
      if (read !== null) return this.learnt(read);
      this.fail(`the response has status ${answer.status}${answer.status === 200 ? ' and no version' : ''}`);
    } catch (error) {
      this.fail(errorText(error));
    }
    return this.knownVersion;
  }

  private learnt(version: AmVersion): AmVersion {
    const { version: configured, log } = this.options;
    this.discovered = version;
    if (configured !== null && !agrees(configured, version)) {
      const facts = { configured: configured.text, discovered: version.text };
      log.warn(facts, "the access manager has another version than 'version' says; using the discovered one");
    }
    return version;
  }

  private fail(reason: string): void {
    this.askAgainAt = this.now() + PAUSE;
    this.untold.give({ reason, version: this.knownVersion.text });
  }
}
