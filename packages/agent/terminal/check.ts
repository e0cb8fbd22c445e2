/** One line of `doctor`. */
export interface Check {
  name: string;
  level: Level;
  /** What was found. */
  message: string;
  /** What to do; null: nothing. */
  remedy: string | null;
}

export type Level = 'OK' | 'WARN' | 'FAIL';

export const ok = (name: string, message: string): Check => ({
  name,
  level: 'OK',
  message,
  remedy: null,
});

export const warn = (name: string, message: string, remedy: string): Check => ({
  name,
  level: 'WARN',
  message,
  remedy,
});

export const fail = (name: string, message: string, remedy: string | null = null): Check => ({
  name,
  level: 'FAIL',
  message,
  remedy,
});
