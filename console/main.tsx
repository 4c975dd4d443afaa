import { render } from 'preact';
import { Console } from './shell/console.tsx';
import { chosenTheme, showTheme } from './shell/theme.ts';

showTheme(chosenTheme());
render(<Console />, document.getElementById('console')!);
