import { forwardRef, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { nodes } from '#app/lib/formatters.ts';
import { useLatest } from '#app/lib/polling.ts';
import { mapText } from '#server/mesh/mesh-query.schema.ts';
import { markerText } from '../map/marker-description.ts';
import { MarkerTooltip, type PointedAt } from '../map/marker-tooltip.tsx';
import { insetsOf, type MapViewProps } from '../map/map-view.tsx';
import { createGlobe, type Globe } from './globe.client.ts';
import styles from './globe-view.module.css';

export type GlobeProps = Omit<MapViewProps, 'visible' | 'grid'>;

/** The globe's element, with its buttons and its tooltip. */
const GlobeView = forwardRef<HTMLDivElement, GlobeProps>(function GlobeView(props, ref) {
  const { store, shown, count, genesis, selected, moveToSelected, view, folded } = props;
  const host = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => host.current as HTMLDivElement);
  const [globe, setGlobe] = useState<Globe | null>(null);
  const [drawn, setDrawn] = useState(false);
  const [pointedAt, setPointedAt] = useState<PointedAt | null>(null);
  const [spoken, setSpoken] = useState('');
  const latest = useLatest(props);
  /** The view that the globe is known to have. */
  const shownView = useRef<string | null>(null);

  useEffect(() => {
    if (!host.current) return;
    const { shown, selected, view } = latest.current;
    shownView.current = view && mapText(view);
    const created = createGlobe(host.current, store, {
      shown,
      selected,
      view,
      insets: () => insetsOf(host.current, latest.current),
      onSelect: (selection, byKeyboard) => latest.current.onSelect(selection, byKeyboard),
      onPoint(at, byKeyboard) {
        setPointedAt(at);
        setSpoken(at && byKeyboard ? markerText(at.pointed) : '');
      },
      onView(view) {
        shownView.current = mapText(view);
        latest.current.onView(view);
      },
      onDrawn: () => setDrawn(true),
    });
    setGlobe(created);
    return () => {
      created.remove();
      setGlobe(null);
    };
  }, [store, latest]);

  useEffect(() => globe?.show(shown), [globe, shown]);
  const { lat, lng } = selected ?? {};
  useEffect(() => {
    if (!globe) return;
    const position = lat === undefined || lng === undefined ? null : { lat, lng };
    globe.select(position);
    // A view in the URL is of the same link as the selection.
    if (position && moveToSelected && !latest.current.view) globe.turnTo(position);
  }, [globe, lat, lng, moveToSelected, latest]);
  const viewText = view && mapText(view);
  useEffect(() => {
    const { view } = latest.current;
    if (!globe || !view || viewText === shownView.current) return;
    shownView.current = viewText;
    globe.setView(view);
  }, [globe, viewText, latest]);
  useEffect(() => globe?.uncover(), [globe, folded]);

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
      {pointedAt && <MarkerTooltip at={pointedAt} width={host.current?.clientWidth ?? 0} />}
      <p className="visually-hidden" aria-live="polite">
        {spoken}
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
