import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishedAt } from './support/network-truth.ts';
import { blocksOf, type Block } from './support/printed.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { sh } from './support/shell.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/**
 * Every example of README, docs/http-api.md and the documentation pages, as printed and in the order in which somebody
 * reads them, against one service: none takes a name or a key from another. Each document is one shell.
 */

/** As the guide prints it, so that not even the secret has to be replaced. */
const SECRET = 'the-secret-you-were-given';

const PAGES = ['mesh', 'computes', 'registry', 'health', 'operators', 'status-pages', 'embed'];

let server: TestServer;
const folder = temporaryDirectory();
beforeAll(async () => {
  const file = join(folder.path, 'truth.json');
  writeFileSync(file, JSON.stringify(publishedAt(Date.now())));
  server = await startTestServer({ env: { WEBHOOK_SECRET: SECRET, TRUTH_FILE: file } });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

type Answer = Record<string, unknown>;

/** Runs commands in one shell, and answers what each of them prints. */
async function outputsOf(commands: string[], env: Record<string, string> = {}): Promise<string[]> {
  const MARK = '--- the next example ---';
  // An answer has no line break at its end.
  const script = commands.map((command) => `${command}\necho; echo '${MARK}'`).join('\n');
  const outputs = (await sh(`cd '${folder.path}'\n${script}`, env)).split(`${MARK}\n`);
  expect(outputs).toHaveLength(commands.length + 1);
  return outputs.slice(0, -1).map((output) => output.trim());
}

/** The JSON of an output, which may have headers above it; null where it has none. */
function answerOf(output: string): Answer | null {
  const line = output.split('\n').find((line) => line.startsWith('{'));
  return line === undefined ? null : (JSON.parse(line) as Answer);
}

function expectSuccess(command: string, output: string): void {
  expect(answerOf(output), `${command}\n${output}`).not.toMatchObject({ ok: false });
  for (const [, status] of output.matchAll(/^HTTP\/1\.1 (\d+)/gm))
    expect(Number(status), command).toBeLessThan(400);
}

/** The commands of the `sh` block below a heading: each with the comments above it. */
function commandsOf(document: string, heading: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '..', document), 'utf8');
  const block = text.split(`\n## ${heading}\n`)[1]?.match(/```sh\n([\s\S]*?)```/)?.[1] ?? '';
  return block
    .replaceAll('http://127.0.0.1:3000', server.url)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The registration that README starts. */
let registration = '';

/** The id of a question about it, which a reviewer asks once its payment is reported. */
async function question(): Promise<string> {
  const { services } = server;
  const { paymentNote: note } = await services.registration.confirm({ id: registration });
  const { questions } = await services.review.ask({
    note,
    reviewer: 'ada@example.org',
    text: 'Who paid for this name?',
  });
  return questions[0]?.id ?? '';
}

describe('run as printed, one after the other:', () => {
  test('the five requests of README', async () => {
    const commands = commandsOf('README.md', 'Five requests');
    const outputs = await outputsOf(commands);
    for (const [n, output] of outputs.entries()) expectSuccess(commands[n] ?? '', output);
    const [ping, mesh, announce, computes, started, ...more] = outputs.map(answerOf);
    expect(more).toEqual([]);
    expect(ping).toMatchObject({ ok: true, isNew: true });
    expect(mesh).toMatchObject({ stats: { peers: 1, online: 1 } });
    expect(announce).toMatchObject({ computes: [{ listed: false, reason: 'name_not_active' }] });
    expect(computes).toMatchObject({ stats: { total: 0 } });
    expect(started).toMatchObject({ status: 'pending_payment' });
    registration = String(started?.['id']);
  });

  test('the tour of docs/http-api.md', async () => {
    const commands = commandsOf('docs/http-api.md', 'Tour with curl');
    const outputs = await outputsOf(commands);
    for (const [n, output] of outputs.entries()) expectSuccess(commands[n] ?? '', output);
    const answers = outputs.map(answerOf).filter((answer) => answer !== null);
    expect(answers).toHaveLength(20);
    expect(answers[0]).toMatchObject({ ok: true, isNew: true, peer: { lat: 37.5, lng: -122.5 } });
    expect(answers.filter(({ available }) => available === true)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'pending_review')).toHaveLength(2);
    expect(answers.at(-1)).toMatchObject({ ok: true, nodeId: 'node_studio' });
  });

  test.each(PAGES)('/docs/%s', async (page) => {
    const html = await (await server.get(`/docs/${page}`)).text();
    const blocks = blocksOf(html);
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.filter(({ language }) => language === '')).toEqual([]);
    const commands = blocks.filter(({ language }) => language === 'sh');
    const outputs = await outputsOf(
      commands.map(({ code }) => code),
      {
        // The reference says so above its commands; the guides set it themselves.
        ID: registration,
        ...(page === 'registry' && { QUESTION: await question() }),
        ...(page === 'operators' ? {} : { WEBHOOK_SECRET: SECRET }),
      },
    );
    for (const [n, output] of outputs.entries()) expectSuccess(commands[n]?.code ?? '', output);
    SAYS[page]?.(
      (caption) => outputs[commands.findIndex((block) => block.caption === caption)] ?? '',
      commands,
    );
  });
});

/** What the examples of a page answer, beyond that none fails. */
const SAYS: Record<string, (of: (caption: string) => string, commands: Block[]) => void> = {
  mesh: (_, commands) => expect(commands.length).toBeGreaterThan(8),
  registry: (_, commands) => expect(commands.length).toBeGreaterThan(5),
  operators(of) {
    expect(answerOf(of('The first heartbeat'))).toMatchObject({ ok: true, isNew: false });
    expect(answerOf(of('An announcement'))).toMatchObject({
      computes: [{ reason: 'name_not_active' }],
    });
    expect(answerOf(of('Check whether the name is available'))).toMatchObject({ available: true });
    const started = answerOf(of('Start the registration'));
    expect(started).toMatchObject({ status: 'pending_payment', name: 'attic' });
    expect(answerOf(of('Report the payment'))).toMatchObject({ status: 'pending_review' });
    const followed = answerOf(of('Follow the progress'));
    expect(followed).toMatchObject({ id: started?.['id'], status: 'pending_review' });
    expect(followed).not.toHaveProperty('cashConfirm');
    expect(of('Remove a node')).toContain('HTTP/1.1 200');
  },
  'status-pages'(of) {
    expect(of('A request, and the same with its ETag')).toContain('HTTP/1.1 304 Not Modified');
  },
};
