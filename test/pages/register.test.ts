import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activeName, aPing, aStart, freshId } from '../contract/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createTestDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage, type ShownPage } from './page.ts';
import { accept, reject, revoke } from '../support/decisions.ts';

const HOUR = 3_600_000;
const clock = new FakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { TRUST_PROXY: '1' }, clock: clock.read });
});
afterAll(() => server.stop());

/** What a form of the page sends without scripts: its fields with their values, then `typed`. */
function fieldsOf({ html }: ShownPage, typed: Record<string, string> = {}): URLSearchParams {
  const fields = new URLSearchParams();
  const main = html.slice(html.indexOf('<main'), html.indexOf('</main'));
  // The page of a registration has more forms below its first one.
  const [form = main] = /<form.*?<\/form>/s.exec(main) ?? [];
  for (const [, attributes = ''] of form.matchAll(/<input ([^>]*)>/g)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
    const box = /type="(checkbox|radio)"/.test(attributes);
    const name = attribute('name');
    if (name && (!box || /\bchecked\b/.test(attributes)))
      fields.append(name, attribute('value') ?? '');
  }
  for (const [name, value] of Object.entries(typed)) fields.set(name, value);
  return fields;
}

/** Sends a GET form and follows its redirect. */
async function goOn(page: ShownPage, typed: Record<string, string>) {
  let path = `/register?${fieldsOf(page, typed).toString()}`;
  let next = await openPage(server, path);
  const to = next.headers.get('location');
  if (to) next = await openPage(server, (path = to));
  expect(next.status).toBe(200);
  return { path, page: next };
}

const post = (path: string, fields: URLSearchParams, headers: Record<string, string> = {}) =>
  openPage(server, path, {
    method: 'POST',
    body: fields,
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
  });

/** The last step, filled in. */
async function checked(answers: Record<string, string> = {}) {
  const first = await openPage(server, '/register');
  const { page: node } = await goOn(first, { name: freshId('name'), ...answers });
  const { page: details } = await goOn(node, { node: freshId() });
  return goOn(details, {});
}

const pending = () =>
  (
    JSON.parse(server.services.registry.infoAnswer().content.json.toString()) as {
      counts: { pending: number };
    }
  ).counts.pending;

/** A registration that waits for its payment, by its page. */
const started = async (fields: Record<string, unknown> = {}, { services } = server) => {
  const start = aStart(fields) as Parameters<typeof services.registration.start>[0];
  const { id, name, paymentNote } = await services.registration.start({
    ...start,
    class: 'M',
    region: 'EU',
  });
  return { id, name, paymentNote, path: `/register/${id}` };
};

const expectSecret = (headers: Headers) =>
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-robots-tag': 'noindex, nofollow',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });

