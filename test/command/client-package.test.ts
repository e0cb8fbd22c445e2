import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../support/http-server.ts';
import { sh } from '../support/shell.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const PROGRAM = `
import { MeshRegistry, type Mesh, type Result } from 'mesh-registry-client';

const client = new MeshRegistry({ url: 'URL' });
const result: Result<Mesh> = await client.mesh();
console.log(result.ok ? result.value.stats.online : result.problem.message);
// @ts-expect-error A heartbeat needs a place.
await client.ping({ nodeId: 'node_a' });
`;

test('packed, the client works in an empty folder without a network, with its types', async () => {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const stub = await startHttpServer((_, response) => response.end('{"stats":{"online":42}}'));
  onTestFinished(() => stub.stop());
  await writeFile(join(folder.path, 'program.ts'), PROGRAM.replace('URL', stub.url));
  const output = await sh(
    `
    node '${ROOT}/scripts/build-client.mjs'
    cd '${folder.path}'
    npm pack --silent '${ROOT}/build/mesh-client' > /dev/null
    echo '{ "private": true, "type": "module" }' > package.json
    npm install --offline --silent --no-audit --no-fund ./mesh-registry-client-*.tgz
    ls node_modules node_modules/mesh-registry-client
    node '${ROOT}/node_modules/typescript/bin/tsc' --strict --module nodenext --target es2022 \\
      --lib es2022,dom,dom.iterable program.ts
    node program.js
    `,
  );
  expect(output.trim().split('\n')).toEqual([
    'node_modules:',
    'mesh-registry-client',
    '',
    'node_modules/mesh-registry-client:',
    'LICENSE',
    'README.md',
    'answer.d.ts',
    'follow.d.ts',
    'index.d.ts',
    'index.js',
    'package.json',
    'poll.d.ts',
    'request.d.ts',
    'result.d.ts',
    'schemas.d.ts',
    '42',
  ]);
});
