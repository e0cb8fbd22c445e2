import { useEffect, useState, type RefObject } from 'react';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import type { MeshQuery, ReplayQuery } from '#server/mesh/mesh-query.schema.ts';
import type { Shown } from '../map/place-layer.client.ts';
import styles from './replay.module.css';
import type { ReplayBar } from './replay-bar.tsx';

/** What the map shows of another time. */
export interface Past {
  shown: Shown;
  nodes: number;
  /** Whether it is known where the network was then. */
  measured: boolean;
}

export interface ReplayProps {
  query: MeshQuery & { replay: ReplayQuery };
  /** The element that covers the map's lower end. */
  bar: RefObject<HTMLDivElement>;
  /** Shows another time, or once it is over, the present again. */
  onShow: (past: Past | null) => void;
  /** Another moment, for the URL. Null: back to the present. */
  onMove: (replay: ReplayQuery | null) => void;
  /** How much of the map the bar covers may have changed. */
  onResize: () => void;
}

/** The bar of the replay, over the lower end of the map. What it consists of is loaded once it is opened. */
export function Replay(props: ReplayProps) {
  const { bar, onShow, onMove, onResize } = props;
  const [Bar, setBar] = useState<{ of: typeof ReplayBar } | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let unmounted = false;
    import('./replay-bar.tsx').then(
      ({ ReplayBar }) => !unmounted && setBar({ of: ReplayBar }),
      () => !unmounted && setFailed(true),
    );
    return () => {
      unmounted = true;
      onShow(null);
    };
  }, [onShow]);
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const resized = new ResizeObserver(onResize);
    resized.observe(element);
    return () => resized.disconnect();
  }, [bar, onResize]);

  return (
    <section
      ref={bar}
      className={`${card.floating} ${styles.bar}`}
      aria-label="Replay"
      onKeyDown={({ key }) => key === 'Escape' && onMove(null)}
    >
      {Bar ? (
        <Bar.of {...props} />
      ) : (
        <div className={styles.head}>
          <p role={failed ? 'alert' : undefined}>
            {failed ? 'The replay couldn’t be loaded. Reload the page to try again.' : 'Loading…'}
          </p>
          <button type="button" className={button.button} onClick={() => onMove(null)}>
            Back to live
          </button>
        </div>
      )}
    </section>
  );
}
