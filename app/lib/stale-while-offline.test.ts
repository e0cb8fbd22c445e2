import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keepShown, rememberPage } from './open-page.client.ts';
import { serviceAway } from './service-away.ts';
import {
  isAnswer,
  offlineAction,
  offlineLoader,
  staleReason,
  unlessRefused,
} from './stale-while-offline.ts';

const URL_OF_PAGE = 'http://localhost/review/names?page=2';
const shown = { rows: ['shed'] };
const noAnswer = new TypeError('Failed to fetch');
const signIn = new Response(null, {
  status: 302,
  headers: { location: '/review/sign-in?to=%2Freview' },
});
/** As the router throws it. */
const errorPage = (status: number) => ({ status, statusText: '', internal: false, data: null });

let forget: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', new EventTarget());
  vi.stubGlobal('navigator', { onLine: true });
  forget = rememberPage('/review/names', shown);
});
afterEach(() => {
  forget();
  serviceAway.found();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const load = (answer: () => Promise<unknown>) =>
  offlineLoader({
    request: new Request(URL_OF_PAGE),
    params: {},
    serverLoader: answer as never,
  });
/** The router rejects with responses, too. */
const fails = (thrown: unknown) => {
  const reason = thrown as Error;
  return () => Promise.reject(reason);
};

describe('a page that was left', () => {
  const load = (search: string, thrown: unknown) =>
    offlineLoader({
      request: new Request(`http://localhost/registry${search}`),
      params: {},
      serverLoader: fails(thrown),
    });

  test('is shown again as it was while nothing answers, at the same address alone', async () => {
    keepShown('/registry?page=2', shown);
    await expect(load('?page=2', noAnswer)).resolves.toEqual({ ...shown, stale: 'offline' });
    await expect(load('?page=3', noAnswer)).rejects.toBe(noAnswer);
  });

  test('is not shown once the session has ended', async () => {
    keepShown('/registry?page=2', shown);
    await expect(load('?page=2', signIn)).rejects.toBe(signIn);
  });

  test('is forgotten after ten others', async () => {
    keepShown('/registry?page=2', shown);
    for (let n = 10; n < 20; n++) keepShown(`/registry?page=${n}`, shown);
    await expect(load('?page=2', noAnswer)).rejects.toBe(noAnswer);
  });
});

describe('an open page', () => {
  test('shows the new data when there is an answer', async () => {
    await expect(load(() => Promise.resolve({ rows: [] }))).resolves.toEqual({ rows: [] });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('keeps what it shows while the service doesn’t answer, and knows that it is old', async () => {
    const kept = await load(fails(noAnswer));
    expect(kept).toEqual({ ...shown, stale: 'offline' });
    expect(staleReason(kept)).toBe('offline');
    await expect(load(fails(errorPage(503)))).resolves.toEqual({ ...shown, stale: 'offline' });
  });

  test('keeps what it shows once the session has ended, and knows why', async () => {
    await expect(load(fails(signIn))).resolves.toEqual({ ...shown, stale: 'signed-out' });
  });

  test('counts an answer that takes 10 s as none', async () => {
    const loading = load(() => new Promise(() => {}));
    const settled = vi.fn();
    void loading.then(settled);
    await vi.advanceTimersByTimeAsync(9999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledWith({ ...shown, stale: 'offline' });
  });

  test('is left for another page where that is the answer', async () => {
    const redirect = new Response(null, { status: 302, headers: { location: '/review' } });
    await expect(load(fails(redirect))).rejects.toBe(redirect);
    const missing = errorPage(404);
    await expect(load(fails(missing))).rejects.toBe(missing);
  });

  test('that isn’t the one asked for is not shown instead', async () => {
    forget();
    forget = rememberPage('/review/history', shown);
    await expect(load(fails(noAnswer))).rejects.toBe(noAnswer);
  });
});

describe('a form', () => {
  const send = (
    fields: Record<string, string | File>,
    answer: () => Promise<unknown>,
    advice?: string | Record<string, string>,
  ) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return offlineAction(
      {
        request: new Request(URL_OF_PAGE, { method: 'POST', body }),
        params: {},
        serverAction: answer as never,
      },
      advice,
    );
  };

  test('that has no answer is reported, one that was refused is not', async () => {
    await send({}, () =>
      Promise.resolve({ error: 'No.', code: 'invalid_body', fields: {}, values: {} }),
    );
    expect(serviceAway.snapshot()).toBeNull();
    await send({}, fails(noAnswer));
    expect(serviceAway.snapshot()).toMatchObject({ asOf: null });
  });

  test('keeps all that was typed but secrets when no answer comes, and says that it may be sent again', async () => {
    const fields = { intent: 'add', name: 'shed', password: 'p', recoveryCode: 'c', token: 't' };
    await expect(send(fields, fails(noAnswer))).resolves.toEqual({
      error: expect.stringContaining('It is safe to send it again.'),
      code: 'unavailable',
      fields: {},
      values: { intent: 'add', name: 'shed' },
      lost: true,
    });
  });

  test('says what its page advises instead', async () => {
    const advice = { pay: 'Look at the list first.' };
    await expect(send({ intent: 'pay' }, fails(noAnswer), advice)).resolves.toMatchObject({
      error: 'The service didn’t answer. Look at the list first.',
    });
    await expect(send({ intent: 'add' }, fails(noAnswer), advice)).resolves.toMatchObject({
      error: expect.stringContaining('It is safe to send it again.'),
    });
  });

  test('that was refused without being read comes back with what was typed', async () => {
    const refused = { error: 'Too many.', code: 'rate_limited', fields: {}, values: {} };
    const answered = await send({ name: 'shed' }, () => Promise.resolve(refused));
    expect(answered).toEqual({ ...refused, values: { name: 'shed' } });
  });

  test('shows the values of the service where it changed them', async () => {
    const refused = { error: 'No.', code: 'invalid_body', fields: {}, values: { name: 'a' } };
    await expect(send({ name: 'A' }, () => Promise.resolve(refused))).resolves.toEqual(refused);
  });

  test('follows a redirect', async () => {
    const redirect = new Response(null, { status: 303, headers: { location: '/review' } });
    await expect(send({}, fails(redirect))).rejects.toBe(redirect);
  });

  test.each([
    ['10 s', { name: 'shed' }, 10_000],
    ['two minutes with a file', { file: new File(['x'], 'x.csv') }, 120_000],
  ])('waits %s for its answer', async (_, fields, ms) => {
    const settled = vi.fn();
    await new Promise<void>((sent) => {
      const never = () => {
        sent();
        return new Promise(() => {});
      };
      void send(fields, never).then(settled);
    });
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledWith(expect.objectContaining({ lost: true }));
  });
});

test('a form that was refused doesn’t load its page again; any other does as usual', () => {
  const decide = (actionResult: unknown, defaultShouldRevalidate: boolean) =>
    unlessRefused({ actionResult, defaultShouldRevalidate } as never);
  const refused = { error: 'No.', code: 'invalid_body', fields: {}, values: {} };
  expect(decide(refused, true)).toBe(false);
  expect(decide({ done: true }, true)).toBe(true);
  expect(decide(undefined, false)).toBe(false);
});

test('redirects and refusals are answers; no connection and failures of the service or a proxy are none', () => {
  for (const thrown of [new Response(null, { status: 302 }), errorPage(403), errorPage(404)])
    expect(isAnswer(thrown)).toBe(true);
  for (const thrown of [errorPage(500), errorPage(502), noAnswer])
    expect(isAnswer(thrown)).toBe(false);
});
