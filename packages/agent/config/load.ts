import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { issuePath, issuesOf } from '@mesh-registry/protocol/rest/issues.schema.ts';
import { configurationError } from '../base/exit.ts';
import { ConfigFile } from './config.schema.ts';
import { lineOf } from './locate.ts';

export type Config = Omit<ConfigFile, 'service' | 'node' | 'peer'> & {
  /** The file it was read from, an absolute path. */
  file: string;
  service: {
    url: string;
    secretFile: string | null;
    /** Whether secrets may go to a service without TLS. */
    insecureHttp: boolean;
  };
  node: Omit<ConfigFile['node'], 'key_file'> & { keyFile: string };
  peer?: PeerConfig;
};

/** The section [peer], with absolute paths. */
export type PeerConfig = NonNullable<ConfigFile['peer']>;

/** More problems than this are not listed: they often have one cause. */
const SHOWN = 8;

/** @throws CommandError that says of each bad value: file, line, and what to change */
export function loadConfig(file: string): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw configurationError(
      code === 'ENOENT'
        ? `There is no ${file}. Run "mesh-agent init" to write one.`
        : code === 'EACCES'
          ? `${file} cannot be read by this user. Run the command as the user who owns it.`
          : `${file} cannot be read: ${message}`,
    );
  }
  return parseConfig(text, file);
}

/** @param file an absolute path: relative paths in the text start from its folder */
export function parseConfig(text: string, file: string): Config {
  let toml: unknown;
  try {
    toml = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '');
    throw configurationError(
      `${file}:${error.line}: this is not TOML: ${what}.\n\n${error.codeblock}`,
    );
  }
  const result = ConfigFile.safeParse(toml);
  if (!result.success) {
    const problems = result.error.issues.flatMap((issue) => describe(issue, toml, text));
    const lines = problems
      .sort((a, b) => a.line - b.line)
      .slice(0, SHOWN)
      .map(({ line, message }) => `${file}:${line}: ${message}`);
    if (problems.length > SHOWN) lines.push(`… and ${problems.length - SHOWN} more.`);
    throw configurationError(lines.join('\n'));
  }
  const { service, node, map, peer, compute } = result.data;
  const absolute = (path: string) => (isAbsolute(path) ? path : join(dirname(file), path));
  const { key_file, ...rest } = node;
  return {
    file,
    service: {
      url: service.url,
      secretFile: service.secret_file === undefined ? null : absolute(service.secret_file),
      insecureHttp: service.insecure_http,
    },
    node: { ...rest, keyFile: absolute(key_file) },
    ...(map && { map }),
    ...(peer && {
      peer: {
        ...peer,
        trust: absolute(peer.trust),
        ...(peer.truth_file !== undefined && { truth_file: absolute(peer.truth_file) }),
        ...(peer.log !== undefined && { log: absolute(peer.log) }),
      },
    }),
    compute: compute.map((offer) => {
      const { free_slots } = offer;
      if (typeof free_slots === 'number' || !('file' in free_slots)) return offer;
      return { ...offer, free_slots: { file: absolute(free_slots.file) } };
    }),
  };
}

interface Located {
  line: number;
  message: string;
}

function describe(issue: z.core.$ZodIssue, input: unknown, text: string): Located[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return { line: lineOf(text, path), message: `${issuePath(path)} ${unknownKey(path)}` };
    });
  const [{ path, message } = { path: '', message: issue.message }] = issuesOf(
    { issues: [issue] } as unknown as z.ZodError,
    input,
  );
  return [{ line: lineOf(text, issue.path), message: `${path || 'The file'} ${message}.` }];
}

const TABLES: Record<string, readonly string[]> = {
  '': Object.keys(ConfigFile.shape),
  service: Object.keys(ConfigFile.shape.service.shape),
  node: Object.keys(ConfigFile.shape.node.shape),
  map: Object.keys(ConfigFile.shape.map.unwrap().shape),
  peer: Object.keys(ConfigFile.shape.peer.unwrap().shape),
  compute: Object.keys(ConfigFile.shape.compute.unwrap().element.shape),
};

function unknownKey(path: readonly PropertyKey[]): string {
  const table = path.length === 1 ? '' : String(path[0]);
  if (path.at(-1) === 'secret')
    return 'does not belong into this file. Put the secret into a file of its own and name that in service.secret_file, or set MESH_AGENT_SECRET.';
  return `is not known. Known here: ${TABLES[table]?.join(', ') ?? 'nothing else'}.`;
}
