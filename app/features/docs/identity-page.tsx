import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import { CodeBlock, P, Section } from './section.tsx';
import { DefinitionList } from './definition-list.tsx';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';

export const identityDocs: DocsPage = {
  path: hrefs.docs.identity(),
  title: 'Identity of a node',
  intro: 'A key of its own, so that nobody else can speak for your node.',
  sections: [
    { id: 'key', title: 'What a key does' },
    { id: 'pinning', title: 'Pinning' },
    { id: 'registrations', title: 'Prove a registration' },
    { id: 'requests', title: 'Signed requests' },
    { id: 'rotation', title: 'Replace a key' },
    { id: 'lost', title: 'Lost or stolen key' },
    { id: 'replays', title: 'Replays and clocks' },
    { id: 'limits', title: 'What isn’t protected' },
  ],
};

export function IdentityPage() {
  const { keysPinnedAtFirstUse } = useDocs();
  return (
    <>
      <Section id="key" title="What a key does">
        <p>
          All nodes of a network share one secret, so anyone who knows it can send heartbeats for
          any node. A key is different: it belongs to one node. Once your node’s ID is pinned to its
          key, the service accepts heartbeats, announcements and the removal of this ID only if that
          key has signed them, and a registration can prove that it comes from the node itself.
        </p>
        <p>
          The key is an Ed25519 key pair. The private half stays in a file on your machine that only
          its owner can read. The public half, 43 characters, is sent with each request and isn’t
          secret. Keys are optional: a node works without one.
        </p>
      </Section>

      <Section id="pinning" title="Pinning">
        <p>
          On this network an ID is pinned{' '}
          {keysPinnedAtFirstUse
            ? 'by its first signed heartbeat or announcement, or when reviewers accept a registration that the key has proved. If several keys claim an ID at once, only one gets it.'
            : 'when reviewers accept a registration that the key has proved. A signed heartbeat alone pins nothing, so nobody can take an ID by being first.'}
        </p>
        <p>
          The pin ends when the node leaves the network, unless it has an active name, or when a
          reviewer resets it. Anyone can look up a node’s key:{' '}
          <Link to={hrefs.docs.area('mesh', 'getNodeKey')}>
            <code>GET /api/mesh/nodes/{'{id}'}/key</code>
          </Link>
          .
        </p>
      </Section>

      <Section id="registrations" title="Prove a registration">
        <p>
          Anyone can enter your node’s ID when they register a name. Proved by your key, a
          registration shows that it is yours, to you and to reviewers. It is never required.
        </p>
        <DefinitionList items={PROOFS} code />
        <p>
          Your key is the one to which the node is pinned or, without a pin, the one that signs its
          heartbeats now. Reviewers and the page of the registration show why a node may be somebody
          else’s: it has active names that this key hasn’t proved, it is pinned to another key, its
          heartbeats are or were signed by another key or by none, or its key has proved another
          open registration. Reviewers see a warning before they accept such a registration. The
          first key that proves a registration counts; the key to which the node is pinned replaces
          any other.
        </p>
        <P>
          Once its payment is reported, a proved registration can be cancelled, and its name
          released, only with the key. The link of its page still shows it, and corrects its
          details. Programs send a `proof` with the{' '}
          <Link to={hrefs.docs.area('registry', 'register')}>registration</Link>, or{' '}
          <Link to={hrefs.docs.area('registry', 'claimRegistration')}>claim</Link> it.
        </P>
      </Section>

      <Section id="requests" title="Signed requests">
        <p>
          Requests are signed with HTTP Message Signatures (RFC 9421), in three headers beside the
          usual ones. The network’s secret is still needed.
        </p>
        <CodeBlock caption="The headers of a signed heartbeat" language="http" code={HEADERS} />
        <DefinitionList items={PARTS} code />
        <P>
          A request without a body covers `"@method" "@path" "@authority"` and has no
          `Content-Digest`. Any library for RFC 9421 can do this. Signatures with another tag are
          ignored.
        </P>
        <P>
          To find your mistakes, send a heartbeat to `POST /api/mesh/ping?dry=1`: it is checked like
          any other, and nothing is stored.
        </P>
        <DefinitionList items={REFUSALS} />
      </Section>

      <Section id="rotation" title="Replace a key">
        <P>
          <Link to={hrefs.docs.area('mesh', 'rotateNodeKey')}>
            <code>PUT /api/mesh/nodes/{'{id}'}/key</code>
          </Link>{' '}
          replaces the pinned key with a new one. The old key signs the request; the new key signs a
          proof inside it, so that nobody can pin your node to a key that they don’t have.
          Registrations proved by the old key count as proved by the new one. If you never saw the
          response, ask for the node’s key: it is one or the other. `mesh-agent identity rotate`
          does all of this.
        </P>
      </Section>

      <Section id="lost" title="Lost or stolen key">
        <p>
          Keep a backup of the key file. If the key is lost, ask the operator of this network for a
          reset. A reviewer decides, and gives a reason that stays in the history. The key is then
          revoked permanently, with those it had replaced: nothing they sign counts for your node
          again. The registrations it has proved get new links, which the reviewer sends you; the
          old ones stop working.
        </p>
        <P>
          Run `mesh-agent identity rotate` for a new key, then `mesh-agent claim LINK` with each new
          link, and tell the reviewer your new key (`mesh-agent identity show`). While your node has
          active names, only a reviewer pins it again.
        </P>
        <p>
          If the key was stolen and you still have it, replace it yourself at once: the first to do
          so wins. Check where your registrations send notifications, too.
        </p>
      </Section>

      <Section id="replays" title="Replays and clocks">
        <p>
          Each signature counts once, at every server of this network and after a restart. Its time
          may be five minutes before or after the service’s clock; the error message says by how
          many seconds yours is off. Sign a repeated request anew.
        </p>
        <p>
          Send heartbeats in the order in which you sign them: once one is accepted, those signed in
          an earlier second are rejected. If you set your clock back, heartbeats are rejected until
          it has caught up; the agent avoids that. Claims, removals, rotations and proofs that were
          signed before the service started have to be signed again.
        </p>
      </Section>

      <Section id="limits" title="What isn’t protected">
        <DefinitionList items={LIMITS} />
      </Section>
    </>
  );
}

