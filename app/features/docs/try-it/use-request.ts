import { useEffect, useRef, useState } from 'react';
import { sendRequest, type Received } from './send-request.ts';

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
