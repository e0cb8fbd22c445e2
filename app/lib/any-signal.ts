/**
 * A signal that aborts with the first of `signals`. `AbortSignal.any` does the same, but Safari before 17.4 and
 * Firefox before 124 lack it, and there every request would fail before it is sent.
 */
export function anySignal(...signals: AbortSignal[]): AbortSignal {
  const linked = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) linked.abort(signal.reason);
    // The linked signal also removes the listeners: one of the signals may live as long as the page.
    else
      signal.addEventListener('abort', () => linked.abort(signal.reason), {
        signal: linked.signal,
      });
  }
  return linked.signal;
}
