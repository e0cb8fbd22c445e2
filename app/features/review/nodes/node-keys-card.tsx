import { Link, type useLoaderData } from '@remix-run/react';
import { useMemo } from 'react';
import type { PinSource } from '@mesh-registry/protocol/values.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { Command } from '#app/ui/command.tsx';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { STATUS_LABEL } from '../labels.ts';
import parts from '../parts.module.css';
import { ReasonForm } from '../row-action.tsx';
import styles from './node-keys-card.module.css';
import type { loadNodes } from './nodes-page.server.ts';

type Keys = NonNullable<ReturnType<typeof useLoaderData<typeof loadNodes>>['keys']>;
type Proving = Keys['proving'][number];

interface NodeKeysCardProps {
  node: string;
  keys: Keys;
  /** Of the form with this intent about this key. */
  problemOf: (intent: string, key: string) => FormError | undefined;
}

/** The keys of one node: the pinned one, those that have proved its registrations, those it had, and links to pass on. */
export function NodeKeysCard({ node, keys, problemOf }: NodeKeysCardProps) {
  const { pinned, signer, proving, former, renewed } = keys;
  const columns = useMemo(() => provingColumns(node, pinned, problemOf), [node, pinned, problemOf]);
  return (
    <Panel title={`Keys of ${node}`}>
      <div className={styles.parts}>
        <Pinned node={node} keys={keys} />
        <Signer signer={signer} />
        {renewed.length > 0 && <NewLinks renewed={renewed} />}
        {proving.length > 0 && (
          <>
            <h3 className={styles.heading}>Keys that have proved its registrations</h3>
            <DataTable
              caption="Keys that have proved registrations of the node"
              rows={proving}
              id={({ key }) => key}
              columns={columns}
            />
          </>
        )}
        {former.length > 0 && <FormerKeys node={node} keys={keys} problemOf={problemOf} />}
      </div>
    </Panel>
  );
}

function Pinned({ node, keys: { pinned, former, proving } }: Omit<NodeKeysCardProps, 'problemOf'>) {
  if (pinned)
    return (
      <p className={text.notice}>
        <code>{node}</code> was pinned {SOURCE_TEXT[pinned.source]}{' '}
        <RelativeTime at={pinned.pinnedAt} />, to the key <code>{pinned.key}</code>
      </p>
    );
  return (
    <>
      <p className={text.notice}>
        <code>{node}</code> has no pinned key.
      </p>
      {former.some(({ revokedAt }) => revokedAt !== null) && (
        <p>
          A key of this node was revoked. While it has active names, only a reviewer pins another
          one.{' '}
          {proving.length === 0
            ? 'Its operator makes a new key, and proves the registrations with it by the new links.'
            : 'Ask its operator for the new key, compare it with those below, and pin it.'}
        </p>
      )}
    </>
  );
}

const SOURCE_TEXT: Record<PinSource, string> = {
  registration: 'by an accepted registration',
  first_use: 'by its first signed request',
  rotation: 'in place of an earlier key',
  review: 'by a reviewer',
};

function Signer({ signer }: Pick<Keys, 'signer'>) {
  if (!signer) return <p className={text.secondary}>We haven’t heard from this node yet.</p>;
  const { key, since, at } = signer;
  return (
    <p>
      {key === null ? (
        'Its heartbeats aren’t signed'
      ) : (
        <>
          Its heartbeats are signed by <code className={styles.key}>{key}</code>
        </>
      )}
      : first seen <RelativeTime at={since} />, last seen <RelativeTime at={at} />.
    </p>
  );
}

const NewLinks = ({ renewed }: Pick<Keys, 'renewed'>) => (
  <section className={styles.links} aria-labelledby="new-links">
    <h3 id="new-links">New links</h3>
    <p>
      Whoever has a link can act for its registration. Send each to the node’s operator, in a way
      you trust. A link stays here until a new key has proved its registration.
    </p>
    <ul>
      {renewed.map(({ name, note, status, url }) => (
        <li key={note}>
          <p className={parts.wrapped}>
            <Link to={hrefs.review.registration(note)}>{name}</Link>
            <Status {...STATUS_LABEL[status]} />
          </p>
          <Command
            label={`Link of ${name}`}
            code={url}
            copyLabel={`Copy link of ${name}`}
            wrapped
          />
        </li>
      ))}
    </ul>
  </section>
);

function provingColumns(
  node: string,
  pinned: Keys['pinned'],
  problemOf: NodeKeysCardProps['problemOf'],
): Column<Proving>[] {
  return [
    { head: 'Key', kind: 'name', cell: ({ key }) => <code className={styles.key}>{key}</code> },
    { head: 'Has proved', kind: 'text', cell: ({ names }) => <ProvedNames names={names} /> },
    {
      head: 'Actions',
      kind: 'actions',
      cell: ({ key }) => (
        <div className={styles.actions}>
          {!pinned && (
            <KeyForm label="Pin" intent="pin-key" node={node} value={key} problemOf={problemOf} />
          )}
          {pinned?.key !== key && (
            <KeyForm
              label="Revoke"
              intent="revoke-key"
              node={node}
              value={key}
              problemOf={problemOf}
            />
          )}
          {pinned?.key === key && <span className={text.secondary}>pinned</span>}
        </div>
      ),
    },
  ];
}

interface KeyFormProps extends Pick<NodeKeysCardProps, 'node' | 'problemOf'> {
  label: string;
  intent: string;
  /** The key. */
  value: string;
}

const KeyForm = ({ label, intent, node, value, problemOf }: KeyFormProps) => (
  <ReasonForm
    label={label}
    subject={value}
    subjectField="key"
    also={{ nodeId: node }}
    intent={intent}
    problem={problemOf(intent, value)}
  />
);

const ProvedNames = ({ names }: Pick<Proving, 'names'>) => (
  <ul className={styles.names}>
    {names.map(({ name, note, status, provedAt }) => (
      <li key={note}>
        <Link to={hrefs.review.registration(note)}>{name}</Link>{' '}
        <span className={text.secondary}>
          {STATUS_LABEL[status].word}
          {provedAt !== null && (
            <>
              , proved <RelativeTime at={provedAt} />
            </>
          )}
        </span>
      </li>
    ))}
  </ul>
);

const FormerKeys = ({ node, keys: { former, pinned }, problemOf }: NodeKeysCardProps) => (
  <>
    <h3 className={styles.heading}>Earlier keys</h3>
    {pinned && former.some(({ revokedAt }) => revokedAt === null) && (
      <p>
        Revoke one that was stolen: registrations that the pinned key has proved then get new links
        too, which “mesh-agent register --list” shows to their operator.
      </p>
    )}
    <ul className={styles.names}>
      {former.map(({ key, replacedAt, revokedAt }) => (
        <li key={key}>
          <code className={styles.key}>{key}</code>{' '}
          <span className={text.secondary}>
            {revokedAt !== null ? (
              <>
                revoked <RelativeTime at={revokedAt} />
              </>
            ) : (
              replacedAt !== null && (
                <>
                  replaced <RelativeTime at={replacedAt} />
                </>
              )
            )}
          </span>
          {revokedAt === null && (
            <KeyForm
              label="Revoke"
              intent="revoke-key"
              node={node}
              value={key}
              problemOf={problemOf}
            />
          )}
        </li>
      ))}
    </ul>
  </>
);
