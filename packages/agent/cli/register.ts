import * as clack from '@clack/prompts';
import encodeQR from 'qr';
import { Kind, Name } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { Kind as KindName } from '@mesh-registry/protocol/values.schema.ts';
import type { Registration } from '@mesh-registry/client/index.ts';
import type { Config } from '../config/load.ts';
import { requirePrivateWay } from '../config/secret.ts';
import { describe, pageOf, table } from '../registration/describe.ts';
import {
  registrationId,
  cancel,
  claim,
  find,
  list,
  reportPaid,
  start,
  type Registrar,
} from '../registration/registrations.ts';
import { nodeClient, readCredentials } from '../run/credentials.ts';
import { SigningClock } from '../identity/signing-clock.ts';
import { CommandError, EXIT, usageError } from '../base/exit.ts';
import { hasColours, print, printResult, type Io } from '../terminal/io.ts';
import { configOf, type CommonOptions } from './kit.ts';

const WHITE_ON_BLACK = '\x1b[97;40m';
const RESET = '\x1b[0m';

interface RegisterOptions extends CommonOptions {
  kinds?: string;
  list?: boolean;
  paid?: string;
  text?: string;
  cancel?: string;
  yes?: boolean;
}

/** `mesh-agent register` */
export async function register(
  io: Io,
  options: RegisterOptions,
  name: string | undefined,
): Promise<number> {
  const asked = [name, options.list, options.paid, options.cancel].filter(
    (choice) => choice !== undefined,
  );
  if (asked.length !== 1)
    throw usageError('Give one of: a name to register, --list, --paid ID, or --cancel ID.');
  const registrar = registrarOf(io, options);
  const { config } = registrar;
  if (options.list) return showList(io, options, await list(registrar));
  if (options.paid !== undefined) {
    const registration = await find(registrar, registrationId(options.paid, config.service.url));
    return show(io, options, config, await reportPaid(registrar, registration, options.text));
  }
  if (options.cancel !== undefined) {
    const registration = await find(registrar, registrationId(options.cancel, config.service.url));
    await confirmCancel(io, options, registration);
    return show(io, options, config, await cancel(registrar, registration));
  }
  const wanted = checkedName(name ?? '');
  const { registration, isNew } = await start(registrar, {
    name: wanted,
    kinds: kindsOf(options.kinds, config, wanted),
  });
  if (!isNew && !options.json) print(io, 'This node has registered that name before:', '');
  return show(io, options, config, registration);
}

/** `mesh-agent claim` */
export async function claimRegistration(
  io: Io,
  options: CommonOptions,
  reference: string,
): Promise<number> {
  const registrar = registrarOf(io, options);
  const { config } = registrar;
  const id = registrationId(reference, config.service.url);
  return show(io, options, config, await claim(registrar, id));
}

function registrarOf(io: Io, options: CommonOptions): Registrar {
  const config = configOf(io, options);
  const credentials = readCredentials(config, io.env);
  // Whoever has the id of a registration can change it.
  requirePrivateWay(config, 'The ID of the registration');
  const clock = new SigningClock();
  const client = nodeClient(config, credentials, { now: clock.now });
  return { config, identity: credentials.identity, client, clock };
}

function checkedName(text: string): string {
  const name = Name.safeParse(text);
  if (name.success) return name.data;
  throw usageError(`The name ${name.error.issues[0]?.message}.`);
}

/** Without `--kinds`: a compute if the configuration has an offer of that name, else a node. */
function kindsOf(given: string | undefined, { compute }: Config, name: string): KindName[] {
  if (given === undefined)
    return [compute.some((offer) => offer.name === name) ? 'compute' : 'node'];
  return [...new Set(given.split(','))].map((kind) => {
    const parsed = Kind.safeParse(kind.trim());
    if (parsed.success) return parsed.data;
    throw usageError('--kinds must be node, compute, or node,compute.');
  });
}

async function confirmCancel(
  io: Io,
  { yes }: RegisterOptions,
  { name, status }: Registration,
): Promise<void> {
  if (status !== 'active' || yes) return;
  const message = `Release the active name ${name}? Anyone can register it right away.`;
  if (!io.stdin.isTTY || !io.stdout.isTTY) throw usageError(`${message} Say so with --yes.`);
  const answer = await clack.confirm({
    message,
    initialValue: false,
    input: io.stdin,
    output: io.stdout,
  });
  if (answer !== true) throw new CommandError('Nothing was changed.', EXIT.interrupted);
}

function show(
  io: Io,
  options: CommonOptions,
  { service }: Config,
  registration: Registration,
): number {
  const page = pageOf(registration, service.url);
  const isToBePaid = registration.status === 'pending_payment' && io.stdout.isTTY;
  return printResult(io, options, { ...registration, page }, [
    ...describe(registration, service.url),
    ...(isToBePaid ? ['', ...terminalQr(registration.payUrl, hasColours(io))] : []),
  ]);
}

function showList(io: Io, options: RegisterOptions, registrations: Registration[]): number {
  const none =
    'The key of this node has proved no registration. mesh-agent register NAME starts one.';
  const count = registrations.length;
  return printResult(
    io,
    options,
    { count, registrations },
    count === 0 ? [none] : table(registrations),
  );
}

/**
 * A QR code for a terminal: its light modules are drawn, its dark ones are left out.
 * @param coloured makes that right in light terminals too
 */
export function terminalQr(text: string, coloured: boolean): string[] {
  const lines = encodeQR(text, 'ascii', { ecc: 'low', border: 2 }).trimEnd().split('\n');
  return coloured ? lines.map((line) => `${WHITE_ON_BLACK}${line}${RESET}`) : lines;
}
