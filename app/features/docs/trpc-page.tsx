import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import { DefinitionList } from './definition-list.tsx';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';
import { trpcClient } from './examples.ts';
import { CodeBlock, P, Section } from './section.tsx';

export const trpcDocs: DocsPage = {
  path: hrefs.docs.trpc(),
  title: 'tRPC client',
  intro: 'The typed API of this service from your own TypeScript program, without a generator.',
  sections: [
    { id: 'client', title: 'A client in six lines' },
    { id: 'batches', title: 'Batches and limits' },
    { id: 'procedures', title: 'Procedures' },
  ],
};

/** The typed API for outsiders. */
export function TrpcPage() {
  const { origin } = useDocs();
  return (
    <>
      <Section id="client" title="A client in six lines">
        <P>
          The pages of this service call tRPC 11 at `/api/trpc`, and so can you. The type of the
          public procedures, `PublicRouter`, is in the package `mesh-registry-client`. Make it from
          the source of this service with `npm run build:client && npm pack ./build/mesh-client`,
          then install it with `@trpc/client` and `@trpc/server`.
        </P>
        <CodeBlock caption="mesh.ts" language="ts" code={trpcClient(origin)} />
      </Section>
      <Section id="batches" title="Batches and limits">
        <P>
          `httpBatchLink` sends up to 10 calls in one request; each counts towards the limits
          separately, and a response above 64 KiB counts once per 64 KiB. `httpLink` sends them one
          by one: use it for large lists, whose responses are prepared once for all clients.
        </P>
        <P>
          An error has the code of the REST API in `data.code`, with the same fields as{' '}
          <Link to={hrefs.docs.errors()}>its errors</Link>.
        </P>
      </Section>
      <Section id="procedures" title="Procedures">
        <DefinitionList items={PROCEDURES} code />
        <P>
          Event streams need `httpSubscriptionLink`; without a library,{' '}
          <Link to={hrefs.docs.statusPages('stream')}>EventSource</Link> reads them.
        </P>
      </Section>
    </>
  );
}

const PROCEDURES = {
  'mesh.get, .list, .node': 'All nodes; a page of those that match a filter; one of them, or null.',
  'mesh.places, .matchingPlaces, .peersAt':
    'The network by place; the places of nodes that match; the nodes at one place.',
  'history.network, .node': 'The last 1, 7, 30 or 90 days.',
  'computes.list, .some, .nodes':
    'Compute offers, all or those that are available; up to four of them by name; region and 30-day uptime of their nodes.',
  'registry.list, .info, .availability':
    'Active names; fee and rules; whether a name is available.',
  'registry.start, .confirm, .cancel, .registration':
    'Start a registration, report its payment, follow it, end it.',
  'search, status.summary': 'Nodes, names and offers by text; how this service is doing.',
  'mesh.changes, computes.changes': 'Event streams: a snapshot, then what has changed.',
  'mesh.nodeChanges, registry.nameChanges':
    'The event stream of one node or one name: all that is known about it, whenever it changes.',
};
