import type { AbstractMethod, DeclaredField, PropertyChoice } from '../runtime/instance.ts';
import type { JavaClass } from '../values/java-class.ts';

export interface TemplateMethod {
  readonly name: string;
  readonly types: readonly JavaClass[];
  /** Parameters that a call may leave out. */
  readonly hasDefault: readonly boolean[];
  readonly isVariadic: boolean;
  readonly isStatic: boolean;
  /** Modifiers as messages show them: `public static`. */
  readonly access: string;
  readonly returns: JavaClass | null;
  /** Place of the code in the functions of the class. */
  readonly code: number;
}

/** A class of a script without its code. */
export interface ClassTemplate {
  readonly name: string;
  readonly superclass: JavaClass;
  readonly interfaces: readonly JavaClass[];
  readonly form: 'class' | 'interface' | 'enum' | 'trait';
  readonly isAbstract: boolean;
  readonly sam: string | null;
  /** Methods without a body, by name. */
  readonly abstracts: ReadonlyMap<string, readonly AbstractMethod[]>;
  readonly inheritsConstructors: boolean;
  readonly hasMapConstructor: boolean;
  /** Of a text that a script evaluates. */
  readonly isEvaluated: boolean;
  /** Others can see when the static parts run: they run at the first use of the class, not with the script. */
  readonly isLazy: boolean;
  readonly fields: readonly DeclaredField[];
  readonly methods: readonly TemplateMethod[];
  readonly constructors: readonly TemplateMethod[];
  readonly initialize: number | null;
  readonly initializeStatics: number | null;
  readonly canonical: {
    readonly equals: boolean;
    readonly text: boolean;
    readonly tuple: boolean;
    readonly immutable: boolean;
    readonly shown: PropertyChoice & {
      readonly withNames: boolean;
      readonly withNulls: boolean;
      readonly withPackage: boolean;
    };
    readonly compared: PropertyChoice;
  } | null;
}
