import { Link } from '@remix-run/react';
import { CopyButton } from '#app/ui/copy-button.tsx';

export interface EmptyComputesProps {
  origin: string;
  /** Whether an announce needs the credential. */
  secret: boolean;
  /** Whether a name has to be active before its compute is listed. */
  needsName: boolean;
}

/** A directory without a compute: how the first one gets in. */
export function EmptyComputes({ origin, secret, needsName }: EmptyComputesProps) {
  const credential = secret ? ' \\\n  -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  const command = `curl -X POST ${origin}/api/registry/computes${credential} \\
  -H "content-type: application/json" \\
  -d '{"nodeId":"my_node","computes":[{"name":"fire","image":"alpine:3.20","visibility":"public","replicas":4,"freeSlots":2}]}'`;
  return (
    <section className="empty-computes card">
      <h2>No compute offers are listed yet</h2>
      <p>
        A host announces its compute offers, and repeats it every minute while they run.{' '}
        {needsName
          ? 'An offer is listed once its name is registered for that node and active.'
          : 'It is listed right away.'}
      </p>
      <pre className="code" tabIndex={0} aria-label="Command that announces a compute offer">
        <code>{command}</code>
      </pre>
      <p className="chips">
        <CopyButton text={command} label="Copy command" />
        <Link className="button" to="/docs/operators#announce">
          How announcing works
        </Link>
      </p>
    </section>
  );
}
