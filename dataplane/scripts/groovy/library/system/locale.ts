import { hashOf } from '../../values/hash.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';

/** A locale; texts of the library are those of the United States. */
export class LocaleValue implements Obj {
  readonly javaClass: JavaClass;
  readonly language: string;
  readonly country: string;

  constructor(rt: Runtime, language: string, country = '') {
    rt.budget.allocate(64);
    this.javaClass = rt.class('java.util.Locale');
    this.language = language.toLowerCase();
    this.country = country.toUpperCase();
  }

  text(): string {
    return this.country === '' ? this.language : `${this.language}_${this.country}`;
  }

  equals(other: Value): boolean {
    return other instanceof LocaleValue && other.text() === this.text();
  }

  hash(): number {
    return hashOf(this.text());
  }

  key(): string {
    return `\u0001locale${this.text()}`;
  }
}

const constants: Readonly<Record<string, string>> = {
  ROOT: '',
  ENGLISH: 'en',
  US: 'en_US',
  UK: 'en_GB',
  CANADA: 'en_CA',
  FRENCH: 'fr',
  FRANCE: 'fr_FR',
  GERMAN: 'de',
  GERMANY: 'de_DE',
  ITALIAN: 'it',
  ITALY: 'it_IT',
  JAPANESE: 'ja',
  JAPAN: 'ja_JP',
  KOREAN: 'ko',
  KOREA: 'ko_KR',
  CHINESE: 'zh',
  CHINA: 'zh_CN',
};

const named =
  (id: string) =>
  (rt: Runtime): Value => {
    const [language = '', country] = id.split('_');
    return new LocaleValue(rt, language, country);
  };

const make: LibraryFunction = (rt: Runtime, _self: Value, [language, country]: [string, string?]) =>
  new LocaleValue(rt, language, country);

export const localeClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.Locale',
    constants: Object.fromEntries(Object.entries(constants).map(([name, id]) => [name, named(id)])),
    constructors: { '(String)': make, '(String, String)': make },
    statics: {
      'getDefault()': named('en_US'),
      'forLanguageTag(String)': (rt, _self: Value, [tag]: [string]) => {
        const [language = '', country, ...rest] = tag.split('-');
        if (rest.length > 0 || (country !== undefined && country.length !== 2))
          rt.fail('java.lang.UnsupportedOperationException', `the locale ${tag} is not available`);
        return new LocaleValue(rt, language === 'und' ? '' : language, country);
      },
    },
    methods: {
      'getLanguage()': (_rt, self: LocaleValue) => self.language,
      'getCountry()': (_rt, self: LocaleValue) => self.country,
      'toLanguageTag()': (_rt, self: LocaleValue) => self.text().replace('_', '-') || 'und',
    },
  },
];
