import { useEffect, useRef, useState } from 'react';

/** How much of a body is shown (characters). Browsers lay out this much in an instant, unlike a list of 100,000 nodes. */
const SHOWN_CHARACTERS = 30_000;

/** The headers that tell something about our responses. */
const HEADERS = [
  'content-type',
  'etag',
  'cache-control',
  'date',
  'retry-after',
  'allow',
  'x-request-id',
];

export interface Received {
  status: number;
  /** "OK"; empty with HTTP/2. */
  statusText: string;
  headers: { name: string; value: string }[];
  /** The beginning of the body, JSON on several lines. */
  text: string;
  /** Whether the body is longer than `text`. */
  cut: boolean;
  /** Size of the body, uncompressed. */
  bytes: number;
  /** From the request to the end of the body (ms). */
  ms: number;
}

/** Sends a GET as a stranger would, past the browser's cache. @throws whatever `fetch` throws */
export async function sendRequest(url: string, signal: AbortSignal): Promise<Received> {
  const began = performance.now();
  const response = await fetch(url, { signal, cache: 'no-store', credentials: 'omit' });
  const { text, cut, bytes } = await readBody(response);
  const json = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    statusText: response.statusText,
    headers: HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [{ name, value }];
    }),
    text: json ? indentJson(text) : text,
    cut,
    bytes,
    ms: performance.now() - began,
  };
}

/** Receives the whole body and keeps its beginning. */
async function readBody({ body }: Response) {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const reader = body?.getReader();
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) break;
    bytes += value.length;
    if (text.length <= SHOWN_CHARACTERS) text += decoder.decode(value, { stream: true });
  }
  return { text: text.slice(0, SHOWN_CHARACTERS), cut: text.length > SHOWN_CHARACTERS, bytes };
}

export type RequestState =
  | { state: 'idle' }
  | { state: 'sending' }
  | { state: 'received'; response: Received }
  | { state: 'failed'; why: 'cancelled' | 'offline' | 'unreachable' };

/** One request at a time: another one replaces it, and leaving the page cancels it. */
export function useRequest() {
  const [state, setState] = useState<RequestState>({ state: 'idle' });
  const running = useRef<AbortController>();
  useEffect(() => () => running.current?.abort(), []);

  const send = async (url: string) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ state: 'sending' });
    const outcome = await sendRequest(url, controller.signal).then(
      (response): RequestState => ({ state: 'received', response }),
      (): RequestState => ({ state: 'failed', why: reason(controller.signal) }),
    );
    if (running.current === controller) setState(outcome);
  };
  return { state, send, cancel: () => running.current?.abort() };
}

const reason = ({ aborted }: AbortSignal) =>
  aborted ? 'cancelled' : navigator.onLine ? 'unreachable' : 'offline';

/** A string, punctuation, or a number, true, false or null; the last one may be cut off. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** JSON on several lines, as `JSON.stringify(value, null, 2)` writes it. Also takes the beginning of a JSON text. */
export function indentJson(text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return tokens
    .map((token, at) => {
      const before = tokens[at - 1];
      if (token === '}' || token === ']') {
        depth--;
        return before === '{' || before === '[' ? token : line() + token;
      }
      const start = before === '{' || before === '[' || before === ',' ? line() : '';
      if (token === '{' || token === '[') depth++;
      return start + (token === ':' ? ': ' : token);
    })
    .join('');
}
