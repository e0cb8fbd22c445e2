import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MeshRegistry } from '@mesh-registry/client/index.ts';
import { Trust, TrustError, type TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { stateDirectory } from '../config/paths.ts';
import { describeContent, describeTrust, overview } from '../truth/describe.ts';
import { parseTruthFile, readTruthFile, stateOf, writePublicFile } from '../truth/files.ts';
import { makeHolderKey, readHolderKey } from '../truth/key.ts';
import { readKnown } from '../truth/known.ts';
import { publish } from '../truth/publish.ts';
import { addSignature, isComplete, type Need } from '../truth/sign.ts';
import { verify, type Claims } from '../truth/verify.ts';
import { CommandError, EXIT, usageError } from '../base/exit.ts';
import { print, printJson, printResult, type Io } from '../terminal/io.ts';
import { printVerdict } from '../terminal/check.ts';
import { ROLES } from '../truth/draft.ts';
import { configOf, each, type CommonOptions, type Kit } from './kit.ts';
import { draftRootCommand, draftTruthCommand } from './truth-draft.ts';

/** `mesh-agent truth`: the keys and documents of a network. Nothing but `show --service` uses the network. */

/** `mesh-agent truth key FILE`: only the public key goes to the standard output, for scripts. */
function truthKey(io: Io, { json }: CommonOptions, file: string): number {
  const { publicKey, isNew } = makeHolderKey(resolve(file));
  if (json) printJson(io, { key: publicKey, file: resolve(file), isNew });
  else {
    io.stderr.write(
      isNew
        ? `${file} is the private key: back it up, and keep it on a machine that is never online. Its public key:\n`
        : `${file} already exists and is unchanged. Its public key:\n`,
    );
    print(io, publicKey);
  }
  return EXIT.ok;
}

interface SignOptions extends CommonOptions {
  key: string;
  out?: string;
}

/** `mesh-agent truth sign FILE` */
function signTruth(io: Io, options: SignOptions, file: string): number {
  const read = readTruthFile(file);
  if (read.kind === 'published')
    throw usageError(
      `${file} is what a network publishes: its parts are signed one by one. Draft the next truth from it: mesh-agent truth draft truth --trust ${file} --out next.json`,
    );
  const known = readKnown(options.trust, Date.now);
  const now = Date.now();
  const { document, added, needs } = addSignature(read, readHolderKey(options.key), known, now);
  const out = options.out ?? file;
  writePublicFile(out, document);
  const complete = isComplete(needs);
  return printResult(io, options, { file: out, added, complete, needs }, [
    ...describeContent(read.content, known, now),
    '',
    added ? `Your signature is in ${out}.` : `${file} already had your signature.`,
    ...needs.flatMap(describeNeed),
    complete
      ? `It is complete. Publish it: mesh-agent truth publish ${out} --to truth.json`
      : `Send ${out} on to the next holder.`,
  ]);
}

function describeNeed({ name, threshold, signers, missing }: Need): string[] {
  const done = signers.length >= threshold;
  return [
    `${signers.length} of ${threshold} signatures by ${name}${done ? '.' : '. Any of these can sign:'}`,
    ...(done ? [] : missing.map((key) => `  ${key}`)),
  ];
}

/** `mesh-agent truth publish FILE...` */
function publishTruth(
  io: Io,
  { to, json }: CommonOptions & { to: string },
  ...files: string[]
): number {
  const trust = publish(files, to, Date.now);
  return printResult(io, { json }, { file: to, ...overview(trust) }, [
    `${to} has root ${trust.root.version} and truth ${trust.truth?.version} of ${trust.network}.`,
    'A running service that has it as TRUTH_FILE publishes it within 10 s.',
  ]);
}

/** `mesh-agent truth verify FILE` */
function verifyTruth(io: Io, options: CommonOptions, file: string): number {
  const known = readKnown(options.trust, Date.now)?.trust ?? null;
  return printVerdict(io, {
    json: options.json,
    checks: verify(claimsOf(file), known, Date.now),
    passed: options.trust
      ? 'Valid for a peer that trusts the files you named.'
      : 'Valid for a peer that trusts its first root.',
    failed: 'Peers will reject this.',
  });
}

function claimsOf(file: string): Claims {
  const read = readTruthFile(file);
  if (read.kind === 'published') return read.state;
  if (read.kind === 'draft') throw new CommandError(`${file} is a draft without any signature.`);
  return read.content.type === 'root'
    ? { roots: [read.document] }
    : { roots: [], truth: read.document };
}

interface ShowOptions extends CommonOptions {
  /** An address, or true: that of the configuration. */
  service?: string | true;
}

/** `mesh-agent truth show [FILE]` */
async function showTruth(io: Io, options: ShowOptions, file?: string): Promise<number> {
  let trust: Trust;
  try {
    trust = Trust.restore(await stateToShow(io, options, file));
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    throw new CommandError(`This can't be trusted: ${error.message}`);
  }
  return printResult(io, options, overview(trust), describeTrust(trust, Date.now()));
}

async function stateToShow(io: Io, options: ShowOptions, file?: string): Promise<TrustState> {
  const { service, state } = options;
  if (service !== undefined)
    return fetchTruth(service === true ? configOf(io, options).service.url : service);
  const name = file ?? join(stateDirectory(state, io.env), 'peer', 'trust.json');
  if (file === undefined && !existsSync(name))
    throw new CommandError(
      `No peer has kept a truth here (${name}). Name a file, or ask a service: --service URL`,
    );
  const shown = stateOf(readTruthFile(name));
  if (shown) return shown;
  throw new CommandError(
    `${name} isn't a network's root or published document. Check whether it can be trusted: mesh-agent truth verify ${name} --trust truth.json`,
  );
}

async function fetchTruth(url: string): Promise<TrustState> {
  let client: MeshRegistry;
  try {
    client = new MeshRegistry({ url, retries: 0 });
  } catch (error) {
    throw usageError(`--service: ${(error as Error).message}`);
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

const SIGNS = { root: 'next root', truth: 'truth', block: 'blocks of the log' } as const;

/** `mesh-agent truth` and what is below it. */
export function addTruthCommands({ add, group }: Kit): void {
  const checked = ['trust', 'json'] as const;
  group('truth', "Keep a network's keys, root and truth.");
  add('truth key <file>', "Make a holder's key and print its public half.", ['json'], truthKey);

  group('truth draft', 'Draft documents for the holders to sign.');
  const root = add(
    'truth draft root',
    'The first root, or the next one.',
    ['trust'],
    draftRootCommand,
  ).option('--network <name>', 'of a first root: the name of the network');
  for (const role of ROLES)
    root
      .option(`--${role}-key <key>`, `a public key that can sign the ${SIGNS[role]}`, each)
      .option(`--${role}-threshold <count>`, 'how many must sign; default: a majority');
  root
    .option('--json', 'one JSON document')
    .option('--expires <when>', 'in 1y, 12w, 30d, or at a day', '1y')
    .option('--out <file>', 'where to write it; default: the standard output');

  add('truth draft truth', 'The next truth.', checked, draftTruthCommand)
    .option('--ban <peer>', 'a peer to ban', each)
    .option('--bans <file>', "the reviewers' blocked nodes, as the dashboard exports them")
    .option('--reason <text>', 'public reason of new bans')
    .option('--until <when>', 'end of new bans; default: none')
    .option('--unban <peer>', 'a peer whose ban ends', each)
    .option('--checkpoint <block>', 'the log must contain it: HEIGHT:ID, or the directory of a log')
    .option('--min-protocol <number>', 'refuse peers that speak only older versions')
    .option('--expires <when>', 'in 1y, 12w, 30d, or at a day', '30d')
    .option('--out <file>', 'where to write it; default: the standard output');

  add('truth sign <file>', 'Sign a draft, or add a signature.', checked, signTruth)
    .requiredOption('--key <file>', 'the private key to sign with')
    .option('--out <file>', 'where to write it; default: in place');

  const publishes = 'Add signed documents to a published file.';
  add('truth publish <files...>', publishes, ['json'], publishTruth).requiredOption(
    '--to <file>',
    'the file that the service has as TRUTH_FILE',
  );

  add('truth verify <file>', 'Check it all as a peer does.', checked, verifyTruth);

  const shown = ['config', 'state', 'json'] as const;
  add('truth show [file]', 'Show what this peer uses, or a file.', shown, showTruth).option(
    '--service [url]',
    'ask a service; without an address, the configured one',
  );
}
