import type { Decoration } from '../../contract/declaration.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import type { BuiltKind } from './kinds.ts';
import { isRelicKey } from './relics.ts';
import type { CheckedDecoration, Scope } from './scope.ts';

/** Finds the name among others that somebody may have meant. */
export type FindMeant = (name: string, candidates: () => readonly string[]) => string | undefined;

/** Checks what is written beside the fields of an object or a route: the name of a decorator, and what it is told. */
export class DecorationCheck {
  private readonly scope: Scope;
  private readonly reading: Reading;
  private readonly report: (problem: Problem) => void;
  private readonly meant: FindMeant;

  constructor(scope: Scope, reading: Reading, report: (problem: Problem) => void, meant: FindMeant) {
    this.scope = scope;
    this.reading = reading;
    this.report = report;
    this.meant = meant;
  }

  isDecorator(name: string): boolean {
    return this.scope.find(name)?.definition.kind === 'decorator';
  }

  /** `fields` are the other keys that the same place may have. @returns null when it decorates nothing. */
  check(
    { name, value, path }: Decoration,
    kind: BuiltKind | null,
    fields: readonly string[],
  ): CheckedDecoration | null {
    const decorator = this.scope.find(name);
    if (decorator === undefined || !this.isDecorator(name)) {
      this.unknownKey(name, path, fields);
      return null;
    }
    const { definition } = decorator;
    const parsed = parseConfig(definition.decoration!, value, this.reading, path);
    for (const problem of parsed.problems) this.report(problem);
    if (parsed.problems.some(({ severity }) => severity === 'error')) return null;
    const vain = definition.inVain?.(parsed.value, kind) ?? null;
    if (vain !== null) {
      this.report({ code: 'no-effect', severity: 'warning', path, message: `has no effect: ${vain}` });
    }
    const unserved = definition.unserved?.(parsed.value) ?? null;
    if (unserved !== null) this.report({ code: 'unavailable-field', severity: 'warning', path, message: unserved });
    return { decorator, value: parsed.value, source: value };
  }

  /** A misspelt field or baseURI is an error: what it was to say would be missing. Other keys are the writer's own. */
  private unknownKey(name: string, path: Path, fields: readonly string[]): void {
    if (isRelicKey(name, path, this.report)) return;
    const decorators = (): string[] => this.scope.names().filter((one) => this.isDecorator(one));
    const meant = this.meant(name, () => [...decorators(), ...fields]);
    const hint = meant === undefined ? {} : { hint: `did you mean '${meant}'?` };
    const isField = meant !== undefined && fields.includes(meant);
    if (isField || (meant !== undefined && this.scope.find(meant)?.definition.rebases !== undefined)) {
      const message = isField ? `there is no field '${name}' here` : `there is no decorator '${name}'`;
      this.report({ code: isField ? 'unknown-field' : 'decoration', severity: 'error', path, message, ...hint });
    } else {
      const message = `has no effect: there is no decorator '${name}'`;
      this.report({ code: 'decoration', severity: 'warning', path, message, ...hint });
    }
  }
}
