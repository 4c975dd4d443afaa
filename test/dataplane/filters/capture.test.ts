import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

describe('CaptureFilter', () => {
  it('passes requests and responses on unchanged', async () => {
    const { ask, seen } = await startFiltered([{ type: 'CaptureFilter', config: { file: '/tmp/gateway.log' } }]);
    const { status } = await ask('/orders', { method: 'POST', body: 'hello' });
    expect(status).toBe(200);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/orders', body: 'hello' });
  });

  it('warns that it has no effect, and names the decorator that logs messages', () => {
    const problems = problemsOf('CaptureFilter', { file: '/tmp/gateway.log', captureEntity: true });
    expect(problems).toHaveLength(3);
    for (const problem of problems) expect(problem).toMatch(/^no-effect .*capture/);
  });

  it('rejects an unknown field', () => {
    expect(problemsOf('CaptureFilter', { format: 'x' })).toContain(
      "unknown-field format: there is no field 'format' here",
    );
  });
});
