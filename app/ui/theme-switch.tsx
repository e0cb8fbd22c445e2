import { useSyncExternalStore } from 'react';
import button from './button.module.css';
import styles from './theme-switch.module.css';
import { currentTheme, onThemeChange, setTheme, THEMES, type Theme } from '#app/lib/theme.ts';

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

/**
 * One button that cycles through the system's theme, light and dark.
 * @param withWords in a menu its words stand beside the sign
 */
export function ThemeSwitch({ withWords = false }: { withWords?: boolean }) {
  const theme = useSyncExternalStore(onThemeChange, currentTheme, () => THEMES[0]);
  const label = `Theme: ${theme}. Change to ${NEXT[theme]}.`;
  return (
    <button
      type="button"
      className={`${withWords ? styles.item : button.icon} needs-scripts`}
      aria-label={label}
      title={label}
      onClick={() => setTheme(NEXT[theme])}
    >
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden>
        {theme === 'system' && (
          <>
            <circle cx="10" cy="10" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.6" />
            <path d="M10 3.8a6.2 6.2 0 0 1 0 12.4Z" fill="currentColor" />
          </>
        )}
        {theme === 'light' && (
          <g stroke="currentColor" strokeWidth="1.6" strokeLinecap="round">
            <circle cx="10" cy="10" r="3.4" fill="none" />
            <path d="M10 2v1.8M10 16.2V18M2 10h1.8M16.2 10H18M4.3 4.3l1.3 1.3M14.4 14.4l1.3 1.3M15.7 4.3l-1.3 1.3M5.6 14.4l-1.3 1.3" />
          </g>
        )}
        {theme === 'dark' && (
          <path
            d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.6"
            strokeLinejoin="round"
          />
        )}
      </svg>
      {withWords && `Theme: ${theme}`}
    </button>
  );
}
