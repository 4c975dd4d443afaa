import { pino } from 'pino';
import { expect, it } from 'vitest';
import { BaseNews } from '../../../../controller/cluster/base/base-news.ts';
import type { EventSubject } from '../../../../controller/cluster/status/event-recorder.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';

class Setting {
  readonly cluster = new CompiledCluster();
  readonly events: (EventSubject & { readonly said: string })[] = [];
  readonly lines: string[] = [];
  isLeader = true;
  readonly news = new BaseNews({
    log: pino({}, { write: (line) => void this.lines.push(String(JSON.parse(line).msg)) }),
    base: { namespace: 'gatewarden', name: 'gatewarden' },
    isLeader: () => this.isLeader,
    record: (subject, { type, reason, note }) => this.events.push({ ...subject, said: `${type} ${reason} ${note}` }),
  });

  write(trust: object, config: object = {}): void {
    this.cluster.base('trust', JSON.stringify(trust)).base('config', JSON.stringify(config));
    this.news.compiled(this.cluster.compile(), { uid: 'u', resourceVersion: '7' });
  }
}

const bad = { egress: ['nonsense'] };

it('writes Events for the ConfigMap when the last good version serves, and when the newest one does again', () => {
  const setting = new Setting();
  setting.write({});
  expect(setting.news.note).toBeNull();
  setting.write(bad, { hepa: [] });
  setting.write(bad, { hepa: [] });
  expect(setting.news.note).toBe(
    'config.json and trust.json of the base configuration are not valid; the last good version stays in effect',
  );
  setting.write({});
  expect(setting.news.note).toBeNull();
  expect(setting.events.map(({ said }) => said)).toEqual([
    expect.stringMatching(
      /^Warning BaseConfigurationInvalid the last good version stays in effect\n.*hepa.*egress\[0\]/s,
    ),
    expect.stringMatching(/^Normal BaseConfigurationAccepted /),
  ]);
  expect(setting.events[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', name: 'gatewarden', uid: 'u' });
  expect(setting.lines).toEqual(['base configuration is not valid; the last good version stays in effect']);
});

it('reports that nothing is published if no version was valid', () => {
  const setting = new Setting();
  setting.write(bad);
  expect(setting.news.note).toBeNull();
  expect(setting.events[0]?.said).toContain('there is no last good version, so nothing is published');
});

it('leaves Events to the leader, and a new leader writes pending ones', () => {
  const setting = new Setting();
  setting.isLeader = false;
  setting.write({});
  setting.write(bad);
  expect(setting.events).toEqual([]);
  setting.isLeader = true;
  setting.news.tell();
  expect(setting.events).toHaveLength(1);
  setting.isLeader = false;
  setting.write(bad);
  setting.isLeader = true;
  setting.write({});
  expect(setting.events[1]?.said).toContain('BaseConfigurationAccepted');
});
