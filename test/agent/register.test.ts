import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Registration } from '@mesh-registry/client/index.ts';
import { terminalQr } from '@mesh-registry/agent/cli/register.ts';
import { aStart, freshId, postJson } from '../contract/contract.ts';
import { accept } from '../support/decisions.ts';
import { startHttpServer } from '../support/http-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { aNode, command, type ANode } from './command.ts';

/** `mesh-agent register` and `claim` against the real service. */

const REGISTER = '/api/registry/register';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: { WEBHOOK_SECRET: 'the-secret-of-this-network', OPEN_REGISTRATIONS_PER_CLIENT: '100' },
  });
});
afterAll(() => server.stop());

const of = ({ config }: ANode) => ['--config', config];

/** Runs a command that has to succeed. */
async function json<Value = Registration>(node: ANode, ...args: string[]): Promise<Value> {
  const { code, stdout, stderr } = await command([...args, '--json', ...of(node)]);
  expect(code, stdout + stderr).toBe(0);
  return JSON.parse(stdout) as Value;
}

const list = async (node: ANode) =>
  (await json<{ registrations: Registration[] }>(node, 'register', '--list')).registrations;

/** Sends one heartbeat, which the node's key signs. */
const beat = async (node: ANode) =>
  expect(await command(['run', '--once', ...of(node)])).toMatchObject({ code: 0 });

const acceptedBy = (id: string) => accept(server.services, { id, reviewer: 'ada@example.org' });
const pinOf = (node: ANode) => server.services.identity.pinOf(node.nodeId)?.key;

/** Started without the node's key, as in a browser. */
const startedElsewhere = ({ nodeId }: ANode): Promise<Registration> =>
  postJson(server, REGISTER, aStart({ nodeId }), 201) as Promise<unknown> as Promise<Registration>;

