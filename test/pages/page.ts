import { expect } from 'vitest';
import type { TestServer } from '../support/server.ts';

export interface ShownPage {
  status: number;
  headers: Headers;
  html: string;
  /** The visible text, without tags and scripts, with white space collapsed. */
  text: string;
  title: string;
  /** The content of a `meta` of this name or property; null where there is none. */
  meta(name: string): string | null;
}

/** A page as a browser without scripts shows it. Checks that it obeys the policy: no inline style, no handler. */
export async function openPage(
  server: TestServer,
  path: string,
  init: RequestInit = {},
): Promise<ShownPage> {
  const response = await server.get(path, { redirect: 'manual', ...init });
  const html = await response.text();
  expect(html).not.toMatch(/<[^>]+ (style|on\w+)=/);
  const decode = (text: string) =>
    text
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&#x27;/g, "'")
      .replace(/&amp;/g, '&');
  const body = html
    .slice(html.indexOf('<body'))
    .replace(/<script[\s\S]*?<\/script>/g, '')
    .replace(/<!-- -->/g, '')
    // What explains a term is hidden until it is pressed.
    .replace(/<span [^>]*popover="auto"[\s\S]*?<\/a><\/span>/g, '')
    .replace(/<[^>]+>/g, ' ');
  return {
    status: response.status,
    headers: response.headers,
    html,
    text: decode(body).replace(/\s+/g, ' '),
    title: decode(/<title>(.*?)<\/title>/.exec(html)?.[1] ?? ''),
    meta: (name) => {
      const found = new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html);
      return found ? decode(found[1] ?? '') : null;
    },
  };
}
