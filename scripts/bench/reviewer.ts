import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { spawnBuilt } from '../../test/support/server-process.ts';
import { ask, clientAt, type Answer } from './clients.ts';
import { DEPLOYED } from './service.ts';
import type { Target } from './scenario.ts';

/** A reviewer of the service that is measured, with an account and a session, and operators who register names. */

const EMAIL = 'ada@example.org';
/** Registrations that one client may have open. */
const PER_CLIENT = 20;

export interface Registered {
  name: string;
  note: string;
}

/** Makes an account as the README says, by the build's own command, and signs in with it. @returns the cookie */
export async function signIn({
  build,
  databaseUrl,
  service,
}: Pick<Target, 'build' | 'databaseUrl' | 'service'>): Promise<string> {
  const { child, output } = spawnBuilt(
    [join(dirname(build.program), 'reviewer.js'), 'add', EMAIL],
    {
      ...DEPLOYED,
      DATABASE_URL: databaseUrl,
    },
  );
  await once(child, 'close');
  const path = /\/review\/join\/\S+/.exec(output())?.[0];
  if (path === undefined) throw new Error(`There is no link for a reviewer:\n${output()}`);
  const answer = await sendForm(service.url, path, {
    name: 'Ada',
    password: 'correct horse battery',
  });
  const cookies = answer.headers['set-cookie'] ?? [];
  return cookies.map((cookie) => cookie.replace(/;.*/, '')).join('; ');
}

/** Opens the page of a registration, and accepts it by its form. @throws if that is refused */
export async function accept(url: string, cookie: string, { note }: Registered): Promise<void> {
  const path = `/review/registrations/${note}`;
  const page = await ask(`${url}${path}`, { headers: { cookie }, from: clientAt('9.2') });
  if (page.status !== 200) throw new Error(`The page of a registration: ${page.status}`);
  await sendForm(url, path, { intent: 'accept', note, reason: 'Measured.' }, cookie);
}

/** A form, as a browser without scripts sends it. @throws unless it leads to the next page */
async function sendForm(
  url: string,
  path: string,
  fields: Record<string, string>,
  cookie?: string,
): Promise<Answer> {
  const answer = await ask(`${url}${path}`, {
    method: 'POST',
    headers: { origin: url, ...(cookie !== undefined && { cookie }) },
    body: new URLSearchParams(fields),
    from: clientAt('9.2'),
  });
  if (answer.status !== 303)
    throw new Error(`A form of ${path} was answered with ${answer.status}: ${answer.body}`);
  return answer;
}

/** Registers names that wait for review, as clients of which each may have some. */
export async function registerNames(url: string, count: number): Promise<Registered[]> {
  const send = async (n: number, body: object) => {
    const { status, body: answered } = await ask(`${url}/api/registry/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      from: clientAt(`8.${1 + Math.floor(n / PER_CLIENT)}`),
    });
    if (status >= 300) throw new Error(`A registration was answered with ${status}: ${answered}`);
    return JSON.parse(answered) as { id: string; paymentNote: string };
  };
  const names: Registered[] = [];
  for (let n = 0; n < count; n++) {
    const name = `bench-${n}`;
    const fields = { name, nodeId: `node_${n}`, kinds: ['node', 'compute'] };
    const { id, paymentNote: note } = await send(n, { action: 'start', ...fields });
    await send(n, { action: 'confirm', id });
    names.push({ name, note });
  }
  return names;
}
