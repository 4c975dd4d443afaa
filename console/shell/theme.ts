/** Colours that somebody chose; the machine decides by default. */
export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'gatewarden.theme';

/** Returns the theme that was chosen in this browser. */
export function chosenTheme(): Theme {
  const kept = window.localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

/** Shows a theme and keeps it in this browser. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') window.localStorage.removeItem(KEY);
  else window.localStorage.setItem(KEY, theme);
  showTheme(theme);
}

/** Shows a theme. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
