import type { Command } from 'commander';
import { ROLES } from '../truth/draft.ts';
import type { Kit } from './program.ts';
import { draftRootCommand, draftTruthCommand } from './truth-draft.ts';
import { publishTruth, showTruth, signTruth, truthKey, verifyTruth } from './truth.ts';

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
