import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PackedBlocks } from '@mesh-registry/peer/sync/block-sync.ts';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import type { TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { configurationError, usageError } from '../base/exit.ts';
import { HealthAddress } from '../config/config.schema.ts';

/** A connection is for one request, and lasts no longer than this, milliseconds: nobody keeps the others out. */
const CONNECTION_MS = 15_000;
const CONNECTIONS_MAX = 64;
const HEADER_BYTES_MAX = 4096;

/** What the server tells of. */
interface HealthSource {
  /** The version of the protocol between nodes. */
  protocol: number;
  status(): PeerStatus;
  trust(): TrustState;
  /** Blocks of the log from a height on; null: they are being fetched again. */
  blocks(from: number): PackedBlocks | null;
}

interface Answer {
  status: number;
  type: string;
  body: string | PackedBlocks;
}

/**
 * Serves `/health`, `/truth`, `/blocks` and `/metrics`, read-only and without TLS, for a monitor on this machine or a
 * proxy. None of them has an address of another peer.
 * @param address `HOST:PORT`
 * @returns `url`, where it listens, and a warning if other machines reach it
 * @throws CommandError if it cannot listen there
 */
export async function startHealthServer(address: string, source: HealthSource) {
  const { host, port } = split(address);
  const respond = router(source);
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: CONNECTION_MS,
      requestTimeout: CONNECTION_MS,
    },
    (request, response) =>
      void respond(request)
        // Such as a disk that can't be read.
        .catch(() => problem(500, 'internal', 'This cannot be read. The peer’s journal says why.'))
        .then((answer) => send(request, response, answer))
        .catch(() => response.destroy()),
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.on('connection', (socket) => {
    const ending = setTimeout(() => socket.destroy(), CONNECTION_MS).unref();
    socket.once('close', () => clearTimeout(ending));
  });
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw configurationError(
      `The health server cannot listen at ${address}: ${(error as Error).message}. Give it another address with peer.health or --health.`,
    );
  }
  const bound = server.address() as AddressInfo;
  return {
    url: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    warning: isLoopback(bound.address)
      ? null
      : `The health server at ${address} can be reached from other machines, without TLS. Put a proxy before 127.0.0.1 instead, unless that is meant.`,
    async close(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @throws CommandError */
function split(address: string): { host: string; port: number } {
  const { success } = HealthAddress.safeParse(address);
  if (!success)
    throw usageError(
      `The address of the health server must be HOST:PORT such as 127.0.0.1:9901, not ${address}.`,
    );
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(address.slice(colon + 1)) };
}

const isLoopback = (address: string) => address === '::1' || /^(::ffff:)?127\./.test(address);

const PATHS = ['/health', '/truth', '/blocks', '/metrics'];

/** @returns what a request gets */
function router(source: HealthSource): (request: IncomingMessage) => Promise<Answer> {
  let truth: { versions: string; answer: Answer } | null = null;
  return async ({ method = '', url = '' }) => {
    const [path = '', query] = url.split('?');
    if (!PATHS.includes(path))
      return problem(404, 'not_found', 'Only /health, /truth, /blocks and /metrics are here.');
    if (method !== 'GET' && method !== 'HEAD')
      return problem(405, 'method_not_allowed', 'Use GET.');
    if (path === '/blocks') return blocks(source, query, method === 'HEAD');
    const status = source.status();
    if (path === '/health') return health(status, source.protocol);
    if (path === '/metrics') {
      // Only here: the library takes a megabyte and a half, and few peers are monitored.
      const { metricsText } = await import('./metrics.ts');
      return {
        status: 200,
        type: 'text/plain; version=0.0.4; charset=utf-8',
        body: await metricsText(status, source.protocol),
      };
    }
    if (!status.truth) return problem(404, 'no_truth', 'This peer has no truth yet.');
    // Up to megabytes, and the same for a long time.
    const versions = `${status.root.version}/${status.truth.version}`;
    if (truth?.versions !== versions) truth = { versions, answer: json(200, source.trust()) };
    return truth.answer;
  };
}

/** 503: what it believes has expired, so either nobody signs any more or somebody keeps newer ones from it. */
function health(status: PeerStatus, protocol: number): Answer {
  const { network, truth, log, sessions, stale } = status;
  return json(stale ? 503 : 200, {
    ok: !stale,
    network,
    protocol,
    truth: truth?.version ?? null,
    height: log.height,
    block: log.id,
    peers: sessions.length,
  });
}

/** The log from a height on, for a registry that has lost blocks; empty: that was the end. */
function blocks(source: HealthSource, query = '', isHead: boolean): Answer {
  const from = new URLSearchParams(query).get('from') ?? '1';
  if (!/^[1-9]\d{0,14}$/.test(from))
    return problem(400, 'invalid_query', 'from must be the height of a block, such as from=1.');
  // Their length isn't worth reading them.
  const body = isHead ? '' : source.blocks(Number(from));
  if (body === null) return problem(503, 'unavailable', 'These blocks are being fetched again.');
  return { status: 200, type: 'application/octet-stream', body };
}

const problem = (status: number, code: string, error: string): Answer =>
  json(status, { ok: false, code, error });

const json = (status: number, value: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(value)}\n`,
});

/** @throws what reading the parts of the body throws, or what ends the connection */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body }: Answer,
): Promise<void> {
  response.shouldKeepAlive = false;
  response.writeHead(status, {
    'content-type': type,
    // Blocks have it too: an answer that is cut off must not look like the end of the log.
    'content-length': typeof body === 'string' ? Buffer.byteLength(body) : body.bytes,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  if (request.method === 'HEAD') response.end();
  else if (typeof body === 'string') response.end(body);
  // So much of it is in memory as the client is about to take, however many there are.
  else await pipeline(Readable.from(body.parts), response);
}
