import type { Logger } from 'pino';

/** Tells rooms above what has happened. What must be in the same transaction is never a signal, but a call downwards. */
export interface Signal<T> {
  /** Calls `listener` with each value from now on. */
  on: (listener: (value: T) => void) => void;
  emit: (value: T) => void;
}

/** @param log is told of a listener that throws; that stops neither the other listeners nor who emits */
export function createSignal<T = void>(log: Pick<Logger, 'error'>): Signal<T> {
  const listeners: ((value: T) => void)[] = [];
  return {
    on: (listener) => void listeners.push(listener),
    emit: (value) => {
      for (const listener of listeners)
        try {
          listener(value);
        } catch (error) {
          log.error({ err: error }, 'what listens to a signal has failed');
        }
    },
  };
}
