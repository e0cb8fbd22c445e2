import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { withTimeout } from '#server/common/with-timeout.ts';

/** A receiver that takes longer has failed, milliseconds: from the DNS query to the head of the answer. */
const TIMEOUT_MS = 10_000;
/** Largest head of an answer, bytes. The body is never read. */
const HEAD_BYTES = 8192;

export interface Outcome {
  delivered: boolean;
  /** For the holder. Without the address. */
  words: string;
}

export interface Delivery {
  address: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Posts messages to addresses that strangers choose, and only into the public Internet: what a name resolves to is
 * checked when the connection is made, so that no DNS answer leads elsewhere, and redirects are not followed.
 */
export class PublicPoster {
  readonly #agents: { http: RequestFilteringHttpAgent; https: RequestFilteringHttpsAgent };

  /** @param allowLoopback tests have a receiver on this machine */
  constructor(readonly allowLoopback: boolean) {
    const options = {
      keepAlive: false,
      allowIPAddressList: allowLoopback ? ['127.0.0.1', '::1'] : [],
    };
    this.#agents = {
      http: new RequestFilteringHttpAgent(options),
      https: new RequestFilteringHttpsAgent(options),
    };
  }

  /** Resolves in any case. @param end ends the attempt, whose outcome is then unknown */
  async post(delivery: Delivery, end: AbortSignal): Promise<Outcome> {
    try {
      const status = await withTimeout(TIMEOUT_MS, end, (signal) => this.#send(delivery, signal));
      return explainStatus(status);
    } catch (error) {
      return { delivered: false, words: explainFailure(error) };
    }
  }

  #send({ address, headers, body }: Delivery, signal: AbortSignal): Promise<number> {
    const isHttps = address.startsWith('https:');
    return new Promise((resolve, reject) => {
      const request = (isHttps ? requestHttps : requestHttp)(
        address,
        {
          method: 'POST',
          agent: isHttps ? this.#agents.https : this.#agents.http,
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
          maxHeaderSize: HEAD_BYTES,
          signal,
        },
        (response) => {
          resolve(response.statusCode ?? 0);
          response.on('error', () => undefined).destroy();
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }
}

function explainStatus(status: number): Outcome {
  if (status >= 200 && status < 300)
    return { delivered: true, words: `Delivered. The receiver answered ${status}.` };
  if (status >= 300 && status < 400)
    return {
      delivered: false,
      words: `The receiver redirects (${status}). Redirects aren’t followed: enter the address it redirects to.`,
    };
  return { delivered: false, words: `The receiver answered ${status}.` };
}

/** Messages of Node and of libraries contain addresses: none of them is passed on. */
function explainFailure(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError')
    return `The receiver didn’t answer within ${TIMEOUT_MS / 1000} seconds.`;
  if (/is not allowed/.test(message))
    return 'The address leads into a private or reserved network, where nothing is sent.';
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'The host wasn’t found. Check its name.';
    case 'ECONNREFUSED':
      return 'The host refused the connection. Check the port.';
    default:
      return code !== undefined && /CERT|TLS|SSL|SIGNED|ISSUER|VERIFY/.test(code)
        ? 'The host’s certificate isn’t valid.'
        : 'The connection failed.';
  }
}
