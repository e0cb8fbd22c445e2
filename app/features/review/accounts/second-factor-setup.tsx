import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import type { FormError } from '#app/lib/form-error.ts';
import facts from '#app/ui/facts.module.css';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { QrImage } from '#app/ui/qr-image.tsx';
import text from '#app/ui/text.module.css';
import type { SecondFactorSetup } from './accounts.server.ts';
import styles from './second-factor-setup.module.css';

interface ConfirmSetupProps {
  setup: SecondFactorSetup;
  problem: FormError | undefined;
}

/** The key for an authenticator app, and the form for the first code, which turns the second factor on. */
export function ConfirmSetup({ setup: { uri, key, qr }, problem }: ConfirmSetupProps) {
  return (
    <Panel title="Authenticator app">
      <p>Scan this QR code with your app, or type the key. Then enter the code it shows.</p>
      <div className={styles.columns}>
        <QrImage qr={qr} label="QR code of the key" />
        <div className={styles.steps}>
          <dl className={facts.facts}>
            <dt>Key</dt>
            <dd>
              <code>{key}</code>
            </dd>
            <dt>On this phone</dt>
            <dd>
              <a href={uri}>Open in app</a>
            </dd>
          </dl>
          <ActionForm intent="confirm" problem={problem} submitLabel="Turn on" look="primary">
            <input type="hidden" name="uri" value={uri} />
            <TextField
              label="Code"
              name="code"
              hint="Six digits."
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={10}
              required
            />
          </ActionForm>
          <p className={text.secondary}>
            Codes don’t work? Check that your phone’s clock is right, or{' '}
            <Link to={hrefs.review.secondFactor()}>start over with a new key</Link>.
          </p>
        </div>
      </div>
    </Panel>
  );
}
