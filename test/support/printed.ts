/** What a page of the documentation prints, as a person reads and copies it. */

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** The text of a piece of HTML. */
export const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(#x27|\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);

export interface Block {
  caption: string;
  language: string;
  code: string;
}

/** Every block of code of a page, in its order. */
export const blocksOf = (html: string): Block[] =>
  [...html.matchAll(/<pre ([^>]*)><code>(.*?)<\/code><\/pre>/gs)].map(
    ([, attributes = '', code = '']) => ({
      caption: textOf(/ aria-label="([^"]*)"/.exec(attributes)?.[1] ?? ''),
      language: / data-language="([^"]*)"/.exec(attributes)?.[1] ?? '',
      code: textOf(code),
    }),
  );
