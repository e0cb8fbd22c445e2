import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { trpcClient } from '#app/features/docs/examples.ts';
import { startHttpServer } from '../support/http-server.ts';
import { startTestServer } from '../support/server.ts';
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

beforeAll(async () => {
  for (const name of ['client', 'agent']) await sh(`node '${ROOT}/scripts/build-${name}.mjs'`);
});

test('packed, the client works in an empty folder without a network, with its types', async () => {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const stub = await startHttpServer((_, response) => response.end('{"stats":{"online":42}}'));
  onTestFinished(() => stub.stop());
  await writeFile(join(folder.path, 'program.ts'), PROGRAM.replace('URL', stub.url));
  const output = await sh(
    `
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
    'trpc.d.ts',
    'trpc.js',
    '42',
  ]);
});

test('packed, it types the tRPC client that the documentation prints, which runs against the service', async () => {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const server = await startTestServer();
  onTestFinished(() => server.stop());
  await server.post('/api/mesh/ping', { nodeId: 'my_node', lat: 1, lng: 2 });
  const program = trpcClient(server.url);
  const readme = await readFile(join(ROOT, 'packages', 'client', 'README.md'), 'utf8');
  expect(readme).toContain(trpcClient('https://mesh.example.org'));
  await mkdir(join(folder.path, 'node_modules'));
  await symlink(join(ROOT, 'node_modules', '@trpc'), join(folder.path, 'node_modules', '@trpc'));
  const more = `
// @ts-expect-error What reviewers call is not public.
await api.review.names.list.query();
// @ts-expect-error A name is a text.
await api.registry.availability.query({ name: 7 });
const { available }: { available: boolean } = await api.registry.availability.query({ name: 'attic' });
`;
  await writeFile(join(folder.path, 'mesh.ts'), program);
  await writeFile(join(folder.path, 'more.ts'), program + more);
  const output = await sh(`
    cd '${folder.path}'
    npm pack --silent '${ROOT}/build/mesh-client' > /dev/null
    echo '{ "private": true, "type": "module" }' > package.json
    tar -xzf mesh-registry-client-*.tgz
    mv package node_modules/mesh-registry-client
    node '${ROOT}/node_modules/typescript/bin/tsc' --strict --module nodenext --target es2022 \\
      --lib esnext,dom mesh.ts more.ts
    node mesh.js
  `);
  expect(output.trim()).toBe('1 of 1 online, 0 names');
});

test.each(['mesh-client', 'agent'])('build/%s can be published as it is', async (built) => {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const pkgDir = join(ROOT, 'build', built);
  const listed = await sh(`
    npm pack --dry-run --json '${pkgDir}'
    npm pack --silent --pack-destination '${folder.path}' '${pkgDir}'
  `);
  const files = /"files": \[[\s\S]*?\n {4}\]/.exec(listed)?.[0] ?? '';
  for (const name of ['README.md', 'LICENSE', 'package.json']) expect(files).toContain(`"${name}"`);
  const { messages } = await publint({ pkgDir, strict: true });
  expect(messages).toEqual([]);

  const [tarball = ''] = (await readdir(folder.path)).filter((name) => name.endsWith('.tgz'));
  const data = new Uint8Array(await readFile(join(folder.path, tarball)));
  const checked = await checkPackage(createPackageFromTarballData(data));
  const problems = checked.types ? checked.problems : [];
  // It is for ES modules only, and Node 10, which attw also tries, knows no entries.
  const known = problems.filter(
    (problem) =>
      problem.kind === 'CJSResolvesToESM' ||
      ('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  );
  expect(problems.filter((problem) => !known.includes(problem))).toEqual([]);
  expect(checked.types !== false).toBe(built === 'mesh-client');
});
