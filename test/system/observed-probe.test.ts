import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { EchoBackend } from '../support/echo-backend.ts';
import { answerAsObserved } from '../support/observed-backend.ts';
import {
  differenceOf,
  foundLoading,
  observedLoading,
  observedOutcome,
  sentOutcome,
} from '../support/observed-outcome.ts';
import { isAboutLoading, observedBase, observedRoute, observedRows } from '../support/observed-row.ts';
import { serveInstance } from '../support/served-instance.ts';

it('probe', { timeout: 120000 }, async () => {
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (q, s) => void answerAsObserved(q, s));
  const out: string[] = [];
  let agree = 0;
  for (const row of observedRows()) {
    try {
      const files = JSON.parse(
        JSON.stringify({ 'config/config.json': observedBase, 'config/routes/t.json': observedRoute(row) }).replaceAll(
          'http://app.test',
          backend.url,
        ),
      );
      const instance = await serveInstance(files, { HOME: '/home' });
      const places = { gateway: `127.0.0.1:${instance.port}`, backend: backend.url.slice(7), instance: instance.path };
      let diff, reference;
      const problems = instance.verdict('config/routes/t.json').problems;
      if (isAboutLoading(row)) {
        reference = observedLoading(row.response);
        diff = differenceOf(reference, foundLoading(problems, reference));
      } else {
        reference = observedOutcome(row.response);
        diff = differenceOf(reference, await sentOutcome(instance.port, row.request, places));
      }
      await instance.close();
      if (diff.ours.length + diff.reference.length === 0) {
        agree++;
        continue;
      }
      out.push(
        `${row.id} ${row.area} ${JSON.stringify(row.config).slice(0, 400)}\n   ${row.request.method} ${row.request.path}\n   REF  ${JSON.stringify(diff.reference)}\n   OURS ${JSON.stringify(diff.ours)}\n   ${JSON.stringify(problems.map((p) => `${p.severity} ${p.path.join('/')}: ${p.message}`))}`,
      );
    } catch (e) {
      out.push(`${row.id} ${row.area} THREW ${String(e).slice(0, 300)}`);
    }
  }
  await backend.close();
  writeFileSync('/tmp/observed-probe.txt', `agree ${agree}\n${out.join('\n')}\n`);
});
