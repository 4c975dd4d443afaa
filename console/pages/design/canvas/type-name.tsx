import type { JSX } from 'preact';

/** The name of a type, which may be broken between its words only. */
export function TypeName({ name }: { readonly name: string }): JSX.Element {
  const words = name.split(/(?<=[a-z\d])(?=[A-Z])/);
  return (
    <>
      {words.map((word, at) => (
        <>
          {at === 0 ? null : <wbr />}
          {word}
        </>
      ))}
    </>
  );
}