describe('register', () => {
  it('starts, reports the payment, and releases the name, each proved by the key', async () => {
    const node = aNode(server.url);
    await beat(node);
    const name = freshId('name');
    const started = await json(node, 'register', name, '--kinds', 'node,compute');
    expect(started).toMatchObject({
      name,
      nodeId: node.nodeId,
      kinds: ['node', 'compute'],
      status: 'pending_payment',
      nodeProved: true,
    });
    const paid = await json(node, 'register', '--paid', started.id, '--text', '#D-1');
    expect(paid.status).toBe('pending_review');
    await acceptedBy(started.id);
    expect(pinOf(node)).toBe(node.identity.publicKey);

    const asked = await command(['register', '--cancel', started.id, ...of(node)]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain(`Release the active name ${name}?`);
    expect((await list(node)).map(({ status }) => status)).toEqual(['active']);
    const released = await json(node, 'register', '--cancel', started.id, '--yes');
    expect(released.status).toBe('rejected');
  });

  it('attack: six anonymous starts for its node don’t keep it from registering, from the same address either', async () => {
    const node = aNode(server.url);
    await beat(node);
    const anonymous = () => server.post(REGISTER, aStart({ nodeId: node.nodeId }));
    for (let n = 0; n < 5; n++) expect((await anonymous()).status).toBe(201);
    expect((await anonymous()).status).toBe(429);
    expect(await json(node, 'register', freshId('name'), '--kinds', 'node')).toMatchObject({
      status: 'pending_payment',
      nodeProved: true,
    });
  });

  it('prints note, link, page and what to do next; in a terminal a QR code as well', async () => {
    const node = aNode(server.url);
    const name = freshId('name');
    const { stdout } = await command(['register', name, ...of(node)]);
    const [registration] = await list(node);
    const { id = '', payUrl = '', paymentNote = '' } = registration ?? {};
    expect(stdout).toContain(`${name} is waiting for payment.`);
    expect(stdout).toContain(payUrl);
    expect(stdout).toContain(paymentNote);
    expect(stdout).toContain(`${server.url}/register/${id}`);
    expect(stdout).toContain(`mesh-agent register --paid ${id}`);
    expect(stdout).not.toMatch(/[█\x1b]/);
    const terminal = await command(['register', name, ...of(node)], { isTTY: true });
    expect(terminal.stdout).toContain('This node has registered that name before');
    expect(terminal.stdout).toContain(terminalQr(payUrl, true).join('\n'));
    const plain = await command(['register', name, ...of(node)], {
      isTTY: true,
      env: { NO_COLOR: '1' },
    });
    expect(plain.stdout).not.toContain('\x1b');
  });

  it('again, because its answer was lost, finds the same registration', async () => {
    const node = aNode(server.url);
    const name = freshId('name');
    const first = await json(node, 'register', name);
    const again = await json(node, 'register', name.toUpperCase());
    expect(again.id).toBe(first.id);
    expect(await list(node)).toHaveLength(1);
  });

  it('of a name that others have is refused in the words of the service', async () => {
    const name = freshId('name');
    await json(aNode(server.url), 'register', name);
    const { code, stderr } = await command(['register', name, ...of(aNode(server.url))]);
    expect(code).toBe(5);
    expect(stderr).toContain(name);
  });

  it.each([
    [[], 'Give one of'],
    [['garage', '--list'], 'Give one of'],
    [['g'], 'The name must be 2 to 32 characters'],
    [['garage', '--kinds', 'house'], '--kinds must be node, compute'],
    [['--paid', 'garage'], 'begins with reg_'],
  ])('with %j says what to give', async (args, message) => {
    const { code, stderr } = await command(['register', ...args, ...of(aNode(server.url))]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('stands for a compute if the configuration has an offer of that name', async () => {
    const name = freshId('name');
    const node = aNode(server.url, {
      more: `[[compute]]\nname = "${name}"\nreplicas = 1\nfree_slots = 1\n`,
    });
    expect((await json(node, 'register', name)).kinds).toEqual(['compute']);
  });

  it('--list shows nothing to another key of the same id', async () => {
    const node = aNode(server.url);
    await json(node, 'register', freshId('name'));
    expect(await list(aNode(server.url, { nodeId: node.nodeId }))).toEqual([]);
  });
});

describe('claim', () => {
  it('proves what was started in a browser, by its link or its id, once or twice', async () => {
    const node = aNode(server.url);
    await beat(node);
    const { id } = await startedElsewhere(node);
    expect(await list(node)).toEqual([]);
    const claimed = await json(node, 'claim', `${server.url}/register/${id}?from=mail#pay`);
    expect(claimed).toMatchObject({ id, nodeProved: true });
    expect(await json(node, 'claim', id)).toMatchObject({ id, nodeProved: true });
    expect((await list(node)).map((registration) => registration.id)).toEqual([id]);
  });

  it('of a registration for another node is refused', async () => {
    const { id } = await startedElsewhere(aNode(server.url));
    expect(await command(['claim', id, ...of(aNode(server.url))])).toMatchObject({ code: 5 });
    const unknown = await command(['claim', `reg_${'x'.repeat(24)}`, ...of(aNode(server.url))]);
    expect(unknown).toMatchObject({ code: 5 });
  });

  it('by two keys at once: one wins, the other is told', async () => {
    const nodes = [aNode(server.url)];
    nodes.push(aNode(server.url, { nodeId: nodes[0]?.nodeId ?? '' }));
    const { id } = await startedElsewhere(nodes[0] as ANode);
    const results = await Promise.all(nodes.map((node) => command(['claim', id, ...of(node)])));
    expect(results.map(({ code }) => code).sort()).toEqual([0, 5]);
  });

  it('sends the secret link of one service to no other', async () => {
    const asked: string[] = [];
    const stub = await startHttpServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(404).end();
    });
    onTestFinished(() => stub.stop());
    const link = `${server.url}/register/reg_${'x'.repeat(24)}`;
    const { code, stderr } = await command(['claim', link, ...of(aNode(stub.url))]);
    expect(code).toBe(2);
    expect(stderr).toContain(new URL(server.url).host);
    expect(asked).toEqual([]);
  });
});

it('The QR code in the terminal reads as the payment link', () => {
  const link = 'https://cash.app/$MeshDemo/5.00?note=MESH-garage-7K3QFA';
  const lines = terminalQr(link, false);
  // Two modules to a character, light ones drawn; some pixels each, as a camera sees them.
  const rows = lines.flatMap((line) => [
    [...line].map((character) => '█▀'.includes(character)),
    [...line].map((character) => '█▄'.includes(character)),
  ]);
  const SCALE = 4;
  const width = (rows[0]?.length ?? 0) * SCALE;
  const height = rows.length * SCALE;
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const light = rows[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)] ?? true;
      data.fill(light ? 255 : 0, (y * width + x) * 4, (y * width + x) * 4 + 3);
      data[(y * width + x) * 4 + 3] = 255;
    }
  expect(decodeQR({ width, height, data })).toBe(link);
});
