import { ArrayValue, type GMap, type List } from '../../values/collections.ts';
import { BINDING, STRING } from '../../values/core-classes.ts';
import type { ClassSpec, JavaClass, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import type { Core } from '../core.ts';
import { type Instance, variablesOf } from '../instance.ts';
import { setVariable } from '../properties.ts';
import { ScriptVariables } from '../script-variables.ts';
import { bodyOf, evaluateText, newScript } from '../shell/nested-script.ts';

/** Evaluates texts that share variables. */
class Shell implements Obj {
  readonly javaClass: JavaClass;
  readonly variables: ScriptVariables;
  #scripts = 0;

  constructor(rt: Runtime, variables: ScriptVariables) {
    this.javaClass = rt.class('groovy.lang.GroovyShell');
    this.variables = variables;
  }

  nextName(): string {
    return `Script${++this.#scripts}`;
  }
}

/** The class of a script in a file of this name. */
function classNameOf(rt: Runtime, file: string): string {
  const name = file.replace(/\.[^.]*$/, '');
  if (!/^[A-Za-z_]\w{0,99}$/.test(name))
    rt.fail('java.lang.UnsupportedOperationException', `a script with the name ${file} is not available`);
  return name;
}

function evaluate(rt: Runtime, self: Shell, text: string, name = self.nextName()): Steps {
  return evaluateText(rt as Core, text, name, self.variables);
}

function parse(rt: Runtime, self: Shell, text: string, name = self.nextName()): Steps {
  return newScript(rt as Core, (rt as Core).texts.compile(rt as Core, text, name), self.variables);
}

function runWith(rt: Runtime, self: Shell, text: string, file: string, args: readonly Value[]): Steps {
  setVariable(rt as Core, self.variables, 'args', new ArrayValue(STRING, [...args]));
  return evaluate(rt, self, text, classNameOf(rt, file));
}

/** `Eval.xy(x, y, text)` and the like: each has variables of its own. */
function evaluateWith(rt: Runtime, text: string | null, names: Readonly<Record<string, Value>>): Steps {
  if (text === null) rt.fail('java.lang.IllegalArgumentException', 'Script text to compile cannot be null!');
  const variables = new ScriptVariables(null);
  for (const [name, value] of Object.entries(names)) variables.set(name, value);
  return evaluateText(rt as Core, text!, 'Script1', variables);
}

function noVariable(rt: Runtime, name: string): never {
  return rt.fail('groovy.lang.MissingPropertyException', `No such property: ${name} for class: groovy.lang.Binding`);
}

function made(map: GMap | null): ScriptVariables {
  return new ScriptVariables(map);
}

export const shellClasses: readonly ClassSpec[] = [
  {
    name: 'groovy.lang.Script',
    methods: {
      'getBinding()': (rt, self: Value) => variablesOf(rt as Core, self),
      'setBinding(Binding)': (_rt, self: Instance, [variables]: [ScriptVariables | null]) => {
        self.variables = variables ?? made(null);
      },
      'getProperty(String)': (rt, self: Value, [name]: [string]) => rt.get(self, name),
      'setProperty(String, Object)': (rt, self: Value, [name, value]: [string, Value]) => rt.set(self, name, value),
      'evaluate(String)': (rt, self: Value, [text]: [string]) =>
        evaluateText(rt as Core, text, 'Script1', variablesOf(rt as Core, self)),
      'run()': (rt, self: Instance) => {
        const body = bodyOf(self.javaClass);
        return body === null ? rt.fail('java.lang.AbstractMethodError') : body(rt, self, []);
      },
    },
  },
  {
    name: BINDING.name,
    constructors: {
      '()': () => made(null),
      '(Map)': (_rt, _self: Value, [map]: [GMap | null]) => made(map),
      '(String[])': (_rt, _self: Value, [args]: [ArrayValue]) => {
        const variables = made(null);
        variables.set('args', args);
        return variables;
      },
    },
    methods: {
      'hasVariable(String)': (_rt, self: ScriptVariables, [name]: [string]) => self.get(name) !== undefined,
      'getVariable(String)': (rt, self: ScriptVariables, [name]: [string]) => self.get(name) ?? absent(rt, self, name),
      'setVariable(String, Object)': (rt, self: ScriptVariables, [name, value]: [string, Value]) =>
        setVariable(rt as Core, self, name, value),
      'removeVariable(String)': (_rt, self: ScriptVariables, [name]: [string]) => void self.all().delete(name),
      'getVariables()': (_rt, self: ScriptVariables) => self.all(),
      'getProperty(String)': (rt, self: ScriptVariables, [name]: [string]) => rt.get(self, name),
      'setProperty(String, Object)': (rt, self: ScriptVariables, [name, value]: [string, Value]) =>
        rt.set(self, name, value),
    },
    property: (rt, self: ScriptVariables, name) =>
      name === 'class' || name === 'metaClass'
        ? undefined
        : name === 'variables'
          ? self.all()
          : (self.get(name) ?? absent(rt, self, name)),
    setProperty: (rt, self: ScriptVariables, name, value) => {
      if (name === 'variables')
        rt.fail('java.lang.UnsupportedOperationException', 'setting variables is not available');
      setVariable(rt as Core, self, name, value);
      return true;
    },
  },
  {
    name: 'groovy.lang.GroovyShell',
    constructors: {
      '()': (rt) => new Shell(rt, made(null)),
      '(Binding)': (rt, _self: Value, [variables]: [ScriptVariables | null]) => new Shell(rt, variables ?? unclear(rt)),
    },
    methods: {
      'evaluate(String)': (rt, self: Shell, [text]: [string]) => evaluate(rt, self, text),
      'evaluate(String, String)': (rt, self: Shell, [text, file]: [string, string]) =>
        evaluate(rt, self, text, classNameOf(rt, file)),
      'evaluate(Reader)': (rt, self: Shell, [reader]: [{ rest(): string }]) => evaluate(rt, self, reader.rest()),
      'parse(String)': (rt, self: Shell, [text]: [string]) => parse(rt, self, text),
      'parse(String, String)': (rt, self: Shell, [text, file]: [string, string]) =>
        parse(rt, self, text, classNameOf(rt, file)),
      'parse(Reader)': (rt, self: Shell, [reader]: [{ rest(): string }]) => parse(rt, self, reader.rest()),
      'run(String, String, String[])': (rt, self: Shell, [text, file, args]: [string, string, ArrayValue]) =>
        runWith(rt, self, text, file, args.items),
      'run(String, String, List)': (rt, self: Shell, [text, file, args]: [string, string, List]) =>
        runWith(rt, self, text, file, args.items),
      'getVariable(String)': (_rt, self: Shell, [name]: [string]) => self.variables.get(name) ?? null,
      'setVariable(String, Object)': (rt, self: Shell, [name, value]: [string, Value]) =>
        setVariable(rt as Core, self.variables, name, value),
      'removeVariable(String)': (_rt, self: Shell, [name]: [string]) => void self.variables.all().delete(name),
      'getContext()': (_rt, self: Shell) => self.variables,
      'getProperty(String)': (rt, self: Shell, [name]: [string]) => rt.get(self, name),
      'setProperty(String, Object)': (rt, self: Shell, [name, value]: [string, Value]) => rt.set(self, name, value),
    },
    property: (_rt, self: Shell, name) => self.variables.get(name) ?? undefined,
    setProperty: (rt, self: Shell, name, value) => {
      setVariable(rt as Core, self.variables, name, value);
      return true;
    },
  },
  {
    name: 'groovy.util.Eval',
    statics: {
      'me(String)': (rt, _self: Value, [text]: [string | null]) => evaluateWith(rt, text, {}),
      'me(String, Object, String)': (rt, _self: Value, [name, value, text]: [string, Value, string]) =>
        evaluateWith(rt, text, { [name]: value }),
      'x(Object, String)': (rt, _self: Value, [x, text]: [Value, string]) => evaluateWith(rt, text, { x }),
      'xy(Object, Object, String)': (rt, _self: Value, [x, y, text]: [Value, Value, string]) =>
        evaluateWith(rt, text, { x, y }),
      'xyz(Object, Object, Object, String)': (rt, _self: Value, [x, y, z, text]: [Value, Value, Value, string]) =>
        evaluateWith(rt, text, { x, y, z }),
    },
  },
];

function unclear(rt: Runtime): never {
  return rt.fail(
    'groovy.lang.GroovyRuntimeException',
    'Ambiguous method overloading for method groovy.lang.GroovyShell#<init>.\nCannot resolve which method to invoke for [null] due to overlapping prototypes between:\n\t[class org.codehaus.groovy.control.CompilerConfiguration]\n\t[class java.lang.ClassLoader]',
  );
}

/** A variable can be null, which is no absence. */
function absent(rt: Runtime, variables: ScriptVariables, name: string): null {
  return variables.get(name) === undefined ? noVariable(rt, name) : null;
}
