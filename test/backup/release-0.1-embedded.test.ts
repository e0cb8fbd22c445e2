import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Mesh } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { UNCLAIMED_KEPT_DAYS } from '@mesh-registry/protocol/values.schema.ts';
import type { Registry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import {
  endAllServers,
  runCommand,
  runReviewer,
  runServerToEnd,
  startServerProcess,
} from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { getJson } from '../fault/support.ts';

/**
 * The embedded database of release 0.1 was another engine. Its data directory, and a backup of it made as docs/operate.md
 * says, by the last version that reads it and after that has migrated it: neither can be made again.
 */
const fixture = (name: string) => join(import.meta.dirname, name);
const BACKUP = fixture('release-0.1-embedded.gz');
const EXPECTED = JSON.parse(readFileSync(fixture('release-0.1-embedded.json'), 'utf8'));

/** Every file with its content and time. */
function stateOf(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
        return [path, `${hash} ${statSync(path).mtimeMs}`];
      }),
  );
}

afterEach(endAllServers);

describe('a data directory of release 0.1', () => {
  it('is recognised and never touched; a backup of it is restored beside it, with all that it held', async () => {
    const directory = temporaryDirectory();
    const tar = brotliDecompressSync(readFileSync(fixture('release-0.1-data-dir.tar.br')));
    execFileSync('tar', ['-x', '--no-same-owner', '-C', directory.path], { input: tar });
    const DATA_DIR = join(directory.path, 'data');
    const before = stateOf(join(DATA_DIR, 'pg'));
    expect(Object.keys(before).length).toBeGreaterThan(500);
    try {
      for (const refused of [
        await runServerToEnd({ DATA_DIR }),
        await runReviewer(['list'], { DATA_DIR }),
        await runCommand('backup', [directory.path], { DATA_DIR }),
      ]) {
        expect(refused.code).toBe(1);
        expect(refused.output).toContain(
          `${join(DATA_DIR, 'pg')} is a database of release 0.1, whose files this release cannot read; nothing was changed.`,
        );
        expect(refused.output).toContain('npm run restore');
      }
      expect(readdirSync(DATA_DIR).sort()).toEqual(['auth-secret', 'pg']);

      const restored = await runCommand('restore', [BACKUP], { DATA_DIR });
      expect(restored, restored.output).toMatchObject({ code: 0 });
      const server = await startServerProcess({ DATA_DIR });
      const { entries } = await getJson<Registry>(server.url, '/api/registry');
      expect(entries.map(({ node: _node, compute: _compute, ...entry }) => entry)).toEqual(
        EXPECTED.registry,
      );
      const { peers } = await getJson<Mesh>(server.url, '/api/mesh');
      expect(peers.map(({ status: _status, ...peer }) => peer)).toEqual(EXPECTED.peers);
      for (const registration of EXPECTED.registrations) {
        // Since the backup was made the time to pay has passed, which the service finds as it starts.
        const unpaid = registration.status === 'pending_payment';
        const keptMs = UNCLAIMED_KEPT_DAYS * 86_400_000;
        if (unpaid && Date.now() > Date.parse(registration.expiresAt) + keptMs) continue;
        const path = `/api/registry/register?id=${registration.id}`;
        // Fields that came later are beside those of then.
        expect(await getJson(server.url, path)).toMatchObject({
          ...registration,
          ...(unpaid && {
            status: 'rejected',
            rejectionReason: 'payment window passed',
            updatedAt: expect.any(String),
          }),
        });
      }
      expect(await server.end('SIGTERM')).toBe(0);
      const { output } = await runReviewer(['list'], { DATA_DIR });
      for (const [email, role] of EXPECTED.reviewers)
        expect(output).toMatch(new RegExp(`${email} +${role} +active`));
      expect(stateOf(join(DATA_DIR, 'pg'))).toEqual(before);
    } finally {
      directory.remove();
    }
  });
});
