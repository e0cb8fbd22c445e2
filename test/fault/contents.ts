import { expect } from 'vitest';
import type { Database } from '#db/client.ts';
import {
  computes,
  nameClaims,
  peers,
  registrationHistory,
  registrations,
} from '#db/schema/index.ts';
import { COMPUTES_PER_HOST, RANK, type Load, type Status } from './load.ts';

export interface Contents {
  peers: (typeof peers.$inferSelect)[];
  computes: (typeof computes.$inferSelect)[];
  registrations: (typeof registrations.$inferSelect)[];
  claims: (typeof nameClaims.$inferSelect)[];
  history: (typeof registrationHistory.$inferSelect)[];
}

/**
 * All rows as of one moment, read without the service: PostgreSQL may still be committing what a server
 * sent before it was killed.
 */
export async function readAll({ db }: Database): Promise<Contents> {
  return db.transaction(
    async (tx) => ({
      peers: await tx.select().from(peers),
      computes: await tx.select().from(computes),
      registrations: await tx.select().from(registrations),
      claims: await tx.select().from(nameClaims),
      history: await tx
        .select()
        .from(registrationHistory)
        .orderBy(registrationHistory.registrationId, registrationHistory.rev),
    }),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

/** All rows of a database that was opened only to read them. */
export async function readAllAndClose(database: Database): Promise<Contents> {
  try {
    return await readAll(database);
  } finally {
    await database.close();
  }
}

/** Everything that was acknowledged is stored, or something newer. */
export function expectNothingLost(
  contents: Contents,
  { acknowledged }: Pick<Load, 'acknowledged'>,
): void {
  const { pings, announces, registrations } = acknowledged;
  for (const some of [pings, announces, registrations])
    expect(some.size, 'writes that were acknowledged').toBeGreaterThan(0);
  const byId = new Map(contents.peers.map((row) => [row.id, row]));
  for (const [node, { number, lastSeen }] of acknowledged.pings) {
    const row = byId.get(node);
    expect(row, `the peer ${node}`).toBeDefined();
    expect(row?.lastSeen.getTime(), `lastSeen of ${node}`).toBeGreaterThanOrEqual(
      Date.parse(lastSeen),
    );
    expect(Number(row?.label?.slice(2)), `label of ${node}`).toBeGreaterThanOrEqual(number);
  }
  for (const [host, number] of acknowledged.announces) {
    const rows = contents.computes.filter((row) => row.nodeId === host);
    expect(rows.length, `computes of ${host}`).toBe(COMPUTES_PER_HOST);
    for (const row of rows) expect(row.freeSlots, row.id).toBeGreaterThanOrEqual(number);
  }
  const found = new Map(contents.registrations.map((row) => [row.id, row]));
  for (const [id, acknowledgedOne] of acknowledged.registrations)
    expectNoLess(found.get(id), acknowledgedOne);
}

/** A registration is in the state of its last acknowledged step, or further: the next answer may have been lost. */
export function expectNoLess(
  found: { name: string; status: Status } | undefined,
  { name, status }: { name: string; status: Status },
): void {
  expect(found?.name, `the registration of ${name}`).toBe(name);
  expect(RANK[found!.status], name).toBeGreaterThanOrEqual(RANK[status]);
}

/** Rows that are written together are all stored, or none of them. */
export function expectNothingHalf(contents: Contents): void {
  const hosts = new Map<string, Set<string>>();
  for (const { nodeId, freeSlots, image, lastSeen, firstSeen } of contents.computes) {
    const stamps = hosts.get(nodeId) ?? new Set();
    hosts.set(nodeId, stamps);
    stamps.add(`${freeSlots} ${image} ${lastSeen.toISOString()} ${firstSeen.toISOString()}`);
  }
  for (const [host, stamps] of hosts)
    expect([...stamps], `announces that the rows of ${host} come from`).toHaveLength(1);

  const claims = new Map(contents.claims.map((claim) => [claim.name, claim.registrationId]));
  const byId = new Map(contents.registrations.map((row) => [row.id, row]));
  for (const [name, id] of claims) {
    expect(byId.get(id)?.name, `the registration that holds ${name}`).toBe(name);
    expect(byId.get(id)?.status).not.toBe('rejected');
  }
  const history = new Map<string, Contents['history']>();
  for (const step of contents.history)
    history.set(step.registrationId, [...(history.get(step.registrationId) ?? []), step]);
  for (const row of contents.registrations) {
    if (row.status !== 'rejected') expect(claims.get(row.name), row.name).toBe(row.id);
    const steps = history.get(row.id) ?? [];
    let before: string | null = null;
    for (const step of steps) {
      expect(step.fromStatus, `history of ${row.name}`).toBe(before);
      before = step.toStatus;
    }
    expect(before, `the end of the history of ${row.name}`).toBe(row.status);
    history.delete(row.id);
  }
  expect([...history.keys()], 'history without a registration').toEqual([]);
}
