import type { Runtime, Value } from '../../values/java-class.ts';

/** Numbers and dates are written as in the United States, which only some locales share. */
export function checkLocale(rt: Runtime, locale: Value): void {
  const name = locale === null ? '' : rt.text(locale);
  if (name !== '' && !/^en(_|$)/.test(name))
    rt.fail('java.lang.UnsupportedOperationException', `the locale ${name} is not available`);
}
