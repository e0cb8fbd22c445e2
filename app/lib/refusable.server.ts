import type { LoaderFunctionArgs } from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';

/** What the page of a refused request says. */
export interface Refusal {
  message: string;
}

/**
 * The loader of a page that counts what it reads. Where a limit refuses it, the page says so, with status 429 and
 * `Retry-After`.
 */
export const refusable =
  <Loaded>(load: (args: LoaderFunctionArgs) => Loaded | Promise<Loaded>) =>
  async (args: LoaderFunctionArgs): Promise<Loaded> => {
    try {
      return await load(args);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'rate_limited') throw error;
      // For the Retry-After of the page and of its data, and for the log.
      args.context.error = error;
      const refusal: Refusal = { message: error.message };
      throw Response.json(refusal, { status: 429, statusText: 'Too Many Requests' });
    }
  };
