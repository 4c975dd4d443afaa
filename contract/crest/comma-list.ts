/** Splits a list at its commas. Empty items at the end do not count, and an empty text is one empty item. */
export function commaList(text: string): string[] {
  if (text === '') return [''];
  const items = text.split(',');
  while (items.at(-1) === '') items.pop();
  return items;
}
