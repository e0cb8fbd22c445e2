import { useLoaderData } from '@remix-run/react';
import type { NetworkSummary, RoleSummary } from '#server/network/index.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { roughly, count } from '#app/lib/formatters.ts';
import { ExactTime, Moment } from '#app/ui/moment.tsx';
import { Page } from '#app/ui/page.tsx';
import { FactList, type Fact } from '#app/ui/fact-list.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import { Verdict } from '#app/ui/verdict.tsx';
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
            <Validity network={network} />
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
    <Section title="No signed settings" className={styles.paragraphs}>
      <p>
        This network publishes no signed settings: no peer is banned, and no log can be checked. The
        map and the registry work without them.
      </p>
    </Section>
  );
}

/** Whether peers believe what is published, in one sentence. */
function Validity({ network }: { network: NetworkSummary }) {
  const { at, stale, truth, root } = network;
  if (!stale)
    return (
      <Verdict
        state="online"
        title={`Version ${truth.version} of the network’s signed settings is current`}
        text={`${signatures(root.roles.truth)} This service has checked the signatures of every root and of the settings.`}
      />
    );
  const expired = Date.parse(truth.expires) <= Date.parse(at);
  return (
    <Verdict
      state="idle"
      title={expired ? 'The network’s signed settings have expired' : 'The root has expired'}
      text="Nothing newer has been published. Peers go on with what they have, and know that newer bans may be kept from them."
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
    <Section title="Root, settings and log" className={styles.documents}>
      <FactList
        wide
        facts={[
          { term: 'Network', value: network.network },
          ...documentFacts('Settings', truth, at),
          ...documentFacts('Root', root, at),
          log === null ? null : { term: 'Log', value: <Newest log={log} /> },
          {
            term: 'Checkpoint',
            value:
              checkpoint.height === 0 ? (
                'The network’s settings don’t pin a log entry yet.'
              ) : (
                <>
                  The log must contain block {count(checkpoint.height)}
                  <code className={text.remark}>{checkpoint.id}</code>
                </>
              ),
          },
          { term: 'Protocol', value: `Version ${truth.minProtocol} or later` },
        ]}
      />
    </Section>
  );
}

type Signed = Pick<NetworkSummary['truth'], 'version' | 'issued' | 'expires'>;

/**
 * When the root or the truth was signed and expires, and how long that is from the moment of the page.
 * @param at the moment of the page
 */
function documentFacts(
  name: string,
  { version, issued, expires }: Signed,
  at: string,
): [Fact, Fact] {
  const left = Date.parse(expires) - Date.parse(at);
  return [
    {
      term: name,
      value: (
        <>
          Version {count(version)}, signed <Moment at={issued} />
        </>
      ),
    },
    {
      term: `${name} expires`,
      value: (
        <>
          <ExactTime at={expires} />, {left > 0 ? `in ${roughly(left)}` : `${roughly(-left)} ago`}
        </>
      ),
    },
  ];
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
