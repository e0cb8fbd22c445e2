import { and, desc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reviewActions } from '#db/schema/index.ts';
import type { Action } from '@mesh-registry/protocol/values.schema.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { activeName } from '../contract/contract.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ada = 'ada@example.org';
const bob = 'bob@example.org';
const reason = 'why not';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer({ env: { RATE_LIMITS: 'off' } })));
afterAll(() => server.stop());

/** Commits the next transaction and loses the connection before the answer arrives. */
function loseNextAnswer() {
  const { db } = server.database;
  const own = db.transaction.bind(db);
  db.transaction = async (...args) => {
    db.transaction = own;
    await own(...args);
    throw Object.assign(new Error('the connection is lost'), { code: 'CONNECTION_CLOSED' });
  };
}

/** Each undoes the one before. */
const COMMANDS: [Action, string, (who: string) => Promise<unknown>][] = [
  [
    'name_reserved',
    'bank',
    (who) => server.services.names.reserve({ name: 'bank', reason, until: '' }, who),
  ],
  ['name_released', 'bank', (who) => server.services.names.release({ name: 'bank', reason }, who)],
  [
    'node_blocked',
    'node_x',
    (reviewer) => server.services.nodes.block({ nodeId: 'node_x', reviewer, reason }),
  ],
  [
    'node_unblocked',
    'node_x',
    (reviewer) => server.services.nodes.unblock({ nodeId: 'node_x', reviewer, reason }),
  ],
];

test.each(COMMANDS)(
  '%s: when the answer to the commit is lost, the reviewer is not told that somebody else did it',
  async (event, subject, command) => {
    loseNextAnswer();
    await command(ada);
    // It was done once, by Ada; anybody else is refused.
    const { db } = server.database;
    const entries = await db
      .select({ actor: reviewActions.actor })
      .from(reviewActions)
      .where(and(eq(reviewActions.action, event), eq(reviewActions.subject, subject)))
      .orderBy(desc(reviewActions.at));
    expect(entries).toEqual([{ actor: ada }]);
    expect(server.services.nodes.blocked().length).toBe(event === 'node_blocked' ? 1 : 0);
    await expect(command(bob)).rejects.toMatchObject({
      code: expect.stringMatching(/^(name_reserved|not_found|already_decided)$/),
    });
  },
);

test('a reset and a pin whose answers are lost are done once, and this server knows', async () => {
  const { identity, registration, context } = server.services;
  const { id, nodeId } = await activeName(server);
  const [stolen, next] = [nodeKeyText(generateNodeKey()), nodeKeyText(generateNodeKey())];
  await registration.claimByKey({ nodeId, id, key: stolen });
  loseNextAnswer();
  await identity.reset({ nodeId, reviewer: ada, reason });
  const [link] = (await identity.keysOf(nodeId)).renewed;
  const secret = link?.secretId ?? '';
  expect(await registration.get(secret)).toMatchObject({ id: secret, status: 'active' });
  expect(context.live.registrations.get(id)).toMatchObject({ secretId: secret, proofKey: null });
  expect(identity.pinOf(nodeId)).toBeUndefined();
  expect(() => identity.requireSigner(nodeId, stolen)).toThrow('revoked');

  await registration.claimByKey({ nodeId, id: secret, key: next });
  loseNextAnswer();
  await identity.pin({ nodeId, key: next, reviewer: ada, reason });
  expect(identity.pinOf(nodeId)?.key).toBe(next);
  const entries = await server.database.db
    .select({ action: reviewActions.action })
    .from(reviewActions)
    .where(eq(reviewActions.subject, nodeId));
  expect(entries.map(({ action }) => action).sort()).toEqual(['node_key_pinned', 'node_key_reset']);
});
