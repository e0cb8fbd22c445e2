/** How often the data of a page is asked for again. */
const TIMES = 2;

/**
 * Makes `fetch` ask again for the data of a page that was not rendered because many pages are being opened: after as many
 * seconds as the service says. Whoever follows a link then waits a little longer. Only reads are repeated.
 */
export function askAgainWhenBusy(): void {
  const fetch = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    let response = await fetch(input, init);
    for (let times = 0; times < TIMES && isBusy(response, init); times++) {
      const seconds = Number(response.headers.get('retry-after'));
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      response = await fetch(input, init);
    }
    return response;
  };
}

/** Whether Remix has not been asked: its own answers have a header. */
const isBusy = ({ status, url, headers }: Response, init?: RequestInit): boolean =>
  status === 503 &&
  (init?.method ?? 'GET') === 'GET' &&
  new URL(url).pathname.endsWith('.data') &&
  headers.has('retry-after') &&
  !headers.has('x-remix-response');
