import type { HttpBindings } from '@hono/node-server';
import type { ServerBuild } from '@remix-run/node';
import type { RequestContext } from './context.ts';
import type { Reply } from './rest/engine.ts';

/** A way in: how it handles a request, or null if the request is not for it. */
export type Way = (
  request: Request,
  /** The path in the request's URL. */
  pathname: string,
  node: HttpBindings,
) => Handling<Response | Reply> | null;

export interface Handling<Sent> {
  /**
   * Under which the request is counted and logged: a pattern, never the URL, because a URL can hold the id of a
   * registration. Null: it is neither counted nor, unless it fails, logged.
   */
  route: string | null;
  /** An error that it throws is sent as JSON. */
  respond: (context: RequestContext) => Sent | Promise<Sent>;
}

/** Remix's build, or in development a function that returns the newest one, whose routes change while the server runs. */
export type BuildSource = ServerBuild | (() => Promise<ServerBuild>);
