import { count } from '#app/lib/formatters.ts';
import facts from '#app/ui/facts.module.css';
import text from '#app/ui/text.module.css';
import { CodeBlock } from '../section.tsx';
import type { Received, RequestState } from './send-request.ts';
import styles from './try-it.module.css';

/** The outcome of the request. Screen readers announce its first line. */
export function Result({ state }: { state: RequestState }) {
  const response = state.state === 'received' ? state.response : null;
  return (
    <div className={styles.result}>
      <div aria-live="polite">
        {response ? (
          <p className={response.status < 400 ? styles.good : styles.bad}>
            <strong>{`${response.status} ${response.statusText}`.trim()}</strong>
            {` after ${count(Math.round(response.ms))} ms, ${size(response.bytes)}`}
          </p>
        ) : (
          <Progress state={state} />
        )}
      </div>
      {response && <Body response={response} />}
    </div>
  );
}

const FAILURES = {
  cancelled: 'Cancelled.',
  offline: 'You are offline. Connect to the network and send it again.',
  unreachable: 'No response: the service can’t be reached. Try again in a moment.',
};

function Progress({ state }: { state: RequestState }) {
  if (state.state === 'sending') return <p className={styles.waiting}>Waiting for the response…</p>;
  if (state.state !== 'failed') return null;
  return <p className={state.why === 'cancelled' ? '' : styles.bad}>{FAILURES[state.why]}</p>;
}

function Body({ response: { headers, text: body, cut, bytes } }: { response: Received }) {
  return (
    <>
      <dl className={`${facts.facts} ${styles.headers}`}>
        {headers.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      {body !== '' && (
        <CodeBlock caption={cut ? 'Start of the body' : 'Body'} language="json" code={body} />
      )}
      {cut && (
        <p className={text.secondary}>
          Only the beginning is shown. The whole body is {size(bytes)}: download it with the
          command.
        </p>
      )}
    </>
  );
}

/** "812 bytes", "12.3 KB", "19.1 MB". */
function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
