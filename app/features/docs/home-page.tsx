import { Link, useLoaderData } from '@remix-run/react';
import { useEffect, type ReactNode } from 'react';
import { GLOSSARY, type TermId } from '#app/lib/glossary.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import { CommandLine } from '#app/ui/command-box.tsx';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { SecretNote } from '#app/ui/secret-note.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { Tick } from '#app/ui/status-icon.tsx';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage, PageLink } from './docs-page.ts';
import { shortestPing } from './curl.ts';
import type { loadHome } from './home.server.ts';
import styles from './home-page.module.css';
import { BeatsVignette, CountsVignette, DotsVignette, FeeVignette } from './vignettes.tsx';

export const homeDocs: DocsPage = {
  path: hrefs.docs.home(),
  title: 'Docs',
  intro: 'Pick what you want to do. Every example runs as printed.',
  sections: [],
  layout: 'home',
};

const REFERENCE = [
  { to: hrefs.docs.rest('endpoints'), name: 'Endpoints', about: 'Every path, field and limit' },
  { to: hrefs.docs.errors(), name: 'Errors', about: 'Each code, its cause and the remedy' },
  { to: hrefs.docs.operators(), name: 'mesh-agent', about: 'Its commands, and config.toml' },
  { to: hrefs.docs.identity(), name: 'Node identity', about: 'Keys, pins and signatures' },
  { to: hrefs.network(), name: 'Network settings', about: 'Who signs, and who is banned' },
  { to: hrefs.docs.privacy(), name: 'Privacy', about: 'What is stored, and for how long' },
];

/** The signs that words have on other pages. */
const SIGNS: Partial<Record<TermId, ReactNode>> = {
  node: <KindIcon kind="node" />,
  heartbeat: <StateGlyph state="online" />,
  syncing: <StateGlyph state="syncing" />,
  idle: <StateGlyph state="idle" />,
  offer: <KindIcon kind="compute" />,
};

/** The start of the documentation: a card for each reader, the reference, and the words. */
export function HomePage() {
  const { counts, dots, beats, feeUsd } = useLoaderData<typeof loadHome>();
  const docs = useDocs();
  const { settings } = useNetwork();
  useMovedSections();
  return (
    <>
      <section className={styles.hero} aria-labelledby="run-a-node">
        <div>
          <h2 id="run-a-node">
            <Link to={hrefs.docs.operators()}>Run a node</Link>
          </h2>
          <p>
            Put a machine on the map in under a minute, keep it online, offer compute and register a
            name.
          </p>
          <Links
            links={[
              { to: hrefs.docs.operators(), name: 'Start here' },
              { to: hrefs.docs.operators('systemd'), name: 'Keep it online' },
              { to: hrefs.docs.operators('announce'), name: 'Announce offers' },
              { to: hrefs.docs.operators('refusals'), name: 'Errors' },
            ]}
          />
        </div>
        <div className={styles.command}>
          <SecretNote />
          <CommandLine label="The first heartbeat of a node" code={shortestPing(docs)} />
          <ul>
            {['Any machine with curl', 'No account', 'You choose the place on the map'].map(
              (fact) => (
                <li key={fact}>
                  <Tick /> {fact}
                </li>
              ),
            )}
          </ul>
        </div>
      </section>

      <div className={styles.readers}>
        <Reader
          icon="M7 5l-4.5 5L7 15M13 5l4.5 5L13 15"
          title={{ to: hrefs.docs.rest(), name: 'Read the API' }}
          text="Nodes, offers and names as JSON, live over one stream. Reads need no key."
          links={[
            { to: hrefs.docs.statusPages(), name: 'Quick start' },
            { to: hrefs.docs.rest('endpoints'), name: 'REST' },
            { to: hrefs.docs.trpc(), name: 'tRPC' },
            { to: hrefs.docs.statusPages('stream'), name: 'Event stream' },
          ]}
          vignette={<CountsVignette counts={counts} />}
        />
        <Reader
          icon="M3 4h14v12H3ZM3 7.5h14M7 11l-1.5 1.5L7 14M10 11l1.5 1.5L10 14"
          title={{ to: hrefs.docs.embed(), name: 'Embed the map' }}
          text="The live map on your own page with one HTML element, or a badge for a name."
          links={[
            { to: hrefs.docs.embed('snippet'), name: 'Map' },
            { to: hrefs.docs.embed('badges'), name: 'Badges' },
          ]}
          vignette={<DotsVignette dots={dots} />}
        />
        <Reader
          icon="M10 3l6 2.5v4c0 4 -2.6 6.3 -6 7.5c-3.4 -1.2 -6 -3.5 -6 -7.5v-4ZM7.2 10l2 2l3.6 -4"
          title={{ to: hrefs.dashboard(), name: 'Review registrations' }}
          text="Match payments, accept names, block nodes. For people with a reviewer’s account."
          links={[{ to: hrefs.dashboard(), name: 'Sign in' }]}
          vignette={<FeeVignette feeUsd={feeUsd} />}
        />
        <Reader
          icon="M4 4h12v5H4ZM4 11h12v5H4ZM7 6.5h.01M7 13.5h.01"
          title={{ to: hrefs.status(), name: 'Run this service' }}
          text="Health and metrics for your monitoring. Setup, backups and scaling are in the docs folder of the source."
          links={[
            { to: hrefs.status(), name: 'Status' },
            { to: hrefs.docs.area('health'), name: 'Health and metrics' },
          ]}
          vignette={<BeatsVignette beats={beats} />}
        />
      </div>

      <div className={styles.low}>
        <section aria-labelledby="reference">
          <h2 id="reference">Reference</h2>
          <ul className={styles.reference}>
            {REFERENCE.filter(({ to }) => settings || to !== hrefs.network()).map(
              ({ to, name, about }) => (
                <li key={to}>
                  <Link to={to}>{name}</Link> <span>{about}</span>
                </li>
              ),
            )}
          </ul>
        </section>
        <section aria-labelledby="glossary">
          <h2 id="glossary">Glossary</h2>
          <dl className={styles.glossary}>
            {Object.entries(GLOSSARY).map(([id, { term, meaning }]) => (
              <div key={id} id={`glossary-${id}`}>
                <dt>
                  {SIGNS[id as TermId]} {term}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </>
  );
}

interface ReaderProps {
  /** The lines of its sign, on a grid of 20. */
  icon: string;
  title: PageLink;
  text: string;
  links: PageLink[];
  vignette: ReactNode;
}

/** What one kind of reader comes for. */
const Reader = ({ icon, title, text, links, vignette }: ReaderProps) => (
  <section className={styles.reader}>
    <svg viewBox="0 0 20 20" width="22" height="22" aria-hidden>
      <path d={icon} stroke="currentColor" />
    </svg>
    <h2>
      <Link to={title.to}>{title.name}</Link>
    </h2>
    <p>{text}</p>
    <Links links={links} />
    {vignette}
  </section>
);

const Links = ({ links }: { links: PageLink[] }) => (
  <ul className={styles.links}>
    {links.map(({ to, name }) => (
      <li key={name}>
        <Link to={to}>{name}</Link>
      </li>
    ))}
  </ul>
);

/** Links to sections from when the reference was this page, such as `/docs#getMesh`, lead by way of the one it became. */
function useMovedSections(): void {
  useEffect(() => {
    const { hash } = window.location;
    if (hash && !document.getElementById(hash.slice(1)))
      // As a new page, so that the browser highlights the section.
      window.location.replace(`${hrefs.docs.rest()}${hash}`);
  }, []);
}
