import { loadConfig, type Config } from '../config/load.ts';
import { configFile, socketCandidates, stateDirectory } from '../config/paths.ts';
import { fail, ok, warn, type Check, type Level } from '../doctor/check.ts';
import { checkKey, checkNode, checkOffers, checkSecret, checkState } from '../doctor/machine.ts';
import { checkService } from '../doctor/service.ts';
import { nodeClient, type Credentials } from '../run/credentials.ts';
import { MeshRegistry } from '#client/index.ts';
import { CommandError, EXIT } from './exit.ts';
import { print, printJson, styler, type Io } from './io.ts';
import { askAgent } from './status.ts';

export interface DoctorOptions {
  config?: string;
  state?: string;
  json?: boolean;
}

/** `mesh-agent doctor` */
export async function doctor(io: Io, options: DoctorOptions): Promise<number> {
  const checks = await examine(io, options);
  const failed = checks.filter(({ level }) => level === 'FAIL').length;
  if (options.json) printJson(io, { ok: failed === 0, checks });
  else {
    for (const check of checks) printCheck(io, check);
    const warned = checks.filter(({ level }) => level === 'WARN').length;
    print(
      io,
      '',
      failed > 0
        ? `${failed} of ${checks.length} checks failed.`
        : warned > 0
          ? 'It works; see the warnings.'
          : 'Everything is fine.',
    );
  }
  return failed > 0 ? EXIT.failed : EXIT.ok;
}

async function examine(io: Io, options: DoctorOptions): Promise<Check[]> {
  const checks = [checkNode(process.versions.node)];
  let config: Config;
  try {
    config = loadConfig(configFile(options.config, io.env));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [...checks, fail('Configuration', error.message)];
  }
  checks.push(
    config.map || config.compute.length > 0
      ? ok('Configuration', config.file)
      : warn('Configuration', `${config.file} asks for nothing`, 'Add [map], or [[compute]].'),
  );
  const { check: key, identity } = checkKey(config, io.env);
  const { check: secretCheck, secret } = checkSecret(config, io.env);
  checks.push(key, secretCheck, checkState(stateDirectory(options.state, io.env)));
  checks.push(await checkRunning(io, options, config));
  checks.push(...(await checkOffers(config, io.env)));
  const client =
    identity === null
      ? new MeshRegistry({ url: config.service.url, retries: 0 })
      : nodeClient(config, { identity, secret } satisfies Credentials, { retries: 0 });
  return [...checks, ...(await checkService({ config, identity, secret, client }))];
}

async function checkRunning(io: Io, options: DoctorOptions, config: Config): Promise<Check> {
  try {
    const running = await askAgent(socketCandidates(options.state, io.env));
    if (running === null)
      return warn('Agent', 'no agent is running', 'Start it with: mesh-agent run');
    return running.node.id === config.node.id
      ? ok('Agent', `runs as process ${running.agent.pid}`)
      : warn(
          'Agent',
          `the one that runs is of node ${running.node.id}`,
          'Use its configuration, or --state.',
        );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return warn('Agent', error.message, 'Run doctor as the user of the agent.');
  }
}

const COLOUR = { OK: 'green', WARN: 'yellow', FAIL: 'red' } as const satisfies Record<
  Level,
  string
>;

function printCheck(io: Io, { name, level, message, remedy }: Check): void {
  const style = styler(io);
  const indent = ' '.repeat(6);
  print(
    io,
    `${style(COLOUR[level], level.padEnd(4))}  ${name}: ${message.replaceAll('\n', `\n${indent}`)}`,
  );
  if (remedy !== null) print(io, `${indent}${remedy}`);
}