describe('/register without scripts', () => {
  test('a name goes through plain forms from the first step until it is active', async () => {
    const name = freshId('flow');
    const first = await openPage(server, '/register');
    expect(first.text).toContain('Registering costs $5.00, once.');
    expect(first.text).toContain('What is this name for?');
    const node = await goOn(first, { name: name.toUpperCase() });
    expect(node.page.text).toContain(`The node that ${name} belongs to.`);
    // Nothing was heard of it: it is asked for its details.
    const details = await goOn(node.page, { node: 'node_flow' });
    expect(details.page.text).toContain('Shown with the name.');
    const check = await goOn(details.page, { region: 'eu, Europe' });
    expect(check.page.text).toMatch(
      new RegExp(
        `Name ${name} .*For Node and compute offer .*Node node_flow .*Label ${name} .*Class S, small .*Region EU, Europe .*Fee \\$5.00 , once Ask the operator of this network about refunds.`,
      ),
    );
    const answer = await post(check.path, fieldsOf(check.page));
    expect(answer.status).toBe(303);
    expectSecret(answer.headers);
    const path = answer.headers.get('location') ?? '';
    // The link of a registration that was just started is not saved yet.
    expect(path).toMatch(/^\/register\/reg_[\w-]+\?job=save$/);

    const pay = await openPage(server, path);
    expect(pay.status).toBe(200);
    const { pathname } = new URL(path, server.url);
    const { registration } = await server.services.registration.status(pathname.slice(10));
    expect(pay.text).toContain(`${name} is reserved for you`);
    expect(pay.title).toMatch(new RegExp(`^Pay: ${name}`));
    expect(pay.text).toContain(`Note, exactly ${registration.paymentNote}`);
    expect(pay.text).toContain('until Sun 19 Jul, 12:00 UTC');
    // Without scripts all jobs are open, and the link is there to be copied by hand.
    expect(pay.text).toContain(`${server.url}/register/${registration.id}`);
    expect(pay.html).toContain(
      `href="${registration.payUrl}" target="_blank" rel="noreferrer noopener"`,
    );
    expect(pay.html).toMatch(/<svg [^>]*role="img"[^>]*>\s*<rect [^>]*fill="#fff"/);
    const paid = await post(path, fieldsOf(pay, { cashConfirm: '#D-1' }));
    expect([paid.status, paid.headers.get('location')]).toEqual([303, pathname]);
    const waits = await openPage(server, path);
    expect(waits.text).toContain(`${name} is waiting for review`);
    expect(waits.text).toContain('Payment reported by you now Reviewer’s decision pending');
    expect(waits.text).toContain('Place in the queue Next 1 is waiting.');
    expect(waits.text).toContain('Confirmation text given');
    expect(waits.html).not.toContain('#D-1');
    expect(await (await server.get(`${pathname}.data`)).text()).not.toContain('#D-1');

    await accept(server.services, { id: registration.id, reviewer: 'ada@example.org' });
    const active = await openPage(server, path);
    expect(active.title).toMatch(new RegExp(`^Active: ${name}`));
    expect(active.html).toContain(`href="/registry/${name}"`);
    expect(active.text).toContain('"nodeId":"node_flow"');
    expect(active.text).toContain(`"name": "${name}"`);
    expect(active.text).toContain(`/registry/${name}/badge.svg)](`);
    expect(active.html).not.toContain('ada@');
  });

  test('an unavailable name leads back to its step from any later one, with alternatives, and keeps all answers', async () => {
    const { name } = await activeName(server, { name: 'garage' });
    const answers = 'class=L&kinds=node&region=NA&label=My%20shed&node=node_kept';
    for (const [asked, says] of [
      [name, 'garage is active since 17 Jul 2026 . View garage'],
      ['Admin', 'admin is reserved and cannot be registered.'],
      ['my garage!', 'Names cannot contain spaces. Use only a–z, 0–9, - and _.'],
      ['garage!', 'Names cannot contain “!”.'],
      ['g', 'Names must have at least 2 characters.'],
      ['g'.repeat(33), 'this one has 33.'],
      ['-garage', 'Names must start and end with a letter or number.'],
      ['', 'Enter the name you want.'],
    ] as const) {
      const query = `step=check&name=${encodeURIComponent(asked)}&${answers}`;
      const page = await openPage(server, `/register?${query}`);
      expect(page.text).toContain('Choose a name');
      expect(page.text).toContain(says);
      const input = /<input id="name"[^>]*>/.exec(page.html)?.[0];
      expect(input).toContain('aria-invalid="true"');
      expect(input).toMatch(/aria-describedby="[^"]*name-problem/);
      const fields = fieldsOf(page);
      expect(Object.fromEntries(fields)).toEqual({
        step: 'node',
        name: asked,
        kinds: 'node',
        class: 'L',
        region: 'NA',
        label: 'My shed',
        node: 'node_kept',
      });
    }
    const { html } = await openPage(server, '/register?step=node&name=garage');
    for (const free of ['garage-lab', 'garage-rack', 'garage-2'])
      expect(html).toContain(`href="/register?name=${free}"`);
  });

  test('errors appear at their fields, step by step, and everything typed is kept', async () => {
    const name = freshId('name');
    const expectError = async (query: string, title: string, id: string, says: string) => {
      const page = await openPage(server, `/register?step=check&name=${name}&${query}`);
      expect(page.text).toContain(title);
      expect(page.html.replace(/<svg.*?<\/svg>/g, '')).toMatch(
        new RegExp(`<p id="${id}-problem"[^>]* aria-live="polite">(?:<span><strong>)?${says}`),
      );
      return page;
    };
    const rest = `class=M&region=a%20b&label=${'x'.repeat(70)}`;
    const none = await expectError(
      `kinds=none&node=genesis&${rest}`,
      'Choose a name',
      'kinds',
      'Choose at least one.',
    );
    expect(Object.fromEntries(fieldsOf(none))).toEqual({
      step: 'node',
      name,
      kinds: '',
      class: 'M',
      region: 'A B',
      node: 'genesis',
      label: 'x'.repeat(70),
    });
    const genesis = 'The ID genesis belongs to the bootstrap peer.';
    const node = await expectError(`node=genesis&${rest}`, 'Choose its node', 'node', genesis);
    expect(Object.fromEntries(fieldsOf(node))).toMatchObject({ name, region: 'A B', class: 'M' });
    await expectError(rest, 'Choose its node', 'node', 'Choose a node or enter its ID.');
    for (const [id, says] of [
      ['region', 'The region must be 1 to 16 characters: A-Z, 0-9, - and _.'],
      ['label', 'A label can have at most 64 characters.'],
    ] as const) {
      const page = await expectError(`node=node_1&${rest}`, 'Details', id, says);
      expect(Object.fromEntries(fieldsOf(page))).toEqual({
        step: 'check',
        name,
        class: 'M',
        region: 'A B',
        node: 'node_1',
        label: 'x'.repeat(70),
      });
    }
  });

  test('a label that can’t be published is refused with its reason and one to use instead', async () => {
    const nodeId = freshId('labelled');
    await server.post('/api/mesh/ping', aPing({ nodeId, label: 'Werkstatt 3' }));
    for (const [label, says, instead] of [
      [
        'werk3.example.org',
        'A label can’t be a hostname or an IP address. They are never published. Use a name people know.',
        'Werkstatt 3',
      ],
      ['<b>Villa</b>', 'A label can’t contain HTML.', 'Villa'],
      ['Villa!', 'Use letters, digits, spaces and . _ - &#x27; ( ) # &amp; + ,', 'Villa'],
    ] as const) {
      const query = `name=${freshId('name')}&node=${nodeId}`;
      const page = await openPage(
        server,
        `/register?step=check&${query}&label=${encodeURIComponent(label)}`,
      );
      expect(page.text).toContain('Filled in from the heartbeats of Werkstatt 3.');
      expect(page.html.replace(/<[^>]*>/g, '')).toContain(says);
      expect(page.text).toContain('needs a change');
      expect(page.text).toContain(`Use “${instead}”`);
      const [, href = ''] =
        /href="([^"]*)">Use “/.exec(page.html.replaceAll(/ rel="[^"]*"/g, '')) ?? [];
      const mended = await openPage(server, href.replaceAll('&amp;', '&'));
      expect(fieldsOf(mended).get('label')).toBe(instead);
    }
  });

  test('a node that is up says its details itself, and its step leads to the last one', async () => {
    const nodeId = freshId('up');
    const ping = aPing({ nodeId, class: 'L', region: 'ASIA', label: 'Halle rack' });
    await server.post('/api/mesh/ping', ping);
    const name = freshId('name');
    const node = await openPage(server, `/register?step=node&name=${name}`);
    // No other node is offered.
    expect(node.html).not.toContain(nodeId);
    const check = await goOn(node, { node: nodeId });
    expect(check.page.text).toMatch(
      /Check your details .*Node Halle rack up.* Label Halle rack .*Class L, large .*Region ASIA /,
    );
    // Only what was entered is an answer: the rest follows the node.
    expect(check.path).not.toMatch(/class|region|label/);
    const details = await openPage(server, `/register?step=details&name=${name}&node=${nodeId}`);
    expect(details.text).toContain('Its heartbeats say Halle rack.');
    expect(details.text).toContain('Its heartbeats say L.');
    expect(details.text).toContain('Its heartbeats say ASIA.');
    // Regions are suggested: they are nobody's.
    expect(details.html).toContain('<option value="ASIA"');
    expect(details.html).toContain('<option value="EU, Europe"');
    const own = await goOn(details, { class: 'M' });
    expect(own.path).toMatch(/class=M/);
    expect(own.path).not.toMatch(/region|label/);
    const path = (await post(own.path, fieldsOf(own.page))).headers.get('location') ?? '';
    const { registration } = await server.services.registration.status(
      new URL(path, server.url).pathname.slice(10),
    );
    expect(registration).toMatchObject({ label: 'Halle rack', class: 'M', region: 'ASIA', nodeId });
  });

  test('an offline node leads to the details, filled in', async () => {
    const nodeId = freshId('down');
    await server.post('/api/mesh/ping', aPing({ nodeId, status: 'offline', class: 'M' }));
    const node = await openPage(server, `/register?step=node&name=${freshId('name')}`);
    const { page } = await goOn(node, { node: nodeId });
    expect(page.text).toContain('Its heartbeats say M.');
    expect(fieldsOf(page).get('class')).toBe('M');
  });

  test('the offers of a node are choices; one that is announced under another name is a warning', async () => {
    const nodeId = freshId('host');
    const [free, other] = [freshId('free'), freshId('other')];
    await server.post('/api/mesh/ping', aPing({ nodeId, label: 'Werkstatt 3' }));
    const { name: active } = await activeName(server, { nodeId, kinds: ['compute'] });
    const { name: taken } = await started();
    const computes = [free, active, taken].map((name, at) => ({
      name,
      image: 'whisper:1.7',
      replicas: at + 1,
      freeSlots: 2,
    }));
    await server.post('/api/registry/computes', { nodeId, computes });

    const field = await openPage(server, `/register?step=node&name=${other}`);
    const { page } = await goOn(field, { node: nodeId });
    expect(page.text).toContain(`Werkstatt 3 doesn’t announce “${other}”.`);
    expect(page.text).toContain(`${other} Not announced yet.`);
    // As on its page: what an offer runs is shown once it is listed.
    expect(page.text).toContain(`${free} 1 replica, 2 free available`);
    expect(page.text).toContain(`${active} whisper:1.7 · 2 replicas, 2 free active`);
    expect(page.text).toContain(`${taken} 3 replicas, 2 free taken`);
    expect(page.html.match(/<input type="radio" [^>]*disabled=""/g)).toHaveLength(2);
    const check = await goOn(page, { name: free });
    expect(check.page.text).toContain(`Name ${free} Change name`);
    expect(check.page.text).not.toContain('isn’t announced yet');
    // Back at the node, both can be chosen; the one that is announced is.
    const back = await openPage(
      server,
      `/register?step=node&name=${free}&typed=${other}&node=${nodeId}`,
    );
    expect(back.text).not.toContain('doesn’t announce');
    expect(back.text).toContain(`${other} Not announced yet.`);
    expect(fieldsOf(back).get('name')).toBe(free);
    // Under its own name nothing is to be said.
    const same = await openPage(server, `/register?step=node&name=${free}&node=${nodeId}`);
    expect(same.text).not.toMatch(/doesn’t announce|Not announced yet/);
    const nodeOnly = `/register?step=node&name=${other}&node=${nodeId}&kinds=node`;
    expect((await openPage(server, nodeOnly)).text).not.toContain('Which of its offers?');

    // From the node’s page the wizard begins with the first one that is free.
    const shown = await openPage(server, `/nodes/${nodeId}`);
    expect(shown.html).not.toContain('href="/register?node=');
    const { headers } = await openPage(server, `/register?node=${nodeId}&offer=1`);
    expect(headers.get('location')).toBe(`/register?name=${free}&node=${nodeId}`);
  });

  test('a node with active names is a warning where it is chosen and on the last step', async () => {
    const nodeId = freshId('named');
    const { name } = await activeName(server, { nodeId });
    await activeName(server, { nodeId, name: `${name}-2` });
    const says = `This node already has the active names ${name}, ${name}-2 . If it isn’t yours, check the ID`;
    const node = await openPage(server, `/register?step=node&name=${freshId('name')}`);
    // The step stays until it has been seen.
    const chosen = await goOn(node, { node: nodeId });
    expect(chosen.page.text).toContain('Choose its node');
    expect(chosen.page.text).toContain(says);
    const details = await goOn(chosen.page, {});
    const check = await goOn(details.page, {});
    expect(check.page.text).toContain(says);
  });

  test('a blocked node is flagged where it is chosen, on the last step and on the page of its registration', async () => {
    const { nodes, registration } = server.services;
    const nodeId = freshId('blocked');
    const because = { nodeId, reviewer: 'ada@example.org', reason: 'it sends nonsense' };
    await server.post('/api/mesh/ping', aPing({ nodeId }));
    await nodes.block(because);
    const says = 'Reviewers have blocked this node. You can still register the name';
    const name = freshId('name');
    const what = await openPage(server, `/register?step=node&name=${name}&node=${nodeId}`);
    expect(what.text).toContain(says);
    expect(what.text).not.toContain('We haven’t heard from this node');
    const details = await goOn(what, {});
    const check = await goOn(details.page, {});
    expect(check.page.text).toContain(`Node ${nodeId} Change node ${says}`);
    const location = (await post(check.path, fieldsOf(check.page))).headers.get('location') ?? '';
    const path = new URL(location, server.url).pathname;
    const follows = `Reviewers have blocked this registration’s node, ${nodeId} : its heartbeats`;
    const pay = await openPage(server, path);
    expect(pay.text).toContain(follows);
    for (const page of [what, check.page, pay]) expect(page.html).not.toContain('nonsense');
    const id = path.slice('/register/'.length);
    await registration.confirm({ id });
    await accept(server.services, { id, reviewer: because.reviewer });
    const active = await openPage(server, path);
    expect(active.text).toContain(follows);
    expect(active.text).not.toContain('Node on the map');
    await nodes.unblock(because);
    const free = await openPage(server, path);
    expect(free.text).not.toContain('have blocked');
    expect(free.text).toContain('Node on the map');
    expect((await openPage(server, check.path)).text).not.toContain('have blocked');
  });

  test('sent twice, from two tabs or after a reload, the last step starts one registration', async () => {
    const { path, page } = await checked();
    const before = pending();
    const again = await openPage(server, path);
    expect(fieldsOf(again).toString()).toBe(fieldsOf(page).toString());
    const answers = await Promise.all([1, 2, 3].map(() => post(path, fieldsOf(page))));
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(pending()).toBe(before + 1);
    // Back, with one answer changed: another key and another registration.
    expect(page.html).not.toMatch(/href="[^"]*step=node[^"]*key=/);
    const key = fieldsOf(page).get('key');
    const { page: other } = await checked({ name: freshId('other') });
    expect(fieldsOf(other).get('key')).not.toBe(key);
  });

  test('going back to the last step leads to its registration; other answers under its key show a message', async () => {
    const { path, page } = await checked();
    const first = (await post(path, fieldsOf(page))).headers.get('location') ?? '';
    const back = await openPage(server, path);
    expect([back.status, back.headers.get('location')]).toEqual([
      302,
      new URL(first, server.url).pathname,
    ]);
    expect(back.headers.get('x-remix-replace')).toBe('true');
    expectSecret(back.headers);

    const before = pending();
    const name = freshId('other');
    const refused = await post(path, fieldsOf(page, { name }));
    const { headers } = await openPage(server, refused.headers.get('location') ?? '');
    const again = headers.get('location') ?? '';
    const shown = await openPage(server, again);
    expect(shown.text).toContain('you sent this form before with different ones');
    expect(shown.html).toContain('role="alert"');
    expect(fieldsOf(shown).get('name')).toBe(name);
    expect(fieldsOf(shown).get('key')).not.toBe(fieldsOf(page).get('key'));
    expect(pending()).toBe(before);
    expect((await post(again, fieldsOf(shown))).headers.get('location')).toMatch(/reg_/);
    // After a day its key is forgotten, and the name is still taken.
    clock.advance(24 * HOUR);
    expect((await openPage(server, path)).text).toContain('is taken, not active yet.');
  });

  test('a name that was taken meanwhile shows an error at its field', async () => {
    const { path, page } = await checked({ name: 'race' });
    await started({ name: 'race' });
    const answer = await post(path, fieldsOf(page));
    expect(answer.status).toBe(303);
    const shown = await openPage(server, answer.headers.get('location') ?? '');
    expect(shown.text).toContain('race is taken, not active yet.');
    expect(shown.text).toContain('race-lab');
    expect(fieldsOf(shown).get('node')).toBe(fieldsOf(page).get('node'));
  });
});

