import { ArrayValue } from '../../values/collections.ts';
import { THROWABLE } from '../../values/core-classes.ts';
import type { ClassSpec, JavaClass, Runtime, Value } from '../../values/java-class.ts';
import { Throwable, Thrown } from '../../values/throwable.ts';
import { missingMethod, missingProperty } from '../failures.ts';

/** Exception classes by superclass; the library may declare more. */
const CLASSES: Readonly<Record<string, string>> = {
  'java.lang.Throwable': '',
  'java.lang.Exception': 'java.lang.Throwable',
  'java.lang.Error': 'java.lang.Throwable',
  'java.lang.RuntimeException': 'java.lang.Exception',
  'java.lang.AssertionError': 'java.lang.Error',
  'java.lang.StackOverflowError': 'java.lang.Error',
  'java.lang.OutOfMemoryError': 'java.lang.Error',
  'java.lang.LinkageError': 'java.lang.Error',
  'java.lang.NoClassDefFoundError': 'java.lang.LinkageError',
  'java.lang.ExceptionInInitializerError': 'java.lang.LinkageError',
  'org.codehaus.groovy.runtime.powerassert.PowerAssertionError': 'java.lang.AssertionError',
  'java.lang.ArithmeticException': 'java.lang.RuntimeException',
  'java.lang.ArrayStoreException': 'java.lang.RuntimeException',
  'java.lang.ClassCastException': 'java.lang.RuntimeException',
  'org.codehaus.groovy.runtime.typehandling.GroovyCastException': 'java.lang.ClassCastException',
  'java.lang.IllegalArgumentException': 'java.lang.RuntimeException',
  'java.lang.NumberFormatException': 'java.lang.IllegalArgumentException',
  'java.lang.IllegalStateException': 'java.lang.RuntimeException',
  'java.lang.IllegalMonitorStateException': 'java.lang.RuntimeException',
  'java.lang.IndexOutOfBoundsException': 'java.lang.RuntimeException',
  'java.lang.ArrayIndexOutOfBoundsException': 'java.lang.IndexOutOfBoundsException',
  'java.lang.StringIndexOutOfBoundsException': 'java.lang.IndexOutOfBoundsException',
  'java.lang.NegativeArraySizeException': 'java.lang.RuntimeException',
  'java.lang.NullPointerException': 'java.lang.RuntimeException',
  'java.lang.SecurityException': 'java.lang.RuntimeException',
  'java.lang.UnsupportedOperationException': 'java.lang.RuntimeException',
  'java.lang.ReflectiveOperationException': 'java.lang.Exception',
  'java.lang.ClassNotFoundException': 'java.lang.ReflectiveOperationException',
  'java.lang.InstantiationException': 'java.lang.ReflectiveOperationException',
  'java.lang.NoSuchFieldException': 'java.lang.ReflectiveOperationException',
  'java.lang.NoSuchMethodException': 'java.lang.ReflectiveOperationException',
  'java.lang.CloneNotSupportedException': 'java.lang.Exception',
  'java.lang.InterruptedException': 'java.lang.Exception',
  'java.util.ConcurrentModificationException': 'java.lang.RuntimeException',
  'java.util.EmptyStackException': 'java.lang.RuntimeException',
  'java.util.NoSuchElementException': 'java.lang.RuntimeException',
  'java.util.InputMismatchException': 'java.util.NoSuchElementException',
  'java.util.IllegalFormatException': 'java.lang.IllegalArgumentException',
  'java.util.MissingResourceException': 'java.lang.RuntimeException',
  'java.util.concurrent.ExecutionException': 'java.lang.Exception',
  'java.util.concurrent.TimeoutException': 'java.lang.Exception',
  'java.util.concurrent.CancellationException': 'java.lang.IllegalStateException',
  'java.io.IOException': 'java.lang.Exception',
  'java.io.EOFException': 'java.io.IOException',
  'java.io.FileNotFoundException': 'java.io.IOException',
  'java.io.UncheckedIOException': 'java.lang.RuntimeException',
  'java.io.UnsupportedEncodingException': 'java.io.IOException',
  'java.net.MalformedURLException': 'java.io.IOException',
  'java.net.URISyntaxException': 'java.lang.Exception',
  'java.net.UnknownHostException': 'java.io.IOException',
  'java.net.SocketException': 'java.io.IOException',
  'java.net.ConnectException': 'java.net.SocketException',
  'java.net.SocketTimeoutException': 'java.io.IOException',
  'java.text.ParseException': 'java.lang.Exception',
  'java.time.DateTimeException': 'java.lang.RuntimeException',
  'java.time.format.DateTimeParseException': 'java.time.DateTimeException',
  'java.time.temporal.UnsupportedTemporalTypeException': 'java.time.DateTimeException',
  'java.security.GeneralSecurityException': 'java.lang.Exception',
  'java.security.NoSuchAlgorithmException': 'java.security.GeneralSecurityException',
  'java.security.InvalidKeyException': 'java.security.GeneralSecurityException',
  'java.util.regex.PatternSyntaxException': 'java.lang.IllegalArgumentException',
  'groovy.lang.GroovyRuntimeException': 'java.lang.RuntimeException',
  'groovy.lang.MissingMethodException': 'groovy.lang.GroovyRuntimeException',
  'groovy.lang.MissingPropertyException': 'groovy.lang.GroovyRuntimeException',
  'groovy.lang.ReadOnlyPropertyException': 'groovy.lang.MissingPropertyException',
  'org.codehaus.groovy.control.CompilationFailedException': 'groovy.lang.GroovyRuntimeException',
  'org.codehaus.groovy.control.MultipleCompilationErrorsException':
    'org.codehaus.groovy.control.CompilationFailedException',
  'groovy.lang.MissingFieldException': 'groovy.lang.GroovyRuntimeException',
  'groovy.json.JsonException': 'groovy.lang.GroovyRuntimeException',
  'org.codehaus.groovy.runtime.metaclass.MethodSelectionException': 'groovy.lang.GroovyRuntimeException',
  'java.lang.IncompatibleClassChangeError': 'java.lang.LinkageError',
  'java.lang.invoke.WrongMethodTypeException': 'java.lang.RuntimeException',
};

