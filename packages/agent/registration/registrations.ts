import type { MeshRegistry, Registration, Result, Start } from '@mesh-registry/client/index.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { CommandError, EXIT, usageError } from '../base/exit.ts';
import type { SigningClock } from '../identity/signing-clock.ts';
import type { Config } from '../config/load.ts';
import type { Identity } from '../identity/key-file.ts';
import { REGISTRATION_ID_PATTERN } from '@mesh-registry/protocol/rest/register.schema.ts';

/** Registrations of this node, each step proved by its key. */
export interface Registrar {
  config: Config;
  identity: Identity;
  /** Signs by `clock`. */
  client: MeshRegistry;
  clock: SigningClock;
}

/** @throws CommandError with what the service says */
function answerOf<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  const { problem } = result;
  const { kind, message } = problem;
  const hint =
    kind === 'refused' && problem.code === 'not_found'
      ? ' "mesh-agent register --list" shows those of this node.'
      : '';
  const isRefused = kind === 'refused' && problem.status < 500;
  throw new CommandError(`${message}${hint}`, isRefused ? EXIT.refused : EXIT.unreachable);
}

const networkOf = ({ service }: Config) => new URL(service.url).origin;

/**
 * Starts a registration. What was started before, perhaps by a command whose answer was lost, is found again.
 * @throws CommandError
 */
export async function start(
  registrar: Registrar,
  { name, kinds }: Pick<Start, 'name' | 'kinds'>,
): Promise<{ registration: Registration; isNew: boolean }> {
  const { config, identity, client, clock } = registrar;
  const { id: nodeId, label, class: size, region } = config.node;
  const proof = () =>
    signNodeProof(
      { action: 'start', network: networkOf(config), name, nodeId },
      identity.key,
      clock.now(),
    );
  const started = await clock.send(client, () =>
    client.start({
      name,
      nodeId,
      kinds,
      proof: proof(),
      ...(label !== undefined && { label }),
      ...(size !== undefined && { class: size }),
      ...(region !== undefined && { region }),
    }),
  );
  if (!started.ok && started.problem.kind === 'refused' && started.problem.code === 'name_taken') {
    const own = (await list(registrar)).find(
      (registration) => registration.name === name && registration.status !== 'rejected',
    );
    if (own) return { registration: own, isNew: false };
  }
  return { registration: answerOf(started), isNew: true };
}

/** Those that the node's key has proved, the oldest first. @throws CommandError */
export async function list({ config, client, clock }: Registrar): Promise<Registration[]> {
  const listed = await clock.send(client, () => client.registrationsOf(config.node.id));
  return answerOf(listed).registrations;
}

/** Proves a registration that was started elsewhere. @throws CommandError */
export const claim = async (
  { config, client, clock }: Registrar,
  id: string,
): Promise<Registration> =>
  answerOf(await clock.send(client, () => client.claim(config.node.id, id)));

/** @throws CommandError if there is none */
export const find = async ({ client }: Registrar, id: string): Promise<Registration> =>
  answerOf(await client.registration(id));

/** Reports the payment. @param text what the payment app says, for the reviewer @throws CommandError */
export const reportPaid = async (
  registrar: Registrar,
  registration: Registration,
  text: string | undefined,
): Promise<Registration> =>
  answerOf(
    await registrar.clock.send(registrar.client, () =>
      registrar.client.confirm({
        id: registration.id,
        ...(text !== undefined && { cashConfirm: text }),
        ...proofOf(registrar, 'confirm', registration),
      }),
    ),
  );

/** Ends it, or releases its active name. @throws CommandError */
export const cancel = async (
  registrar: Registrar,
  registration: Registration,
): Promise<Registration> =>
  answerOf(
    await registrar.clock.send(registrar.client, () =>
      registrar.client.cancel(registration.id, proofOf(registrar, 'cancel', registration)),
    ),
  );

/** Nothing for a registration of another node, which its link alone lets one change. */
function proofOf(
  { config, identity, clock }: Registrar,
  action: 'confirm' | 'cancel',
  { id, name, nodeId }: Registration,
) {
  if (nodeId !== config.node.id) return {};
  const network = networkOf(config);
  return {
    proof: signNodeProof({ action, network, name, nodeId, id }, identity.key, clock.now()),
  };
}

/**
 * The id of a registration, from itself or from the link of its page.
 * @param url of the configured service: the id is a secret, and goes to no other
 * @throws CommandError if it is neither, or a link of another service
 */
export function registrationId(reference: string, url: string): string {
  if (REGISTRATION_ID_PATTERN.test(reference)) return reference;
  if (!URL.canParse(reference))
    throw usageError(
      'Give the id of the registration, which begins with reg_, or the link of its page.',
    );
  const link = new URL(reference);
  const service = new URL(url);
  if (link.host !== service.host)
    throw usageError(
      `This link is of ${link.host}, and the node is configured for ${service.host}.`,
    );
  const id = link.pathname.split('/').find((part) => REGISTRATION_ID_PATTERN.test(part));
  if (id === undefined) throw usageError('There is no registration in this link.');
  return id;
}