describe('a form from another site', () => {
  const FOREIGN: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '', origin: 'https://evil.example' },
    { 'sec-fetch-site': '', origin: 'null' },
    { 'sec-fetch-site': '' },
  ];
  /** An empty header here is not sent. */
  const sendAs = (path: string, fields: URLSearchParams, headers: Record<string, string>) =>
    openPage(server, path, {
      method: 'POST',
      body: fields,
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
    });

  test('starts and confirms nothing', async () => {
    const { path, page } = await checked();
    const registration = await started();
    const before = pending();
    for (const headers of FOREIGN) {
      const start = await sendAs(path, fieldsOf(page), headers);
      expect({ headers, status: start.status }).toEqual({ headers, status: 403 });
      expect(start.html).toContain('"code":"forbidden"');
      const confirm = await sendAs(registration.path, new URLSearchParams(), headers);
      expect(confirm.status).toBe(403);
    }
    expect(pending()).toBe(before);
    const { text } = await openPage(server, registration.path);
    expect(text).toContain('is reserved for you');
  });

  test('shows browsers a page that says what to do, and gives programs the usual error body', async () => {
    const { path } = await started();
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-site': '' };
    const refused = await sendAs(`${path}?a=%22b%22&c`, new URLSearchParams(), {
      ...browser,
      origin: 'https://evil.example',
    });
    expect(refused.status).toBe(403);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-request-id': expect.any(String),
    });
    expect(refused.title).toBe('The form was refused · Mesh Registry');
    expect(refused.text).toContain('Nothing was changed. This came from another site.');
    expect(refused.html).toContain(`href="${server.url}${path}?a=%22b%22&amp;c"`);
    const styles = /<link rel="stylesheet" href="([^"]+)"/.exec(refused.html)?.[1] ?? '';
    expect((await server.get(styles)).headers.get('content-type')).toContain('text/css');

    const silent = await sendAs(path, new URLSearchParams(), { ...browser, origin: 'null' });
    expect(silent.text).toContain(
      'Open the page over https, or as localhost on the machine itself',
    );
    for (const accept of ['*/*', 'application/json', '']) {
      const { html, headers } = await sendAs(path, new URLSearchParams(), { accept });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(JSON.parse(html)).toMatchObject({ ok: false, code: 'forbidden' });
    }
    expect(server.log()).not.toContain(path);
  });

  test('our own pages are recognised by Sec-Fetch-Site, or else by their Origin', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { 'sec-fetch-site': '', origin: server.url },
    ]) {
      const { path } = await started();
      expect((await sendAs(path, new URLSearchParams(), headers)).status).toBe(303);
    }
  });

  test('a body that isn’t one of our forms, or is too large, is refused', async () => {
    const { path } = await started();
    const own = { 'sec-fetch-site': 'same-origin' };
    const large = new URLSearchParams({ cashConfirm: 'x'.repeat(9000) });
    expect((await sendAs(path, large, own)).status).toBe(413);
    const json = await openPage(server, path, {
      method: 'POST',
      body: '{}',
      headers: { ...own, 'content-type': 'application/json' },
    });
    expect(json.status).toBe(400);
  });
});

