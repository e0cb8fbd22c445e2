import { forwardRef } from 'react';
import { nodes } from '#app/lib/formatters.ts';
import { markerText } from '../map/marker-description.ts';
import { MarkerTooltip } from '../map/marker-tooltip.tsx';
import { useDrawing, type DrawingProps } from '../map/use-drawing.ts';
import { createGlobe } from './globe.client.ts';
import styles from './globe-view.module.css';

const load = () => Promise.resolve(createGlobe);

/** The globe's element, with its buttons and its tooltip. */
const GlobeView = forwardRef<HTMLDivElement, DrawingProps>(function GlobeView(props, ref) {
  const { count, genesis } = props;
  const { host, drawing: globe, drawn, pointed } = useDrawing(props, ref, true, load);
  return (
    <>
      <div
        ref={host}
        className={styles.globe}
        role="application"
        tabIndex={0}
        aria-label={
          drawn
            ? `Globe: ${nodes(count)} ${genesis ? 'and Genesis' : 'shown'}. Use the arrow keys to turn, plus and minus to zoom, Enter to open the place in the middle. The list view shows the same nodes.`
            : 'Globe'
        }
      >
        <canvas />
        <canvas />
        <canvas />
        <canvas />
      </div>
      {pointed && <MarkerTooltip at={pointed.at} width={host.current?.clientWidth ?? 0} />}
      <p className="visually-hidden" aria-live="polite">
        {pointed?.byKeyboard && markerText(pointed.at.pointed)}
      </p>
      <div className={styles.zoom}>
        <button type="button" aria-label="Zoom in" onClick={() => globe?.zoomBy(1.5)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => globe?.zoomBy(1 / 1.5)}>
          −
        </button>
      </div>
    </>
  );
});

export default GlobeView;
