import {
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type ForwardedRef,
  type RefObject,
} from 'react';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { useLatest } from '#app/lib/polling.ts';
import { restingHeight } from '#app/ui/sheet-heights.ts';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { mapText } from '#server/mesh/mesh-query.schema.ts';
import type { Insets, MapView } from './first-view.ts';
import type { PointedAt } from './marker-tooltip.tsx';
import { useNamed, type NodeAt } from './use-named.ts';
import type { LatLng } from './mercator.ts';
import type { Shown } from './grid-points.ts';

/** A node or Genesis by its id, all nodes at a grid point, or nothing. */
export type Selection = { node: string } | { at: LatLng } | null;

/** What is selected, where it is drawn. */
export interface Selected extends LatLng {
  /** The one node that is chosen; absent for Genesis and for all nodes at a place. */
  node?: { status: PeerStatus; label: string } | undefined;
}

/** Of the flat map and of the globe: what they show, and whom they tell of the visitor's choices. */
export interface DrawingProps {
  store: MeshStore;
  /** What is shown. Another object is another filter. */
  shown: Shown;
  /** How many nodes match. */
  count: number;
  /** Whether Genesis is on the map. */
  genesis: boolean;
  /** The selected node or place. */
  selected: Selected | null;
  /** Moves to the selected position: the selection was made outside the map. */
  moveToSelected: boolean;
  /** The view in the URL; null: all places. */
  view: MapView | null;
  /** What lies over the lower end of the map, or stands beside it. */
  panel: RefObject<HTMLElement>;
  /** Asks which node a marker of a single one is. */
  nodeAt: NodeAt;
  /** Where else the nodes are, as the beginning of a sentence. */
  sameNodes?: string;
  onSelect: (selection: Selection, byKeyboard: boolean) => void;
  /** The visitor has moved or zoomed the map. */
  onView: (view: MapView) => void;
}

/** What a drawing begins with, and whom it tells. */
export interface DrawingOptions extends Pick<
  DrawingProps,
  'shown' | 'selected' | 'view' | 'onSelect' | 'onView'
> {
  /**
   * How much of the element is covered.
   * @param now while a sheet moves; otherwise once it rests
   */
  insets: (now?: true) => Insets;
  /** What the pointer or the keyboard's cursor is at now; null: nothing. */
  onPoint: (at: PointedAt | null) => void;
  /** Places and Genesis are drawn. */
  onDrawn: () => void;
}

/** The network drawn into an element. */
export interface Drawing {
  show(shown: Shown): void;
  /** Highlights the selected position. */
  select(selected: Selected | null): void;
  /** Moves the view to a position. */
  moveTo(position: LatLng): void;
  setView(view: MapView): void;
  /**
   * More or less of it is covered: shows all places in what is free, unless the visitor has chosen a view.
   * @param resting what covers it moves no more
   */
  uncover(resting: boolean): void;
  remove(): void;
}

/** Loads what draws into the element. */
type Load<Made> = () => Promise<
  (host: HTMLElement, store: MeshStore, options: DrawingOptions) => Made
>;

/**
 * Draws into the element `host` once it is visible first, and keeps the drawing level with the props.
 * @param visible something else is shown otherwise; the drawing stays behind it
 */
export function useDrawing<Made extends Drawing>(
  props: DrawingProps,
  ref: ForwardedRef<HTMLDivElement>,
  visible: boolean,
  load: Load<Made>,
) {
  const { store, shown, selected, moveToSelected, view } = props;
  const host = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => host.current as HTMLDivElement);
  const [drawing, setDrawing] = useState<Made | null>(null);
  const [drawn, setDrawn] = useState(false);
  const [pointed, setPointed] = useState<PointedAt | null>(null);
  const [failed, setFailed] = useState(false);
  const [needed, setNeeded] = useState(visible);
  if (visible && !needed) setNeeded(true);
  const latest = useLatest({ ...props, load });
  /** The view that the drawing is known to have. */
  const shownView = useRef<string | null>(null);

  useEffect(() => {
    if (!needed) return;
    let unmounted = false;
    let created: Made | undefined;
    latest.current
      .load()
      .then((create) => {
        if (unmounted || !host.current) return;
        const { view } = latest.current;
        shownView.current = view && mapText(view);
        created = create(host.current, store, {
          ...latest.current,
          insets: (now) => insetsOf(host.current, latest.current, now),
          onSelect: (selection, byKeyboard) => latest.current.onSelect(selection, byKeyboard),
          onPoint: setPointed,
          onView(view) {
            shownView.current = mapText(view);
            latest.current.onView(view);
          },
          onDrawn: () => setDrawn(true),
        });
        setDrawing(() => created ?? null);
      })
      .catch(() => setFailed(true));
    return () => {
      unmounted = true;
      created?.remove();
      setDrawing(null);
    };
  }, [needed, store, latest]);

  useEffect(() => drawing?.show(shown), [drawing, shown]);
  const { lat, lng, node } = selected ?? {};
  const { status, label } = node ?? {};
  useEffect(() => {
    if (drawing && visible) drawing.select(latest.current.selected);
  }, [drawing, visible, lat, lng, status, label, latest]);
  useEffect(() => {
    if (!drawing || !visible || lat === undefined || lng === undefined) return;
    // A view in the URL is of the same link as the selection.
    if (moveToSelected && !latest.current.view) drawing.moveTo({ lat, lng });
  }, [drawing, visible, lat, lng, moveToSelected, latest]);
  const viewText = view && mapText(view);
  useEffect(() => {
    const { view } = latest.current;
    if (!drawing || !view || viewText === shownView.current) return;
    shownView.current = viewText;
    drawing.setView(view);
  }, [drawing, viewText, latest]);
  useEffect(() => {
    const over = latest.current.panel.current;
    if (!drawing || !over) return;
    let before = over.offsetHeight;
    let resting: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      drawing.uncover(false);
      clearTimeout(resting);
      resting = setTimeout(() => {
        drawing.uncover(true);
        const { selected } = latest.current;
        // What has risen may hide what it tells about.
        if (selected && over.offsetHeight > before) drawing.moveTo(selected);
        before = over.offsetHeight;
      }, REST_MS);
    });
    observer.observe(over);
    return () => {
      clearTimeout(resting);
      observer.disconnect();
    };
  }, [drawing, latest]);

  return { host, drawing, drawn, pointed, ...useNamed(pointed, props.nodeAt), failed };
}

/** What covers the map rests once its size has stayed the same for so long, ms. */
const REST_MS = 100;
/** What the switch of the views needs at the upper end, px. */
const SWITCH = 52;

/** What is covered of the map: its upper end, and by a sheet the lower one. What stands beside it covers nothing. */
function insetsOf(
  host: HTMLElement | null,
  { panel }: Pick<DrawingProps, 'panel'>,
  now?: true,
): Insets {
  const none = { top: 0, right: 0, bottom: 0, left: 0 };
  if (!host || !panel.current) return none;
  const [map, over] = [host.getBoundingClientRect(), panel.current.getBoundingClientRect()];
  const beside = over.width === 0 || over.right <= map.left || over.top >= map.bottom;
  return {
    ...{ ...none, top: SWITCH },
    bottom: beside ? 0 : now ? map.bottom - over.top : restingHeight(panel.current),
  };
}
