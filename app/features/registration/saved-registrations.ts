/**
 * The registrations that this browser has seen: their links are kept here, so that nobody who closes the
 * page loses one. In localStorage and nowhere else; they are never sent anywhere.
 */
export interface OwnRegistration {
  id: string;
  name: string;
}

const KEY = 'registrations';
/** The newest are kept. */
const MAX = 10;

/** The last one seen comes first. Empty where the browser keeps nothing. */
export function ownRegistrations(): OwnRegistration[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isOwn).slice(0, MAX) : [];
  } catch {
    return [];
  }
}

export function rememberRegistration({ id, name }: OwnRegistration): void {
  keep([{ id, name }, ...ownRegistrations().filter((one) => one.id !== id)].slice(0, MAX));
}

/** @returns those that are left */
export function forgetRegistration(id: string): OwnRegistration[] {
  keep(ownRegistrations().filter((one) => one.id !== id));
  return ownRegistrations();
}

function keep(registrations: OwnRegistration[]): void {
  try {
    if (registrations.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(registrations));
  } catch {
    // Then the link is in the address alone.
  }
}

const isOwn = (one: unknown): one is OwnRegistration =>
  typeof one === 'object' &&
  one !== null &&
  'id' in one &&
  'name' in one &&
  typeof one.id === 'string' &&
  /^reg_[\w-]+$/.test(one.id) &&
  typeof one.name === 'string';
