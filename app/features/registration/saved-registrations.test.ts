import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  forgetRegistration,
  onChange,
  parse,
  read,
  savedRegistrations,
  saveRegistration,
} from './saved-registrations.ts';

/** A browser's storage and window, as far as they are used. */
let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  vi.stubGlobal('window', new EventTarget());
});
afterEach(() => vi.unstubAllGlobals());

const names = () => savedRegistrations().map(({ name }) => name);

describe('a browser remembers registrations', () => {
  test('the newest first, each once, with what was last known of it', () => {
    saveRegistration({ id: 'reg_1', name: 'shed', nodeId: 'node_a' });
    saveRegistration({ id: 'reg_2', name: 'attic', nodeId: 'node_a' });
    saveRegistration({ id: 'reg_1', name: 'shed', nodeId: 'node_a', ended: true });
    expect(savedRegistrations()).toEqual([
      { id: 'reg_1', name: 'shed', nodeId: 'node_a', ended: true },
      { id: 'reg_2', name: 'attic', nodeId: 'node_a' },
    ]);
  });

  test('the last ten', () => {
    for (let n = 1; n <= 11; n++) saveRegistration({ id: `reg_${n}`, name: `name-${n}` });
    expect(JSON.parse(read())).toHaveLength(10);
    expect(names().at(0)).toBe('name-11');
    expect(names().at(-1)).toBe('name-2');
  });

  test('until they are forgotten, and then nothing is stored', () => {
    saveRegistration({ id: 'reg_1', name: 'shed' });
    saveRegistration({ id: 'reg_2', name: 'attic' });
    forgetRegistration('reg_1');
    expect(names()).toEqual(['attic']);
    forgetRegistration('reg_2');
    expect(names()).toEqual([]);
    expect(stored.size).toBe(0);
  });
});

test.each([
  ['no JSON', '{'],
  ['no list', '{"id":"reg_1","name":"shed"}'],
  ['null', 'null'],
])('what is stored is ignored if it is %s', (_, text) => expect(parse(text)).toEqual([]));

test('of what is stored, only registrations are read, and ten at most', () => {
  const good = { id: 'reg_1', name: 'shed' };
  const bad = [
    null,
    'reg_1',
    {},
    { id: 'reg_1' },
    { id: '/../admin', name: 'shed' },
    { id: 'reg_1/x', name: 'shed' },
    { id: 1, name: 'shed' },
    { id: 'reg_1', name: 1 },
    { ...good, nodeId: 1 },
  ];
  expect(parse(JSON.stringify([...bad, good]))).toEqual([good]);
  expect(parse(JSON.stringify(Array(20).fill(good)))).toHaveLength(10);
});

test('every part of the page hears of a change, of this tab and of others, until it unsubscribes', () => {
  const heard = vi.fn();
  const unsubscribe = onChange(heard);
  saveRegistration({ id: 'reg_1', name: 'shed' });
  forgetRegistration('reg_1');
  window.dispatchEvent(new Event('storage'));
  expect(heard).toHaveBeenCalledTimes(3);
  unsubscribe();
  saveRegistration({ id: 'reg_1', name: 'shed' });
  window.dispatchEvent(new Event('storage'));
  expect(heard).toHaveBeenCalledTimes(3);
});

test('a browser that stores nothing shows none, and the page still works', () => {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  saveRegistration({ id: 'reg_1', name: 'shed' });
  forgetRegistration('reg_1');
  expect(read()).toBe('[]');
  expect(names()).toEqual([]);
});
