import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';

/** A crawler that follows every link of the site, as fast as it is answered, whatever robots.txt and the links say. */

export interface CrawlerOptions {
  url: string;
  from: string | undefined;
  connections: number;
}

export interface CrawlerResult {
  /** Pages and files that it got. */
  read: number;
  /** Addresses that it has found so far. */
  found: number;
  /** Answers with 429 or 503. */
  refused: number;
  /** Without an answer, or with another status. */
  failed: number;
}

const LINK = /<a [^>]*?href="(\/[^"#]*)/g;

/** @returns ends it */
export function crawl({ url, from, connections }: CrawlerOptions): () => CrawlerResult {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const found = new Set(['/']);
  const count = { read: 0, refused: 0, failed: 0 };
  let ended = false;

  const visit = async (path: string) => {
    try {
      const { status, html } = await read(path);
      if (status === 429 || status === 503) count.refused++;
      else if (status < 400) count.read++;
      else count.failed++;
      for (const [, link = ''] of html.matchAll(LINK)) found.add(link.replaceAll('&amp;', '&'));
    } catch {
      if (!ended) count.failed++;
    }
  };
  const read = (path: string) =>
    new Promise<{ status: number; html: string }>((resolve, reject) => {
      const options = { agent, ...(from !== undefined && { localAddress: from }) };
      const request = get(`${url}${path}`, options, (response) => {
        text(response).then(
          (body) =>
            resolve({
              status: response.statusCode ?? 0,
              html: response.headers['content-type']?.startsWith('text/html') ? body : '',
            }),
          reject,
        );
      });
      request.once('error', reject);
    });

  // A set that grows while it is walked: all of them share one iterator, and what they find comes later.
  let paths = found.values();
  const worker = async () => {
    while (!ended) {
      const { value, done } = paths.next();
      if (done) {
        // From the beginning, if there is nothing new.
        paths = found.values();
        await visit('/');
      } else await visit(value);
    }
  };
  for (let n = 0; n < connections; n++) void worker();
  return () => {
    ended = true;
    agent.destroy();
    return { ...count, found: found.size };
  };
}
