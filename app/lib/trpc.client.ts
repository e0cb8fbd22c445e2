import type { TRPCClient } from '@trpc/client';
import type { AppRouter } from '#server/entry/trpc/router.ts';
import * as hrefs from './hrefs.ts';

/**
 * The typed API in the browser: its calls one by one, its event streams over EventSource. The package's own client is 8 KB,
 * most of it for batches, WebSockets and old browsers, and the live pages load it with everything else.
 */
export const trpc = procedureAt([]) as TRPCClient<AppRouter>;

/** `trpc.mesh.node.query(…)`: whatever is asked of it is the next part of the path, and its last part says how to call. */
function procedureAt(path: readonly string[]): unknown {
  return new Proxy(() => undefined, {
    // A promise may resolve to it: it has no `then`.
    get: (_, part) =>
      typeof part === 'string' && part !== 'then' ? procedureAt([...path, part]) : undefined,
    apply(_, __, [input, options]: [unknown, never]) {
      const url = hrefs.api.trpc(path.slice(0, -1).join('.'));
      const call = CALLS[path.at(-1) as keyof typeof CALLS];
      return call(url, input, options);
    },
  });
}

const withInput = (url: string, input: unknown) =>
  input === undefined ? url : `${url}?input=${encodeURIComponent(JSON.stringify(input))}`;

const CALLS = {
  query: (url: string, input: unknown, options?: Options) =>
    answerOf(withInput(url, input), { ...options }),
  mutate: (url: string, input: unknown, options?: Options) =>
    answerOf(url, {
      ...options,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    }),
  subscribe,
};

interface Options {
  signal?: AbortSignal;
}

interface Refusal {
  code: number;
  message: string;
  data?: unknown;
}

/** Fails with what the service refused, if it answered, and with the response itself, which says when to ask again. */
async function answerOf(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  const { result, error } = (await response.json()) as {
    result?: { data: unknown };
    error?: Refusal;
  };
  if (result) return result.data;
  throw Object.assign(new Error(error?.message), { data: error?.data, meta: { response } });
}

interface StreamEvents {
  onData?: (event: { id: string; data: unknown }) => void;
  onConnectionStateChange?: (change: { state: 'connecting' | 'pending' }) => void;
  onError?: () => void;
  onComplete?: () => void;
}

/** The code of a failure that says nothing about the subscription: it may go on. */
const INTERNAL = -32_603;

/**
 * Opens an event stream. EventSource itself connects again after most failures, from the last event; a connection that says
 * nothing for as long as the server told is opened anew.
 */
function subscribe(url: string, input: unknown, events: StreamEvents): { unsubscribe(): void } {
  let source: EventSource;
  let from = input;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let silenceMs = 0;

  const unsubscribe = () => {
    source.close();
    clearTimeout(silence);
  };
  const end = (how?: () => void) => {
    unsubscribe();
    how?.();
  };
  const connecting = () => events.onConnectionStateChange?.({ state: 'connecting' });
  const heard = () => {
    clearTimeout(silence);
    if (silenceMs > 0)
      silence = setTimeout(() => {
        source.close();
        connecting();
        open();
      }, silenceMs);
  };
  function open(): void {
    source = new EventSource(withInput(url, from));
    const on = (type: string, listener: (event: MessageEvent<string>) => void) =>
      source.addEventListener(type, (event) => {
        heard();
        listener(event as MessageEvent<string>);
      });
    on('connected', ({ data }) => {
      silenceMs =
        (JSON.parse(data) as { reconnectAfterInactivityMs?: number }).reconnectAfterInactivityMs ??
        0;
      heard();
      events.onConnectionStateChange?.({ state: 'pending' });
    });
    on('ping', () => undefined);
    on('message', ({ data, lastEventId }) => {
      if (lastEventId) from = { ...(from as object | undefined), lastEventId };
      events.onData?.({ id: lastEventId, data: JSON.parse(data) as unknown });
    });
    on('serialized-error', ({ data }) => {
      if ((JSON.parse(data) as Refusal).code === INTERNAL) connecting();
      else end(events.onError);
    });
    // A stopping server ends the stream.
    on('return', () => end(events.onComplete));
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) end(events.onError);
      else connecting();
    });
  }
  open();
  return { unsubscribe };
}
