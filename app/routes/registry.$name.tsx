import { data, redirect, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import type { ReactNode } from 'react';
import type { NameDetails } from '#server/registry/index.ts';
import type { RegistryEntry } from '#server/registry/registry.schema.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { NAME_RULE } from '#server/common/fields.schema.ts';
import { badgeAlt, badgeMarkdown, badgeState } from '#app/features/registry/badge.ts';
import { exact, PageMoment } from '#app/lib/clock.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { Page } from '#app/ui/page.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { span } from '#app/lib/duration.ts';
import { capacity } from '#app/lib/formatters.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { wizardHref } from '#app/features/registration/wizard.ts';

/** What the public check says of a name that is not active. */
type Vacancy = 'free' | 'taken' | 'reserved' | 'invalid' | 'unknown';

export async function loader({ params, context: { services, origin } }: LoaderFunctionArgs) {
  const asked = params['name'] ?? '';
  const name = asked.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  // One name, one address.
  if (name !== asked) return redirect(`/registry/${encodeURIComponent(name)}`, 301);
  const details = services.registry.name(name);
  const page = { ...details, name, origin: origin() };
  const { entry } = details;
  if (entry) return { ...page, entry };
  // The database is asked only here: which names are reserved is not in the read model.
  const vacancy = await services.registry.availability(name).then(
    ({ reason }): Vacancy => reason ?? 'free',
    (error: unknown): Vacancy => {
      if (isAppError(error) && error.code === 'unavailable') return 'unknown';
      throw error;
    },
  );
  const rules = { name: NAME_RULE, holdMs: services.config.holdMs };
  return data({ ...page, entry: null, vacancy, rules }, { status: 404 });
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => {
  if (!data?.entry)
    return [
      ...pageMeta('Name not active', 'A name that is not active, and whether it is free.'),
      { name: 'robots', content: 'noindex' },
    ];
  const { entry, name, origin } = data;
  const kinds = entry.kinds.join(' and ');
  return pageMeta(
    entry.label === name ? name : `${name}: ${entry.label}`,
    `${name} is an active ${kinds} name of the mesh, class ${entry.class}, region ${entry.region}. Now: ${badgeState(entry).text}.`,
    `${origin}/registry/${name}`,
  );
};

export default function NamePage() {
  const loaded = useLoaderData<typeof loader>();
  const connection = usePageRefresh(loaded);
  const { name, entry, origin, updatedAt } = loaded;
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <Page
        className="name-page"
        title={name}
        intro={entry ? entry.label !== name && entry.label : undefined}
        actions={
          <Link className="button" to="/registry">
            All names
          </Link>
        }
        live={<ConnectionStatus connection={connection} madeAt={updatedAt} />}
      >
        {entry ? (
          <Active details={loaded} entry={entry} origin={origin} />
        ) : (
          <NotActive name={name} vacancy={loaded.vacancy} rules={loaded.rules} />
        )}
      </Page>
    </PageMoment.Provider>
  );
}

interface ActiveProps {
  details: Pick<NameDetails, 'peer' | 'compute'>;
  entry: RegistryEntry;
  origin: string;
}

function Active({ details: { peer, compute }, entry, origin }: ActiveProps) {
  const { name, nodeId, kinds } = entry;
  return (
    <div className="panels">
      <Panel title="Name">
        <dl className="facts">
          <dt>Label</dt>
          <dd>{entry.label}</dd>
          <dt>Kinds</dt>
          <dd>{kinds.join(', ')}</dd>
          <dt>Class</dt>
          <dd>{entry.class}</dd>
          <dt>Region</dt>
          <dd>{entry.region}</dd>
          <dt>Active since</dt>
          <dd>
            {exact(entry.activatedAt).slice(0, 10)}, <RelativeTime at={entry.activatedAt} />
          </dd>
        </dl>
      </Panel>
      <Panel title="Node">
        <dl className="facts">
          <dt>Id</dt>
          <dd>
            <Link to={`/nodes/${nodeId}`}>
              <code>{nodeId}</code>
            </Link>
          </dd>
          {peer && (
            <>
              <dt>Status</dt>
              <dd>
                <Status status={peer.status} size={peer.class} />
              </dd>
              <dt>Last seen</dt>
              <dd>
                <RelativeTime at={peer.lastSeen} />
              </dd>
            </>
          )}
        </dl>
        {!peer && (
          <p className="secondary">
            {kinds.includes('node')
              ? 'This node has not sent a heartbeat yet, so it is not on the map.'
              : 'The name is registered for a compute only: the node is not shown with it.'}
          </p>
        )}
      </Panel>
      <Panel title="Compute" className="compute">
        {compute ? (
          <dl className="facts">
            <dt>Status</dt>
            <dd>
              <Status status={compute.status} />
            </dd>
            <dt>Capacity</dt>
            <dd>
              {capacity(compute)}
              {compute.status === 'offline' && ' when it was last seen'}
            </dd>
            <dt>Image</dt>
            <dd>
              <code>{compute.image}</code>
            </dd>
            <dt>Backend</dt>
            <dd>{compute.backend}</dd>
            <dt>Last seen</dt>
            <dd>
              <RelativeTime at={compute.lastSeen} />
            </dd>
          </dl>
        ) : (
          <p className="secondary">
            {kinds.includes('compute')
              ? `The node has not announced a compute called ${name} yet. It is listed as soon as it does.`
              : 'The name is registered for a node only. A compute under it needs a registration of that kind.'}
          </p>
        )}
      </Panel>
      <Embed entry={entry} origin={origin} />
    </div>
  );
}

/** The badge for a page of one's own, in the two languages of such pages. */
function Embed({ entry, origin }: { entry: RegistryEntry; origin: string }) {
  const { name } = entry;
  const { text } = badgeState(entry);
  const page = `${origin}/registry/${name}`;
  const snippets = [
    { language: 'Markdown', code: badgeMarkdown(origin, name) },
    {
      language: 'HTML',
      code: `<a href="${page}"><img src="${page}/badge.svg" alt="${badgeAlt(name)}"></a>`,
    },
  ];
  return (
    <Panel title="Badge" className="embed">
      <p>
        {/* Another state, another address: the browser keeps a badge for a minute. */}
        <img
          src={`/registry/${name}/badge.svg?shows=${encodeURIComponent(text)}`}
          alt={`${name}: ${text}`}
          height="20"
        />
        <span className="secondary">
          For a README or a page: it shows the state within a minute.
        </span>
      </p>
      {snippets.map(({ language, code }) => (
        <div key={language} className="snippet">
          <h3>{language}</h3>
          <pre className="code" tabIndex={0} aria-label={`Badge in ${language}`}>
            <code>{code}</code>
          </pre>
          <CopyButton text={code} label={`Copy ${language}`} />
        </div>
      ))}
    </Panel>
  );
}

interface NotActiveProps {
  name: string;
  vacancy: Vacancy;
  rules: { name: string; holdMs: number };
}

function NotActive({ name, vacancy, rules }: NotActiveProps) {
  const search = (
    <Link className="button" to="/registry">
      Look for another name
    </Link>
  );
  const register = (
    <Link className="button primary" to={wizardHref({ name })}>
      Register it
    </Link>
  );
  const shown = <strong>{name.length > 64 ? `${name.slice(0, 64)}…` : name}</strong>;
  switch (vacancy) {
    case 'free':
      return (
        <Answer title="This name is free" actions={[register, search]}>
          Nobody holds {shown}. It is yours once you have registered it, paid the fee, and a
          reviewer has activated it. A heartbeat alone does not register a name.
        </Answer>
      );
    case 'taken':
      return (
        <Answer title="This name is taken, and not active" actions={[search]}>
          A registration of {shown} is under way. If it is yours, the link that you kept shows how
          far it is, and this page shows the name once it is active. If it is not, choose another
          one, or come back: a name that is not paid for is free again after {span(rules.holdMs)}.
        </Answer>
      );
    case 'reserved':
      return (
        <Answer title="This name is reserved" actions={[search]}>
          {shown} cannot be registered. Choose another one.
        </Answer>
      );
    case 'invalid':
      return (
        <Answer title="This cannot be a name" actions={[search]}>
          {shown} does not fit: a name has {rules.name}.
        </Answer>
      );
    case 'unknown':
      return (
        <Answer title="This name is not active" actions={[search]}>
          Whether {shown} is free cannot be told at this moment: the database is away. This page
          looks again by itself.
        </Answer>
      );
  }
}

function Answer(props: { title: string; actions: ReactNode[]; children: ReactNode }) {
  return (
    <section className="panel card not-active" aria-labelledby="answer-title">
      <h2 id="answer-title">{props.title}</h2>
      <p>{props.children}</p>
      <ul className="chips">
        {props.actions.map((action, index) => (
          <li key={index}>{action}</li>
        ))}
      </ul>
    </section>
  );
}
