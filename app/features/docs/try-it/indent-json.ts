/** A string, punctuation, or a number, true, false or null; the last one may be cut off. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** JSON on several lines, as `JSON.stringify(value, null, 2)` writes it. Also takes the beginning of a JSON text. */
export function indentJson(text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return tokens
    .map((token, at) => {
      const before = tokens[at - 1];
      if (token === '}' || token === ']') {
        depth--;
        return before === '{' || before === '[' ? token : line() + token;
      }
      const start = before === '{' || before === '[' || before === ',' ? line() : '';
      if (token === '{' || token === '[') depth++;
      return start + (token === ':' ? ': ' : token);
    })
    .join('');
}
