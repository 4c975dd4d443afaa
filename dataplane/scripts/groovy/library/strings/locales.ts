import type { Runtime, Value } from '../../values/java-class.ts';

/** The language whose rules for upper and lower case hold; a text without one follows those of no language. */
export function languageOf(rt: Runtime, locale: Value): string {
  if (locale === null) rt.fail('java.lang.NullPointerException');
  const language = rt.text(locale).split('_')[0]!;
  return ['tr', 'az', 'lt'].includes(language) ? language : 'en';
}

/** Numbers and dates are written as in the United States, which only some locales share. */
export function checkLocale(rt: Runtime, locale: Value): void {
  const name = locale === null ? '' : rt.text(locale);
  if (name !== '' && !/^en(_|$)/.test(name))
    rt.fail('java.lang.UnsupportedOperationException', `the locale ${name} is not available`);
}
