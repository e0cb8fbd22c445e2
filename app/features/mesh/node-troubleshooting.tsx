import * as hrefs from '#app/lib/hrefs.ts';
import { Link } from '#app/ui/link.tsx';
import { Operator } from '#app/ui/operator.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import { HeartbeatCommand } from './heartbeat-command.tsx';
import type { LoadedNode } from './node-page.server.ts';
import styles from './node-troubleshooting.module.css';

type NodeTroubleshootingProps = Pick<LoadedNode, 'id' | 'invalid' | 'service'>;

/** What a node needs to appear, in the order in which a heartbeat is checked. */
export function NodeTroubleshooting({ id, invalid, service }: NodeTroubleshootingProps) {
  return (
    <div className={styles.help}>
      <Section title="Send its first heartbeat">
        <p className={styles.intro}>
          {invalid
            ? 'Choose a valid ID, enter the node’s location and run this.'
            : 'Enter its location and run this. The page updates when the first heartbeat arrives.'}
        </p>
        <HeartbeatCommand service={service} {...(!invalid && { nodeId: id })} />
        <p className={`${text.secondary} ${styles.note}`}>
          <Link to={hrefs.docs.operators()}>mesh-agent</Link> keeps a node on the map, and says what
          is wrong: <code>mesh-agent doctor</code>.
        </p>
        {!invalid && (
          <p className={`${text.secondary} ${styles.note}`}>
            A heartbeat doesn’t give the node a name.{' '}
            <Link to={hrefs.registerNode(id)}>Register a name</Link>
          </p>
        )}
      </Section>
      <Section title="Already sending heartbeats?">
        <dl className={styles.checks}>
          <dt>ID</dt>
          <dd>
            {invalid ?? (
              <>
                <code>{id}</code> is a valid ID. IDs are case-sensitive.
              </>
            )}
          </dd>
          <dt>Server</dt>
          <dd>
            This is <code>{service.origin}</code>. Check that the node reports to this server.
          </dd>
          <dt>Secret</dt>
          <dd>
            {service.secret ? (
              <>
                This server requires <code>Authorization: Bearer</code> with its shared secret. If
                it is missing or wrong, the response is 401. Ask <Operator /> for it.
              </>
            ) : (
              <>
                This server requires none. Leave the header out, because a wrong secret is rejected
                with 401.
              </>
            )}
          </dd>
          <dt>Content type</dt>
          <dd>
            <code>application/json</code>. Otherwise the response is 415.
          </dd>
          <dt>Coordinates</dt>
          <dd>
            <code>lat</code> from -90 to 90 and <code>lng</code> from -180 to 180, as numbers, not
            strings. Otherwise the response is 400 and names the field.
          </dd>
          <dt>Clock</dt>
          <dd>The node’s clock doesn’t matter. Only the time of arrival counts.</dd>
          <dt>Response</dt>
          <dd>After a 200 or 201, the node appears within 2 s.</dd>
        </dl>
      </Section>
    </div>
  );
}
