import { type NewIdLimit, type ServiceContext, withoutLimit } from '#server/common/context.ts';
import { parse } from '#server/common/errors.schema.ts';
import { NEXT_PING_MS } from './values.schema.ts';
import { quantize } from './grid.ts';
import { publishableLabel } from './label.ts';
import { Ping, isPingField, type PingAnswer } from './mesh.schema.ts';
import { requireUnblockedNode, requireUnreservedNodeId } from './node-id.ts';
import { presentPeer } from './peer.ts';
import type { PingWrite, PingWriter } from './ping-writer.ts';

/**
 * Stores a heartbeat. Resolves after the row is committed and the read model shows it.
 * @param newNodes the limit of new nodes; it is not asked for a node that is known
 * @throws AppError `invalid_body`, `reserved_node_id`, `blocked`, `rate_limited`, `unavailable`
 */
export async function ping(
  context: ServiceContext,
  writer: PingWriter,
  body: unknown,
  newNodes: NewIdLimit = withoutLimit,
  now = context.clock(),
): Promise<PingAnswer> {
  const { ping, dropped } = readPing(body);
  requireUnblockedNode(context, ping.nodeId);
  const at = new Date(now);
  const write: PingWrite = {
    id: ping.nodeId,
    label: ping.label ?? null,
    class: ping.class ?? null,
    region: ping.region ?? null,
    status: ping.status ?? 'online',
    ...quantize(ping.lat, ping.lng, context.config.coordinateGrid),
    joinedAt: at,
    lastSeen: at,
  };
  const { row, isNew } = await (context.live.peers.get(ping.nodeId)
    ? writer.write(write)
    : newNodes(
        1,
        () => writer.write(write),
        ({ isNew }) => (isNew ? 1 : 0),
      ));
  return {
    ok: true,
    isNew,
    message: isNew
      ? 'Welcome. Your node is on the map. Registering a public name is a separate step.'
      : 'Heartbeat received.',
    peer: presentPeer(row, context.clock()),
    dropped,
    nextPingMs: NEXT_PING_MS,
  };
}

/**
 * Parses the body of a ping: drops and names unknown keys and nested values, rejects wrong values of
 * known keys, and cleans the label.
 */
function readPing(body: unknown): { ping: Ping; dropped: string[] } {
  const dropped: string[] = [];
  let allowed: unknown = body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    const fields: Partial<Record<keyof Ping, unknown>> = {};
    for (const [key, value] of Object.entries(body))
      if (isPingField(key) && (typeof value !== 'object' || value === null)) fields[key] = value;
      else dropped.push(key);
    allowed = fields;
  }
  const { label: raw, ...ping } = parse(Ping, allowed, 'invalid_body');
  requireUnreservedNodeId(ping.nodeId);
  const label = publishableLabel(raw);
  if (raw !== undefined && label === null) dropped.push('label');
  return { ping: label === null ? ping : { ...ping, label }, dropped };
}
