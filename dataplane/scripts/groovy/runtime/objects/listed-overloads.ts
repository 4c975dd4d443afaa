/** Overloads of common methods of Java that all have parameters, as messages list them. */
const OVERLOADS: Readonly<Record<string, readonly string[]>> = {
  'java.lang.String#substring': [
    'public java.lang.String java.lang.String#substring(int)',
    'public java.lang.String java.lang.String#substring(int, int)',
  ],
  'java.lang.String#indexOf': [
    'public int java.lang.String#indexOf(int)',
    'public int java.lang.String#indexOf(java.lang.String)',
    'public int java.lang.String#indexOf(int, int)',
    'public int java.lang.String#indexOf(java.lang.String, int)',
  ],
  'java.lang.String#replace': [
    'public java.lang.String java.lang.String#replace(char, char)',
    'public java.lang.String java.lang.String#replace(java.lang.CharSequence, java.lang.CharSequence)',
    'public java.lang.String java.lang.CharSequence#replace(java.util.Map)',
    'public java.lang.String java.lang.CharSequence#replace(int, java.util.Map)',
  ],
  'java.lang.String#startsWith': [
    'public boolean java.lang.String#startsWith(java.lang.String)',
    'public boolean java.lang.String#startsWith(java.lang.String, int)',
  ],
  'java.util.List#add': [
    'public abstract boolean java.util.List#add(java.lang.Object)',
    'public abstract void java.util.List#add(int, java.lang.Object)',
  ],
  'java.util.List#remove': [
    'public abstract boolean java.util.List#remove(java.lang.Object)',
    'public abstract java.lang.Object java.util.List#remove(int)',
  ],
  'java.util.Map#get': [
    'public abstract java.lang.Object java.util.Map#get(java.lang.Object)',
    'public java.lang.Object java.util.Map#get(java.lang.Object, java.lang.Object)',
  ],
  'java.lang.Number#plus': [
    'public java.lang.Number java.lang.Number#plus(java.lang.Character)',
    'public java.lang.String java.lang.Number#plus(java.lang.String)',
    'public java.lang.Number java.lang.Number#plus(java.lang.Number)',
  ],
  'java.lang.Math#abs': [
    'public static double java.lang.Math#abs(double)',
    'public static float java.lang.Math#abs(float)',
    'public static int java.lang.Math#abs(int)',
    'public static long java.lang.Math#abs(long)',
  ],
  'java.lang.Math#max': [
    'public static double java.lang.Math#max(double, double)',
    'public static float java.lang.Math#max(float, float)',
    'public static int java.lang.Math#max(int, int)',
    'public static long java.lang.Math#max(long, long)',
  ],
  'java.lang.Integer#parseInt': [
    'public static int java.lang.Integer#parseInt(java.lang.String)',
    'public static int java.lang.Integer#parseInt(java.lang.String, int)',
    'public static int java.lang.Integer#parseInt(java.lang.CharSequence, int, int, int)',
  ],
  'java.lang.Integer#valueOf': [
    'public static java.lang.Integer java.lang.Integer#valueOf(int)',
    'public static java.lang.Integer java.lang.Integer#valueOf(java.lang.String)',
    'public static java.lang.Integer java.lang.Integer#valueOf(java.lang.String, int)',
  ],
  'java.lang.String#format': [
    'public static transient java.lang.String java.lang.String#format(java.lang.String, [Ljava.lang.Object;)',
    'public static transient java.lang.String java.lang.String#format(java.util.Locale, java.lang.String, [Ljava.lang.Object;)',
  ],
};

/** Methods with one overload that takes an object: a call without arguments passes null. */
const SINGLE: ReadonlySet<string> = new Set([
  'java.lang.String#contains',
  'java.lang.String#concat',
  'java.lang.String#equals',
  'java.lang.String#equalsIgnoreCase',
  'java.lang.String#endsWith',
  'java.util.List#contains',
  'java.util.Map#containsKey',
  'java.util.Map#containsValue',
]);

interface Named {
  readonly name: string;
}

/** The overloads of a method of the library that a call without arguments cannot choose from; null if they are not known. */
export function listedOverloads(types: Iterable<Named>, method: string): readonly string[] | null {
  for (const { name } of types) {
    const found = OVERLOADS[`${name}#${method}`];
    if (found !== undefined) return found;
  }
  return null;
}

export function passesNull(types: Iterable<Named>, method: string): boolean {
  for (const { name } of types) if (SINGLE.has(`${name}#${method}`)) return true;
  return false;
}
