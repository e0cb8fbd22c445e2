import type { RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import { useMemo, useSyncExternalStore } from 'react';
import { readTab, writeTab } from './tab-storage.ts';
import { unsaved } from './unsaved-registrations.client.ts';

/**
 * The registrations that this browser has seen. Their links are kept in localStorage, so that closing a page
 * doesn't lose one. They are sent nowhere, but for the id of one that has ended to the service that made it, when
 * the next one is started in its place.
 */
export interface SavedRegistration {
  id: string;
  name: string;
  /** Its node; unknown if an earlier version saved it, until its page is opened again. */
  nodeId?: string;
  /** Whether it had ended when its page was last open: the name may be somebody else's by now. */
  ended?: boolean;
  /** How it was when its page was last open, for lists that must not ask the service: the ids are secret. */
  status?: RegistrationStatus;
  /** ISO 8601: until when an unpaid name is reserved. */
  expiresAt?: string;
  /** Its payment note, by which the wizard finds it when another one is started in its place. */
  note?: string;
  /** Whether a reviewer waited for an answer. */
  asked?: boolean;
  /** What its operator did with the link besides. */
  kept?: LinkKept;
  /** Whether the payment was opened in Cash App from here. */
  opened?: boolean;
}

/** How somebody can save a link. */
export type LinkKept = 'copied' | 'saved as a file' | 'shared';

const KEY = 'registrations';
/** At most this many are kept; older ones are dropped. */
const MAX = 10;

/** Newest first. Empty where the browser stores nothing. */
export const savedRegistrations = (): SavedRegistration[] => parse(read());

/** What is stored, as text: equal texts mean equal lists, which useSyncExternalStore compares. */
export function read(): string {
  try {
    return unsaved.text ?? localStorage.getItem(KEY) ?? '[]';
  } catch {
    return unsaved.text ?? '[]';
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

/** Puts it first, with what is known of it already. */
export function saveRegistration(saved: SavedRegistration): void {
  const { id } = saved;
  const known = savedRegistrations();
  const before = known.find((other) => other.id === id);
  write([{ ...before, ...saved }, ...known.filter((other) => other.id !== id)].slice(0, MAX));
}

/** As {@link saveRegistration}, whenever its page is open; not once its operator had this browser forget it. */
export function saveOpened(saved: SavedRegistration): void {
  if (readTab(forgotten(saved.id)) === null) saveRegistration(saved);
}

export function forgetRegistration(id: string): void {
  writeTab(forgotten(id), 'yes');
  write(savedRegistrations().filter((saved) => saved.id !== id));
}

/** Takes {@link forgetRegistration} back. */
export function saveAgain(saved: SavedRegistration): void {
  writeTab(forgotten(saved.id), null);
  saveRegistration(saved);
}

const forgotten = (id: string) => `forgotten ${id}`;

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
  const text = JSON.stringify(registrations);
  try {
    if (registrations.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, text);
    unsaved.text = null;
  } catch {
    // The link is in the address bar, and nowhere else: the page says so.
    unsaved.text = text;
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

/** Whether this browser has a registration; `refused` where it stores nothing, `unknown` until its page has been seen. */
export type SavedPlace = 'unknown' | 'stored' | 'forgotten' | 'refused';

/** What this browser knows of a registration. */
export function useSavedRegistration(id: string): {
  saved: SavedRegistration | undefined;
  place: SavedPlace;
} {
  const saved = useSavedRegistrations().find((other) => other.id === id);
  const place = useSyncExternalStore(
    onChange,
    () => placeOf(id, saved),
    () => 'unknown' as const,
  );
  return { saved, place };
}

function placeOf(id: string, saved: SavedRegistration | undefined): SavedPlace {
  if (saved) return unsaved.text === null ? 'stored' : 'refused';
  return readTab(forgotten(id)) === null ? 'unknown' : 'forgotten';
}
