import type { Logger } from 'pino';
import type { NotificationListener, Notifications } from '../../heap/objects/am-service.ts';
import type { SharedMemory, TakeMemory } from '../../heap/shared-memory.ts';
import { UnitLives } from '../../heap/unit-lives.ts';
import { type Cursor, EventJournal, newOwnerId } from './event-journal.ts';
import type { JournalRecord } from './journal-record.ts';
import { type LinkOptions, NotificationLink } from './notification-link.ts';

/** Milliseconds between two looks at the lease of the owner. */
const INTERVAL = 500;

/** A service that can make the connection. */
export interface HubMember extends Pick<LinkOptions, 'terms' | 'dial'> {
  /** Publishes the state of the connection while somebody needs it. The result ends it. */
  show(journal: EventJournal): () => void;
  /** Publishes the seconds until all units had applied an event. */
  confirmed(seconds: number): void;
}

export interface HubOptions {
  readonly identity: string;
  readonly sharedMemory: TakeMemory;
  /** The number of this unit. */
  readonly unit: number;
  readonly log: Logger;
}

/**
 * The notifications of one access manager in one unit. Units share a journal; the one that has the lease keeps the
 * connection and writes events, all others read them. Nothing is connected before somebody watches.
 */
export class NotificationHub implements Notifications {
  readonly journal: EventJournal;
  private readonly options: HubOptions;
  private readonly memory: SharedMemory;
  private readonly lives: SharedMemory;
  private readonly members = new Set<HubMember>();
  private readonly shown = new Map<HubMember, () => void>();
  private readonly listeners = new Set<NotificationListener>();
  private readonly id = newOwnerId();
  private cursor: Cursor;
  private reader = -1;
  private link: NotificationLink | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(options: HubOptions) {
    this.options = options;
    const name = JSON.stringify(['notifications', options.identity]);
    this.memory = options.sharedMemory(name, EventJournal.bytes);
    this.lives = options.sharedMemory(UnitLives.memory.name, UnitLives.memory.bytes);
    this.journal = new EventJournal(this.memory.buffer, options.unit, new UnitLives(this.lives.buffer));
    this.cursor = this.journal.cursor();
  }

  get isHeard(): boolean {
    return this.journal.isHeard;
  }

  catchUp(): void {
    if (this.journal.sequence !== this.cursor.sequence) this.apply();
  }

  watch(listener: NotificationListener): () => void {
    this.catchUp(); // what came before concerns the others only
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.begin();
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0) this.end();
    };
  }

  join(member: HubMember): void {
    this.members.add(member);
    if (this.timer !== null) this.shown.set(member, member.show(this.journal));
  }

  /** @returns whether nobody is left */
  leave(member: HubMember): boolean {
    this.members.delete(member);
    this.hide(member);
    if (this.members.size > 0) return false;
    this.end();
    this.memory.release();
    this.lives.release();
    return true;
  }

  private begin(): void {
    this.reader = this.journal.join();
    this.cursor = this.journal.cursor();
    this.timer = setInterval(() => this.look(), INTERVAL);
    this.timer.unref();
    for (const member of this.members) this.shown.set(member, member.show(this.journal));
    void this.follow();
    this.look();
  }

  private end(): void {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    this.link?.close();
    this.link = null;
    for (const member of this.members) this.hide(member);
    this.journal.release(this.id);
    this.journal.leave(this.reader);
    this.reader = -1;
  }

  /** Units without traffic apply events too, so that they free memory and the owner knows when all have. */
  private async follow(): Promise<void> {
    const { timer } = this;
    while (this.timer === timer) {
      await this.journal.changed(this.cursor.sequence, INTERVAL);
      if (this.timer === timer) this.catchUp();
    }
  }

  private look(): void {
    this.journal.renew(this.reader);
    const wasOwner = this.journal.isOwner(this.id);
    const isOwner = this.journal.lease(this.id);
    if (!wasOwner || !isOwner) {
      this.link?.close(); // another unit took this one for dead: events of this connection were not recorded
      this.link = null;
    }
    if (isOwner) this.link ??= this.started();
    this.catchUp();
  }

  private started(): NotificationLink | null {
    const [member] = this.members;
    if (member === undefined) return null;
    const { journal, id } = this;
    const link = new NotificationLink({
      terms: member.terms,
      dial: () => this.dial(),
      log: this.options.log,
      record: (record) => {
        if (journal.append(id, record)) journal.lease(id);
        this.catchUp();
      },
      regained: () => {
        journal.regain(id);
        this.catchUp();
      },
      lost: () => {
        journal.lose(id);
        this.catchUp();
      },
    });
    link.start();
    return link;
  }

  /** By a service that is there now: the one that was first may be gone. */
  private dial(): ReturnType<LinkOptions['dial']> {
    const [member] = this.members;
    return member === undefined ? Promise.reject(new Error('the service is gone')) : member.dial();
  }

  private apply(): void {
    const { cursor, records, isMissed } = this.journal.read(this.cursor);
    this.cursor = cursor;
    if (isMissed) this.missed();
    else for (const record of records) this.give(record);
    const milliseconds = this.journal.confirm(this.reader, cursor);
    const [member] = this.members;
    if (milliseconds !== null) member?.confirmed(milliseconds / 1000);
  }

  private hide(member: HubMember): void {
    this.shown.get(member)?.();
    this.shown.delete(member);
  }

  /** More came than the journal holds: everything may have changed. */
  private missed(): void {
    const { isHeard } = this.journal;
    this.give({ kind: 'unclear' });
    this.give({ kind: 'lost' });
    if (isHeard) this.give({ kind: 'regained' });
  }

  private give(record: JournalRecord): void {
    for (const listener of this.listeners) {
      try {
        tell(listener, record);
      } catch (error) {
        this.options.log.error({ err: error }, 'a listener for notifications threw');
      }
    }
  }
}

function tell(listener: NotificationListener, record: JournalRecord): void {
  if (record.kind === 'session') listener.session?.(record.event);
  else if (record.kind === 'policy') listener.policy?.(record.event);
  else if (record.kind === 'token') listener.token?.(record.event);
  else if (record.kind === 'lost') listener.lost?.();
  else if (record.kind === 'regained') listener.regained?.();
  else {
    const type = 'UNCLEAR';
    listener.session?.({ tokenId: null, sessionUid: null, type });
    listener.policy?.({ realm: null, policySet: null, policy: null, type });
    listener.token?.({ grantId: null, tokenId: null, type });
  }
}
