import { parse } from 'smol-toml';

/**
 * The line of a TOML text on which the value at `path` begins, from 1. For a path that is not there, the line
 * of the table it is missing from. The parser gives positions of syntax errors only, so the text is parsed line
 * by line: the first beginning of it that has the value ends with the value. Costs the square of the length,
 * once, for a text that is wrong anyway.
 */
export function lineOf(text: string, path: readonly PropertyKey[]): number {
  const lines = text.split('\n');
  for (let depth = path.length; depth > 0; depth--) {
    const line = firstLineWith(lines, path.slice(0, depth));
    if (line !== null) return line;
  }
  return 1;
}

function firstLineWith(lines: string[], path: readonly PropertyKey[]): number | null {
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    const value = parseOrNull(lines.slice(0, end).join('\n'));
    // Inside of a value that goes on for several lines.
    if (value === null) continue;
    if (has(value, path)) {
      while (/^\s*(#.*)?$/.test(lines[start] ?? '')) start++;
      return start + 1;
    }
    start = end;
  }
  return null;
}

function parseOrNull(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

function has(value: unknown, path: readonly PropertyKey[]): boolean {
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return true;
}
