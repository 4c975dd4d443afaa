import { Closure } from '../../values/closure.ts';
import { GMap } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { JsonNode } from './json-node.ts';

const BUILDER = 'org.forgerock.json.jose.jwt.JwtValidator$Builder';
const CONSTRAINT = 'org.forgerock.json.jose.jwt.JwtConstraint';

/** Collects violations of the constraints that a script adds, for the claims of one JWT. */
export class JwtBuilderValue implements Obj {
  readonly javaClass: JavaClass;
  readonly claims: GMap;
  readonly violations: string[];

  constructor(rt: Runtime, claims: GMap, violations: string[]) {
    this.javaClass = rt.class(BUILDER);
    this.claims = claims;
    this.violations = violations;
  }

  /** A claim by its name, or a claim within others by a path: `address/country`. */
  claim(rt: Runtime, path: string): JsonNode {
    let value: Value = this.claims.get(path) ?? null;
    if (value !== null || !path.includes('/')) return new JsonNode(rt, value, `/${path}`);
    value = this.claims;
    for (const name of path.split('/').filter((part) => part !== ''))
      value = value instanceof GMap ? (value.get(name) ?? null) : null;
    return new JsonNode(rt, value, `/${path}`);
  }
}

/** A condition for the value of a claim. */
class ConstraintValue implements Obj {
  readonly javaClass: JavaClass;
  readonly words: string;
  readonly test: (value: Value) => boolean | Steps<boolean>;

  constructor(rt: Runtime, words: string, test: (value: Value) => boolean | Steps<boolean>) {
    this.javaClass = rt.class(CONSTRAINT);
    this.words = words;
    this.test = test;
  }
}

type Test = (rt: Runtime, value: Value, wanted: Value) => boolean | Steps<boolean>;

/** Constraints by their names, which scripts need not import. */
const CONSTRAINTS: Readonly<Record<string, readonly [words: string, test: Test]>> = {
  isEqualTo: ['has another value', (rt, value, wanted) => rt.equals(value, wanted)],
  isNotEqualTo: ['has a value that is not allowed', (rt, value, wanted) => !rt.equals(value, wanted)],
  isGreaterThan: ['is too small', (rt, value, wanted) => rt.compare(value, wanted) > 0],
  isGreaterThanOrEqualTo: ['is too small', (rt, value, wanted) => rt.compare(value, wanted) >= 0],
  isLessThan: ['is too large', (rt, value, wanted) => rt.compare(value, wanted) < 0],
  isLessThanOrEqualTo: ['is too large', (rt, value, wanted) => rt.compare(value, wanted) <= 0],
  isIn: ['has a value that is not allowed', (rt, value, wanted) => rt.isCase(wanted, value)],
  contains: ['lacks a value', (rt, value, wanted) => rt.isCase(value, wanted)],
  find: ['does not match', found],
};

function* found(rt: Runtime, value: Value, pattern: Value): Steps<boolean> {
  const matcher = yield* rt.call(pattern, 'matcher', [rt.text(value)]);
  return rt.truth(yield* rt.call(matcher, 'find', []));
}

/** The builder, and functions that a script calls without an object: constraints, and `claim` for another claim. */
export const JWT_VARIABLES: readonly string[] = ['builder', 'claim', ...Object.keys(CONSTRAINTS)];

export function jwtVariable(rt: Runtime, builder: JwtBuilderValue, name: string): Value {
  if (name === 'builder') return builder;
  return new Closure(rt, (_closure, args) => rt.call(builder, name, args), null, null);
}

/** Checks one claim. A claim that is missing, or that cannot be read so, does not pass. */
function* checked(
  rt: Runtime,
  self: JwtBuilderValue,
  path: string,
  read: Value,
  constraint: Value,
): Steps<JwtBuilderValue> {
  const claim = self.claim(rt, path);
  if (claim.object === null) {
    self.violations.push(`the claim '${path}' is missing`);
    return self;
  }
  const value = yield* rt.invoke(read, [claim]);
  if (!(constraint instanceof ConstraintValue))
    return rt.fail('java.lang.IllegalArgumentException', 'the third argument of claim must be a constraint');
  const result = constraint.test(value);
  if (!(typeof result === 'boolean' ? result : yield* result))
    self.violations.push(`the claim '${path}' ${constraint.words}`);
  return self;
}

export const jwtValidatorClasses: readonly ClassSpec[] = [
  { name: CONSTRAINT },
  {
    name: BUILDER,
    methods: {
      ...Object.fromEntries(
        Object.entries(CONSTRAINTS).map(([name, [words, test]]): [string, LibraryFunction] => [
          `${name}(Object)`,
          (rt: Runtime, _self: Value, [wanted]: [Value]) =>
            new ConstraintValue(rt, words, (value) => test(rt, value, wanted)),
        ]),
      ),
      'claim(String)': (rt, self: JwtBuilderValue, [path]: [string]) => self.claim(rt, path),
      'claim(String, Object, Object)': (rt, self: JwtBuilderValue, [path, read, constraint]: [string, Value, Value]) =>
        checked(rt, self, path, read, constraint),
      'claim(org.forgerock.json.JsonPointer, Object, Object)': (
        rt,
        self: JwtBuilderValue,
        [pointer, read, constraint]: [Value, Value, Value],
      ) => checked(rt, self, rt.text(pointer).replace(/^\//, ''), read, constraint),
    },
  },
];
