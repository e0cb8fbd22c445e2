import { getRequestListener } from '@hono/node-server';
import { expect, test, vi } from 'vitest';
import { startHttpServer } from '../../test/support/http-server.ts';
import { csv, csvStream } from './csv.server.ts';

const fields = (...values: unknown[]) =>
  csv(
    values.map((_, at) => String(at)),
    [Object.fromEntries(values.entries())],
  )
    .split('\r\n')
    .slice(1)
    .join('\r\n');

test('every line ends in CRLF, the names come first', () => {
  const rows = [
    { name: 'a', n: 1 },
    { name: 'b', n: 2 },
  ];
  expect(csv(['name', 'n'], rows)).toBe('name,n\r\na,1\r\nb,2\r\n');
  expect(csv(['name', 'n'], [])).toBe('name,n\r\n');
});

test('a value with a comma, a quote or a line break is quoted', () => {
  expect(fields('a,b', 'say "hi"', 'two\nlines', "it's")).toBe(
    '"a,b","say ""hi""","two\nlines",it\'s\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '-node_a:fire'])(
  'a text that a spreadsheet would run is marked as text: %j',
  (text) => {
    const field = fields(text).replace(/\r\n$/, '');
    expect(field.replace(/^"|"$/g, '')).toBe(`'${text}`);
  },
);

test('a sign within a text is left unchanged, and so is a number', () => {
  expect(fields('a=b', 'a-b', '', -1, 12)).toBe('a=b,a-b,,-1,12\r\n');
});

/** Parts of one row, endlessly or until one fails; counts the parts requested, and records whether it was ended. */
function source(failsAt = Infinity) {
  const state = { asked: 0, ended: false };
  async function* parts() {
    try {
      for (;;) {
        await Promise.resolve();
        if (++state.asked === failsAt) throw new Error('broke off');
        yield [{ n: state.asked }];
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, stream: csvStream(['n'], parts()) };
}

test('a file in parts sends its header at once, each part when it is read, and none once the reader has stopped', async () => {
  const { state, stream } = source();
  const reader = stream.getReader();
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
  expect(await read()).toBe('n\r\n');
  expect(state).toEqual({ asked: 0, ended: false });
  expect(await read()).toBe('1\r\n');
  expect(await read()).toBe('2\r\n');
  expect(state).toEqual({ asked: 2, ended: false });
  await reader.cancel();
  expect(state).toEqual({ asked: 2, ended: true });
});

test('over HTTP a failing source breaks the response off, and a client that disconnects ends the source', async () => {
  // The HTTP server prints what broke an answer off.
  const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const failing = source(3);
  const endless = source();
  const listener = getRequestListener(
    ({ url }) => new Response((url.endsWith('failing') ? failing : endless).stream),
  );
  const http = await startHttpServer((request, response) => void listener(request, response));
  try {
    const broken = await fetch(`${http.url}/failing`);
    await expect(broken.text()).rejects.toThrow();
    expect(failing.state).toEqual({ asked: 3, ended: true });

    const away = new AbortController();
    const answer = await fetch(`${http.url}/endless`, { signal: away.signal });
    await answer.body?.getReader().read();
    expect(endless.state.ended).toBe(false);
    away.abort();
    await expect.poll(() => endless.state.ended).toBe(true);
  } finally {
    await http.stop();
    printed.mockRestore();
  }
});