describe('/register/:id', () => {
  test('its URL stays out of search engines, caches, Referer headers and the log', async () => {
    const { id, path } = await started();
    const page = await openPage(server, path);
    expectSecret(page.headers);
    expect(page.meta('robots')).toBe('noindex, nofollow');
    expect(page.meta('og:url')).toBeNull();
    const asData = await server.get(`${path}.data`);
    expect(asData.status).toBe(200);
    expectSecret(asData.headers);
    const none = await openPage(server, `${path}x`);
    expect(none.status).toBe(404);
    expectSecret(none.headers);
    expect(none.text).toContain('Registration not found');
    await post(`${path}x`, new URLSearchParams());
    await openPage(server, path, { method: 'PUT', body: 'x' });
    // The router makes no request to find out which page a URL leads to.
    const routes = await server.get(`/__manifest?p=${encodeURIComponent(path)}`);
    expect([routes.status, routes.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(server.log()).not.toContain(id);
    expect(server.log()).not.toContain('reg_');
  });

  test('the timeline says in every state what happened and who did it, but never which reviewer', async () => {
    const { registration } = server.services;
    const ada = { reviewer: 'ada@example.org' };
    /** From the heading of its panel on; a reload shows the same. */
    const told = async (path: string, title = 'History') => {
      const [first, again] = [await openPage(server, path), await openPage(server, path)];
      expect(first.html + (await (await server.get(`${path}.data`)).text())).not.toContain('ada@');
      expect(again.text).toBe(first.text);
      return first.text.slice(first.text.indexOf(title) + title.length + 1);
    };
    const { id, name, path } = await started();
    clock.advance(HOUR);
    // Until it is paid, the jobs say what comes.
    expect((await openPage(server, path)).text).toContain('Report your payment');
    clock.advance(47 * HOUR);
    const day = String.raw`\w{3} \d+ \w{3}, \d\d:00 UTC`;
    const lapsed = `Reserved by you ${day} Reservation expired, unpaid`;
    expect(await told(path)).toMatch(new RegExp(`^${lapsed} now`));
    clock.advance(HOUR);
    await registration.confirm({ id });
    const revived = `${lapsed} 1 h ago Payment reported after the reservation expired by you`;
    expect(await told(path, 'Progress')).toMatch(
      new RegExp(`^${revived} now Reviewer’s decision pending`),
    );
    await accept(server.services, { id, ...ada });
    expect(await told(path, 'Progress')).toMatch(
      new RegExp(`^${revived} now Accepted by a reviewer now More Prove that`),
    );
    clock.advance(HOUR);
    await revoke(server.services, { id, ...ada, reason: 'gone' });
    expect(await told(path)).toMatch(/Accepted by a reviewer 1 h ago Activation revoked by a revi/);

    const unpaid = await started({ name });
    await reject(server.services, { id: unpaid.id, ...ada, reason: 'no' });
    const page = await openPage(server, unpaid.path);
    expect(await told(unpaid.path)).toMatch(
      /^Reserved by you now Rejected by a reviewer now Your payment/,
    );
    expect(page.text).toContain('Step 5 of 6: Pay , ended');
    expect(page.html).toMatch(
      /aria-current="step"><span>(?:(?!<li).)*Pay<\/span><span[^>]*>, ended</,
    );
  });

  test('the reservation expires on time; an operator who paid gets the name back while it is available', async () => {
    const [late, gone] = [await started(), await started()];
    clock.advance(48 * HOUR - 1000);
    expect((await openPage(server, late.path)).text).toContain('under a minute left');
    clock.advance(1000);
    const ended = await openPage(server, late.path);
    expect(ended.text).toContain(`The reservation of ${late.name} has expired`);
    expect(ended.title).toMatch(/^Expired: /);
    expect(ended.html).toContain(`href="/register?step=check&amp;name=${late.name}`);
    expect((await post(late.path, fieldsOf(ended))).status).toBe(303);
    expect((await openPage(server, late.path)).text).toContain('is waiting for review');

    await started({ name: gone.name });
    const taken = await post(gone.path, new URLSearchParams({ cashConfirm: '#D-2' }));
    expect(taken.status).toBe(409);
    // Shown at once and on every later visit; nothing on the page leads to the taken name.
    expect(taken.html).toContain('role="alert"');
    expect(taken.text).toContain('Enter your text #D-2 there.');
    for (const { html, text } of [taken, await openPage(server, gone.path)]) {
      expect(text).toContain('The name is no longer free.');
      expect(text).toContain(`Your payment’s note ${gone.paymentNote} Copy`);
      expect(html).toContain(`earlier=${gone.paymentNote}`);
      expect(text).not.toMatch(/reserved for you again|still available|Reserve /);
      expect(html).not.toContain('name="cashConfirm"');
      expect(html).not.toContain('step=check');
    }
  });

  test('a rejection shows its reason, and a link to try again with everything filled in', async () => {
    const { id, name, path, paymentNote } = await started({
      label: 'My (shed)',
      nodeId: 'node_again',
      kinds: ['node'],
    });
    await server.services.registration.confirm({ id });
    await reject(server.services, { id, reviewer: 'ada', reason: 'No payment <came> in.' });
    const page = await openPage(server, path);
    expect(page.text).toContain('No payment <came> in.');
    const again = /href="(\/register\?step=check[^"]*)"/.exec(page.html)?.[1] ?? '';
    expect(page.text).toContain('You paid, and it was missed');
    const { headers } = await openPage(server, again.replaceAll('&amp;', '&'));
    const check = await openPage(server, headers.get('location') ?? '');
    expect(check.text).toMatch(
      new RegExp(`Name ${name} .*For Node Change .*Node node_again .*Label My`),
    );
    // An earlier payment is not requested again.
    expect(page.text).toContain(`Note ${paymentNote}`);
    const answer = await post(headers.get('location') ?? '', fieldsOf(check));
    const next = answer.headers.get('location') ?? '';
    const pay = await openPage(server, next);
    expect(pay.text).toMatch(
      new RegExp(`Already paid for .* note ${paymentNote} \\? Don’t pay again`),
    );
    const forged = await openPage(server, next.replace(paymentNote, 'Send+it+to+me'));
    expect(forged.text).not.toContain('Already paid');
  });

  test('the last step’s form names the registration before it, whose id is in no address', async () => {
    const [first, open] = [await started(), await started()];
    await reject(server.services, { id: first.id, reviewer: 'ada', reason: 'Nothing came.' });
    const href = /href="(\/register\?step=check[^"]*earlier=[^"]*)"/;
    const [, again = ''] = href.exec((await openPage(server, first.path)).html) ?? [];
    expect(again).toContain(first.paymentNote);
    expect(again).not.toContain(first.id);
    const reviewed = async (location: string) => {
      const [, id = ''] = /(reg_[\w-]+)/.exec(location) ?? [];
      const { paymentNote: note } = await server.services.registration.get(id);
      return (await server.services.review.registration({ note, reviewer: 'ada' })).registration;
    };
    const withKey = async (name: string) => {
      const path = again.replaceAll('&amp;', '&').replace(first.name, name);
      return (await openPage(server, path)).headers.get('location') ?? '';
    };

    const check = await withKey(first.name);
    const fields = fieldsOf(await openPage(server, check), { earlierId: first.id });
    const answer = await post(check, fields);
    const next = answer.headers.get('location') ?? '';
    expect(next).not.toContain(first.id);
    expect((await reviewed(next)).earlier).toMatchObject({ note: first.paymentNote });
    // Back and a reload lead to it again, though their address doesn’t name the one before.
    const back = await openPage(server, check);
    expect(back.headers.get('location')).toBe(next.replace('&job=save', ''));

    // One that hasn’t ended can’t be named; the note goes on.
    const other = await withKey(freshId('name'));
    const wrong = fieldsOf(await openPage(server, other), { earlierId: open.id });
    const { status, headers } = await post(other, wrong);
    expect(status).toBe(303);
    const location = headers.get('location') ?? '';
    expect(location).toContain(`earlier=${first.paymentNote}`);
    expect((await reviewed(location)).earlier).toBeNull();
  });

  test('its operator corrects the details and cancels it, with plain forms', async () => {
    const { registration } = server.services;
    const { id, name } = await started({ label: 'Bran' });
    const path = `/register/${id}`;
    const send = (fields: Record<string, string>) => post(path, new URLSearchParams(fields));
    const wrong = await send({ intent: 'correct', label: 'Barn', class: 'M', region: 'no region' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('The region must be');
    expect(wrong.html).toContain('value="Barn"');
    const corrected = { intent: 'correct', label: 'Barn', class: 'M', region: 'eu' };
    expect((await send(corrected)).status).toBe(303);
    expect((await openPage(server, path)).text).toContain('Label Barn Class, region M, Europe');
    expect(await registration.get(id)).toMatchObject({ label: 'Barn', class: 'M', region: 'EU' });
    expect((await send({ intent: 'destroy' })).status).toBe(400);
    expect((await send({ intent: 'cancel' })).status).toBe(303);
    const { text, title } = await openPage(server, path);
    expect(text).toContain(`You cancelled ${name} The name is available again. You owe nothing.`);
    expect(title).toMatch(/^Cancelled: /);
    expect(text).toContain('Cancelled by you now');
    expect(text).not.toContain('reviewer’s reason');
    // Sent again by a second tab: the same.
    expect((await send({ intent: 'cancel' })).status).toBe(303);
    expect((await send(corrected)).status).toBe(409);
  });

  test('while it waits, it still shows how to pay, and a confirmation text can be added and corrected', async () => {
    const { id, name, path, paymentNote } = await started();
    await post(path, new URLSearchParams());
    const waits = await openPage(server, path);
    const { payUrl } = await server.services.registration.get(id);
    expect(waits.html).toMatch(/<details[^>]*><summary>I haven’t paid yet/);
    expect(waits.html).toContain(`href="${payUrl}"`);
    expect(waits.html).toMatch(/without-scripts">Reload this page/);
    expect(waits.text).toContain('To $MeshDemo Copy recipient Amount $5.00');
    const given = async () => {
      const open = { reviewer: 'ada@example.org', open: paymentNote };
      return (await server.services.review.queue(open)).open?.cashConfirm;
    };
    const long = await post(path, new URLSearchParams({ cashConfirm: 'x'.repeat(129) }));
    expect(long.status).toBe(400);
    expect(long.text).toContain('The confirmation text must be at most 128 characters.');
    await post(path, fieldsOf(waits, { cashConfirm: '#D-7Q' }));
    const added = await openPage(server, path);
    expect(added.text).toContain('Confirmation text given');
    expect(await given()).toBe('#D-7Q');
    // Repeating it changes nothing, which programs that retry rely on.
    await server.services.registration.confirm({ id, cashConfirm: '#D-8' });
    expect(await given()).toBe('#D-7Q');
    clock.advance(HOUR);
    await post(path, fieldsOf(added, { cashConfirm: '#D-9' }));
    expect(await given()).toBe('#D-9');
    expect((await openPage(server, path)).text).toContain('Confirmation text given');
    await accept(server.services, { id, reviewer: 'ada@example.org' });
    const late = await post(path, fieldsOf(added, { cashConfirm: '#D-10' }));
    expect(late.status).toBe(409);
    expect(late.text).toContain(`${name} is active`);
  });

  test('of the texts that several tabs send for one payment the last one counts, and an empty one changes nothing', async () => {
    const { path, paymentNote } = await started();
    const pay = await openPage(server, path);
    const send = async (cashConfirm: string) => {
      expect((await post(path, fieldsOf(pay, { cashConfirm }))).status).toBe(303);
      const open = { reviewer: 'ada@example.org', open: paymentNote };
      return (await server.services.review.queue(open)).open?.cashConfirm;
    };
    expect(await send('#FIRST')).toBe('#FIRST');
    expect(await send('#SECOND')).toBe('#SECOND');
    expect(await send(' ')).toBe('#SECOND');
  });

  test('too many registrations show an error at the form, which keeps what was typed', async () => {
    const network = { 'x-forwarded-for': '203.0.113.9' };
    const { path } = await started();
    const unknown = `/register/reg_${'a'.repeat(24)}`;
    // The form and the API count against the same limit.
    expect((await post(unknown, new URLSearchParams(), network)).status).toBe(404);
    for (let n = 1; n < 120; n++) {
      const counted = await server.post('/api/registry/register', {}, { headers: network });
      expect(counted.status).toBe(400);
    }
    const refused = await post(path, new URLSearchParams({ cashConfirm: '#D-3' }), network);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.text).toContain('Too many registrations from your network.');
    expect(refused.html).toContain('value="#D-3"');
    const check = await checked();
    const start = await post(check.path, fieldsOf(check.page), network);
    expect(start.status).toBe(429);
    expect(start.text).toContain('Your details are kept.');
    expect(fieldsOf(start).get('key')).toBe(fieldsOf(check.page).get('key'));
  });
});

test('the page after a form shows its result, whichever of several servers answers', async () => {
  const database = await createTestDatabase();
  const env = database.env;
  const [one, other] = [await startTestServer({ env }), await startTestServer({ env })];
  const send = (path: string, fields: Record<string, string>) =>
    openPage(one, path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'sec-fetch-site': 'same-origin' },
    });
  // Several times, because once the other server could have synced just in between.
  for (let round = 0; round < 5; round++) {
    const { path } = await started({}, one);
    expect((await openPage(other, path)).text).toContain('is reserved for you');
    expect((await send(path, {})).status).toBe(303);
    const { text } = await openPage(other, path);
    expect(text).toContain('is waiting for review');
    expect(text).toContain(round === 0 ? 'Place in the queue Next' : 'ahead of you.');
    await send(path, { corrects: '', cashConfirm: '#D-7Q2M41' });
    expect((await openPage(other, path)).text).toContain('Confirmation text given');
  }
  await Promise.all([one.stop(), other.stop()]);
  await database.drop();
});

