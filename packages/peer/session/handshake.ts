import { randomBytes, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { isSignedDetached, signDetached } from '@mesh-registry/protocol/keys/dsse.ts';
import type { Channel } from './channel.ts';
import { LIMITS } from '../base/limits.ts';
import { Auth, Hello, Ok, Refuse, type RefusalCode } from './messages.schema.ts';

/**
 * The authenticated hello, in four messages: the dialer sends its hello with a nonce; the responder sends its own, with a
 * signature; the dialer sends its signature; the responder sends ok. Both sign both ids and both nonces, so neither a
 * hello nor a signature can be used in another conversation. Until the last message nothing else is answered.
 */

const DIALER = 'application/vnd.mesh-registry.hello-dialer';
const RESPONDER = 'application/vnd.mesh-registry.hello-responder';

/** Thrown when one of the two peers refuses the session, with the reason that it gave. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** @param byUs true if this peer has refused, false if the other one has */
  constructor(
    readonly code: RefusalCode,
    readonly byUs: boolean,
  ) {
    super(byUs ? `refused here: ${code}` : `refused there: ${code}`);
  }
}

/** A peer in a hello: this one, or the other. */
export interface Party {
  id: string;
  /** The private key of this peer itself, or the public key of another one. */
  key: KeyObject;
}

/** How this peer introduces itself to another one. */
export interface Introduction {
  me: Party;
  /** The other peer's ID, which the encrypted connection has proved. */
  remote: Party;
  hello: (nonce: string) => Hello;
  /** Why to refuse a peer that says this; null: it is welcome. */
  judge: (hello: Hello) => RefusalCode | null;
}

const newNonce = () => randomBytes(32).toString('hex');
const timeout = () => AbortSignal.timeout(LIMITS.helloMessageMs);

/** @returns what the responder has said @throws RefusedError, MalformedError, or what ended the stream */
export async function greet(
  channel: Channel,
  { me, remote, hello, judge }: Introduction,
): Promise<Hello> {
  const nonce = newNonce();
  await channel.send(hello(nonce));
  const theirs = await answer(channel, Hello);
  await requireWelcome(channel, judge(theirs));
  const transcript = JSON.stringify([theirs.network, me.id, remote.id, nonce, theirs.nonce]);
  await requireSignature(channel, RESPONDER, transcript, remote.key, theirs.sig);
  await channel.send({ t: 'auth', sig: signDetached(DIALER, transcript, me.key) });
  await answer(channel, Ok);
  return theirs;
}

/** @returns what the dialer has said @throws as {@link greet} */
export async function welcome(
  channel: Channel,
  { me, remote, hello, judge }: Introduction,
): Promise<Hello> {
  const theirs = await channel.receive(Hello, timeout());
  await requireWelcome(channel, judge(theirs));
  const nonce = newNonce();
  const transcript = JSON.stringify([theirs.network, remote.id, me.id, theirs.nonce, nonce]);
  await channel.send({ ...hello(nonce), sig: signDetached(RESPONDER, transcript, me.key) });
  const { sig } = await answer(channel, Auth);
  await requireSignature(channel, DIALER, transcript, remote.key, sig);
  await channel.send({ t: 'ok' });
  return theirs;
}

async function answer<T extends z.ZodType<{ t: string }>>(
  channel: Channel,
  schema: T,
): Promise<z.infer<T>> {
  const message = await channel.receive(z.union([Refuse, schema]), timeout());
  const refusal = Refuse.safeParse(message);
  if (refusal.success) throw new RefusedError(refusal.data.code, false);
  return message as z.infer<T>;
}

async function requireWelcome(channel: Channel, code: RefusalCode | null): Promise<void> {
  if (code === null) return;
  await channel.send({ t: 'refuse', code });
  throw new RefusedError(code, true);
}

async function requireSignature(
  channel: Channel,
  type: string,
  transcript: string,
  key: KeyObject,
  signature = '',
): Promise<void> {
  const isSigned = isSignedDetached(type, transcript, key, signature);
  await requireWelcome(channel, isSigned ? null : 'bad_signature');
}
