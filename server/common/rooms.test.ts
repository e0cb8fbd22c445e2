import { expect, test, vi } from 'vitest';
import { createSignal } from './rooms.ts';

test('every listener hears every value from then on, in order', () => {
  const signal = createSignal<number>({ error: vi.fn() });
  const heard: string[] = [];
  signal.emit(1);
  signal.on((value) => heard.push(`a${value}`));
  signal.emit(2);
  signal.on((value) => heard.push(`b${value}`));
  signal.emit(3);
  expect(heard).toEqual(['a2', 'a3', 'b3']);
});

test('a listener that throws is logged, and stops nobody', () => {
  const error = vi.fn();
  const signal = createSignal<number>({ error });
  const heard: number[] = [];
  const failure = new Error('listener');
  signal.on(() => {
    throw failure;
  });
  signal.on((value) => heard.push(value));
  signal.emit(1);
  expect(heard).toEqual([1]);
  expect(error).toHaveBeenCalledExactlyOnceWith({ err: failure }, expect.any(String));
});