describe('the functions behind the pages', () => {
  test('alternatives skip names that are taken', async () => {
    const { alternatives } = server.services.names;
    await activeName(server, { name: 'attic' });
    await started({ name: 'attic-2' });
    const expected = ['attic-lab', 'attic-rack', 'attic-box', 'attic-3'];
    expect(alternatives('attic')).toEqual(expected);
    expect(alternatives('attic-2')).toEqual(expected);
  });

  test('regions are suggested by how many nodes are there', async () => {
    for (const [nodeId, region] of [
      ['mars_1', 'MARS'],
      ['mars_2', 'MARS'],
      ['venus', 'VENUS'],
      ['nowhere', undefined],
    ])
      await server.post('/api/mesh/ping', aPing({ nodeId, region }));
    const regions = server.services.mesh.regions();
    expect(regions.indexOf('MARS')).toBeLessThan(regions.indexOf('VENUS'));
    expect(regions).not.toContain('ZZ');
  });

  test('the queue position follows the time of the confirmation; the usual review time is the median', async () => {
    const { registration, review } = server.services;
    // Reviews in other tests don't count here: they are older than a month.
    clock.advance(31 * 24 * HOUR);
    const claimed: string[] = [];
    for (let n = 0; n < 7; n++) {
      const { id } = await started();
      await registration.confirm({ id });
      claimed.push(id);
      clock.advance(HOUR);
    }
    const [first = '', second = '', third = '', ...others] = claimed;
    const [fourth = '', fifth = '', sixth = '', last = ''] = others;
    const { queue } = await registration.status(last);
    expect(queue?.position).toBe(queue?.waiting);
    const before = (queue?.position ?? 0) - 7;
    await accept(server.services, { id: first, reviewer: 'ada' });
    await reject(server.services, { id: second, reviewer: 'ada', reason: 'a test' });
    await accept(server.services, { id: fourth, reviewer: 'ada' });
    await accept(server.services, { id: fifth, reviewer: 'ada' });
    const few = await registration.status(last);
    expect(few).toMatchObject({ queue: { position: before + 3 }, usualMs: null });
    await accept(server.services, { id: sixth, reviewer: 'ada' });
    // 7, 6, 4, 3 and 2 hours after the confirmation; a later revocation is not a review.
    await revoke(server.services, { id: first, reviewer: 'ada', reason: 'a test' });
    expect(await registration.status(last)).toMatchObject({
      queue: { position: before + 2, waiting: before + 2 },
      usualMs: 4 * HOUR,
    });
    expect((await registration.status(third)).queue?.position).toBe(before + 1);
    // Reviewers see the same order.
    const { items } = await review.queue({ reviewer: 'ada' });
    expect(items[before + 1]?.name).toBe((await registration.get(last)).name);
  });
});
