import { ArrayValue } from '../values/collections.ts';
import { CHAR_SEQUENCE } from '../values/core-classes.ts';
import { GString } from '../values/g-string.ts';
import type { JavaClass, Runtime, Value } from '../values/java-class.ts';
import { OBJECT } from '../values/java-class.ts';
import { Throwable, Thrown } from '../values/throwable.ts';

/** The exceptions that the language itself throws, with the texts of Groovy. */

const LONGEST = 60;

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
  let text = '[';
  for (const [index, arg] of args.entries()) {
    if (index > 0) text += ', ';
    if (text.length > LONGEST) return `${text}...]`;
    const shown = rt.text(arg);
    // Other objects than texts are shown in full.
    const isLong = shown.length > LONGEST && (typeof arg === 'string' || rt.isInstance(arg, CHAR_SEQUENCE));
    text += isLong ? `${shown.slice(0, LONGEST)}...` : shown;
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

export function nullPointer(rt: Runtime, message: string): never {
  return rt.fail('java.lang.NullPointerException', message);
}
