import { forwardRef, useState } from 'react';
import { nodes } from '#app/lib/formatters.ts';
import { MarkerTooltip } from '../map/marker-tooltip.tsx';
import { useDrawing, type DrawingProps } from '../map/use-drawing.ts';
import { createGlobe } from './globe.client.ts';
import styles from './globe-view.module.css';

/** The globe's element, with its buttons and its tooltip. */
const GlobeView = forwardRef<HTMLDivElement, DrawingProps>(function GlobeView(props, ref) {
  const { count, genesis } = props;
  const [spinning, setSpinning] = useState(false);
  const {
    host,
    drawing: globe,
    drawn,
    pointed,
    node,
    said,
  } = useDrawing(props, ref, true, () =>
    Promise.resolve((host, store, options) => createGlobe(host, store, options, setSpinning)),
  );
  return (
    <>
      <div
        ref={host}
        className={styles.globe}
        role="application"
        tabIndex={0}
        aria-label={
          drawn
            ? `Globe: ${nodes(count)} ${genesis ? 'and Genesis' : 'shown'}. Use the arrow keys to go from marker to marker, Enter to open one, plus and minus to zoom. The list view shows the same nodes.`
            : 'Globe'
        }
      >
        <span className="visually-hidden" aria-live="polite">
          {said}
        </span>
      </div>
      {pointed && <MarkerTooltip at={pointed} node={node} width={host.current?.clientWidth ?? 0} />}
      <div className={styles.zoom} data-spinning={spinning || undefined}>
        <button
          type="button"
          className={styles.spin}
          aria-label={spinning ? 'Stop turning' : 'Turn the globe'}
          onClick={() => globe?.spin(!spinning)}
        >
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
            {spinning ? (
              <path d="M7 4.5v11M13 4.5v11" fill="none" stroke="currentColor" strokeWidth="2.5" />
            ) : (
              <path d="M6.5 4l9 6-9 6z" fill="currentColor" />
            )}
          </svg>
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => globe?.zoomBy(1.5)}>
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
            <path d="M10 4v12M4 10h12" fill="none" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => globe?.zoomBy(1 / 1.5)}>
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
            <path d="M4 10h12" fill="none" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </button>
      </div>
    </>
  );
});

export default GlobeView;
