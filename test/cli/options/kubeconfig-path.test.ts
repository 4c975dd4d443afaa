import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kubeconfigPath } from '../../../cli/options/kubeconfig-path.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

describe('the kubeconfig', () => {
  it.each<[string, string | undefined, Record<string, string>, string | undefined]>([
    ['is the given one', 'given', { KUBECONFIG: 'named', ...pod }, 'given'],
    ['is none in a Pod', undefined, { KUBECONFIG: 'named', ...pod }, undefined],
    ['is the one that KUBECONFIG names', undefined, { KUBECONFIG: 'named' }, 'named'],
    ['is the only one that KUBECONFIG names', undefined, { KUBECONFIG: ':named:' }, 'named'],
    ['is the usual one', undefined, { KUBECONFIG: '' }, 'HOME/.kube/config'],
  ])('%s', (_, given, env, expected) => {
    const { path: home } = watchedDirectory();
    mkdirSync(`${home}/.kube`);
    writeFileSync(`${home}/.kube/config`, '');
    expect(kubeconfigPath(given, env, home)?.replace(home, 'HOME')).toBe(expected);
  });

  it('is null without a kubeconfig', () => {
    expect(kubeconfigPath(undefined, {}, watchedDirectory().path)).toBeUndefined();
  });

  it('has to be one', () => {
    expect(() => kubeconfigPath(undefined, { KUBECONFIG: 'a:b' })).toThrow('KUBECONFIG names 2 files');
  });
});
