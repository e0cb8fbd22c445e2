import type { Connection, Stream } from '@libp2p/interface';
import { Channel } from '@mesh-registry/peer/session/channel.ts';
import { Budgets } from '@mesh-registry/peer/guard/budgets.ts';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { ControlMessage } from '@mesh-registry/peer/session/messages.schema.ts';
import { Session } from '@mesh-registry/peer/session/session.ts';

/** Sessions without a network: what they send is kept. */

/** A stream that takes everything. @param onMessage gets each message, without the length before it */
const aStream = (onMessage: (message: string) => void) =>
  Object.assign(new EventTarget(), {
    send: (bytes: { subarray: () => Uint8Array }) => {
      const text = Buffer.from(bytes.subarray()).toString();
      onMessage(text.slice(text.indexOf('{')));
      return true;
    },
    push() {},
    log: Object.assign(() => {}, { error() {} }),
  }) as unknown as Stream;

interface SessionFields {
  group?: string;
  direction?: Connection['direction'];
}

/** @returns a session, and what it has sent so far */
export function aSession(
  peer: string,
  { group = 'group', direction = 'inbound' }: SessionFields = {},
): { session: Session; sent: ControlMessage[] } {
  const sent: ControlMessage[] = [];
  const stream = aStream((message) => sent.push(ControlMessage.parse(JSON.parse(message))));
  const connection = { direction, close: () => Promise.resolve() } as unknown as Connection;
  const channel = new Channel(stream, LIMITS.controlBytes);
  const budget = new Budgets(LIMITS).of('/ip4/127.0.0.1/tcp/9900');
  const session = new Session(
    peer,
    connection,
    channel,
    { group, budget },
    {
      t: 'hello',
      network: 'mesh.example.org',
      proto: [1, 1],
      agent: 'test',
      caps: [],
      time: '2026-06-01T00:00:00Z',
      nonce: '',
      root: 1,
      truth: 0,
      height: 0,
      record: null,
    },
  );
  return { session, sent };
}
