import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { RequestContext } from '../context.ts';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

export type Endpoint = (
  request: EndpointRequest,
  context: RequestContext,
) => Reply | Promise<Reply>;
