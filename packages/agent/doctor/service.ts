import type { MeshRegistry, PingDescription, Result } from '@mesh-registry/client/index.ts';
import type { Config } from '../config/load.ts';
import { isPrivateWay, type Secret } from '../config/secret.ts';
import type { Identity } from '../identity/key-file.ts';
import { heartbeatBody } from '../run/bodies.ts';
import { CLOCK_LIMIT_MS, describeSkew, faultOf } from '../run/fault.ts';
import { fail, ok, warn, type Check } from '../terminal/check.ts';

/** What only the service can tell. */

/** Beyond this a clock is worth a warning, milliseconds. */
const SKEW_WARN_MS = 60_000;
const SET_CLOCK = 'Set the clock, for example with: timedatectl set-ntp true';

export interface Asked {
  config: Config;
  secret: Secret | null;
  /** Whether to try a heartbeat: without the secret that is configured, the answer would mislead. */
  tries: boolean;
  identity: Identity | null;
  client: MeshRegistry;
}

/** Checks the service, and what it says of this node. If it does not answer, that is the only check. */
export async function checkService(asked: Asked): Promise<Check[]> {
  const { client, config } = asked;
  const described = await client.describePing();
  if (!described.ok) return [fail('Service', messageOf(described, 'question', asked))];
  return [
    checkAddress(config.service.url, asked.secret, described.value),
    checkClock(described.headers),
    checkSchema(config, described.value),
    ...(await checkAcceptance(asked)),
  ];
}

function checkAddress(
  url: string,
  secret: Secret | null,
  // Services before signatures named them don't tell.
  { signature }: Partial<PingDescription>,
): Check {
  const { host } = new URL(url);
  const own = signature?.authority ?? host;
  if (own !== host)
    return fail(
      'Service',
      `${url} answers, but the service calls itself ${own}: it refuses what this node signs for ${host}`,
      `Set service.url to the address at ${own}, or ask its operator to correct PUBLIC_URL.`,
    );
  if (url.startsWith('https:')) return ok('Service', `${url} answers, its certificate is trusted`);
  return isPrivateWay(url)
    ? ok('Service', `${url} answers`)
    : warn(
        'Service',
        `${url} answers, but without TLS: ${secret ? 'the secret can be read in transit' : 'others can read requests and forge answers'}`,
        'Use the https address of the service.',
      );
}

function checkClock(headers: Headers): Check {
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs))
    return warn(
      'Clock',
      "the service doesn't send its time",
      'Look for a proxy that removes the header Date.',
    );
  const skewMs = Date.now() - theirs;
  if (Math.abs(skewMs) > CLOCK_LIMIT_MS)
    return fail(
      'Clock',
      `${describeSkew(skewMs)} Signed requests must be within 5 minutes.`,
      SET_CLOCK,
    );
  return Math.abs(skewMs) > SKEW_WARN_MS
    ? warn('Clock', describeSkew(skewMs), SET_CLOCK)
    : ok('Clock', 'agrees with the service');
}

/** Whether the service knows the fields that the agent sends, and asks for no others. */
function checkSchema(config: Config, { fields }: PingDescription): Check {
  const body = heartbeatBody(config);
  if (body === null) return ok('Heartbeat', 'not sent: no [map] section');
  const unknown = Object.keys(body).filter((field) => !Object.hasOwn(fields, field));
  const missing = Object.entries(fields)
    .filter(([field, { required }]) => required && !Object.hasOwn(body, field))
    .map(([field]) => field);
  if (missing.length > 0)
    return fail('Schema', `the service also requires ${missing.join(', ')}`, 'Update the agent.');
  return unknown.length > 0
    ? warn(
        'Schema',
        `the service drops ${unknown.join(', ')}`,
        'Remove it, or ask the operator to update the service.',
      )
    : ok('Schema', 'the service knows every field sent');
}

/** Credential, signature, pin and block, by a heartbeat that is not stored. */
async function checkAcceptance(asked: Asked): Promise<Check[]> {
  const { client, config, identity, tries } = asked;
  const pin = await client.nodeKey(config.node.id);
  // Services that know no keys would store a dry heartbeat.
  if (!pin.ok)
    return [
      warn(
        'Acceptance',
        "this service can't check a heartbeat without storing it",
        'Try it with: mesh-agent run --once',
      ),
    ];
  const { key, revoked = [] } = pin.value;
  const pinned =
    identity !== null && revoked.includes(identity.publicKey)
      ? fail(
          'Pin',
          'a reviewer revoked this key: nothing it signs is accepted',
          'Make a new one with: mesh-agent identity rotate',
        )
      : key === null
        ? ok('Pin', 'the node is not pinned to a key yet; an accepted registration pins it')
        : key === identity?.publicKey
          ? ok('Pin', 'the node is pinned to this key')
          : fail(
              'Pin',
              `the node is pinned to another key, ${key}`,
              "Restore that key, or ask the service's reviewers to reset it.",
            );
  const body = heartbeatBody(config);
  if (body === null || identity === null || !tries) return [pinned];
  const dry = await client.ping(body, { dryRun: true });
  if (!dry.ok) return [pinned, fail('Acceptance', messageOf(dry, 'heartbeat', asked))];
  const { peer, dropped } = dry.value;
  return [
    pinned,
    dropped.length > 0
      ? warn(
          'Acceptance',
          `accepted, but without ${dropped.join(', ')}`,
          `Change it in ${config.file}.`,
        )
      : ok('Acceptance', `would be published as "${peer.label}" at ${peer.lat}, ${peer.lng}`),
  ];
}

function messageOf(
  failed: Extract<Result<unknown>, { ok: false }>,
  subject: string,
  { config, secret }: Asked,
): string {
  const around = { url: config.service.url, secret, configFile: config.file, now: Date.now() };
  return faultOf(failed.problem, subject, around).message;
}
