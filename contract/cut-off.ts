/** A text that is no longer than this; what is cut off is three dots. */
export function cutOff(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
