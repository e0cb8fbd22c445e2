import { forwardRef } from 'react';
import { nodes } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import leaflet from './leaflet.module.css';
import styles from './map-view.module.css';
import { MarkerTooltip } from './marker-tooltip.tsx';
import { useDrawing, type DrawingProps } from './use-drawing.ts';

interface MapViewProps extends DrawingProps {
  /** The list is shown otherwise. It needs no map; once loaded, the map stays behind the list. */
  visible: boolean;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
}

/** The map's element. Leaflet and all drawing code are loaded after the page. */
export const MapView = forwardRef<HTMLDivElement, MapViewProps>(function MapView(props, ref) {
  const { visible, grid, count, genesis } = props;
  const { sameNodes = 'The list view shows the same nodes' } = props;
  const { host, drawn, pointed, node, said, failed } = useDrawing(props, ref, visible, () =>
    import('./mesh-map.client.ts').then(
      ({ createMeshMap }) =>
        (host, store, options) =>
          createMeshMap(host, store, grid, options),
    ),
  );
  return (
    <>
      <div
        ref={host}
        className={`${styles.map} ${leaflet.leaflet}`}
        role="application"
        tabIndex={0}
        aria-label={
          drawn
            ? `Map: ${nodes(count)} ${genesis ? 'and Genesis' : 'shown'}. Use the arrow keys to go from marker to marker, Enter to open one, plus and minus to zoom. ${sameNodes}.`
            : 'Map'
        }
      >
        <span className="visually-hidden" aria-live="polite">
          {said}
        </span>
      </div>
      {pointed && visible && (
        <MarkerTooltip at={pointed} node={node} width={host.current?.clientWidth ?? 0} />
      )}
      {failed && (
        <p className={`${card.floating} ${styles.failed}`} role="alert">
          The map couldn’t be loaded. Reload the page to try again. {sameNodes}.
        </p>
      )}
    </>
  );
});
