import { useLoaderData } from '@remix-run/react';
import type { NetworkSummary, RoleSummary } from '#server/network/index.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { roughly, count } from '#app/lib/formatters.ts';
import { ExactTime, Moment } from '#app/ui/moment.tsx';
import facts from '#app/ui/facts.module.css';
import { Page } from '#app/ui/page.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { VerdictCard } from '#app/ui/verdict-card.tsx';
import { BansTable } from './bans-table.tsx';
import styles from './network-page.module.css';
import type { loadNetwork } from './network-page.server.ts';
import { Signers } from './signers.tsx';
import { VerifyYourself } from './verify-yourself.tsx';

/** The network's signed root and truth, as this service has checked them, and how to check them oneself. */
export function NetworkPage() {
  const { origin, network, log } = useLoaderData<typeof loadNetwork>();
  return (
    <PageMoment.Provider value={network ? Date.parse(network.at) : 0}>
      <Page
        className={styles.page}
        title="Network"
        intro="Whose signatures count, who is banned, and what the public log must contain. The holders of the network’s keys sign it offline: no server can change it, this one included."
      >
        {network === null ? (
          <NotPublished />
        ) : (
          <>
            <Verdict network={network} />
            <Documents network={network} log={log} />
            <Signers roles={network.root.roles} />
            <BansTable bans={network.bans} />
            <VerifyYourself
              network={network}
              origin={origin}
              hasLog={log !== null || network.truth.log.height > 0}
            />
          </>
        )}
      </Page>
    </PageMoment.Provider>
  );
}

/** For a service without TRUTH_FILE. */
function NotPublished() {
  return (
    <Panel title="No signed settings" className={styles.paragraphs}>
      <p>
        This network publishes no signed settings: no peer is banned, and no log can be checked. The
        map and the registry work without them.
      </p>
    </Panel>
  );
}

/** Whether peers believe what is published, in one sentence. */
function Verdict({ network }: { network: NetworkSummary }) {
  const { at, stale, truth, root } = network;
  if (!stale)
    return (
      <VerdictCard
        status="online"
        headline={`Version ${truth.version} of the network’s signed settings is current`}
        text={`${signatures(root.roles.truth)} This service has checked the signatures of every root and of the truth.`}
      />
    );
  const expired = Date.parse(truth.expires) <= Date.parse(at) ? 'truth' : 'root';
  return (
    <VerdictCard
      status="idle"
      headline={`The ${expired} has expired`}
      text="No newer one has been published. Peers go on with what they have, and know that newer bans may be kept from them."
    />
  );
}

const signatures = ({ keys, threshold }: RoleSummary) =>
  `${keys.filter(({ signed }) => signed).length} of ${keys.length} keys have signed it, ${threshold} needed.`;

type Log = ReturnType<typeof loadNetwork>['log'];

function Documents({ network, log }: { network: NetworkSummary; log: Log }) {
  const { at, truth, root } = network;
  const { log: checkpoint } = truth;
  return (
    <Panel title="Root, truth and log">
      <dl className={facts.facts}>
        <dt>Network</dt>
        <dd>{network.network}</dd>
        <DocumentFacts name="Truth" document={truth} at={at} />
        <DocumentFacts name="Root" document={root} at={at} />
        {log !== null && (
          <>
            <dt>Log</dt>
            <dd>
              <Newest log={log} />
            </dd>
          </>
        )}
        <dt>Checkpoint</dt>
        <dd>
          {checkpoint.height === 0 ? (
            'The network’s settings don’t pin a log entry yet.'
          ) : (
            <>
              The log must contain block {count(checkpoint.height)}
              <code className={text.remark}>{checkpoint.id}</code>
            </>
          )}
        </dd>
        <dt>Protocol</dt>
        <dd>Version {truth.minProtocol} or later</dd>
      </dl>
    </Panel>
  );
}

interface DocumentFactsProps {
  name: string;
  document: Pick<NetworkSummary['truth'], 'version' | 'issued' | 'expires'>;
  /** The moment of the page. */
  at: string;
}

/** When the root or the truth was signed and expires, and how long that is from the moment of the page. */
function DocumentFacts({ name, document, at }: DocumentFactsProps) {
  const { version, issued, expires } = document;
  const left = Date.parse(expires) - Date.parse(at);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        Version {count(version)}, signed <Moment at={issued} />
      </dd>
      <dt>{`${name} expires`}</dt>
      <dd>
        <ExactTime at={expires} />, {left > 0 ? `in ${roughly(left)}` : `${roughly(-left)} ago`}
      </dd>
    </>
  );
}

function Newest({ log }: { log: NonNullable<Log> }) {
  if (log === 'unreadable') return <>This service can’t read its log at the moment.</>;
  if (log.time === null) return <>This service has written no block yet.</>;
  return (
    <>
      Block {count(log.height)}, written by this service <Moment at={log.time} />
      <code className={text.remark}>{log.id}</code>
    </>
  );
}
