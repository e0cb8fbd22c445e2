/**
 * Light or dark: the system's setting, or the visitor's choice, which only the browser stores.
 */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';
/** Dispatched when the theme changes, for code that draws with the page's colours. */
export const THEME_CHANGE = 'themechange';

/**
 * Runs in the head, before the first paint. In a browser that blocks storage (as private modes may), the system
 * decides.
 */
export const THEME_SCRIPT = `try{var t=localStorage.getItem('${KEY}');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch{}`;

export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // The choice then lasts for this page only.
  }
  window.dispatchEvent(new Event(THEME_CHANGE));
}

export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', listener);
  window.addEventListener(THEME_CHANGE, listener);
  return () => {
    system.removeEventListener('change', listener);
    window.removeEventListener(THEME_CHANGE, listener);
  };
}
