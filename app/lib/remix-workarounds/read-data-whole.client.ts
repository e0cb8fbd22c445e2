/**
 * Makes `fetch` read the data of a page whole before Remix sees it.
 *
 * Remix 2.17 decodes the data while it arrives. If the visitor leaves meanwhile, the response is aborted, and
 * Remix logs that as an error (fetchAndDecode in @remix-run/react/dist/esm/single-fetch.js) and may leave a
 * rejected promise unhandled (`done` in turbo-stream). An abort that ends the fetch itself, which it now always
 * does, is one that Remix expects. Nothing gets slower: no loader streams. React Router 7 no longer logs it.
 */
export function readDataWhole(): void {
  const fetch = window.fetch.bind(window);
  window.fetch = async (...request) => {
    const response = await fetch(...request);
    if (!response.headers.has('x-remix-response') || !response.body) return response;
    return new Response(await response.arrayBuffer(), response);
  };
}
