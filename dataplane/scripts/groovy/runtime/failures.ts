import { ArrayValue, GMap, GSet, List } from '../values/collections.ts';
import { PRIMITIVES } from '../values/core-classes.ts';
import { GString } from '../values/g-string.ts';
import type { JavaClass, Obj, Runtime, Value } from '../values/java-class.ts';
import { OBJECT } from '../values/java-class.ts';
import { identityOf } from '../values/key-of.ts';
import { Throwable, Thrown } from '../values/throwable.ts';

/** The exceptions that the language itself throws, with the texts of Groovy. */

const LONGEST = 80;

/** Packages of the classes that messages name without them. */
const IMPORTED = /^(?:(?:java\.(?:lang|util|io|net)|groovy\.(?:lang|util))\.[^.]+|java\.math\.Big\w+)$/;

function typeList(rt: Runtime, args: readonly Value[]): string {
  return args.map((arg) => (arg === null ? 'null' : shownName(rt.classOf(arg)))).join(', ');
}

function shownName(type: JavaClass): string {
  return IMPORTED.test(type.name) ? type.simpleName : type.name;
}

/** Values of arguments, cut where they get long. */
function valueList(rt: Runtime, args: readonly Value[]): string {
  return cut(args, LONGEST, (arg, left) => shown(rt, arg, left));
}

/** A value in a message: collections are cut where they get long. */
function shown(rt: Runtime, value: Value, room: number): string {
  const most = Math.max(0, room);
  if (value instanceof GMap && value.size > 0) {
    return cut(value.entries(), most, ({ entryKey, value: each }, left) => {
      const key = shown(rt, entryKey, left);
      return `${key}:${shown(rt, each, left - key.length - 1)}`;
    });
  }
  const isArray = value instanceof ArrayValue && value.javaClass.component !== PRIMITIVES.char;
  if (value instanceof List || value instanceof GSet || isArray)
    return cut(value instanceof GSet ? value.items() : value.items, most, (item, left) =>
      item === value ? '(this Collection)' : shown(rt, item, left),
    );
  try {
    return rt.text(value);
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    const { name } = rt.classOf(value);
    return `<${name}@${identityOf(value as Obj).toString(16)}>`;
  }
}

function cut<T>(items: readonly T[], most: number, show: (item: T, left: number) => string): string {
  let text = '[';
  for (const [index, item] of items.entries()) {
    if (index > 0) text += ', ';
    if (text.length > most) return `${text}...]`;
    text += show(item, most - text.length);
  }
  return `${text}]`;
}

function detailed(rt: Runtime, className: string, message: string, details: Readonly<Record<string, Value>>): never {
  const throwable = new Throwable(rt.class(className), message);
  for (const [name, value] of Object.entries(details)) throwable.details.set(name, value);
  throw new Thrown(throwable);
}

export function missingMethod(
  rt: Runtime,
  type: JavaClass,
  name: string,
  args: readonly Value[],
  isStatic = false,
): never {
  const message = `No signature of method: ${isStatic ? 'static ' : ''}${type.name}.${name}() is applicable for argument types: (${typeList(rt, args)}) values: ${valueList(rt, args)}`;
  return detailed(rt, 'groovy.lang.MissingMethodException', message, {
    method: name,
    type,
    arguments: new ArrayValue(OBJECT, [...args]),
    static: isStatic,
  });
}

export function missingProperty(rt: Runtime, type: JavaClass, name: string): never {
  return detailed(rt, 'groovy.lang.MissingPropertyException', `No such property: ${name} for class: ${type.name}`, {
    property: name,
    type,
  });
}

export function readOnlyProperty(rt: Runtime, type: JavaClass, name: string): never {
  return detailed(
    rt,
    'groovy.lang.ReadOnlyPropertyException',
    `Cannot set readonly property: ${name} for class: ${type.name}`,
    { property: name, type },
  );
}

export function missingConstructor(rt: Runtime, type: JavaClass, args: readonly Value[]): never {
  return rt.fail(
    'groovy.lang.GroovyRuntimeException',
    `Could not find matching constructor for: ${type.name}(${typeList(rt, args)})`,
  );
}

export function castFailure(rt: Runtime, value: Value, type: JavaClass, hint = ''): never {
  const shown = value === null ? 'null' : rt.javaText(value);
  // A GString becomes a String before it is unboxed.
  const isUnboxed = value instanceof GString && !type.name.includes('.');
  const name = value === null ? 'null' : isUnboxed ? 'java.lang.String' : rt.classOf(value).name;
  return rt.fail(
    'org.codehaus.groovy.runtime.typehandling.GroovyCastException',
    `Cannot cast object '${shown}' with class '${name}' to class '${type.name}'${hint}`,
  );
}

function isChecked(rt: Runtime, throwable: Throwable): boolean {
  const isOf = (name: string): boolean => rt.isInstance(throwable, rt.class(`java.lang.${name}`));
  return isOf('Exception') && !isOf('RuntimeException');
}

/** A text that code of Java asks an object for: a checked exception of its `toString()` is wrapped there. */
export function textForJava(rt: Runtime, value: Value): string {
  try {
    return rt.text(value);
  } catch (error) {
    if (!(error instanceof Thrown) || !isChecked(rt, error.throwable)) throw error;
    return rt.fail('groovy.lang.GroovyRuntimeException', null, error.throwable);
  }
}

export function nullPointer(rt: Runtime, message: string): never {
  return rt.fail('java.lang.NullPointerException', message);
}
