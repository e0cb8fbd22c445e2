import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MeshRegistry } from '@mesh-registry/client/index.ts';
import { Trust, TrustError, type TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { loadConfig } from '../config/load.ts';
import { configFile, stateDirectory } from '../config/paths.ts';
import { describeContent, describeTrust, overview } from '../truth/describe.ts';
import { parseTruthFile, readTruthFile, writePublicFile } from '../truth/files.ts';
import { makeHolderKey, readHolderKey } from '../truth/key.ts';
import { readKnown } from '../truth/known.ts';
import { publish } from '../truth/publish.ts';
import { addSignature, isComplete, type Need } from '../truth/sign.ts';
import { verify, type Claims } from '../truth/verify.ts';
import { CommandError, EXIT } from '../base/exit.ts';
import { print, printJson, type Io } from '../terminal/io.ts';
import { printVerdict } from '../terminal/print-check.ts';
import type { Command } from 'commander';
import { ROLES } from '../truth/draft.ts';
import type { Kit } from './kit.ts';
import { draftRootCommand, draftTruthCommand } from './truth-draft.ts';

/** `mesh-agent truth`: the keys and documents of a network. Nothing but `show --service` uses the network. */

interface JsonOption {
  json?: boolean;
}

interface TrustOption {
  /** Files, in this order. */
  trust?: string[];
}

/** `mesh-agent truth key FILE`: only the public key goes to the standard output, for scripts. */
export function truthKey(io: Io, { json }: JsonOption, file: string): number {
  const { publicKey, isNew } = makeHolderKey(resolve(file));
  if (json) printJson(io, { key: publicKey, file: resolve(file), isNew });
  else {
    io.stderr.write(
      isNew
        ? `${file} is the private key: back it up, and keep it on a machine that is never online. Its public key:\n`
        : `${file} was there already, and stays as it is. Its public key:\n`,
    );
    print(io, publicKey);
  }
  return EXIT.ok;
}

export interface SignOptions extends JsonOption, TrustOption {
  key: string;
  out?: string;
}

/** `mesh-agent truth sign FILE` */
export function signTruth(io: Io, options: SignOptions, file: string): number {
  const read = readTruthFile(file);
  if (read.kind === 'published')
    throw new CommandError(
      `${file} is what a network publishes: its parts are signed one by one. Draft the next truth from it: mesh-agent truth draft truth --trust ${file} --out next.json`,
      EXIT.usage,
    );
  const known = readKnown(options.trust, Date.now);
  const now = Date.now();
  const { document, added, needs } = addSignature(read, readHolderKey(options.key), known, now);
  const out = options.out ?? file;
  writePublicFile(out, document);
  const complete = isComplete(needs);
  if (options.json) printJson(io, { file: out, added, complete, needs });
  else
    print(
      io,
      ...describeContent(read.content, known, now),
      '',
      added ? `Your signature is in ${out}.` : `${file} had your signature already.`,
      ...needs.flatMap(describeNeed),
      complete
        ? `It is complete. Publish it: mesh-agent truth publish ${out} --to truth.json`
        : `Send ${out} on to the next holder.`,
    );
  return EXIT.ok;
}

function describeNeed({ name, threshold, signers, missing }: Need): string[] {
  const done = signers.length >= threshold;
  return [
    `${signers.length} of ${threshold} signatures by ${name}${done ? '.' : '. Any of these can sign:'}`,
    ...(done ? [] : missing.map((key) => `  ${key}`)),
  ];
}

export interface PublishOptions extends JsonOption {
  to: string;
}

/** `mesh-agent truth publish FILE...` */
export function publishTruth(io: Io, { to, json }: PublishOptions, ...files: string[]): number {
  const trust = publish(files, to, Date.now);
  if (json) printJson(io, { file: to, ...overview(trust) });
  else
    print(
      io,
      `${to} has root ${trust.root.version} and truth ${trust.truth?.version} of ${trust.network}.`,
      'A running service that has it as TRUTH_FILE publishes it within 10 s.',
    );
  return EXIT.ok;
}

/** `mesh-agent truth verify FILE` */
export function verifyTruth(io: Io, options: JsonOption & TrustOption, file: string): number {
  const known = readKnown(options.trust, Date.now)?.trust ?? null;
  return printVerdict(io, {
    json: options.json,
    checks: verify(claimsOf(file), known, Date.now),
    passed: options.trust
      ? 'A peer that trusts what you named believes this.'
      : 'A peer that trusts its first root believes this.',
    failed: 'A peer does not believe this.',
  });
}

function claimsOf(file: string): Claims {
  const read = readTruthFile(file);
  if (read.kind === 'published') return read.state;
  if (read.kind === 'draft')
    throw new CommandError(`${file} is a draft: nobody has signed it yet.`);
  return read.content.type === 'root'
    ? { roots: [read.document] }
    : { roots: [], truth: read.document };
}

export interface ShowOptions extends JsonOption {
  config?: string;
  state?: string;
  /** An address, or true: that of the configuration. */
  service?: string | true;
}

/** `mesh-agent truth show [FILE]` */
export async function showTruth(io: Io, options: ShowOptions, file?: string): Promise<number> {
  let trust: Trust;
  try {
    trust = Trust.restore(await stateToShow(io, options, file));
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    throw new CommandError(`This can’t be believed: ${error.message}`);
  }
  if (options.json) printJson(io, overview(trust));
  else print(io, ...describeTrust(trust, Date.now()));
  return EXIT.ok;
}

async function stateToShow(
  io: Io,
  { service, config, state }: ShowOptions,
  file: string | undefined,
): Promise<TrustState> {
  if (service !== undefined)
    return fetchTruth(
      service === true ? loadConfig(configFile(config, io.env)).service.url : service,
    );
  const name = file ?? join(stateDirectory(state, io.env), 'peer', 'trust.json');
  if (file === undefined && !existsSync(name))
    throw new CommandError(
      `No peer has kept a truth here (${name}). Name a file, or ask a service: --service URL`,
    );
  const read = readTruthFile(name);
  if (read.kind === 'published') return read.state;
  if (read.kind === 'signed' && read.content.type === 'root')
    return { roots: [read.document], truth: null };
  throw new CommandError(
    `${name} is no network’s root or published document. See whether it is believed: mesh-agent truth verify ${name} --trust truth.json`,
  );
}

async function fetchTruth(url: string): Promise<TrustState> {
  let client: MeshRegistry;
  try {
    client = new MeshRegistry({ url, retries: 0 });
  } catch (error) {
    throw new CommandError(`--service: ${(error as Error).message}`, EXIT.usage);
  }
  const answer = await client.truth();
  if (!answer.ok)
    throw new CommandError(
      `${url}: ${answer.problem.message}`,
      answer.problem.kind === 'refused' ? EXIT.refused : EXIT.unreachable,
    );
  const read = parseTruthFile(answer.value);
  if (read.kind === 'published') return read.state;
  throw new TrustError('malformed', 'It has no roots.');
}

/** An option that may be given more than once. */
const each = (value: string, before: string[] = []) => [...before, value];

/** `mesh-agent truth` and what is below it. */
export function addTruthCommands(
  program: Command,
  { command, handle, json, withConfig, withState }: Kit,
): void {
  const truth = program.command('truth').description("Keep a network's keys, root and truth.");
  const withTrust = (command: Command) =>
    command.option(
      '--trust <file>',
      'what is believed already: a published document, a signed root; may be given again',
      each,
    );

  json(
    command(truth, 'key <file>', 'truthKey', 'Make a key of a holder, and print its public half.'),
  ).action(handle(truthKey));

  const draft = truth.command('draft').description('Draft what the holders are going to sign.');
  const root = withTrust(
    command(draft, 'root', 'truthDraftRoot', 'The first root, or the next one.'),
  ).option('--network <name>', 'of a first root: the name of the network');
  for (const role of ROLES)
    root
      .option(`--${role}-key <key>`, `a public key that signs the ${SIGNS[role]}`, each)
      .option(`--${role}-threshold <count>`, 'how many of them have to; default: most of them');
  json(root)
    .option('--expires <when>', 'in 1y, 12w, 30d, or at a day', '1y')
    .option('--out <file>', 'where to write it; default: the standard output')
    .action(handle(draftRootCommand));

  json(withTrust(command(draft, 'truth', 'truthDraftTruth', 'The next truth.')))
    .option('--ban <peer>', 'a peer to ban', each)
    .option('--bans <file>', "the reviewers' blocked nodes, as the dashboard exports them")
    .option('--reason <text>', 'public reason of new bans')
    .option('--until <when>', 'end of new bans; default: none')
    .option('--unban <peer>', 'a peer whose ban ends', each)
    .option('--checkpoint <block>', 'the log must contain it: HEIGHT:ID, or the directory of a log')
    .option('--min-protocol <number>', 'refuse peers that speak only older versions')
    .option('--expires <when>', 'in 1y, 12w, 30d, or at a day', '30d')
    .option('--out <file>', 'where to write it; default: the standard output')
    .action(handle(draftTruthCommand));

  json(withTrust(command(truth, 'sign <file>', 'truthSign', 'Sign a draft, or add a signature.')))
    .requiredOption('--key <file>', 'the private key to sign with')
    .option('--out <file>', 'where to write it; default: in place')
    .action(handle(signTruth));

  json(
    command(truth, 'publish <files...>', 'truthPublish', 'Add what is signed to a published file.'),
  )
    .requiredOption('--to <file>', 'the file that the service has as TRUTH_FILE')
    .action(handle(publishTruth));

  json(
    withTrust(command(truth, 'verify <file>', 'truthVerify', 'Check it all as a peer does.')),
  ).action(handle(verifyTruth));

  json(
    withState(
      withConfig(
        command(truth, 'show [file]', 'truthShow', 'Show what this peer believes, or a file.'),
      ),
    ),
  )
    .option('--service [url]', 'ask a service; without an address, the configured one')
    .action(handle(showTruth));
}

const SIGNS = { root: 'next root', truth: 'truth', block: 'blocks of the log' } as const;
