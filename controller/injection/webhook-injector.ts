import { readFileSync } from 'node:fs';
import { asError } from '../../platform/error-text.ts';
import type { PodInjector } from '../admission/injection-verdict.ts';
import { injectPod } from './inject-pod.ts';
import { readSidecarSettings, type SidecarSettings } from './sidecar-settings.ts';

export interface WebhookInjectorOptions {
  /** `sidecar.json`. */
  readonly file: string;
  /** Namespace of the controllers, whose Pods never get a sidecar. */
  readonly namespace: string;
  /** The authorities of controllers at the moment, in PEM; empty while they are not known. */
  authorities(): string;
  /** Hears of a file that cannot be used any more: what it said last goes on. */
  failed(error: Error): void;
}

/** Gives Pods sidecars as a file says, which may change at any time. @throws Error when it cannot be used at the start */
export function webhookInjector({ file, namespace: own, authorities, failed }: WebhookInjectorOptions): PodInjector {
  let text = readFileSync(file, 'utf8');
  let settings = ofControllers(readSidecarSettings(text, file));
  return {
    inject(pod, namespace) {
      const trusted = authorities();
      if (trusted === '') throw new Error('the CA certificate of the controllers is not known yet');
      follow();
      return injectPod(pod, { namespace, settings, authorities: trusted });
    },
  };

  /** A mounted file is swapped as a whole, and is small: to look at it costs less than to be told of changes. */
  function follow(): void {
    try {
      const now = readFileSync(file, 'utf8');
      if (now === text) return;
      text = now;
      settings = ofControllers(readSidecarSettings(now, file));
    } catch (error) {
      failed(asError(error));
    }
  }

  function ofControllers(read: SidecarSettings): SidecarSettings {
    return { ...read, excludedNamespaces: [...read.excludedNamespaces, own] };
  }
}
