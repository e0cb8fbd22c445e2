import type { TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { CommandError, EXIT } from '../base/exit.ts';
import { readTruthFile, type TruthFile } from '../truth/files.ts';

/**
 * A file with what an operator trusts: a signed root, or roots and truth as the service publishes them.
 * @param setting where the file is named, for the error
 * @throws CommandError that says what to change
 */
export function readTrustFile(file: string, setting: string): TrustState {
  const content = read(file, setting);
  if (content.kind === 'published') return content.state;
  if (content.kind === 'signed' && content.content.type === 'root')
    return { roots: [content.document], truth: null };
  throw new CommandError(
    `${setting}: ${file} must be a signed root, or a JSON object with "roots" and "truth" as GET /api/truth answers it.`,
    EXIT.configuration,
  );
}

function read(file: string, setting: string): TruthFile {
  try {
    return readTruthFile(file);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${setting}: ${error.message} Get the network's signed root from whom you trust, or save what GET /api/truth of its service answers.`,
      EXIT.configuration,
    );
  }
}
