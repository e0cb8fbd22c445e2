import type { Config, PeerConfig } from '../config/load.ts';
import { stateDirectory } from '../config/paths.ts';
import { fail, ok, warn, type Check, printCheck } from '../terminal/check.ts';
import { checkKey, checkNode, checkOffers, checkSecret, checkState } from '../doctor/machine.ts';
import { checkPeer } from '../doctor/peer.ts';
import { checkService } from '../doctor/service.ts';
import { nodeClient, type Credentials } from '../run/credentials.ts';
import { serviceClient } from '../run/service-client.ts';
import type { MeshRegistry } from '@mesh-registry/client/index.ts';
import { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Identity } from '../identity/key-file.ts';
import { CommandError, EXIT } from '../base/exit.ts';
import { print, printJson, type Io } from '../terminal/io.ts';
import { configOf, type CommonOptions } from './kit.ts';
import { asksForAgent, askAgent, askPeer } from './status.ts';

/** `mesh-agent doctor` */
export async function doctor(io: Io, options: CommonOptions): Promise<number> {
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

async function examine(io: Io, options: CommonOptions): Promise<Check[]> {
  const checks = [checkNode(process.versions.node)];
  let config: Config;
  try {
    config = configOf(io, options);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [...checks, fail('Configuration', error.message)];
  }
  checks.push(
    asksForAgent(config) || config.peer
      ? ok('Configuration', config.file)
      : warn(
          'Configuration',
          `${config.file} asks for nothing`,
          'Add [map], [[compute]] or [peer].',
        ),
  );
  const { check: key, identity } = checkKey(config, io.env);
  const { check: secretCheck, secret } = checkSecret(config, io.env);
  checks.push(key, secretCheck, checkState(stateDirectory(options.state, io.env)));
  if (asksForAgent(config) || !config.peer) checks.push(await checkRunning(io, options, config));
  checks.push(...(await checkOffers(config, io.env)));
  const client =
    identity === null
      ? serviceClient({ url: config.service.url, retries: 0 })
      : nodeClient(config, { identity, secret } satisfies Credentials, { retries: 0 });
  const [ofPeer, ofService] = await Promise.all([
    config.peer ? checkPeerProcess(io, options, { section: config.peer, identity, client }) : [],
    checkService({ config, identity, secret, tries: secretCheck.level !== 'FAIL', client }),
  ]);
  return [...checks, ...ofPeer, ...ofService];
}

async function checkRunning(io: Io, options: CommonOptions, config: Config): Promise<Check> {
  try {
    const running = await askAgent(io, options);
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

async function checkPeerProcess(
  io: Io,
  options: CommonOptions,
  {
    section,
    identity,
    client,
  }: { section: PeerConfig; identity: Identity | null; client: MeshRegistry },
): Promise<Check[]> {
  try {
    const running = await askPeer(io, options);
    const answer = await client.truth();
    const published = PublishedTruth.safeParse(answer.ok ? answer.value : null);
    return await checkPeer({
      section,
      stateDirectory: stateDirectory(options.state, io.env),
      key: identity?.publicKey ?? null,
      running,
      published: published.data ?? null,
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [warn('Peer process', error.message, 'Run doctor as the user of the peer process.')];
  }
}
