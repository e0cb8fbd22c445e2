import { useLoaderData } from '@remix-run/react';
import type { NetworkSummary } from '#server/network/truth.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import facts from '#app/ui/facts.module.css';
import { Moment } from '#app/ui/moment.tsx';
import { Page } from '#app/ui/page.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { BansTable } from './bans-table.tsx';
import { Expiry } from './expiry.tsx';
import { LogFacts, type Log } from './log-facts.tsx';
import type { loadNetwork } from './network-page.server.ts';
import { NotPublished } from './not-published.tsx';
import styles from './network-page.module.css';
import { Signers } from './signers.tsx';
import { Verdict } from './verdict.tsx';
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

function Documents({ network, log }: { network: NetworkSummary; log: Log }) {
  const { at, truth, root } = network;
  return (
    <Panel title="Root, truth and log">
      <dl className={facts.facts}>
        <dt>Network</dt>
        <dd>{network.network}</dd>
        <dt>Truth</dt>
        <dd>
          Version {count(truth.version)}, signed <Moment at={truth.issued} />
        </dd>
        <dt>Truth expires</dt>
        <dd>
          <Expiry expires={truth.expires} at={at} />
        </dd>
        <dt>Root</dt>
        <dd>
          Version {count(root.version)}, signed <Moment at={root.issued} />
        </dd>
        <dt>Root expires</dt>
        <dd>
          <Expiry expires={root.expires} at={at} />
        </dd>
        <LogFacts log={log} checkpoint={truth.log} />
        <dt>Protocol</dt>
        <dd>Version {truth.minProtocol} or later</dd>
      </dl>
    </Panel>
  );
}
