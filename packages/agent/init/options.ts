import { text } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import { NodeClass, SentRegion } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { NodeClass as Size } from '@mesh-registry/protocol/values.schema.ts';
import { Latitude, Longitude, quantize } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { usageError } from '../base/exit.ts';
import type { Io } from '../terminal/io.ts';
import { ConfiguredNodeId, Label, ServiceUrl } from '../config/config.schema.ts';
import { checked, INSECURE_OPTION, isPrivateWay } from '../config/secret.ts';
import { serviceClient } from '../run/service-client.ts';

/** What `init` writes. */
export interface Answers {
  url: string;
  nodeId: string;
  label: string | null;
  class: Size | null;
  region: string | null;
  /** As they will be written: rounded. Null: not on the map. */
  place: { lat: number; lng: number } | null;
  secret: SecretAnswer;
  /** Whether the secret may go to a service without TLS. */
  insecureHttp: boolean;
}

export type SecretAnswer =
  | { kind: 'none' }
  /** The operator sets MESH_AGENT_SECRET. */
  | { kind: 'environment' }
  | { kind: 'file'; path: string }
  /** To be stored beside the configuration. */
  | { kind: 'value'; value: string };

/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** An id that tells nothing about its machine. */
export const randomNodeId = (): string =>
  `node_${Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;

type Text = 'config' | 'service' | 'nodeId' | 'label' | 'class' | 'region' | 'lat' | 'lng';
type Switch = 'force' | 'yes' | 'map' | 'secretStdin' | 'insecureHttp';

/** The options of `init` as they were typed. `map` is false: `--no-map`. */
export type InitFlags = Partial<Record<Text | 'secretFile', string> & Record<Switch, boolean>>;

/** What was given, checked; what was not is undefined, and asked. */
export type InitOptions = { [Name in keyof Answers]?: Answers[Name] | undefined };

/** @throws CommandError `usage` that names the option */
export async function readFlags(io: Io, flags: InitFlags): Promise<InitOptions> {
  return {
    url: checkedBy(ServiceUrl, '--service', flags.service),
    nodeId: checkedBy(ConfiguredNodeId, '--node-id', flags.nodeId),
    label: checkedBy(Label, '--label', flags.label),
    class: checkedBy(NodeClass, '--class', flags.class),
    region: checkedBy(SentRegion, '--region', flags.region),
    place: placeOf(flags),
    secret: await secretOf(io, flags),
    insecureHttp: flags.insecureHttp,
  };
}

function placeOf({ map, lat, lng }: InitFlags): InitOptions['place'] {
  if (map === false) {
    if (lat !== undefined || lng !== undefined)
      throw usageError("--no-map can't be combined with --lat and --lng.");
    return null;
  }
  if (lat === undefined && lng === undefined) return undefined;
  if (lat === undefined || lng === undefined)
    throw usageError('--lat and --lng must be given together.');
  return {
    lat: coordinate(Latitude, '--lat', lat),
    lng: coordinate(Longitude, '--lng', lng),
  };
}

const coordinate = (schema: z.ZodNumber, option: string, text: string): number =>
  checkedBy(schema, option, text.trim() === '' ? NaN : Number(text)) ?? 0;

async function secretOf(io: Io, flags: InitFlags): Promise<SecretAnswer | undefined> {
  if (flags.secretFile !== undefined) return { kind: 'file', path: resolve(flags.secretFile) };
  if (flags.secretStdin)
    return { kind: 'value', value: checked(await text(io.stdin), 'the standard input').value };
  return undefined;
}

function checkedBy<Output>(
  schema: z.ZodType<Output>,
  option: string,
  value: unknown,
): Output | undefined {
  if (value === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw usageError(`${option} ${result.error.issues[0]?.message ?? 'is wrong'}.`);
}

/** Without questions: everything that has no default must be given. @throws CommandError that names what is missing */
export async function answersWithoutQuestions(given: InitOptions): Promise<Answers> {
  const { url, place } = given;
  const missing = [
    ...(url === undefined ? ['--service URL'] : []),
    ...(place === undefined ? ['--lat N --lng N (or --no-map)'] : []),
  ];
  if (url === undefined || place === undefined)
    throw usageError(`There is no terminal to ask in: give ${missing.join(' and ')}.`);
  const secret = given.secret ?? { kind: 'none' };
  const insecureHttp = given.insecureHttp ?? false;
  if (secret.kind !== 'none' && !insecureHttp && !isPrivateWay(url))
    throw usageError(
      `The secret would go to ${url} without TLS, and anyone on the network path could read it. Use the https address of the service, or add ${INSECURE_OPTION} to send it anyway.`,
    );
  // A service that does not answer now can be configured as well: "doctor" tells that it does not.
  const { grid } = await checkService(url);
  return {
    url,
    nodeId: given.nodeId ?? randomNodeId(),
    label: given.label ?? null,
    class: given.class ?? null,
    region: given.region ?? null,
    place: place && quantize(place.lat, place.lng, grid),
    secret,
    insecureHttp,
  };
}

/** What `init` asks a service before it is configured. */
export interface ServiceCheck {
  /** Null if it answered as a Mesh Registry. */
  problem: string | null;
  /** To how many degrees it rounds coordinates. */
  grid: number;
  secretRequired: boolean;
}

/** A service that says nothing else rounds to this, degrees. */
const USUAL_GRID = 0.5;

export async function checkService(url: string): Promise<ServiceCheck> {
  const described = await serviceClient({ url, retries: 0, timeoutMs: 5000 }).describePing();
  if (!described.ok)
    return { problem: described.problem.message, grid: USUAL_GRID, secretRequired: true };
  const { filters, auth } = described.value;
  const [, degrees] = /grid of ([\d.]+) degrees/.exec(filters.join('\n')) ?? [];
  return {
    problem: null,
    grid: Number(degrees) || USUAL_GRID,
    secretRequired: auth.required,
  };
}