/** Exceptions that take a message and no cause. */
const WITHOUT_CAUSE: readonly string[] = [
  'java.lang.ArithmeticException',
  'java.lang.ArrayStoreException',
  'java.lang.ClassCastException',
  'java.lang.CloneNotSupportedException',
  'java.lang.IllegalMonitorStateException',
  'java.lang.InstantiationException',
  'java.lang.InterruptedException',
  'java.lang.NegativeArraySizeException',
  'java.lang.NoSuchFieldException',
  'java.lang.NoSuchMethodException',
  'java.lang.NullPointerException',
  'java.lang.NumberFormatException',
  'java.lang.OutOfMemoryError',
  'java.lang.StackOverflowError',
  'java.io.EOFException',
  'java.io.FileNotFoundException',
  'java.io.UnsupportedEncodingException',
  'java.net.ConnectException',
  'java.net.MalformedURLException',
  'java.net.SocketException',
  'java.net.SocketTimeoutException',
  'java.net.UnknownHostException',
  'java.util.InputMismatchException',
  'java.util.concurrent.CancellationException',
  'java.util.concurrent.TimeoutException',
];

function made(self: Value, message: Value, cause: Value = null): Throwable {
  return new Throwable(self as JavaClass, message as string | null, cause);
}

function describe(rt: Runtime, self: Throwable): string {
  const message =
    self.javaClass.declared === null ? self.readMessage() : rt.now(rt.call(self, 'getLocalizedMessage', []));
  const extra = self.javaClass.name === 'groovy.lang.MissingMethodException' ? (message ?? '') : message;
  return extra === null ? self.javaClass.name : `${self.javaClass.name}: ${rt.text(extra)}`;
}

/** The exception that the language itself would throw. */
function missing(fail: () => never): Throwable {
  try {
    return fail();
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    return error.throwable;
  }
}

const throwable: ClassSpec = {
  name: 'java.lang.Throwable',
  constructors: {
    '()': (_rt, self: Value) => made(self, null),
    '(String)': (_rt, self: Value, [message]: [Value]) => made(self, message),
    '(String, Throwable)': (_rt, self: Value, [message, cause]: [Value, Value]) => made(self, message, cause),
    '(Throwable)': (rt, self: Value, [cause]: [Value]) => made(self, cause === null ? null : rt.text(cause), cause),
    '(String, Throwable, boolean, boolean)': (_rt, self: Value, [message, cause]: [Value, Value]) =>
      made(self, message, cause),
  },
  methods: {
    'getMessage()': (_rt, self: Throwable) => self.readMessage(),
    'getLocalizedMessage()': (rt, self: Throwable) =>
      self.javaClass.declared === null ? self.readMessage() : rt.call(self, 'getMessage', []),
    'getCause()': (_rt, self: Throwable) => self.cause,
    'initCause(Throwable)': (_rt, self: Throwable, [cause]: [Value]) => {
      self.cause = cause;
      return self;
    },
    'toString()': (rt, self: Throwable) => describe(rt, self),
    'getSuppressed()': (_rt, self: Throwable) => new ArrayValue(THROWABLE, [...self.suppressed]),
    'addSuppressed(Throwable)': (_rt, self: Throwable, [other]: [Value]) => void self.suppressed.push(other),
    'getStackTrace()': (rt) => {
      const type = rt.class('java.lang.StackTraceElement');
      return new ArrayValue(type, [{ javaClass: type, text: () => 'Script1.run(Script1.groovy)' }]);
    },
    'setStackTrace(Object[])': () => null,
    'fillInStackTrace()': (_rt, self: Throwable) => self,
    'printStackTrace()': () => null,
  },
};

