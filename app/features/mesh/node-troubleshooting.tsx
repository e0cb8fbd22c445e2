import { Link } from '@remix-run/react';
import { wizardHref } from '#app/features/registration/wizard.ts';
import { FirstPing, type FirstPingProps } from './heartbeat-command.tsx';
import { Panel } from '#app/ui/panel.tsx';

export interface NeverSeenProps {
  id: string;
  /** What is wrong with the id. */
  problem: string | null;
  service: FirstPingProps;
  /** How often the page looks, ms. */
  everyMs: number;
}

/** What a node needs to be seen, in the order in which a heartbeat is checked. */
export function NeverSeen({ id, problem, service, everyMs }: NeverSeenProps) {
  return (
    <>
      <Panel title="Send its first heartbeat" className="wide">
        <p>
          {problem
            ? 'Choose an id that fits, put in where the node lies, and run this.'
            : `Put in where it lies, and run this. The page looks every ${everyMs / 1000} s and shows the node once the answer was 201.`}
        </p>
        <FirstPing {...service} {...(!problem && { nodeId: id })} />
        {!problem && (
          <p className="secondary">
            A heartbeat gives it no name.{' '}
            <Link to={wizardHref({ node: id })}>Register one for it</Link>, before or after.
          </p>
        )}
      </Panel>
      <Panel title="If you think it does send them" className="wide">
        <dl className="checklist">
          <dt>The id</dt>
          <dd>
            {problem ?? (
              <>
                <code>{id}</code> can be a node’s id. Upper and lower case are different ids.
              </>
            )}
          </dd>
          <dt>The address</dt>
          <dd>
            This is <code>{service.origin}</code>. A node that reports to another server is not
            here.
          </dd>
          <dt>The credential</dt>
          <dd>
            {service.secret ? (
              <>
                This server asks for <code>Authorization: Bearer</code> and its shared secret.
                Without it, or with a wrong one, the answer is 401.
              </>
            ) : (
              <>
                This server asks for none. A wrong one is answered with 401 all the same: leave the
                header out.
              </>
            )}
          </dd>
          <dt>The content type</dt>
          <dd>
            <code>application/json</code>; else the answer is 415.
          </dd>
          <dt>The coordinates</dt>
          <dd>
            <code>lat</code> from -90 to 90 and <code>lng</code> from -180 to 180, as numbers, not
            as text; else the answer is 400 and names the field.
          </dd>
          <dt>The clock</dt>
          <dd>The node’s own does not matter: what counts is when the heartbeat arrives.</dd>
          <dt>The answer</dt>
          <dd>After a 200 or 201 the node is here, at the latest 2 s later.</dd>
        </dl>
      </Panel>
    </>
  );
}
