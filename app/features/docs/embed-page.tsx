import { Form, useSearchParams, useSubmit } from '@remix-run/react';
import {
  EMBED_THEMES,
  embedHref,
  parseEmbedQuery,
  type EmbedTheme,
} from '#app/features/mesh/embed/embed-query.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import field from '#app/ui/field.module.css';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { CodeBlock, P, Section } from './section.tsx';
import { DefinitionList } from './definition-list.tsx';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';
import styles from './embed-page.module.css';
import { badgeHtml, embedSnippet, FRAME_PERMISSIONS } from './examples.ts';

export const embedDocs: DocsPage = {
  path: hrefs.docs.embed(),
  title: 'Embed the map',
  intro: 'Show the live map on your own site, with one HTML element.',
  sections: [
    { id: 'snippet', title: 'Your snippet' },
    { id: 'parameters', title: 'Parameters' },
    { id: 'behaviour', title: 'What to expect' },
    { id: 'badges', title: 'Badges and link previews' },
  ],
};

const THEME_TEXT: Record<EmbedTheme, string> = {
  auto: 'As the visitor’s system',
  light: 'Light',
  dark: 'Dark',
};
/** Heights to choose from, px. */
const HEIGHTS = [320, 420, 560];
const HEIGHT = 420;
/** Choices that were made on the map and have no field here. */
const KEPT = ['q', 'joined', 'map'];

export function EmbedDocsPage() {
  const { origin } = useDocs();
  const [search] = useSearchParams();
  const submit = useSubmit();
  const { theme, query } = parseEmbedQuery(asMapQuery(search));
  const height = HEIGHTS.find((height) => String(height) === search.get('height')) ?? HEIGHT;
  const path = embedHref(theme, query);
  return (
    <>
      <Section id="snippet" title="Your snippet">
        <Form
          method="get"
          className={styles.options}
          preventScrollReset
          onChange={({ currentTarget }) =>
            submit(currentTarget, { replace: true, preventScrollReset: true })
          }
        >
          <div>
            <label htmlFor="embed-theme">Theme</label>
            <select id="embed-theme" name="theme" className={field.field} defaultValue={theme}>
              {EMBED_THEMES.map((theme) => (
                <option key={theme} value={theme}>
                  {THEME_TEXT[theme]}
                </option>
              ))}
            </select>
          </div>
          <div>
            <label htmlFor="embed-region">Region</label>
            <input
              id="embed-region"
              name="region"
              className={field.field}
              defaultValue={query.region ?? ''}
              placeholder="All"
              maxLength={16}
            />
          </div>
          <div>
            <label htmlFor="embed-height">Height</label>
            <select id="embed-height" name="height" className={field.field} defaultValue={height}>
              {HEIGHTS.map((height) => (
                <option key={height} value={height}>
                  {height} px
                </option>
              ))}
            </select>
          </div>
          <fieldset>
            <legend>Status</legend>
            {PEER_STATUSES.map((status) => (
              <label key={status}>
                <input
                  type="checkbox"
                  name="status"
                  value={status}
                  defaultChecked={query.status.includes(status)}
                />
                {status}
              </label>
            ))}
          </fieldset>
          <fieldset>
            <legend>Class</legend>
            {NODE_CLASSES.map((size) => (
              <label key={size}>
                <input
                  type="checkbox"
                  name="class"
                  value={size}
                  defaultChecked={query.class.includes(size)}
                />
                {size}
              </label>
            ))}
          </fieldset>
          {KEPT.map((name) => {
            const value = search.get(name);
            return value && <input key={name} type="hidden" name={name} value={value} />;
          })}
          <button className={`${button.button} without-scripts`}>Update</button>
        </Form>
        <CodeBlock caption="HTML" language="html" code={embedSnippet(origin, path, height)} />
        <iframe
          key={path}
          className={styles.preview}
          src={path}
          title="Preview of the embedded map"
          height={height}
          loading="lazy"
          sandbox={FRAME_PERMISSIONS}
        />
      </Section>

      <Section id="parameters" title="Parameters">
        <DefinitionList items={PARAMETERS} code />
        <p>Unknown and invalid values are ignored: the map then shows everything.</p>
      </Section>

      <Section id="behaviour" title="What to expect">
        <ul>
          <li>The map is live, and links to the full map, which opens in a new tab.</li>
          <li>
            It sets no cookies and stores nothing. Your visitors’ browsers load it from this service
            and from nowhere else.
          </li>
          <li>
            The wheel and one finger scroll your page. The map zooms with Ctrl or Cmd and the wheel,
            and moves with two fingers.
          </li>
          <P as="li">
            The `sandbox` allows only its scripts and the link. If your site has a content security
            policy, allow `{`frame-src ${origin}`}`.
          </P>
          <li>No other page of this service can be shown in a frame.</li>
        </ul>
      </Section>

      <Section id="badges" title="Badges and link previews">
        <P>
          A badge shows the state of an active name, at most a minute old. Replace `NAME` with your
          name; the name’s page has the finished code.
        </P>
        <CodeBlock caption="A badge" language="html" code={badgeHtml(origin)} />
        <DefinitionList items={BADGES} code />
        <P>
          When someone shares a link to a name’s page, sites and messengers show a picture with its
          place and state.
        </P>
      </Section>
    </>
  );
}

/** The form's values as a URL of the map has them: all statuses in one parameter, a region in capitals. */
function asMapQuery(search: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams(search);
  query.set('status', search.getAll('status').join());
  query.set('class', search.getAll('class').join());
  query.set('region', (search.get('region') ?? '').toUpperCase());
  return query;
}

const BADGES = {
  'badge.svg': 'The state of the compute offer, or of the node.',
  'badge.svg?show=uptime': 'The uptime of the node over 30 days.',
  'badge.svg?show=slots': 'The free slots of the compute offer.',
};

const PARAMETERS = {
  theme: '`auto` (default) follows the visitor’s system; `light` and `dark` don’t.',
  filter:
    'Values of the map’s filters, separated by commas: any of `online`, `syncing`, `idle` and `offline`; any of the classes `S`, `M` and `L`; a region such as `EU`; and `1h`, `24h`, `7d` or `30d` for nodes that joined since. Only matching nodes are shown.',
  q: 'Only nodes with this text in their ID or label.',
  map: 'Centre and zoom as in the URL of the full map, for example `48.1,11.6,5`. By default the map shows all nodes.',
};
