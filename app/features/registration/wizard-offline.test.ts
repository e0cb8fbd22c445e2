import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rememberPage } from '#app/lib/open-page.client.ts';
import { serviceAway } from '#app/lib/service-away.ts';
import { loadWizardOffline } from './wizard-offline.ts';
import { readAnswers } from './wizard.ts';

/** The step that is open, as the server checked it last. */
const shown = {
  answers: readAnswers(new URLSearchParams('step=node&name=shed')),
  check: { name: 'shed', problem: null, message: 'shed is available.', alternatives: [] },
  errors: { node: 'Choose a node.' },
  fee: '$5.00',
};
let forget: () => void;
beforeEach(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', new EventTarget());
  vi.stubGlobal('navigator', { onLine: true });
  forget = rememberPage('/register', shown);
});
afterEach(() => {
  forget();
  serviceAway.found();
  vi.unstubAllGlobals();
});

const load = (search: string, answer: () => Promise<unknown>) =>
  loadWizardOffline({
    request: new Request(`http://localhost/register?${search}`),
    params: {},
    serverLoader: answer as never,
  });
const noAnswer = () => Promise.reject(new TypeError('Failed to fetch'));

test('the step stays while the service doesn’t answer, with what was typed and no verdict on it', async () => {
  await expect(load('step=check&name=shed&node=node_a&label=Mine', noAnswer)).resolves.toEqual({
    ...shown,
    answers: { ...shown.answers, step: 'node', node: 'node_a', label: 'Mine' },
    check: null,
    errors: {},
    stale: 'offline',
  });
});

test('an answer of the service is shown as it is', async () => {
  const answer = { answers: shown.answers };
  await expect(load('step=node', () => Promise.resolve(answer))).resolves.toBe(answer);
});

test('the wizard is left where the service says so, or where it wasn’t open', async () => {
  const redirect = new Response(null, { status: 302, headers: { location: '/register/reg_1' } });
  await expect(load('step=check', () => Promise.reject(redirect as unknown as Error))).rejects.toBe(
    redirect,
  );
  forget();
  await expect(load('step=check', noAnswer)).rejects.toThrow('Failed to fetch');
});
