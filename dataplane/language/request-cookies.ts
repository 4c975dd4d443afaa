import type { Shape } from '../../contract/expression/language.ts';
import { textOf } from '../../contract/expression/text.ts';
import { spend } from '../../contract/work-budget.ts';
import { headerText } from '../engine/head/header-text.ts';
import type { Request } from '../engine/message/request.ts';

/** What it costs to read one character of cookies. */
const PARSED_STEPS = 4;

/** A cookie as a request carries it: attributes such as the domain are never sent. */
interface RequestCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: null;
  readonly path: null;
}

/** The cookies of a request, as lists by name. A copy: changing it changes no request. */
export class RequestCookies {
  private readonly values: ReadonlyMap<string, readonly string[]>;

  constructor(request: Request) {
    for (const line of request.headers.all('cookie')) spend(line.length * PARSED_STEPS);
    this.values = request.cookies;
  }

  get(name: string): readonly RequestCookie[] | null {
    const values = this.values.get(name);
    return values?.map((value) => ({ name, value: headerText(value), domain: null, path: null })) ?? null;
  }

  names(): string[] {
    return [...this.values.keys()];
  }
}

export const requestCookiesShape: Shape<RequestCookies> = {
  name: 'cookies',
  properties: {},
  entries: { get: (cookies, name) => cookies.get(name), keys: (cookies) => cookies.names(), kind: 'list' },
  text: (cookies) => textOf(Object.fromEntries(cookies.names().map((name) => [name, cookies.get(name)]))),
};
