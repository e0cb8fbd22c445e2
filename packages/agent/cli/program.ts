import { Command, CommanderError } from 'commander';
import { CommandError, EXIT } from '../base/exit.ts';
import { INSECURE_OPTION } from '../config/secret.ts';
import { checkConfig, detect, showConfig } from './config.ts';
import { doctor } from './doctor.ts';
import { FOOTER } from './help.ts';
import { rotateIdentity, showIdentity } from './identity.ts';
import { init } from './init.ts';
import { createKit } from './kit.ts';
import { hasColours, type Io } from '../terminal/io.ts';
import { printableJson } from '../terminal/printable.ts';
import { addLogCommands } from './log.ts';
import { peer } from './peer.ts';
import { claimRegistration, register } from './register.ts';
import { run } from './run.ts';
import { serviceContainer, serviceSystemd } from './service.ts';
import { status } from './status.ts';
import { addTruthCommands } from './truth.ts';

/** Runs the command that the arguments ask for. @returns the exit code */
export async function main(io: Io, args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(io, (code) => (exitCode = code));
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof CommandError)) throw error;
    if (args.includes('--json'))
      io.stdout.write(
        `${printableJson({ ok: false, exitCode: error.exitCode, error: error.message })}\n`,
      );
    else io.stderr.write(`mesh-agent: ${error.message}\n`);
    return error.exitCode;
  }
}

/** All commands, with what they take. @param done gets the exit code of the one that ran */
export function createProgram(io: Io, done: (exitCode: number) => void): Command {
  const program = new Command('mesh-agent')
    .description('Puts your node on the map of a Mesh Registry and keeps it there.')
    .version(io.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'mesh-agent: ')),
      getOutHasColors: () => hasColours(io),
      getErrHasColors: () => false,
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 80, 100),
    })
    .showHelpAfterError('Try --help.')
    .exitOverride()
    // The program's own options stand before a command. After it, `--root-key -V…` would be the version: a value may
    // begin with a dash.
    .enablePositionalOptions()
    .addHelpText('after', `\n${FOOTER}`);

  const kit = createKit(program, io, done);
  const { add, group } = kit;
  const ofNode = ['config', 'json'] as const;
  const sending = ['config', 'json', 'insecureHttp'] as const;
  const ofProcess = ['config', 'state', 'json'] as const;

  add('init', 'Write a configuration and make a key.', ['config'], init)
    .option('--service <url>', 'address of the service')
    .option('--node-id <id>', "the node's id; default: a random one")
    .option('--label <text>', 'the label shown on the map')
    .option('--class <size>', 'S, M or L')
    .option('--region <code>', 'such as EU or NA')
    .option('--lat <degrees>', 'latitude, degrees north')
    .option('--lng <degrees>', 'longitude, degrees east')
    .option('--no-map', 'not on the map')
    .option('--secret-file <file>', "file with the network's secret")
    .option('--secret-stdin', 'read the secret from the standard input, and store it')
    .option(INSECURE_OPTION, 'allow a secret for a service without TLS')
    .option('--force', 'replace a configuration; the key stays')
    .option('-y, --yes', 'ask nothing');

  add(
    'run',
    'Send heartbeats and announcements until stopped.',
    ['config', 'state', 'insecureHttp'],
    run,
  )
    .option('--once', 'send one of each, then end')
    .option('--dry-run', 'print what would be sent, and send nothing')
    .option('--json', 'one JSON object a line');

  add('peer', 'Connect to the other nodes.', ['config', 'state'], peer)
    .option('--no-genesis', 'start without a bootstrap peer: for tests, and on the Genesis host')
    .option('--health <host:port>', 'serve /health, /truth and /metrics there')
    .option('--watch', 'show a live view in the terminal')
    .option('--json', 'one JSON object a line');

  add('register [name]', 'Register a name, proved by the node.', sending, register)
    .option('--kinds <kinds>', 'what it names: node, compute, or node,compute')
    .option('--list', 'the registrations that this node has proved')
    .option('--paid <id>', 'report the payment of a registration')
    .option('--text <text>', 'with --paid: confirmation text of the payment app')
    .option('--cancel <id>', 'end a registration, or release an active name')
    .option('-y, --yes', 'with --cancel: do not ask');

  add(
    'claim <link>',
    'Prove a registration that was started elsewhere.',
    sending,
    claimRegistration,
  );
  add('status', 'Show what the running agent did last.', ofProcess, status);
  add('doctor', 'Check everything, and say what to do.', [...ofProcess, 'insecureHttp'], doctor);
  add('detect', 'Suggest a configuration for this machine.', ['json'], detect);

  group('config', 'Check or show the configuration.');
  add('config check', 'Check it: file, line, and what to change.', sending, checkConfig);
  add('config show', 'Show the current settings.', ofNode, showConfig);

  group('service', 'Print files to run the agent as a service.');
  add('service systemd', 'A hardened unit for systemd.', ['config'], serviceSystemd).option(
    '--peer',
    'for the peer process',
  );
  add(
    'service container',
    'A Containerfile and a piece for compose.',
    ['config'],
    serviceContainer,
  );

  group('identity', "Show or replace the node's key.");
  add('identity show', 'Show the key, and what it is pinned to.', ofNode, showIdentity);
  add('identity rotate', 'Replace the key by a new one.', sending, rotateIdentity);

  addTruthCommands(kit);
  addLogCommands(kit);

  return program;
}
