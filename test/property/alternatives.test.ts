import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Reserved in every new database, or by a reviewer below. */
const RESERVED = ['admin', 'registry', 'www', 'cellar'];
const TAKEN = ['garage', 'garage-2', 'my-garage', 'cellar-door'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
  const { registration, names } = server.services;
  await names.reserve({ name: 'cellar', reason: 'test', until: '' }, 'alice@example.com');
  for (const name of TAKEN)
    await registration.start({
      action: 'start',
      name,
      nodeId: 'node_a',
      kinds: ['node'],
      class: 'S',
      region: 'ZZ',
    });
});
afterAll(() => server.stop());

test('every alternative is available, whatever was typed', async () => {
  const word = fc.constantFrom(...RESERVED, ...TAKEN, 'my', 'node', 'hub', '2', 'shed', 'Київ');
  const typed = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc
      .array(fc.tuple(word, fc.constantFrom('-', '_', ' ', '', '.')), { maxLength: 4 })
      .map((parts) => parts.flat().join('')),
  );
  const { alternatives, availability } = server.services.names;
  await fc.assert(
    fc.asyncProperty(typed, async (raw) => {
      // The service has to hear of its database in between.
      await turn();
      const names = alternatives(raw);
      expect(names.length).toBeLessThanOrEqual(4);
      for (const name of names) expect(availability(name)).toMatchObject({ name, available: true });
    }),
    { numRuns: 300 },
  );
});

test('no alternative is a variation of a reserved name', async () => {
  const decoration = fc.constantFrom('my-', 'MY_', '-2', '2', '_07', '-node', '-lab', ' ', '!');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...RESERVED),
      fc.array(fc.tuple(decoration, fc.boolean()), { maxLength: 3 }),
      async (reserved, decorations) => {
        await turn();
        const raw = decorations.reduce(
          (name, [text, before]) =>
            before || text.toLowerCase().startsWith('my') ? text + name : name + text,
          reserved,
        );
        const names = server.services.names.alternatives(raw);
        const cores = names.map((name) =>
          name.replace(/^(my[-_])+|([-_]?\d+|[-_](node|hub|net|lab|rack|box|yard))+$/g, ''),
        );
        for (const core of cores) expect(RESERVED).not.toContain(core);
      },
    ),
    { numRuns: 200 },
  );
  for (const reserved of RESERVED) expect(server.services.names.alternatives(reserved)).toEqual([]);
});
