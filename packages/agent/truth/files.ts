import { readFileSync } from 'node:fs';
import { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { createDurable, writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import { parseAs } from '@mesh-registry/protocol/rest/issues.schema.ts';
import {
  PublishedTruth,
  Root,
  ROOT_TYPE,
  Truth,
  TRUTH_TYPE,
} from '@mesh-registry/protocol/truth/truth.schema.ts';
import { malformed, readRoot, readTruth } from '@mesh-registry/protocol/truth/documents.ts';
import { TrustError, type TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { CommandError, configurationError } from '../base/exit.ts';

/** The files that `mesh-agent truth` reads and writes. What they hold is seen from their shape. */

/** As the service has it. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;

export type Content = { type: 'root'; value: Root } | { type: 'truth'; value: Truth };

export type TruthFile =
  /** Nobody has signed it yet. */
  | { kind: 'draft'; content: Content }
  /** A root or a truth, with some or all of its signatures. */
  | { kind: 'signed'; content: Content; document: SignedDocument }
  /** What a network publishes, or what a peer has kept: without a truth, if it has seen none. */
  | { kind: 'published'; state: TrustState };

const Published = PublishedTruth.extend({
  truth: SignedDocument.nullable(),
  former: SignedDocument.optional(),
});

/** @throws CommandError if the file cannot be read, or is none of these */
export function readTruthFile(file: string): TruthFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'ENOENT' ? `There is no ${file}.` : `${file} cannot be read: ${message}`,
    );
  }
  if (text.length > FILE_BYTES_MAX)
    throw new CommandError(`${file} is larger than ${FILE_BYTES_MAX} bytes.`);
  try {
    return believing(`${file}: `, () => parseTruthFile(JSON.parse(text)));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError(`${file} is not JSON.`);
    throw error;
  }
}

/** The result of `action`. @throws CommandError with `before` and the reason, if that does not believe something */
export function believing<T>(before: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof TrustError) throw new CommandError(`${before}${error.message}`);
    throw error;
  }
}

/** @throws TrustError `malformed` */
export function parseTruthFile(json: unknown): TruthFile {
  const has = (key: string) => typeof json === 'object' && json !== null && key in json;
  if (has('payload')) {
    const document = parseAs(SignedDocument.strict(), json, 'The envelope', malformed);
    return { kind: 'signed', content: contentOf(document), document };
  }
  if (has('roots')) {
    const { roots, truth, former } = parseAs(Published, json, 'The published document', malformed);
    return { kind: 'published', state: { roots, truth, ...(former && { former }) } };
  }
  if (has('roles'))
    return {
      kind: 'draft',
      content: { type: 'root', value: parseAs(Root, json, 'The root', malformed) },
    };
  if (has('bans'))
    return {
      kind: 'draft',
      content: { type: 'truth', value: parseAs(Truth, json, 'The truth', malformed) },
    };
  throw malformed(
    'It must be a root or a truth, signed or not, or {roots, truth} as GET /api/truth answers.',
  );
}

function contentOf(document: SignedDocument): Content {
  if (document.payloadType === ROOT_TYPE) return { type: 'root', value: readRoot(document) };
  if (document.payloadType === TRUTH_TYPE) return { type: 'truth', value: readTruth(document) };
  throw malformed(`Its payloadType must be ${ROOT_TYPE} or ${TRUTH_TYPE}.`);
}

/** Writes a file that anybody may read, whole or not at all. @param fresh refuse to replace one */
export function writePublicFile(file: string, content: unknown, { fresh = false } = {}): void {
  const write = fresh ? createDurable : writeDurable;
  try {
    write(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o644 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'EEXIST'
        ? `${file} is there already. Choose another name, or move it away.`
        : `${file} cannot be written: ${message}`,
    );
  }
}

/** What a signed root, or what is published, lets one believe. @returns null for any other file */
export function stateOf(file: TruthFile): TrustState | null {
  if (file.kind === 'published') return file.state;
  const isRoot = file.kind === 'signed' && file.content.type === 'root';
  return isRoot ? { roots: [file.document], truth: null } : null;
}

/**
 * A file with what an operator trusts: a signed root, or roots and truth as the service publishes them.
 * @param setting where the file is named, for the error
 * @throws CommandError that says what to change
 */
export function readTrustFile(file: string, setting: string): TrustState {
  const refused = (why: string) => configurationError(`${setting}: ${why}`);
  let read: TruthFile;
  try {
    read = readTruthFile(file);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw refused(
      `${error.message} Get the network's signed root from someone you trust, or save the response to GET /api/truth of its service.`,
    );
  }
  const state = stateOf(read);
  if (state) return state;
  throw refused(
    `${file} must be a signed root, or a JSON object with "roots" and "truth" as GET /api/truth answers it.`,
  );
}
