import { expect } from 'vitest';
import type { AppRouter } from '#server/entry/trpc/router.ts';
import { createTRPCClient, httpLink } from '@trpc/client';
import type { Services } from '#server/services.ts';
import type { TestServer } from '../support/server.ts';

/** Shared by the tests of the dashboard. */

export interface Registered {
  id: string;
  name: string;
  note: string;
}

/** A registration that is waiting for review; for payment if `confirmed` is false. */
export async function registered(
  { registration }: Services,
  name: string,
  { confirmed = true, nodeId = `node_${name}` } = {},
): Promise<Registered> {
  const { id, paymentNote } = await registration.start({
    action: 'start',
    name,
    nodeId,
    class: 'M',
    region: 'EU',
    kinds: ['node'],
  });
  if (confirmed) await registration.confirm({ id });
  return { id, name, note: paymentNote };
}

/** A file in a form, as a browser sends it. */
export function upload(text: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  form.set('intent', 'import');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File([text], 'zoes-activity.csv', { type: 'text/csv' }));
  return form;
}

/** The typed API for the session of this cookie; null: for a stranger. */
export const trpcOf = ({ url }: TestServer, cookie: string | null) =>
  createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${url}/api/trpc`,
        headers: { origin: url, ...(cookie !== null && { cookie }) },
      }),
    ],
  });

/** Expects every call to be refused because nobody is signed in. */
export const expectRefused = (calls: Promise<unknown>[]) =>
  Promise.all(
    calls.map((call) => expect(call).rejects.toMatchObject({ data: { code: 'unauthorized' } })),
  );
