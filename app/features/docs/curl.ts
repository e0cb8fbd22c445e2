/** The service's origin, and whether its heartbeats and announcements carry a credential. */
export interface Target {
  origin: string;
  credential: boolean;
}

const CREDENTIAL_HEADER = 'authorization: Bearer $WEBHOOK_SECRET';

/** A body longer than this (characters) has one field per line. */
const ONE_LINE = 72;

/** A request as a command for sh. */
export function curl(
  target: Target,
  path: string,
  request?: { body: unknown; credential?: boolean; headers?: string[] },
): string {
  const url = `${target.origin}${path}`;
  if (!request) return `curl -s ${/[^\w.:/-]/.test(url) ? `"${url}"` : url}`;
  const short = JSON.stringify(request.body);
  const body =
    short.length > ONE_LINE
      ? JSON.stringify(request.body, null, 2).replaceAll('\n', '\n  ')
      : short;
  return [
    `curl -s -X POST ${url}`,
    ...(request.credential && target.credential ? [`-H "${CREDENTIAL_HEADER}"`] : []),
    `-H 'content-type: application/json'`,
    ...(request.headers ?? []).map((header) => `-H "${header}"`),
    `-d '${body.replaceAll("'", `'\\''`)}'`,
  ].join(' \\\n  ');
}

/** A DELETE as a command for sh. */
export const curlDelete = (target: Target, path: string, credential: boolean): string =>
  [
    `curl -s -i -X DELETE ${target.origin}${path}`,
    ...(credential && target.credential ? [`-H "${CREDENTIAL_HEADER}"`] : []),
  ].join(' \\\n  ');

/** The shortest heartbeat, on one line. */
export const shortestPing = (target: Target) =>
  curl(target, '/api/mesh/ping', {
    body: { nodeId: 'my_node', lat: 37.7, lng: -122.4 },
    credential: true,
  }).replaceAll(' \\\n  ', ' ');
