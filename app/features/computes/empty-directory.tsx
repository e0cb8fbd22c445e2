import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import chips from '#app/ui/chips.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import text from '#app/ui/text.module.css';
import styles from './empty-directory.module.css';

export interface EmptyDirectoryProps {
  origin: string;
  /** Whether announcing needs the credential. */
  secret: boolean;
  /** Whether an offer is listed only once its name is active. */
  needsName: boolean;
}

/** Shown while no compute offer is listed: how to announce the first one. */
export function EmptyDirectory({ origin, secret, needsName }: EmptyDirectoryProps) {
  const credential = secret ? ' \\\n  -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  const command = `curl -X POST ${origin}/api/registry/computes${credential} \\
  -H "content-type: application/json" \\
  -d '{"nodeId":"my_node","computes":[{"name":"fire","image":"alpine:3.20","visibility":"public","replicas":4,"freeSlots":2}]}'`;
  return (
    <section className={`${card.padded} ${styles.empty}`}>
      <h2>No compute offers yet</h2>
      <p>
        Hosts announce their compute offers every minute while they run.{' '}
        {needsName
          ? 'An offer is listed once its name is registered for that node and active.'
          : 'An announced offer is listed right away.'}
      </p>
      <pre className={text.code} tabIndex={0} aria-label="Command that announces a compute offer">
        <code>{command}</code>
      </pre>
      <p className={chips.chips}>
        <CopyButton text={command} label="Copy command" />
        <Link className={button.button} to={hrefs.docs.operators('announce')}>
          How to announce compute offers
        </Link>
      </p>
    </section>
  );
}
