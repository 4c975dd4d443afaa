import { bootstrapAuthenticator } from '../../../controller/publish/channel/bootstrap-authentication.ts';
import { ChannelServer, type ChannelServerOptions } from '../../../controller/publish/channel/channel-server.ts';
import type { PlaneFacts } from '../../../controller/publish/plane-facts.ts';
import { PlaneSessions, type PlaneSessionsOptions } from '../../../controller/publish/sessions/plane-sessions.ts';
import { ScriptedPlane, type ScriptedPlaneOptions } from './scripted-plane.ts';

export const CHANNEL_TOKEN = 'a-token-that-is-long-enough-to-count';

export interface ServedChannelOptions {
  readonly sessions?: Partial<PlaneSessionsOptions>;
  readonly server?: Partial<ChannelServerOptions>;
}

/** A channel server on a free port, what its listener heard, and planes for it. */
export class ServedChannel {
  readonly heard: { readonly what: string; readonly facts: PlaneFacts; readonly routes: readonly string[] }[] = [];
  readonly refusals: string[] = [];
  readonly sessions: PlaneSessions;
  readonly server: ChannelServer;
  port = 0;
  private readonly planes: ScriptedPlane[] = [];
  private readonly waiting = new Set<() => void>();

  constructor({ sessions, server }: ServedChannelOptions) {
    const hear = (what: string, facts: PlaneFacts, routes: readonly string[] = []): void => {
      this.heard.push({ what, facts, routes });
      for (const look of [...this.waiting]) look();
    };
    this.sessions = new PlaneSessions({
      controller: 'controller-1',
      listener: {
        connected: (facts) => hear('connected', facts),
        changed: (facts, routes) => hear('changed', facts, routes),
        nacked: (facts) => hear('nacked', facts),
        closed: (facts, reason) => hear(`closed: ${reason}`, facts),
      },
      ...sessions,
      // scripted planes send no heartbeats: on a busy machine they would be taken for dead
      settings: { goodbye: 20, heartbeat: 60_000, ...sessions?.settings },
    });
    const planes = { group: 'default', labels: { zone: 'a' }, mayClaim: ['site'] };
    this.server = new ChannelServer({
      host: 'localhost',
      port: 0,
      tls: null,
      authenticator: bootstrapAuthenticator([{ token: CHANNEL_TOKEN, ...planes }]),
      sessions: this.sessions,
      refused: (reason) => this.refusals.push(reason),
      ...server,
    });
  }

  async start(): Promise<this> {
    this.port = await this.server.listen();
    return this;
  }

  plane(options: Partial<ScriptedPlaneOptions> = {}): ScriptedPlane {
    const plane = new ScriptedPlane({ port: this.port, token: CHANNEL_TOKEN, ...options });
    this.planes.push(plane);
    return plane;
  }

  /** What is known of a plane. */
  facts(name = 'edge-1'): PlaneFacts | undefined {
    return this.sessions.facts.find(({ identity }) => identity.name === name);
  }

  /** Waits until something that was heard makes a condition true. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!condition()) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
    });
  }

  async close(): Promise<void> {
    for (const plane of this.planes) plane.close();
    await this.server.close();
  }
}
