import { useMemo, useSyncExternalStore } from 'react';

/**
 * The registrations that this browser has seen. Their links are kept in localStorage, so that closing a page
 * doesn't lose one; they are never sent anywhere.
 */
export interface SavedRegistration {
  id: string;
  name: string;
  /** Its node; unknown if an earlier version saved it, until its page is opened again. */
  nodeId?: string;
  /** Whether it had ended when its page was last open: the name may be somebody else's by now. */
  ended?: boolean;
}

const KEY = 'registrations';
/** At most this many are kept; older ones are dropped. */
const MAX = 10;

/** Newest first. Empty where the browser stores nothing. */
export const savedRegistrations = (): SavedRegistration[] => parse(read());

/** What is stored, as text: equal texts mean equal lists, which useSyncExternalStore compares. */
export function read(): string {
  try {
    return localStorage.getItem(KEY) ?? '[]';
  } catch {
    return '[]';
  }
}

export function parse(stored: string): SavedRegistration[] {
  try {
    const list: unknown = JSON.parse(stored);
    return Array.isArray(list) ? list.filter(isSaved).slice(0, MAX) : [];
  } catch {
    return [];
  }
}

export function saveRegistration(saved: SavedRegistration): void {
  const { id } = saved;
  write([saved, ...savedRegistrations().filter((other) => other.id !== id)].slice(0, MAX));
}

export function forgetRegistration(id: string): void {
  write(savedRegistrations().filter((saved) => saved.id !== id));
}

/** Dispatched on the window: the browser's own `storage` event tells only other tabs. */
const CHANGE = 'savedregistrations';

/** Calls `listener` when the list changes, in this tab or another one. @returns a function that unsubscribes */
export function onChange(listener: () => void): () => void {
  window.addEventListener(CHANGE, listener);
  window.addEventListener('storage', listener);
  return () => {
    window.removeEventListener(CHANGE, listener);
    window.removeEventListener('storage', listener);
  };
}

function write(registrations: SavedRegistration[]): void {
  try {
    if (registrations.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(registrations));
  } catch {
    // The link is in the address bar, and nowhere else.
  }
  window.dispatchEvent(new Event(CHANGE));
}

const isSaved = (value: unknown): value is SavedRegistration =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'name' in value &&
  typeof value.id === 'string' &&
  /^reg_[\w-]+$/.test(value.id) &&
  typeof value.name === 'string' &&
  (!('nodeId' in value) || typeof value.nodeId === 'string');

/** The registrations saved in this browser, newest first; none while the server renders. */
export function useSavedRegistrations(): SavedRegistration[] {
  const stored = useSyncExternalStore(onChange, read, () => '[]');
  return useMemo(() => parse(stored), [stored]);
}
