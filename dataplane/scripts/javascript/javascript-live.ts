import {
  HeapObject,
  type LiveProgram,
  type ScriptCall,
  ScriptFault,
  type ScriptOutcome,
  type ScriptSetting,
} from '../script-language.ts';
import { othersRan } from '../thread-share.ts';
import { CLEANUP, Home, makeRoom } from './home.ts';
import { JavaScriptRun } from './javascript-run.ts';
import { answerPlain } from './plain-answers.ts';
import { plainValue } from './plain-values.ts';
import { entrance } from './prelude/operations.ts';
import { type QuickJs, QuickJsLost } from './quickjs.ts';
import { enterRealm, leaveRealm, quickJsOf, quickJsOrNull } from './realms.ts';
import { RunBudget } from './run-budget.ts';
import { Sandbox } from './sandbox.ts';
import {
  COMPILE_LIMITS,
  isName,
  isPropertyName,
  mentionsIn,
  ownNames,
  readableScript,
  wrappedScript,
} from './script-text.ts';

/** Bytes that a script may keep from one request to the next, in `globals`. */
const MOST_KEPT = 8 * 1024 * 1024;

/** Most characters of `globals` that outlive a sandbox. */
const MOST_GLOBALS = 256 * 1024;

/** Looks at what a script holds that are left out as long as the memory does not grow: one takes milliseconds. */
const MOST_LEFT_OUT = 64;

/** The script of one object. Its sandbox is made for the first request. */
export class JavaScriptLive implements LiveProgram {
  #text: string;
  readonly #setting: ScriptSetting;
  #home: Home | null = null;
  /** Ends when others have run since the sandbox was made; null after that. */
  #rest: Promise<void> | null = null;
  #globals = '{}';
  #hasRun = false;
  /** Size of the memory at the last look, and looks that were left out since. */
  #lookedAt = 0;
  #leftOut = 0;
  #isClosed = false;

  constructor(text: string, setting: ScriptSetting) {
    this.#text = text;
    this.#setting = setting;
  }

  replace(text: string): void {
    readableScript(text);
    this.#text = text;
    this.#drop();
  }

  run(call: ScriptCall): Promise<ScriptOutcome> {
    const home = this.#home;
    if (home === null || this.#rest !== null || home.sandbox.quickJs.isLost || this.#isClosed)
      return this.#runAnew(call);
    return begin(home, call);
  }

  /** Runs the script in a sandbox that is not there yet, or has just been made. */
  async #runAnew(call: ScriptCall): Promise<ScriptOutcome> {
    const { realm } = this.#setting;
    if (!this.#hasRun && !this.#isClosed) enterRealm(realm, this);
    this.#hasRun = true;
    try {
      await this.#opened(call);
      // To make a sandbox takes as long as a script may run, so others run between the two.
      await this.#rest;
      return begin(await this.#opened(call), call);
    } catch (error) {
      if (!(error instanceof QuickJsLost)) throw error;
      throw new ScriptFault('the scripts of the tenant have used up their memory');
    }
  }

  /** The sandbox, made if there is none that can be used. */
  async #opened(call: ScriptCall): Promise<Home> {
    const { realm } = this.#setting;
    const quickJs = quickJsOrNull(realm) ?? (await quickJsOf(realm));
    if (this.#isClosed) throw new ScriptFault('the script was removed');
    if (this.#home?.sandbox.quickJs.isLost === true) this.#home.retire();
    if (this.#home !== null) return this.#home;
    const began = performance.now();
    const home = this.#open(quickJs, [...call.variables.keys()]);
    home.used();
    call.held(performance.now() - began);
    this.#rest ??= othersRan().then(() => {
      this.#rest = null;
    });
    return home;
  }

  #open(quickJs: QuickJs, variables: readonly string[]): Home {
    const setting = this.#setting;
    makeRoom(setting.realm, quickJs);
    const home = new Home(
      (made) =>
        quickJs.guarded(
          () =>
            new Sandbox(quickJs, setting.limits, (name, run, given) =>
              run === 0 ? answerPlain(name, given, setting) : made.runs.get(run)?.answer(name, given),
            ),
        ),
      setting,
      variables,
      (retired) => this.#retired(retired),
    );
    const text = this.#text;
    const mentions = mentionsIn(text);
    const names = ownNames[setting.kind].filter(mentions);
    const args = new Map([...setting.args].filter(([name]) => isName(name)));
    const properties = [...setting.properties].filter(([name]) => isPropertyName(name));
    const constants = new Map([...properties, ...args]);
    const taken = [...names, ...variables];
    const used = [...constants].filter(([name]) => mentions(name) && !taken.includes(name));
    const heap = used.flatMap(([name, value]) => (value instanceof HeapObject ? [[name, value.used] as const] : []));
    const others = used.filter(([, value]) => !(value instanceof HeapObject));
    const settings = {
      constants: others.map(([, value]) => plainValue(value, setting.shapes)),
      hasVariables: variables.length > 0,
      mentions: {
        attributes: mentions('attributes'),
        session: mentions('session'),
        contexts: mentions('context'),
      },
      globals: JSON.parse(this.#globals) as unknown,
    };
    home.heap = heap.map(([, object]) => object);
    const wrapped = wrappedScript(text, {
      own: names,
      constants: others.map(([name]) => name),
      heap: heap.map(([name, { kind }]) => [name, kind]),
      variables,
    });
    try {
      quickJs.within(new RunBudget(COMPILE_LIMITS), () =>
        home.sandbox.load(wrapped, 'script', JSON.stringify(settings)),
      );
    } catch (error) {
      home.retire();
      throw error;
    }
    this.#home = home;
    return home;
  }

  /** Keeps `globals` of a sandbox that others will not use any more. */
  #retired(home: Home): void {
    if (this.#home !== home) return;
    this.#home = null;
    if (home.sandbox.quickJs.isLost) return;
    try {
      const kept = home.sandbox.ask(new RunBudget(CLEANUP), entrance.globals);
      this.#globals = kept?.startsWith('{') === true && kept.length <= MOST_GLOBALS ? kept : '{}';
    } catch (error) {
      if (!(error instanceof QuickJsLost)) throw error;
    }
  }

  #drop(): void {
    this.#home?.retire();
  }

  tidy(): string | null {
    const home = this.#home;
    if (home === null || home.sandbox.quickJs.isLost) return null;
    const { size } = home.sandbox.quickJs;
    if (size === this.#lookedAt && ++this.#leftOut < MOST_LEFT_OUT) return null;
    this.#lookedAt = size;
    this.#leftOut = 0;
    const { bytes } = home.sandbox;
    if (bytes <= MOST_KEPT) return null;
    this.#drop();
    this.#globals = '{}';
    return `they are larger than ${MOST_KEPT} bytes`;
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
    leaveRealm(this.#setting.realm, this);
  }
}

function begin(home: Home, call: ScriptCall): Promise<ScriptOutcome> {
  home.used();
  const id = home.runs.newId();
  if (id === null) return Promise.reject(new ScriptFault('too many runs of the script wait'));
  const run = new JavaScriptRun(id, home, call);
  home.runs.add(run);
  return run.run();
}
