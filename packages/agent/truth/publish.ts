import { existsSync } from 'node:fs';
import type { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { z } from 'zod';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { CommandError } from '../base/exit.ts';
import {
  believing,
  readTruthFile,
  writePublicFile,
  type Content,
  type TruthFile,
} from './files.ts';
import { take, takeState, type Known } from './known.ts';

/**
 * Puts signed roots and a signed truth into what a network publishes, if every peer that believes what is published
 * now will believe them. The file is made if it is not there.
 * @param files in any order
 * @throws CommandError; the file is then as it was
 */
export function publish(files: readonly string[], target: string, now: () => number): Trust {
  const documents = files.map((file) => ({ file, ...requireSignedFile(file) }));
  // Roots in their order, and then the truth, which the last root may be the first to allow.
  documents.sort((one, other) => rank(one.content) - rank(other.content));
  let known: Known | null = existsSync(target) ? published(target, now) : null;
  for (const { file, ...signed } of documents) {
    const before: Known | null = known;
    known = believing(`${file}: `, () => take(before, signed, now));
  }
  if (known === null) throw new Error('No file was named.');
  const { trust } = known;
  const { roots, truth } = trust.state;
  if (truth === null)
    throw new CommandError(
      trust.root.version === 1
        ? 'A root is published together with a truth: name both files.'
        : `Root ${trust.root.version} names other truth keys, so the current truth no longer counts. Draft one with --trust ${target} --trust ${documents[0]?.file}, and publish both together.`,
    );
  writePublicFile(target, { roots, truth } satisfies z.infer<typeof PublishedTruth>);
  return trust;
}

function requireSignedFile(file: string): Extract<TruthFile, { kind: 'signed' }> {
  const read = readTruthFile(file);
  if (read.kind === 'signed') return read;
  throw new CommandError(
    read.kind === 'draft'
      ? `${file} is a draft. Sign it first: mesh-agent truth sign ${file} --key KEY.pem`
      : `${file} is published already. Name the signed root or truth that is new.`,
  );
}

function published(file: string, now: () => number): Known {
  const read = readTruthFile(file);
  if (read.kind !== 'published')
    throw new CommandError(
      `${file} is not what a network publishes, {roots, truth}. Choose another name for --to.`,
    );
  return believing(`${file} can't be published as it is: `, () => takeState(null, read.state, now));
}

const rank = (content: Content) => (content.type === 'root' ? content.value.version : Infinity);