export const throwableClasses: readonly ClassSpec[] = [
  { name: 'java.lang.StackTraceElement' },
  ...Object.entries(CLASSES).map(
    ([name, superclass]): ClassSpec => (superclass === '' ? throwable : { name, superclass }),
  ),
  {
    name: 'java.lang.AssertionError',
    constructors: {
      '()': (_rt, self: Value) => made(self, null),
      '(Object)': (rt, self: Value, [detail]: [Value]) =>
        made(self, rt.text(detail), detail instanceof Throwable ? detail : null),
      '(String, Throwable)': (_rt, self: Value, [message, cause]: [Value, Value]) => made(self, message, cause),
    },
  },
  ...WITHOUT_CAUSE.map(
    (name): ClassSpec => ({
      name,
      constructors: {
        '()': (_rt, self: Value) => made(self, null),
        '(String)': (_rt, self: Value, [message]: [Value]) => made(self, message),
      },
    }),
  ),
  { name: 'java.util.EmptyStackException', constructors: { '()': (_rt, self: Value) => made(self, null) } },
  ...[
    ['java.util.concurrent.ExecutionException', 'Throwable'],
    ['java.io.UncheckedIOException', 'java.io.IOException'],
  ].map(
    ([name, cause]): ClassSpec => ({
      name: name!,
      constructors: {
        [`(String, ${cause})`]: (_rt: Runtime, self: Value, [message, reason]: [Value, Value]) =>
          made(self, message, reason),
        [`(${cause})`]: (rt: Runtime, self: Value, [reason]: [Value]) =>
          made(self, reason === null ? null : rt.text(reason), reason),
      },
    }),
  ),
  {
    name: 'java.time.DateTimeException',
    constructors: {
      '(String)': (_rt, self: Value, [message]: [Value]) => made(self, message),
      '(String, Throwable)': (_rt, self: Value, [message, cause]: [Value, Value]) => made(self, message, cause),
    },
  },
  {
    name: 'java.util.MissingResourceException',
    constructors: { '(String, String, String)': (_rt, self: Value, [message]: [Value]) => made(self, message) },
  },
  ...[
    ['java.lang.IndexOutOfBoundsException', 'Index'],
    ['java.lang.ArrayIndexOutOfBoundsException', 'Array index'],
    ['java.lang.StringIndexOutOfBoundsException', 'String index'],
  ].map(
    ([name, what]): ClassSpec => ({
      name: name!,
      constructors: {
        '()': (_rt, self: Value) => made(self, null),
        '(String)': (_rt, self: Value, [message]: [Value]) => made(self, message),
        '(int)': (_rt, self: Value, [index]: [number]) => made(self, `${what} out of range: ${index}`),
      },
    }),
  ),
  {
    name: 'java.net.URISyntaxException',
    constructors: {
      '(String)': (_rt, self: Value, [message]: [string]) => made(self, message),
      '(String, String)': (rt, self: Value, [input, reason]: [string, string]) =>
        made(self, `${reason}: ${rt.text(input)}`),
    },
  },
  {
    name: 'groovy.lang.MissingPropertyException',
    superclass: 'groovy.lang.GroovyRuntimeException',
    constructors: {
      '(String)': (_rt, self: Value, [message]: [string]) => made(self, message),
      '(String, Class)': (rt, _self: Value, [name, type]: [string, JavaClass]) =>
        missing(() => missingProperty(rt, type, name)),
    },
  },
  {
    name: 'groovy.lang.MissingMethodException',
    superclass: 'groovy.lang.GroovyRuntimeException',
    constructors: {
      '(String, Class, Object[])': (rt, _self: Value, [name, type, args]: [string, JavaClass, ArrayValue]) =>
        missing(() => missingMethod(rt, type, name, args.items)),
    },
  },
  {
    name: 'java.text.ParseException',
    constructors: { '(String, int)': (_rt, self: Value, [message]: [string]) => made(self, message) },
  },
];
