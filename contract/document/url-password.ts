const URL_PASSWORD = /(:\/\/[^\s/?#"'@:]*:)([^\s/?#"']+)(?=@)/g;

/** A text with stars for the passwords of the URLs in it. */
export function hideUrlPasswords(text: string): string {
  return text.replace(URL_PASSWORD, (_, before: string, password: string) => before + password.replace(/./gu, '*'));
}
