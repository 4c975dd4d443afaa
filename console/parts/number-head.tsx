import type { ComponentChildren, JSX } from 'preact';

/** Head of a column of numbers. */
export function NumberHead({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <th scope="col" class="number">
      {children}
    </th>
  );
}
