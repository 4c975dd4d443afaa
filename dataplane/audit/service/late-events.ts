import type { AuditLink, OpenService } from '../link/audit-link.ts';
import type { AuditServiceSettings } from '../writer/audit-orders.ts';

/** Milliseconds after the last late event in which the next one finds the service open. */
const OPEN_TIME = 1000;

/**
 * Delivers events of exchanges that end after their service was closed, such as WebSockets that a changed configuration
 * left alone: opens the service again for a while, with the settings that it had.
 */
export class LateEvents {
  private readonly link: AuditLink;
  private readonly settings: AuditServiceSettings;
  private open: OpenService | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(link: AuditLink, settings: AuditServiceSettings) {
    this.link = link;
    this.settings = settings;
  }

  write(topic: string, json: string): void {
    if (this.open === null) {
      this.open = this.link.open(this.settings.topics, false, this.settings.realm);
      this.open.change(this.settings);
    }
    this.open.write(topic, json);
    this.timer ??= setTimeout(() => this.close(), OPEN_TIME).unref();
    this.timer.refresh();
  }

  private close(): void {
    this.open?.close();
    this.open = null;
    this.timer = null;
  }
}