const PROOFS = {
  'mesh-agent register NAME': 'Starts a registration that is proved from the beginning.',
  'mesh-agent claim LINK':
    'Proves one that was started in the browser. Its page shows the command with its link, and updates.',
  'mesh-agent register --list':
    'Lists the registrations that the key has proved, so losing a link doesn’t lose the name.',
};

const HEADERS = `Content-Digest: sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
Signature-Input: node=("@method" "@path" "@authority" "content-digest");created=1784289790;nonce="nM3dJ0fVQ2yG6r5hXc8wBzLk";keyid="JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";tag="mesh-node"
Signature: node=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:`;

const PARTS = {
  created: 'When it was signed, in seconds since 1970.',
  nonce: 'A random string of 16 to 64 characters, never used before.',
  keyid: 'The public key: its 32 bytes in base64url, without padding.',
  tag: 'Always `mesh-node`.',
  alg: 'May be left out; otherwise `ed25519`.',
  '@authority':
    'Host and port of this service’s address, without a default port. Heartbeats and announcements may leave it out until the next version.',
};

const REFUSALS = {
  '`401 signature_required`':
    'The ID is pinned, and the request isn’t signed, or signed by another key.',
  '`401 signature_invalid`':
    'The signature doesn’t match: it is for another service, the body was changed in transit, the clock is wrong, it was used before, or a reviewer has revoked the key. The message says which.',
};

const LIMITS = {
  'The location':
    'A key proves who sent a heartbeat, not where the node is or what it can do. Operators still enter the location themselves.',
  Reading:
    'Signatures prove who sent a request. They don’t encrypt it: use HTTPS, which the proxy in front of this service provides.',
  'The machine':
    'Anyone who can read the key file can sign as the node, until you replace the key or a reviewer resets it.',
  'The service':
    'The operator of this network can reset any key, and pin a node to another one. Both are in the history that reviewers see.',
  'The query':
    'Query parameters aren’t signed. The only one that a signed request can have is `dry`, which stores nothing.',
  'Other networks':
    'A signature names the service, so nobody can use it elsewhere. A heartbeat that leaves out `@authority`, as older agents send it, doesn’t: use a key of its own for each network.',
};
