import * as clack from '@clack/prompts';
import { Latitude, Longitude, quantize } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { SentRegion } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import { CommandError, EXIT } from '../base/exit.ts';
import { hasColours, type Io } from '../terminal/io.ts';
import { ConfiguredNodeId, Label, ServiceUrl } from '../config/config.schema.ts';
import { checked, isPrivateWay } from '../config/secret.ts';
import {
  randomNodeId,
  type Answers,
  type SecretAnswer,
  type InitOptions,
  checkService,
  type ServiceCheck,
} from './options.ts';

/** The wizard. What was given as an option is not asked. @throws CommandError `interrupted` */
export async function askQuestions(io: Io, given: InitOptions, config: string): Promise<Answers> {
  const streams = { input: io.stdin, output: terminal(io) };
  const say = { output: streams.output };
  clack.intro('mesh-agent init', say);

  let { url } = given;
  let service: ServiceCheck;
  for (;;) {
    url ??= await ask({
      message: 'Address of the service',
      placeholder: 'https://mesh.example.org',
      validate: messageOf(ServiceUrl),
    });
    url = ServiceUrl.parse(url);
    service = await checkService(url);
    if (service.problem === null) break;
    clack.log.warn(`That address isn't a Mesh Registry. ${service.problem}`, say);
    if (await confirm('Use it anyway?', false)) break;
    url = undefined;
  }

  const nodeId =
    given.nodeId ??
    (await ask({
      message: "The node's ID: public and permanent",
      initialValue: randomNodeId(),
      validate: messageOf(ConfiguredNodeId),
    }));
  const label = given.label ?? (await askOptional('A label to show (optional)', nodeId, Label));
  const size =
    given.class ??
    (await answer(
      clack.select<NodeClass>({
        message: 'Its size class',
        options: [
          { value: 'S', hint: 'small: a single board or an old laptop' },
          { value: 'M', hint: 'medium: a desktop or a home server' },
          { value: 'L', hint: 'large: a server, or several GPUs' },
        ],
        ...streams,
      }),
    ));
  const region =
    given.region ??
    (await askOptional(
      'Region code, such as EU or NA (optional)',
      'from its location',
      SentRegion,
    ));

  const place = await askPlace();
  const secret = given.secret ?? (await askSecret());
  const insecureHttp = given.insecureHttp ?? (await askInsecure(url, secret));
  if (!(await confirm(`Write ${config}?`))) throw ended();
  return { url, nodeId, label, class: size, region, place, secret, insecureHttp };

  function ask(options: clack.TextOptions): Promise<string> {
    return answer(clack.text({ ...options, ...streams }));
  }

  /** @returns null if nothing was typed */
  async function askOptional(message: string, placeholder: string, schema: Schema) {
    const validate = (text: string | undefined) => (text ? messageOf(schema)(text) : undefined);
    return (await ask({ message, placeholder, defaultValue: '', validate })) || null;
  }

  function confirm(message: string, initialValue = true): Promise<boolean> {
    return answer(clack.confirm({ message, initialValue, ...streams }));
  }

  async function askPlace(): Promise<Answers['place']> {
    if (given.place !== undefined) return given.place && rounded(given.place);
    if (!(await confirm('Show the node on the public map?'))) return null;
    const exact = {
      lat: await coordinate('Latitude, degrees north', '37.7', Latitude),
      lng: await coordinate('Longitude, degrees east', '-122.4', Longitude),
    };
    return rounded(exact);
  }

  async function coordinate(message: string, placeholder: string, schema: typeof Latitude) {
    const validate = (text: string | undefined) => messageOf(schema)(numberOf(text));
    return Number(await ask({ message, placeholder, validate }));
  }

  function rounded(exact: { lat: number; lng: number }) {
    const { lat, lng } = quantize(exact.lat, exact.lng, service.grid);
    clack.log.info(
      `Rounded to ${service.grid} degrees: ${lat}, ${lng}. Only this is stored and sent.`,
      say,
    );
    return { lat, lng };
  }

  /** A secret is sent to a service without TLS only if somebody says so. */
  async function askInsecure(service: string, { kind }: SecretAnswer): Promise<boolean> {
    if (kind === 'none' || isPrivateWay(service)) return false;
    const message = `${service} has no TLS: anyone on the network path can read the secret. Send it anyway?`;
    if (!(await confirm(message, false))) throw ended();
    return true;
  }

  async function askSecret(): Promise<SecretAnswer> {
    const kind = await answer(
      clack.select<SecretAnswer['kind']>({
        message: "The network's secret, from the service's operator",
        options: [
          { value: 'value', label: 'Type it now', hint: 'stored in a file that only you can read' },
          { value: 'file', label: 'It is in a file' },
          { value: 'environment', label: 'I set MESH_AGENT_SECRET' },
          {
            value: 'none',
            label: 'None',
            ...(service.secretRequired && { hint: 'this service requires one' }),
          },
        ],
        initialValue: service.secretRequired ? 'value' : 'none',
        ...streams,
      }),
    );
    if (kind === 'value') {
      const value = await answer(
        clack.password({ message: 'The secret', validate: secretMessage, ...streams }),
      );
      return { kind, value: value.trim() };
    }
    if (kind === 'file') {
      const path = await ask({
        message: 'Path of the file',
        placeholder: '/etc/mesh-agent/secret',
      });
      return { kind, path };
    }
    return { kind };
  }
}

const ended = () => new CommandError('Nothing was saved.', EXIT.interrupted);

async function answer<Value>(
  question: Promise<Value | typeof clack.CANCEL_SYMBOL>,
): Promise<Exclude<Value, symbol>> {
  const value = await question;
  if (clack.isCancel(value)) throw ended();
  return value as Exclude<Value, symbol>;
}

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: { message: string }[] } };
}

/** What is wrong with a value, for the line below the question. */
const messageOf = (schema: Schema) => (value: unknown) => {
  const { success, error } = schema.safeParse(value ?? '');
  return success ? undefined : `It ${error?.issues[0]?.message ?? 'is wrong'}.`;
};

const numberOf = (text = '') => (text.trim() === '' ? undefined : Number(text));

function secretMessage(value = ''): string | undefined {
  try {
    checked(value, 'this answer');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const COLOURS = /\x1b\[(?:3\d|4\d|9\d|10\d)m/g;
/** The size of a terminal that does not tell its own, as on a serial line. */
const USUAL_SIZE = { columns: 80, rows: 24 } as const;

/** The output as the questions need it: with a size, and without colours where they are not wanted. */
function terminal(io: Io): Io['stdout'] {
  const coloured = hasColours(io);
  return new Proxy(io.stdout, {
    get(stream, key) {
      if (key === 'columns' || key === 'rows') return stream[key] || USUAL_SIZE[key];
      if (key === 'write' && !coloured)
        return (text: string | Uint8Array) =>
          stream.write(typeof text === 'string' ? text.replace(COLOURS, '') : text);
      const value = Reflect.get(stream, key, stream) as unknown;
      return typeof value === 'function' ? (value.bind(stream) as unknown) : value;
    },
  });
}
